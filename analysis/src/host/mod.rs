//! The single writer of the database: takes new text, finds out what changed, and sets only that.

mod alignment;
mod basis;
mod contracts;
mod executable;
mod known_functions;
mod location;
mod numbering;
mod program;
mod registry;
mod runnable;
mod source_file;
mod syntax;
mod syntax_memory;
mod text_mark;
mod unit_edit;
mod verification;
mod whole_program;

pub use basis::Basis;
pub use executable::{NotExecutable, Start};
pub use location::{FunctionLocations, Location, SourceFiles};
pub use program::{PlacedFunction, Program, UnitTable};
pub use source_file::SourceFile;
pub use syntax::{ProblemKind, SyntaxProblem};
pub use text_mark::TextMark;
pub use verification::{Verification, Witnessed, find_witnesses};
pub use whole_program::CheckedProgram;

use crate::db::{Function, FunctionKind, Lowered, RootDatabase, Unit, body, lowered};
use crate::frontend::layout::DataModel;
use crate::frontend::placement::{Before, Placement};
use crate::ir::Body;
use rayon::prelude::*;
use registry::Registry;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use syntax_memory::SyntaxMemory;
use ustr::Ustr;

/// Owns the database. Reading happens on [`Analysis`] snapshots.
#[derive(Default)]
pub struct AnalysisHost {
    db: RootDatabase,
    program: Arc<Program>,
    registry: Registry,
    syntax_memory: Arc<SyntaxMemory>,
    edits_since_collection: usize,
}

/// New text for some translation units.
#[derive(Default)]
pub struct Change {
    pub units: Vec<UnitChange>,
}

pub struct UnitChange {
    /// The file that is compiled, as line markers name it.
    pub path: Ustr,
    /// Its preprocessed text; `None` if the unit is gone.
    pub text: Option<Arc<str>>,
    pub data_model: DataModel,
}

/// Which functions a change touched. Functions that only moved are not among them.
#[derive(Default, Debug)]
pub struct Touched {
    pub changed: Vec<Function>,
    pub removed: usize,
    /// Units of which a declaration changed, so that any function in them may mean something else.
    pub rescoped: Vec<Unit>,
}

/// An immutable view of the program at one moment.
#[derive(Clone)]
pub struct Analysis {
    db: RootDatabase,
    program: Arc<Program>,
    syntax_memory: Arc<SyntaxMemory>,
}

/// How often groups of text that nobody uses any more are thrown away.
const COLLECT_AFTER: usize = 256;

impl AnalysisHost {
    pub fn with_database(db: RootDatabase) -> AnalysisHost {
        AnalysisHost {
            db,
            ..AnalysisHost::default()
        }
    }

    /// A view of the program as it is now. It must be dropped before the next change is applied.
    pub fn analysis(&self) -> Analysis {
        Analysis {
            db: self.db.clone(),
            program: self.program.clone(),
            syntax_memory: self.syntax_memory.clone(),
        }
    }

    /// Makes the change; what did not change keeps its results.
    pub fn apply(&mut self, change: Change) -> Touched {
        let mut touched = Touched::default();
        self.registry.settle(&mut self.db);
        let (store, program) = (self.db.groups(), &self.program);
        let placements: Vec<(UnitChange, Option<Placement>)> = change
            .units
            .into_par_iter()
            .map(|unit| {
                let old = program.units.get(&unit.path);
                let before = Before {
                    text: old.and_then(|table| table.text.as_deref()),
                    groups: old.map_or(&[], |table| &table.groups),
                };
                let placement = unit
                    .text
                    .as_deref()
                    .map(|text| store.place_again(text, unit.path, &before));
                (unit, placement)
            })
            .collect();
        for (unit, placement) in placements {
            match placement {
                Some(placement) => self.place_unit(unit, placement, &mut touched),
                None => self.remove_unit(unit.path, &mut touched),
            }
        }
        self.edits_since_collection += 1;
        if self.edits_since_collection > COLLECT_AFTER {
            self.edits_since_collection = 0;
            self.db.groups().collect_garbage();
            crate::db::Db::declarations(&self.db).collect_garbage();
        }
        touched
    }

    /// How many declarations have been parsed, each content once.
    pub fn declarations_parsed(&self) -> usize {
        crate::db::Db::declarations(&self.db).parse_count()
    }

    /// Frees what can be computed again: trees of declarations and indices of names.
    pub fn shrink(&mut self) {
        self.syntax_memory.take();
        crate::db::Db::declarations(&self.db).clear();
        for table in self.program.units.values() {
            table.unit.scope(&self.db).forget_index();
        }
    }

    fn remove_unit(&mut self, path: Ustr, touched: &mut Touched) {
        let Some(table) = Arc::make_mut(&mut self.program).units.remove(&path) else {
            return;
        };
        for placed in &table.functions {
            self.registry
                .leave(&mut self.db, placed.key, table.unit, placed.function);
            touched.removed += 1;
        }
    }
}

impl Analysis {
    pub fn program(&self) -> &Program {
        &self.program
    }

    pub fn database(&self) -> &RootDatabase {
        &self.db
    }

    /// Every function once, in the order of files and lines; shared headers' functions count once.
    pub fn functions(&self) -> Vec<Function> {
        let mut seen = FxHashSet::default();
        let mut functions = Vec::new();
        for table in self.program.units.values() {
            for placed in &table.functions {
                if seen.insert(placed.function) {
                    functions.push(placed.function);
                }
            }
        }
        functions
    }

    /// The same with what each is.
    fn entities(&self) -> Vec<(Function, FunctionKind)> {
        let functions = self.functions().into_iter();
        functions
            .map(|function| (function, function.kind(&self.db)))
            .collect()
    }

    pub fn lowered(&self, function: Function) -> &Lowered {
        lowered(&self.db, function)
    }

    pub fn body(&self, function: Function) -> Option<Arc<Body>> {
        body(&self.db, function)
    }

    /// Runs `work` and returns `None` if a change came in between.
    pub fn cancellable<T>(
        &self,
        work: impl FnOnce(&Analysis) -> T + std::panic::UnwindSafe,
    ) -> Option<T> {
        let this = std::panic::AssertUnwindSafe(self);
        salsa::Cancelled::catch(move || work(*this)).ok()
    }
}
