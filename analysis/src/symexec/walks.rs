//! The states inside the blocks of a function that has been executed, found once for all who ask.

use super::execution::Execution;
use super::path::{Definition, Root};
use super::state::State;
use super::value::Value;
use crate::dataflow::{Analysis, Solution, visit_block};
use crate::ir::{BlockId, LocalId, Rvalue, Statement, StatementId};
use crate::stop;
use std::cell::OnceCell;

/// What was found so far, by block. All of it belongs to one solution.
pub(super) struct Walks(Vec<Walk>);

#[derive(Default)]
struct Walk {
    states: OnceCell<States>,
    /// The registers that get a name at the start of the block.
    merged: OnceCell<Vec<LocalId>>,
}

/// The states of one block.
struct States {
    /// Those in front of the statements that somebody asks about.
    before: Vec<Option<State>>,
    end: State,
}

/// The states inside a longer block are not kept: each has all registers of the block.
const LONGEST_KEPT: usize = 200;

impl Walks {
    pub fn new(blocks: usize) -> Walks {
        Walks(std::iter::repeat_with(Walk::default).take(blocks).collect())
    }
}

impl Execution<'_> {
    /// Calls `visit` for the reachable statements that matter, with the state that holds in front of them.
    pub fn visit_chosen(
        &self,
        states: &Solution<State>,
        matters: impl Fn(StatementId, &Statement) -> bool,
        mut visit: impl FnMut(&State, StatementId, &Statement),
    ) {
        for (number, content) in self.body().blocks.iter().enumerate() {
            let block = BlockId(number as u32);
            let id = |position: usize| StatementId {
                block,
                index: position as u32,
            };
            let statements = || {
                let all = content.statements.iter().enumerate();
                all.filter(|(position, statement)| matters(id(*position), statement))
            };
            if statements().next().is_none() {
                continue;
            }
            let is_kept = statements().all(|(position, _)| is_kept(&content.statements, position));
            match self.walked(states, block) {
                Some(known) if is_kept => {
                    for (position, statement) in statements() {
                        if let Some(state) = &known.before[position] {
                            visit(state, id(position), statement);
                        }
                    }
                }
                _ => visit_block(self, self.body(), states, block, &matters, &mut visit),
            }
        }
    }

    /// The state behind the last statement of a block.
    pub fn exit_state(&self, states: &Solution<State>, block: BlockId) -> Option<State> {
        match self.walked(states, block) {
            Some(known) => Some(known.end.clone()),
            None => self.end_of(states.entries[block.0 as usize].as_ref()?, block),
        }
    }

    /// The value that a register has behind a call that assigns it.
    pub fn result(
        &self,
        states: &Solution<State>,
        before: &State,
        call: StatementId,
        target: LocalId,
    ) -> Value {
        let next = call.index as usize + 1;
        let known = self.walked(states, call.block);
        let behind = known.and_then(|known| match known.before.get(next) {
            Some(state) => state.as_ref(),
            None => Some(&known.end),
        });
        match behind {
            Some(state) => state.register(target),
            None => {
                let mut state = before.clone();
                self.statement(&mut state, call, self.body().statement(call));
                state.register(target)
            }
        }
    }

    /// The registers that get a name at the start of a block, because the paths that meet there disagree.
    pub fn merged_registers(&self, entry: &State, block: BlockId) -> &[LocalId] {
        let walk = &self.walks().0[block.0 as usize];
        walk.merged.get_or_init(|| {
            let mut state = entry.clone();
            self.enter(&mut state, block);
            let is_merged = |local: &LocalId| match state.register(*local) {
                Value::Entry(path) => {
                    let name = Root::Value(Definition::Merge(block, *local));
                    path.root == name && path.steps.is_empty()
                }
                _ => false,
            };
            state.registers().filter(is_merged).collect()
        })
    }

    /// The states of a block that is reached, if it is short enough.
    fn walked(&self, states: &Solution<State>, block: BlockId) -> Option<&States> {
        let entry = states.entries[block.0 as usize].as_ref()?;
        let statements = &self.body().block(block).statements;
        if statements.len() > LONGEST_KEPT {
            return None;
        }
        let walk = &self.walks().0[block.0 as usize];
        Some(walk.states.get_or_init(|| {
            stop::ask();
            let mut state = entry.clone();
            self.enter(&mut state, block);
            let mut before = Vec::with_capacity(statements.len());
            for (index, statement) in statements.iter().enumerate() {
                before.push(is_kept(statements, index).then(|| state.clone()));
                let id = StatementId {
                    block,
                    index: index as u32,
                };
                self.statement(&mut state, id, statement);
            }
            States { before, end: state }
        }))
    }

    fn end_of(&self, entry: &State, block: BlockId) -> Option<State> {
        stop::ask();
        let mut state = entry.clone();
        self.enter(&mut state, block);
        for (index, statement) in self.body().block(block).statements.iter().enumerate() {
            let id = StatementId {
                block,
                index: index as u32,
            };
            self.statement(&mut state, id, statement);
        }
        Some(state)
    }
}

/// Whether the state in front of a statement is kept: a copy costs as much as there are registers.
fn is_kept(statements: &[Statement], position: usize) -> bool {
    let is_asked_for = match &statements[position] {
        Statement::Assign { value, .. } => matches!(
            value,
            Rvalue::Use(_) | Rvalue::Convert { .. } | Rvalue::StackAllocate { .. }
        ),
        Statement::Load { .. }
        | Statement::Store { .. }
        | Statement::Update { .. }
        | Statement::Call { .. } => true,
        Statement::Assembly { .. } => false,
    };
    is_asked_for || (position > 0 && matches!(statements[position - 1], Statement::Call { .. }))
}
