//! The analysis of the whole program as it is now.

use super::Analysis;
use super::known_functions::KnownFunctions;
use crate::callgraph::FunctionId;
use crate::contracts::{self, Contracts, Violation};
use crate::db::{Function, lowered};
use crate::ir::{Span, StatementId};
use crate::models::Models;
use crate::races::{self, Options, Sighting, WholeProgram, Work};
use crate::stages::{Stage, Stages, Unwatched};
use crate::stop::{Stop, Stopped};
use std::sync::Arc;

/// The whole program with its functions as the database knows them.
pub struct CheckedProgram {
    pub program: Arc<WholeProgram>,
    /// Promises of the program's declarations that it breaks.
    pub violations: Vec<Violation>,
    /// What library functions do, with what annotations say of functions without a body.
    pub models: Models,
    contracts: Contracts,
    pub(super) known: KnownFunctions,
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
        Stop::unless_stopped(|| stop.heard(check))
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
        let (known, functions) = KnownFunctions::new(self, models, before, !options.only_reachable);
        let known = stop.aside(known);
        let accepted = accepted.iter();
        options.accepted.extend(
            accepted.filter_map(|(function, statement)| Some((known.id(*function)?, *statement))),
        );
        let earlier = before.map(|before| &before.program);
        let still =
            earlier.filter(|earlier| earlier.is_of(&functions, &known.constraints, &options));
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
                let constraints = known.constraints.clone();
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
            known: known.into_inner(),
            violations,
            program,
            contracts,
            models: models.clone(),
        }
    }

    /// Where a statement's text stands in its function.
    pub fn statement_span(&self, function: Function, statement: StatementId) -> Option<Span> {
        let lowered = lowered(self.database(), function).body.as_ref()?;
        Some(lowered.source_map.statement(statement))
    }
}

impl CheckedProgram {
    /// The function as the database knows it. Whoever asks knows that there is one.
    pub fn function(&self, function: FunctionId) -> Function {
        let known = self.known.function(function);
        known.expect("somebody has this number")
    }

    /// The statement that a sighting is about.
    pub fn statement(&self, sighting: Sighting) -> (Function, StatementId) {
        let access = self.program.access(sighting);
        (self.function(sighting.function), access.statement)
    }

    /// How many functions and initialisers there are, also such as have no body.
    pub fn function_count(&self) -> usize {
        self.known.count()
    }

    /// The number of a function that has a body.
    pub fn id(&self, function: Function) -> Option<FunctionId> {
        self.known.id(function)
    }

    /// Whether functions have the numbers that they had there, and are known to the database as the same.
    pub fn numbers_functions_as(&self, other: &CheckedProgram) -> bool {
        self.known.numbers_as(&other.known)
    }

    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, Function)> {
        let functions = self.program.functions.ids();
        functions.filter_map(|id| Some((id, self.known.function(id)?)))
    }
}
