//! Looks for an interleaving that shows a race or a violated assertion, and replays it before it counts.

use super::{Analysis, CheckedProgram, NotExecutable, Start};
use crate::db::Function;
use crate::ir::FunctionRef;
use crate::kiss::concurrent::replay::{Trace, replay};
use crate::kiss::machine::stop::{Limit, Stop};
use crate::kiss::machine::{Machine, SchedulingPoints};
use crate::kiss::points::scheduling_points;
use crate::kiss::program::Program;
use crate::kiss::schedule::{Position, Witness};
use crate::kiss::search::{Bounds, Outcome, Targets, search};
use crate::models::Models;
use crate::races::Race;

/// What verifying came to.
#[derive(Clone, Debug)]
pub struct Verification {
    pub witnessed: Vec<Witnessed>,
    /// Witnesses that did not replay, with the reason. This is a mistake of ours, and they are shown to nobody.
    pub rejected: Vec<String>,
    pub outcome: Outcome,
}

/// An interleaving that was replayed.
#[derive(Clone, Debug)]
pub struct Witnessed {
    pub witness: Witness,
    pub trace: Trace,
}

impl Analysis {
    /// Looks for witnesses in the program that begins with the function `entry`.
    pub fn verify(
        &self,
        checked: &CheckedProgram,
        entry: &str,
        targets: &Targets,
        bounds: Bounds,
        stop: &dyn Fn() -> bool,
    ) -> Result<Verification, NotExecutable> {
        let start = Start::Function(entry.to_owned());
        self.verify_from(checked, &start, targets, bounds, stop)
    }

    /// Looks for witnesses in the program that begins there.
    pub fn verify_from(
        &self,
        checked: &CheckedProgram,
        start: &Start,
        targets: &Targets,
        bounds: Bounds,
        stop: &dyn Fn() -> bool,
    ) -> Result<Verification, NotExecutable> {
        let points = checked.scheduling_points(start);
        self.verify_from_with(checked, start, targets, bounds, points, stop)
    }

    /// As `verify`, with threads switched at other points.
    pub fn verify_with(
        &self,
        checked: &CheckedProgram,
        entry: &str,
        targets: &Targets,
        bounds: Bounds,
        points: SchedulingPoints,
        stop: &dyn Fn() -> bool,
    ) -> Result<Verification, NotExecutable> {
        let start = Start::Function(entry.to_owned());
        self.verify_from_with(checked, &start, targets, bounds, points, stop)
    }

    fn verify_from_with(
        &self,
        checked: &CheckedProgram,
        start: &Start,
        targets: &Targets,
        bounds: Bounds,
        points: SchedulingPoints,
        stop: &dyn Fn() -> bool,
    ) -> Result<Verification, NotExecutable> {
        let program = self.executable_from(start)?;
        Ok(find_witnesses(
            &program,
            &checked.models,
            targets,
            bounds,
            &points,
            stop,
        ))
    }
}

/// Looks for witnesses in a program, and replays them. It needs nothing but what it is given, and so can run anywhere.
pub fn find_witnesses(
    program: &Program,
    models: &Models,
    targets: &Targets,
    bounds: Bounds,
    points: &SchedulingPoints,
    stop: &dyn Fn() -> bool,
) -> Verification {
    let mut verification = Verification {
        witnessed: Vec::new(),
        rejected: Vec::new(),
        outcome: Outcome::default(),
    };
    let machines = Machine::new(program, models, points.clone()).and_then(|quick| {
        let exact = Machine::new(program, models, SchedulingPoints::Everywhere)?;
        Ok((quick, exact))
    });
    let (quick, exact) = match machines {
        Ok(machines) => machines,
        Err(stop) => {
            verification.outcome.limits.insert(match stop {
                Stop::Limit(limit) => limit,
                _ => Limit::Unsupported("the first values of the variables"),
            });
            return verification;
        }
    };
    verification.outcome = search(&quick, targets, bounds, stop);
    let shown = |position: Position| match points {
        SchedulingPoints::Everywhere => true,
        SchedulingPoints::Only(only) => only.contains(&(position.function, position.statement)),
    };
    for witness in std::mem::take(&mut verification.outcome.witnesses) {
        match replay(&exact, &witness, &shown) {
            Ok(trace) => verification.witnessed.push(Witnessed { witness, trace }),
            Err(error) => verification.rejected.push(error.to_string()),
        }
    }
    verification
}

impl CheckedProgram {
    /// Where threads are switched in runs that begin there.
    pub fn scheduling_points(&self, start: &Start) -> SchedulingPoints {
        match start {
            Start::Function(_) => scheduling_points(&self.program),
            // That callers pass the same object to two functions is said by the harness alone, and points-to does not
            // know it.
            Start::Threads { .. } => SchedulingPoints::Everywhere,
        }
    }

    /// The pairs of statements that a race is about.
    pub fn positions(&self, race: &Race) -> Vec<(Position, Position)> {
        let position = |sighting: crate::races::Sighting| Position {
            function: self.program.functions.body(sighting.function).function,
            statement: self.program.access(sighting).statement,
        };
        let pairs = race.pairs.iter();
        pairs
            .map(|pair| (position(pair.first), position(pair.second)))
            .collect()
    }

    /// The function with that body's name, as the database knows it.
    pub fn function_named(&self, name: FunctionRef) -> Option<Function> {
        let functions = &self.program.functions;
        let mut ids = functions.ids();
        let id = ids.find(|id| functions.body(*id).function == name)?;
        Some(self.function(id))
    }
}
