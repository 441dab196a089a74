//! The analysis of the whole program as it is now.

use super::Analysis;
use crate::callgraph::{FunctionId, Functions};
use crate::contracts::{self, Contracts, Violation};
use crate::db::{Function, FunctionKind, body, lowered, unit_environment};
use crate::frontend::lower::Environment;
use crate::frontend::scope::Scope;
use crate::ir::{Body, FunctionRef, GlobalScope, Span, StatementId};
use crate::models::Models;
use crate::points_to::{Constraints, constraints_with_layouts};
use crate::races::{self, NamedConstraints, Options, Sighting, WholeProgram, Work};
use crate::stages::{Stage, Stages, Unwatched};
use crate::stop::{Stop, Stopped};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The whole program with its functions as the database knows them.
pub struct CheckedProgram {
    pub program: Arc<WholeProgram>,
    /// Promises of the program's declarations that it breaks.
    pub violations: Vec<Violation>,
    /// What library functions do, with what annotations say of functions without a body.
    pub models: Models,
    contracts: Contracts,
    functions: Vec<Function>,
    pointers: FxHashMap<Function, Pointers>,
}

/// What a function says about pointers, and what that was read from.
#[derive(Clone)]
struct Pointers {
    body: Arc<Body>,
    scope: Arc<Scope>,
    constraints: Arc<Constraints>,
}

impl Analysis {
    /// Looks for races in the whole program.
    pub fn check(&self, models: &Models, options: Options) -> CheckedProgram {
        self.check_accepting(models, options, &[])
    }

    /// Looks for races, and tells apart those in which one of these statements takes part.
    pub fn check_accepting(
        &self,
        models: &Models,
        options: Options,
        accepted: &[(Function, StatementId)],
    ) -> CheckedProgram {
        let stop = &Stop::default();
        self.check_from(models, options, accepted, None, stop, &Unwatched)
    }

    /// The same for a program that was checked before, at an earlier moment. What still holds is not computed again;
    /// the result is the same. It ends soon after it is stopped.
    pub fn check_again(
        &self,
        models: &Models,
        options: Options,
        accepted: &[(Function, StatementId)],
        before: Option<&CheckedProgram>,
        stop: &Stop,
    ) -> Result<CheckedProgram, Stopped> {
        self.check_watched(models, options, accepted, before, stop, &Unwatched)
    }

    /// As `check_again`, and tells `stages` how far it is.
    pub fn check_watched(
        &self,
        models: &Models,
        options: Options,
        accepted: &[(Function, StatementId)],
        before: Option<&CheckedProgram>,
        stop: &Stop,
        stages: &dyn Stages,
    ) -> Result<CheckedProgram, Stopped> {
        let check = || self.check_from(models, options, accepted, before, stop, stages);
        Stop::unless_stopped(check)
    }

    fn check_from(
        &self,
        models: &Models,
        mut options: Options,
        accepted: &[(Function, StatementId)],
        before: Option<&CheckedProgram>,
        stop: &Stop,
        stages: &dyn Stages,
    ) -> CheckedProgram {
        stages.begin(Stage::Constraints);
        let contracts = self.contracts();
        let annotated = contracts.functions.iter();
        let annotated =
            annotated.filter_map(|(function, said)| Some((function.name, contracts::model(said)?)));
        let models = &models.with_more(annotated);
        for function in contracts.functions.keys() {
            let held: Vec<_> = contracts.required(*function).collect();
            if !held.is_empty() {
                options.threads.held_at_entry.insert(*function, held);
            }
        }
        // Promises are kept or broken whether a thread gets there or not.
        options.only_reachable &= contracts.is_empty();
        let before = before.filter(|before| before.models == *models);
        let entities: Vec<Function> = self.functions();
        let db = self.database();
        let pointers = self.pointers(&entities, models, before);
        let constraints: Vec<NamedConstraints> = entities
            .iter()
            .filter_map(|function| pointers.get(function))
            .map(|known| (known.body.function, known.constraints.clone()))
            .collect();
        let mut functions = Functions::default();
        let mut ids: FxHashMap<Function, FunctionId> = FxHashMap::default();
        let mut by_id = Vec::new();
        for &function in &entities {
            let Some(body) = pointers.get(&function).map(|known| known.body.clone()) else {
                continue;
            };
            match function.kind(db) {
                FunctionKind::Function => {
                    ids.insert(function, functions.add(body));
                    by_id.push(function);
                }
                FunctionKind::Initialiser => functions.initialisers.push(body),
            }
        }
        // A static function has a name of its own in each unit that includes it.
        for (path, table) in &self.program().units {
            for placed in &table.functions {
                let Some(&id) = ids.get(&placed.function) else {
                    continue;
                };
                let name = functions.body(id).function;
                let scope = match name.scope {
                    GlobalScope::Unit(_) => GlobalScope::Unit(*path),
                    scope => scope,
                };
                functions.name(FunctionRef { scope, ..name }, id);
            }
        }
        let accepted = accepted.iter();
        options.accepted.extend(
            accepted.filter_map(|(function, statement)| Some((*ids.get(function)?, *statement))),
        );
        let earlier = before.map(|before| &before.program);
        let still = earlier.filter(|earlier| earlier.is_of(&functions, &constraints, &options));
        let program = match still {
            Some(still) => still.clone(),
            None => {
                let earlier = earlier.map(|earlier| &**earlier);
                let work = Work {
                    models,
                    options: &options,
                    stop,
                    stages,
                };
                Arc::new(races::analyse(functions, constraints, work, earlier))
            }
        };
        stages.begin(Stage::Contracts);
        let still = before.filter(|before| {
            Arc::ptr_eq(&before.program, &program) && before.contracts == contracts
        });
        let violations = match still {
            Some(still) => still.violations.clone(),
            None => contracts::violations(&program, &contracts),
        };
        CheckedProgram {
            pointers,
            violations,
            program,
            contracts,
            functions: by_id,
            models: models.clone(),
        }
    }

    fn pointers(
        &self,
        functions: &[Function],
        models: &Models,
        before: Option<&CheckedProgram>,
    ) -> FxHashMap<Function, Pointers> {
        let found = functions
            .par_iter()
            .map_with(self.database().clone(), |db, function| {
                let body = body(db, *function)?;
                let unit = function.unit(db);
                let scope = unit.scope(db);
                let known = before.and_then(|before| before.pointers.get(function));
                if let Some(known) = known
                    && Arc::ptr_eq(&known.body, &body)
                    && Arc::ptr_eq(&known.scope, scope)
                {
                    return Some((*function, known.clone()));
                }
                // What did not change stays the same, and is seen to at once.
                let body = match known {
                    Some(known) if known.body == body => known.body.clone(),
                    _ => body,
                };
                let environment = unit_environment(db, unit);
                let layouts = |record| environment.record_layout(record);
                let constraints = Arc::new(constraints_with_layouts(&body, models, &layouts));
                let same = known.filter(|known| known.constraints == constraints);
                let pointers = Pointers {
                    constraints: same.map_or(constraints, |known| known.constraints.clone()),
                    body,
                    scope: scope.clone(),
                };
                Some((*function, pointers))
            });
        found.flatten_iter().collect()
    }

    /// Where a statement's text stands in its function.
    pub fn statement_span(&self, function: Function, statement: StatementId) -> Option<Span> {
        let lowered = lowered(self.database(), function).body.as_ref()?;
        Some(lowered.source_map.statement(statement))
    }
}

impl CheckedProgram {
    /// The function as the database knows it.
    pub fn function(&self, function: FunctionId) -> Function {
        self.functions[function.0 as usize]
    }

    /// The statement that a sighting is about.
    pub fn statement(&self, sighting: Sighting) -> (Function, StatementId) {
        let access = self.program.access(sighting);
        (self.function(sighting.function), access.statement)
    }

    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, Function)> {
        let functions = self.functions.iter().enumerate();
        functions.map(|(index, function)| (FunctionId(index as u32), *function))
    }
}
