//! A program that can be run exactly: what one body or one variable cannot say is marked as unknown.

use super::Analysis;
use crate::db::{FunctionKind, unit_environment};
use crate::frontend::layout::DataModel;
use crate::frontend::lower::Environment;
use crate::ir::{FunctionRef, GlobalRef, GlobalScope};
use crate::kiss::program::{Meaning, Program};
use crate::kiss::sequential::{Harness, Numbers, with_harness};
use rustc_hash::FxHashSet;
use std::fmt;
use ustr::Ustr;

/// Why a program cannot be run at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotExecutable {
    /// There is no such function.
    NoEntry,
    /// Several functions have that name.
    SeveralEntries,
    /// The units differ in the sizes of types, or are not those of a 64-bit system.
    DataModel,
}

impl fmt::Display for NotExecutable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotExecutable::NoEntry => "the program has no function to begin with",
            NotExecutable::SeveralEntries => {
                "several functions have the name of the one to begin with"
            }
            NotExecutable::DataModel => "only programs for 64-bit systems can be run",
        })
    }
}

/// Where a run begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// With the function of this name.
    Function(String),
    /// With one thread for each of these functions. Functions of a pair in `apart` never run at the same time.
    Threads {
        functions: Vec<FunctionRef>,
        apart: Vec<(FunctionRef, FunctionRef)>,
    },
}

impl Analysis {
    /// The program as something that can be run from there.
    pub fn executable_from(&self, start: &Start) -> Result<Program, NotExecutable> {
        match start {
            Start::Function(entry) => self.executable(entry),
            Start::Threads { functions, apart } => {
                let program = self.without_entry("main")?;
                let is_known = |function: &FunctionRef| {
                    matches!(program.function(*function), Meaning::Body(_))
                };
                if functions.is_empty() || !functions.iter().all(is_known) {
                    return Err(NotExecutable::NoEntry);
                }
                let harness = Harness::Functions {
                    functions: functions.clone(),
                    apart: apart.clone(),
                };
                Ok(with_harness(&program, &harness, Numbers::Asked))
            }
        }
    }

    /// The program as something that can be run, beginning with the function of this name.
    pub fn executable(&self, entry: &str) -> Result<Program, NotExecutable> {
        let program = self.without_entry(entry)?;
        match program.function(program.entry) {
            Meaning::Body(_) => Ok(program),
            Meaning::Ambiguous => Err(NotExecutable::SeveralEntries),
            Meaning::External => Err(NotExecutable::NoEntry),
        }
    }

    /// As `executable`, whether there is such a function or not.
    fn without_entry(&self, entry: &str) -> Result<Program, NotExecutable> {
        let db = self.database();
        let mut units = self.program().units.values();
        if units.any(|table| table.unit.data_model(db) != DataModel::LP64) {
            return Err(NotExecutable::DataModel);
        }
        let mut program = self.runnable(entry);
        let external: Vec<GlobalRef> = program
            .globals()
            .map(|(global, _)| global)
            .filter(|global| global.scope == GlobalScope::External)
            .collect();
        let initialisers = program.initialisers.iter();
        let initialised: FxHashSet<GlobalRef> =
            initialisers.flat_map(|body| body.stored()).collect();
        for global in external {
            if !initialised.contains(&global) && !self.is_declared_to_exist(global.name) {
                program.make_undefined(global);
            }
        }
        self.forget_copies(&mut program);
        Ok(program)
    }

    /// A `static` variable of a header exists once in each unit, but only one of them gets its first value here.
    fn forget_copies(&self, program: &mut Program) {
        let db = self.database();
        for (path, table) in &self.program().units {
            for placed in &table.functions {
                if placed.function.kind(db) != FunctionKind::Initialiser {
                    continue;
                }
                let Some(body) = self.body(placed.function) else {
                    continue;
                };
                let scope = GlobalScope::Unit(*path);
                for global in body.stored() {
                    if matches!(global.scope, GlobalScope::Unit(_)) && global.scope != scope {
                        program.make_undefined(GlobalRef { scope, ..global });
                    }
                }
            }
        }
    }

    fn is_declared_to_exist(&self, name: Ustr) -> bool {
        let db = self.database();
        self.program().units.values().any(|table| {
            let environment = unit_environment(db, table.unit);
            let binding = environment.bindings(name).value.clone();
            binding.is_some_and(|binding| !binding.storage.is_extern && !binding.storage.is_static)
        })
    }
}
