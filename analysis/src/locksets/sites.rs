//! What the locksets of a function depend on besides what its callees do to locks. It stays while that is found out
//! round by round.

use super::analysis::returns;
use super::choices::{Tests, tests};
use super::conditions::Conditions;
use super::effects::read_registers;
use crate::dataflow::{Loops, Solution};
use crate::ir::{BlockId, Body, Callee, LocalId, Operand, Statement, StatementId, Terminator};
use crate::symexec::{
    CallSite, Definition, Execution, Path, Root, Site, State, Step, Targets, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A call, and what is known in front of it.
pub(super) struct LockSite {
    pub call: CallSite,
    pub site: Site,
    /// Of memory only: what registers hold is among the arguments.
    pub state: State,
    pub arguments: Vec<Value>,
    /// The call's result is looked at.
    pub is_tested: bool,
    /// What the call returns, if it has no other name than that: otherwise the locks inside it have other names, and
    /// are held once all the same.
    pub new_result: Option<Value>,
}

/// What is known of the ways through a function.
pub(super) struct Ways {
    pub renames: Renames,
    pub tests: Tests,
    pub conditions: Conditions,
    /// What the value that a block returns points to.
    pub returned: FxHashMap<BlockId, Path>,
    /// For a block that returns a register, what that is where control comes from some blocks, if it is a constant then:
    /// `found = NULL; … found = user; break; … return found;`.
    pub constants: FxHashMap<BlockId, FxHashMap<BlockId, i128>>,
}

/// Everything of a function that its locksets need, apart from its callees.
pub struct LockSites {
    pub(super) calls: Vec<LockSite>,
    pub(super) ways: Ways,
    pub(super) loops: Loops,
    /// Control can reach a return.
    pub(super) returns: bool,
}

impl LockSites {
    /// Of a function whose symbolic states are known; calls that can never touch a lock may be left out.
    pub fn new(
        body: &Body,
        states: &Solution<State>,
        execution: &Execution<'_>,
        can_matter: impl Fn(CallSite) -> bool,
    ) -> LockSites {
        let (_, touching) = CallSite::that_matter(body, &can_matter);
        LockSites {
            calls: calls(body, states, execution, &touching, can_matter),
            ways: Ways::new(body, states, execution, true),
            loops: execution.loops().clone(),
            returns: returns(body, states),
        }
    }
}

/// The calls that matter, with what is known in front of them; `touching` are those that may.
pub(super) fn calls(
    body: &Body,
    states: &Solution<State>,
    execution: &Execution<'_>,
    touching: &FxHashSet<StatementId>,
    can_matter: impl Fn(CallSite) -> bool,
) -> Vec<LockSite> {
    let mut calls = Vec::new();
    let read = read_registers(body);
    let matters = |id: StatementId, _: &Statement| touching.contains(&id);
    execution.visit_chosen(states, matters, |state, id, statement| {
        let Statement::Call {
            target,
            callee,
            arguments,
        } = statement
        else {
            return;
        };
        let call = execution.call_site(state, id, callee, arguments.len());
        if matches!(callee, Callee::Direct(_)) || can_matter(call) {
            let arguments = arguments.iter().map(|argument| state.operand(argument));
            calls.push(LockSite {
                call,
                site: execution.site(id),
                arguments: arguments.collect(),
                is_tested: target.is_some_and(|target| read.contains(target.0 as usize)),
                new_result: new_result(execution, states, state, id, *target),
                state: state.of_memory(),
            });
        }
    });
    calls
}

fn new_result(
    execution: &Execution<'_>,
    states: &Solution<State>,
    before: &State,
    call: StatementId,
    target: Option<LocalId>,
) -> Option<Value> {
    let result = execution.result(states, before, call, target?);
    let name = Path::new(Root::Value(Definition::Statement(call)));
    (result == Value::Entry(name)).then_some(result)
}

impl Ways {
    pub fn new(
        body: &Body,
        states: &Solution<State>,
        execution: &Execution<'_>,
        with_conditions: bool,
    ) -> Ways {
        let conditions = if with_conditions {
            Conditions::new(body, states, execution)
        } else {
            Conditions::default()
        };
        Ways {
            renames: renames(body, states, execution),
            tests: tests(body, states, execution),
            conditions,
            returned: returned_objects(body, states, execution),
            constants: returned_constants(body, states, execution),
        }
    }
}

fn returned_objects(
    body: &Body,
    states: &Solution<State>,
    execution: &Execution<'_>,
) -> FxHashMap<BlockId, Path> {
    let mut objects = FxHashMap::default();
    for (index, block) in body.blocks.iter().enumerate() {
        if let Terminator::Return(Some(value @ Operand::Local(_))) = &block.terminator {
            let block = BlockId(index as u32);
            let state = execution.exit_state(states, block);
            if let Some(Targets::Exactly(object)) =
                state.map(|state| state.operand(value).targets())
            {
                objects.insert(block, object);
            }
        }
    }
    objects
}

fn returned_constants(
    body: &Body,
    states: &Solution<State>,
    execution: &Execution<'_>,
) -> FxHashMap<BlockId, FxHashMap<BlockId, i128>> {
    let mut found = FxHashMap::default();
    for (index, block) in body.blocks.iter().enumerate() {
        let Terminator::Return(Some(value @ Operand::Local(local))) = &block.terminator else {
            continue;
        };
        let mut statements = block.statements.iter();
        if statements.any(|statement| statement.target() == Some(*local)) {
            continue;
        }
        let block = BlockId(index as u32);
        let from = body.blocks.iter().enumerate().filter(|(_, content)| {
            let successors = content.terminator.successors();
            successors.contains(&block)
        });
        let from: Vec<BlockId> = from.map(|(index, _)| BlockId(index as u32)).collect();
        if from.len() < 2 {
            continue;
        }
        let constant = |from: &BlockId| match execution.exit_state(states, *from)?.operand(value) {
            Value::Constant(number) => Some((*from, number)),
            _ => None,
        };
        let constants: FxHashMap<BlockId, i128> = from.iter().filter_map(constant).collect();
        if !constants.is_empty() {
            found.insert(block, constants);
        }
    }
    found
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
            let named = merged.iter().filter_map(|&local| {
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
