//! The lockset at every point of a function, and at its end (RELAY fig. 4).

use super::choices::Choices;
use super::conditions::{Conditions, keeps_sign};
use super::domain::Lockset;
use super::effects::{LockCalls, lock_steps};
use super::outcomes::Outcomes;
use super::point::PointLocks;
use super::sites::{LockSites, Renames, Ways, calls};
use super::state::{ResultKind, Tested};
use super::summary::LockSummary;
use crate::dataflow::{
    Analysis, Edge, Loops, Solution, by_arrival, solve, visit_returns, visit_statements,
};
use crate::ir::{Body, Operand, Rvalue, Statement, StatementId, Terminator};
use crate::symexec::{CallSite, Execution, Path, State};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The locksets of one function.
pub struct LocksetSolution<'l> {
    steps: FxHashMap<StatementId, Outcomes>,
    renames: Renames,
    choices: Choices,
    conditions: Conditions,
    loops: &'l Loops,
    entries: Solution<Tested>,
    /// What a caller finds when the function has returned.
    pub summary: LockSummary,
}

/// Computes the locksets of a function whose symbolic states are known.
pub fn locksets<'l>(
    body: &Body,
    states: &Solution<State>,
    execution: &Execution<'l>,
    locks: &dyn LockCalls,
) -> LocksetSolution<'l> {
    let loops = execution.loops();
    let matters = |call| !locks.lock_effects(call).is_empty();
    // Most functions touch no lock, which their text alone tells.
    let (any, touching) = CallSite::that_matter(body, matters);
    let steps = if any {
        let calls = calls(body, states, execution, &touching, matters);
        lock_steps(&calls, locks)
    } else {
        FxHashMap::default()
    };
    if steps.is_empty() {
        let entry = Some(Tested::default());
        let entries = states.entries.iter();
        let entries = entries.map(|state| state.as_ref().and(entry.clone()));
        return LocksetSolution {
            steps,
            renames: Renames::default(),
            choices: Choices::none(),
            conditions: Conditions::default(),
            loops,
            entries: Solution {
                entries: entries.collect(),
            },
            summary: LockSummary::idle(returns(body, states)),
        };
    }
    let ways = Ways::new(body, states, execution, changes_twice(&steps));
    let (entries, choices, summary) = solved(body, &steps, &ways, &ways.conditions, loops);
    LocksetSolution {
        steps,
        renames: ways.renames,
        choices,
        conditions: ways.conditions,
        loops,
        entries,
        summary,
    }
}

/// What a function does to locks, where everything but its callees is known from an earlier round.
pub fn lock_summary(body: &Body, sites: &LockSites, locks: &dyn LockCalls) -> LockSummary {
    let steps = lock_steps(&sites.calls, locks);
    if steps.is_empty() {
        return LockSummary::idle(sites.returns);
    }
    let none = Conditions::default();
    let conditions = match changes_twice(&steps) {
        true => &sites.ways.conditions,
        false => &none,
    };
    solved(body, &steps, &sites.ways, conditions, &sites.loops).2
}

/// Whether control can reach a return.
pub(super) fn returns(body: &Body, states: &Solution<State>) -> bool {
    let mut blocks = body.blocks.iter().zip(&states.entries);
    blocks
        .any(|(block, state)| state.is_some() && matches!(block.terminator, Terminator::Return(_)))
}

/// A value that is tested twice tells something if what is held changes twice: taken here, given back there.
fn changes_twice(steps: &FxHashMap<StatementId, Outcomes>) -> bool {
    let changes = steps
        .values()
        .filter(|step| step.possible().any(Lockset::changes));
    changes.take(2).count() == 2
}

/// What holds in front of each block, and at the end.
fn solved(
    body: &Body,
    steps: &FxHashMap<StatementId, Outcomes>,
    ways: &Ways,
    conditions: &Conditions,
    loops: &Loops,
) -> (Solution<Tested>, Choices, LockSummary) {
    let choices = Choices::new(body, ways, loops, steps);
    let flow = Flow {
        body,
        steps,
        renames: &ways.renames,
        conditions,
        loops,
    };
    let entries = solve(&flow, body);
    let mut outcomes = Outcomes::default();
    visit_returns(&flow, body, &entries, |state, block, value| {
        let returned = match ways.constants.get(&block) {
            None => state.returned(value),
            Some(constants) => {
                let mut returned = Outcomes::default();
                for (from, state) in by_arrival(&flow, body, &entries, block) {
                    let constant = constants.get(&from).map(|number| Operand::Integer(*number));
                    returned.join(&state.returned(constant.as_ref().or(value)));
                }
                returned
            }
        };
        let object = ways.returned.get(&block);
        outcomes.join(&returned.map(|lockset| {
            let resolved = choices.resolved(lockset, block);
            let mut named = resolved.unwrap_or_else(|| lockset.clone());
            if let Some(object) = object {
                named.name_result(object);
            }
            named
        }));
    });
    let outcomes = outcomes.map(Lockset::for_callers);
    let heap = outcomes.possible().flat_map(Lockset::heap_sites);
    let heap: BTreeSet<_> = heap.collect();
    let summary = LockSummary {
        heap: heap.into_iter().collect(),
        outcomes,
        conditions: telling(conditions, &entries),
    };
    (entries, choices, summary)
}

impl LocksetSolution<'_> {
    /// Whether nothing happens to locks in the whole function.
    pub fn is_idle(&self) -> bool {
        self.steps.is_empty()
    }

    /// The statements that may release a lock, even if it is held again behind.
    pub fn releasing(&self) -> impl Iterator<Item = StatementId> {
        let steps = self.steps.iter();
        let releasing = steps.filter(|(_, step)| step.possible().any(Lockset::releases));
        releasing.map(|(statement, _)| *statement)
    }

    /// Calls `visit` for every reachable statement with the lockset in front of it.
    pub fn visit(&self, body: &Body, mut visit: impl FnMut(&Lockset, StatementId, &Statement)) {
        visit_statements(
            &self.flow(body),
            body,
            &self.entries,
            |state, id, statement| match self.choices.resolved(&state.known, id.block) {
                Some(lockset) => visit(&lockset, id, statement),
                None => visit(&state.known, id, statement),
            },
        );
    }

    /// Calls `visit` for every reachable access and call with what is known of locks in front of it.
    pub fn visit_points(
        &self,
        body: &Body,
        mut visit: impl FnMut(PointLocks, StatementId, &Statement),
    ) {
        visit_statements(
            &self.flow(body),
            body,
            &self.entries,
            |state, id, statement| {
                if statement.access().is_none() && !matches!(statement, Statement::Call { .. }) {
                    return;
                }
                let resolved = |lockset: &Lockset| {
                    let resolved = self.choices.resolved(lockset, id.block);
                    resolved.unwrap_or_else(|| lockset.clone())
                };
                let by_value = state.by_entry_value().map(|(number, outcomes)| {
                    let place = self.conditions.values[number].clone();
                    (place, outcomes.map(resolved))
                });
                let point = PointLocks::new(resolved(&state.known), by_value.collect());
                visit(point, id, statement);
            },
        );
    }

    fn flow<'s>(&'s self, body: &'s Body) -> Flow<'s> {
        Flow {
            body,
            steps: &self.steps,
            renames: &self.renames,
            conditions: &self.conditions,
            loops: self.loops,
        }
    }
}

/// The values that tell what is held somewhere in the function.
fn telling(conditions: &Conditions, entries: &Solution<Tested>) -> Vec<Path> {
    let numbers = entries.entries.iter().flatten().flat_map(|state| {
        let numbers = state.by_entry_value().map(|(number, _)| number);
        numbers.collect::<Vec<usize>>()
    });
    let numbers: BTreeSet<usize> = numbers.collect();
    let values = numbers.into_iter().map(|number| &conditions.values[number]);
    values.cloned().collect()
}

struct Flow<'s> {
    body: &'s Body,
    conditions: &'s Conditions,
    steps: &'s FxHashMap<StatementId, Outcomes>,
    renames: &'s Renames,
    loops: &'s Loops,
}

impl Analysis for Flow<'_> {
    type Domain = Tested;

    fn entry(&self, _body: &Body) -> Tested {
        Tested::at_entry(self.conditions.registers())
    }

    fn statement(&self, state: &mut Tested, id: StatementId, statement: &Statement) {
        match statement {
            Statement::Call { target, .. } => match self.steps.get(&id) {
                Some(effect) => state.call(id, *target, ResultKind::Code, effect),
                None => state.assigned(*target),
            },
            Statement::Assign { target, value } => {
                state.computed(*target, value);
                if let Rvalue::Convert { from, .. } = value
                    && !keeps_sign(from, &self.body.local(*target).ty)
                {
                    state.lost_sign(*target);
                }
            }
            Statement::Load { target, .. } => match self.conditions.loaded(id) {
                Some(number) => state.loaded(*target, number),
                None => state.assigned(Some(*target)),
            },
            _ => state.assigned(statement.target()),
        }
    }

    fn edge(&self, state: &mut Tested, edge: Edge<'_>) {
        state.branch(edge.terminator, edge.index);
        let renames = self.renames.get(&(edge.from, edge.to));
        let goes_back = self.loops.goes_back(edge.from, edge.to);
        if renames.is_none_or(Vec::is_empty) && !goes_back {
            return;
        }
        state.change(|lockset| {
            let before = lockset.clone();
            if goes_back {
                lockset.forget_definitions(&|block| self.loops.is_behind(block, edge.to));
            }
            for (place, name) in renames.into_iter().flatten() {
                lockset.also_named(&before, place, name);
            }
        });
    }
}
