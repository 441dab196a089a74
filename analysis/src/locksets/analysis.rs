//! The lockset at every point of a function, and at its end (RELAY fig. 4).

use super::choices::Choices;
use super::conditions::{Conditions, keeps_sign};
use super::domain::Lockset;
use super::effects::{LockCalls, lock_steps};
use super::outcomes::Outcomes;
use super::point::PointLocks;
use super::state::{ResultKind, Tested};
use super::summary::LockSummary;
use crate::dataflow::{
    Analysis, Edge, Loops, Solution, by_arrival, solve, visit_returns, visit_statements,
};
use crate::ir::{BlockId, Body, Operand, Rvalue, Statement, StatementId, Terminator};
use crate::symexec::{Definition, Execution, Path, Root, State, Step, Targets, Value};
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
    let steps = lock_steps(body, states, execution, locks);
    let loops = execution.loops();
    let mut outcomes = Outcomes::default();
    if steps.is_empty() {
        // Nothing happens to locks in here, as in most functions.
        let entry = Some(Tested::default());
        let returns = body
            .blocks
            .iter()
            .zip(&states.entries)
            .any(|(block, state)| {
                state.is_some() && matches!(block.terminator, Terminator::Return(_))
            });
        if returns {
            outcomes = Outcomes::always(Lockset::default());
        }
        let entries = states
            .entries
            .iter()
            .map(|state| state.as_ref().and(entry.clone()))
            .collect();
        return LocksetSolution {
            steps,
            renames: Renames::default(),
            choices: Choices::none(),
            conditions: Conditions::default(),
            loops,
            entries: Solution { entries },
            summary: LockSummary {
                outcomes,
                ..LockSummary::default()
            },
        };
    }
    let renames = renames(body, states, execution);
    let choices = Choices::new(body, states, execution, &renames, &steps);
    // A value that is tested twice tells something if what is held changes twice: taken here, given back there.
    let changes = steps
        .values()
        .filter(|step| step.possible().any(Lockset::changes));
    let conditions = if changes.take(2).count() < 2 {
        Conditions::default()
    } else {
        Conditions::new(body, states, execution)
    };
    let flow = Flow {
        body,
        steps: &steps,
        renames: &renames,
        conditions: &conditions,
        loops,
    };
    let entries = solve(&flow, body);
    visit_returns(&flow, body, &entries, |state, block, value| {
        let returned = match constants_on_arrival(body, states, execution, block, value) {
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
        let object = returned_object(execution, states, block, value);
        outcomes.join(&returned.map(|lockset| {
            let resolved = choices.resolved(lockset, block);
            let mut named = resolved.unwrap_or_else(|| lockset.clone());
            if let Some(object) = &object {
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
        conditions: telling(&conditions, &entries),
    };
    LocksetSolution {
        steps,
        renames,
        choices,
        conditions,
        loops,
        entries,
        summary,
    }
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

/// Where a block returns a register that is a constant on some of the ways there, but not on all, as
/// `found = NULL; … found = user; break; … return found;` does: those constants, by the block that control comes from.
fn constants_on_arrival(
    body: &Body,
    states: &Solution<State>,
    execution: &Execution<'_>,
    block: BlockId,
    value: Option<&Operand>,
) -> Option<FxHashMap<BlockId, i128>> {
    let Some(Operand::Local(local)) = value else {
        return None;
    };
    let mut statements = body.block(block).statements.iter();
    if statements.any(|statement| statement.target() == Some(*local)) {
        return None;
    }
    let from = body.blocks.iter().enumerate().filter(|(_, content)| {
        let successors = content.terminator.successors();
        successors.contains(&block)
    });
    let from: Vec<BlockId> = from.map(|(index, _)| BlockId(index as u32)).collect();
    if from.len() < 2 {
        return None;
    }
    let constant = |from: &BlockId| {
        let state = execution.exit_state(states, *from)?;
        match state.operand(&Operand::Local(*local)) {
            Value::Constant(number) => Some((*from, number)),
            _ => None,
        }
    };
    let constants: FxHashMap<BlockId, i128> = from.iter().filter_map(constant).collect();
    (!constants.is_empty()).then_some(constants)
}

/// What the value that a block returns points to.
fn returned_object(
    execution: &Execution<'_>,
    states: &Solution<State>,
    block: BlockId,
    value: Option<&Operand>,
) -> Option<Path> {
    let state = execution.exit_state(states, block)?;
    match state.operand(value?).targets() {
        Targets::Exactly(object) => Some(object),
        Targets::OneOf(_) | Targets::Unknown => None,
    }
}

/// For an edge, the places that registers point to there, and the names these get where it leads.
pub(super) type Renames = FxHashMap<(BlockId, BlockId), Vec<(Path, Path)>>;

/// Where paths meet, registers get new names for what they hold: a lock that was taken under an old name
/// is known under the new one.
fn renames(body: &Body, states: &Solution<State>, execution: &Execution<'_>) -> Renames {
    let mut renames = Renames::default();
    for (index, block) in body.blocks.iter().enumerate() {
        let from = BlockId(index as u32);
        let mut exit: Option<State> = None;
        for to in block.terminator.successors() {
            let merged = match &states.entries[to.0 as usize] {
                Some(entry) => execution.merged_registers(entry, to),
                None => continue,
            };
            if merged.is_empty() {
                continue;
            }
            if exit.is_none() {
                exit = execution.exit_state(states, from);
            }
            let Some(exit) = &exit else { break };
            let named = merged.into_iter().filter_map(|local| {
                let place = match exit.operand(&Operand::Local(local)).targets() {
                    Targets::Exactly(place) => place,
                    _ => return None,
                };
                let name = Root::Value(Definition::Merge(to, local));
                Some((place, Path::new(name).then(Step::Deref)))
            });
            renames.insert((from, to), named.collect());
        }
    }
    renames
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
