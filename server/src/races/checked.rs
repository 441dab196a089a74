//! A program after the race analysis, with the way back to its source.

use super::places::Places;
use super::stage_clock::StageClock;
use crate::internal_error::provoked_panic;
use crate::project::Place;
use crate::race_options::{Entries, RaceOptions};
use crate::report::StageName;
use crate::workspace::{Texts, Workspace};
use racelens_analysis::callgraph::FunctionId;
use racelens_analysis::contracts::Violation;
use racelens_analysis::db::Function;
use racelens_analysis::host::{Analysis, CheckedProgram};
use racelens_analysis::ir::{FunctionRef, Landmark, Span, StatementId};
use racelens_analysis::kiss::schedule::Position;
use racelens_analysis::models::Models;
use racelens_analysis::races::{Options, Race, Sighting, WholeProgram};
use racelens_analysis::stages::{Stages, Unwatched};
use racelens_analysis::stop::{Stop, Stopped};
use racelens_analysis::threads::{self, CallPaths, ContextId, RootId, ThreadRules};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use ustr::Ustr;

/// What the analysis found out about a program, until the program changes.
pub(super) struct CheckResult {
    checked: CheckedProgram,
    /// Shared with the check before the last change, if threads get where they did.
    paths: Arc<CallPaths>,
}

impl CheckResult {
    pub fn new(
        workspace: &Workspace,
        options: &RaceOptions,
        accepted: &[(Function, StatementId)],
        before: Option<&CheckResult>,
        stop: &Stop,
        clock: Option<&StageClock>,
    ) -> Result<CheckResult, Stopped> {
        provoked_panic();
        let models = &workspace.models;
        let options = Options {
            threads: thread_rules(options),
            only_reachable: options.only_reachable,
            ..Options::default()
        };
        let stages: &dyn Stages = match clock {
            Some(clock) => clock,
            None => &Unwatched,
        };
        let checked = workspace.in_parallel(|analysis| {
            let before = before.map(|before| &before.checked);
            analysis.check_watched(models, options, accepted, before, stop, stages)
        })?;
        if let Some(clock) = clock {
            clock.begin_stage(StageName::CallPaths);
        }
        let contexts = &checked.program.contexts;
        let same = before.filter(|before| {
            let known = &before.checked.program.contexts;
            known.have_the_same_calls(contexts)
        });
        let paths = match same {
            Some(before) => before.paths.clone(),
            None => Arc::new(CallPaths::new(contexts)),
        };
        Ok(CheckResult { checked, paths })
    }

    pub fn program(&self) -> &CheckedProgram {
        &self.checked
    }
}

pub(super) struct Checked<'w> {
    pub places: Places<'w>,
    analysis: &'w Analysis,
    checked: &'w CheckedProgram,
    paths: &'w CallPaths,
    /// The functions that somebody wanted to know something of.
    asked: RefCell<FxHashSet<FunctionId>>,
}

impl<'w> Checked<'w> {
    /// The texts and the analysis must be those that were checked.
    pub fn new(texts: &'w Texts, analysis: &'w Analysis, result: &'w CheckResult) -> Checked<'w> {
        Checked {
            places: Places::new(texts, analysis),
            analysis,
            checked: &result.checked,
            paths: &result.paths,
            asked: RefCell::default(),
        }
    }

    /// The functions that somebody wanted to know something of since the last call, each once.
    pub fn take_asked(&self) -> Box<[FunctionId]> {
        self.asked.borrow_mut().drain().collect()
    }

    pub fn program(&self) -> &WholeProgram {
        &self.checked.program
    }

    /// Promises of the program's declarations that it breaks.
    pub fn violations(&self) -> &[Violation] {
        &self.checked.violations
    }

    /// What library functions do, with what the program's annotations say.
    pub fn models(&self) -> &Models {
        &self.checked.models
    }

    /// The calls from a thread's entry down to a function in a context, with the functions that they stand in.
    pub fn call_path(
        &self,
        root: RootId,
        function: FunctionId,
        context: ContextId,
    ) -> Vec<(FunctionId, Landmark)> {
        let contexts = &self.program().contexts;
        self.paths.path(contexts, root, function, context)
    }

    /// Where a statement that other functions know stands now.
    pub fn landmark_place(&self, function: FunctionId, landmark: Landmark) -> Option<Place> {
        let entity = self.entity(function);
        let at = self.program().functions.body(function).position(landmark)?;
        self.places.statement_place(entity, at)
    }

    /// The function as the representation names it.
    pub fn name_of(&self, function: FunctionId) -> FunctionRef {
        self.program().functions.body(function).function.declared()
    }

    /// The function as the database knows it.
    pub fn entity(&self, function: FunctionId) -> Function {
        self.asked.borrow_mut().insert(function);
        self.checked.function(function)
    }

    /// Where a statement stands in its function.
    pub fn span(&self, function: FunctionId, statement: StatementId) -> Option<Span> {
        self.analysis
            .statement_span(self.entity(function), statement)
    }

    /// The statement that a sighting is about, as the database knows it.
    pub fn statement(&self, sighting: Sighting) -> (Function, StatementId) {
        self.checked.statement(sighting)
    }

    /// The pairs of statements that a race is about.
    pub fn positions(&self, race: &Race) -> Vec<(Position, Position)> {
        self.checked.positions(race)
    }

    /// The function of that name, as the database knows it.
    pub fn function_named(&self, name: FunctionRef) -> Option<Function> {
        self.checked.function_named(name)
    }

    /// The functions whose text stands in a file.
    pub fn functions_in(&self, file: &Path) -> impl Iterator<Item = FunctionId> {
        let wanted = real_path(file);
        let units = self.analysis.program().units.values();
        let mut is_asked: HashMap<Ustr, bool> = HashMap::new();
        let mut entities: HashSet<Function> = HashSet::new();
        for placed in units.flat_map(|table| &table.functions) {
            let known = is_asked.entry(placed.key.file);
            if *known.or_insert_with(|| real_path(Path::new(placed.key.file.as_str())) == wanted) {
                entities.insert(placed.function);
            }
        }
        let functions = self.checked.functions();
        functions
            .filter(move |(_, entity)| entities.contains(entity))
            .map(|(function, _)| function)
    }

    pub fn function_name(&self, function: FunctionId) -> String {
        let body = self.program().functions.body(function);
        body.function.name.to_string()
    }

    /// How many accesses to memory that threads may share some thread makes.
    pub fn access_count(&self) -> usize {
        self.program().access_count()
    }
}

/// What the user says about threads, as the analysis wants to know it.
pub(crate) fn thread_rules(options: &RaceOptions) -> ThreadRules {
    let name = |name: &String| Ustr::from(name);
    let pairs = options.never_parallel.iter();
    ThreadRules {
        entries: match options.entries {
            Entries::Threads => threads::Entries::Threads,
            Entries::Exported => threads::Entries::Exported,
        },
        named_entries: options.named_entries.iter().map(name).collect(),
        never_parallel: pairs
            .map(|(first, second)| (name(first), name(second)))
            .collect(),
        ..ThreadRules::default()
    }
}

/// Two names of one file are the same file.
fn real_path(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| file.to_owned())
}
