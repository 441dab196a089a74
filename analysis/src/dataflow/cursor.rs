//! Walks over a solved body and shows the state in front of each statement, or at each return.

use super::{Analysis, Edge, Solution};
use crate::ir::{BlockId, Body, Operand, Statement, StatementId, Terminator};
use crate::stop;

/// Calls `visit` for every reachable statement with the state that holds in front of it.
pub fn visit_statements<A: Analysis>(
    analysis: &A,
    body: &Body,
    solution: &Solution<A::Domain>,
    mut visit: impl FnMut(&A::Domain, StatementId, &Statement),
) {
    for index in 0..body.blocks.len() {
        walk_block(analysis, body, solution, BlockId(index as u32), &mut visit);
    }
}

/// Calls `visit` for the statements of a block that matter, if it is reached, with the state that holds in front of them. What
/// stands behind the last of them is not executed.
pub fn visit_block<A: Analysis>(
    analysis: &A,
    body: &Body,
    solution: &Solution<A::Domain>,
    block: BlockId,
    matters: &impl Fn(StatementId, &Statement) -> bool,
    visit: &mut impl FnMut(&A::Domain, StatementId, &Statement),
) {
    let id = |position: usize| StatementId {
        block,
        index: position as u32,
    };
    let statements = &body.block(block).statements;
    let mut chosen = statements.iter().enumerate();
    let last = chosen.rposition(|(position, statement)| matters(id(position), statement));
    let (Some(last), Some(entry)) = (last, &solution.entries[block.0 as usize]) else {
        return;
    };
    stop::ask();
    let mut state = entry.clone();
    analysis.enter(&mut state, block);
    for (position, statement) in statements[..=last].iter().enumerate() {
        if matters(id(position), statement) {
            visit(&state, id(position), statement);
        }
        if position < last {
            analysis.statement(&mut state, id(position), statement);
        }
    }
}

/// Calls `visit` for every return that is reached, with what it returns and the state that holds there.
pub fn visit_returns<A: Analysis>(
    analysis: &A,
    body: &Body,
    solution: &Solution<A::Domain>,
    mut visit: impl FnMut(A::Domain, BlockId, Option<&Operand>),
) {
    for (index, block) in body.blocks.iter().enumerate() {
        let Terminator::Return(value) = &block.terminator else {
            continue;
        };
        let block = BlockId(index as u32);
        if let Some(state) = walk_block(analysis, body, solution, block, &mut |_, _, _| ()) {
            visit(state, block, value.as_ref());
        }
    }
}

/// The states at the end of a block, one for each edge by which control may have come there, and where that begins.
pub fn by_arrival<A: Analysis>(
    analysis: &A,
    body: &Body,
    solution: &Solution<A::Domain>,
    block: BlockId,
) -> Vec<(BlockId, A::Domain)> {
    let mut found = Vec::new();
    for (number, content) in body.blocks.iter().enumerate() {
        let from = BlockId(number as u32);
        let successors = content.terminator.successors();
        let edges = successors
            .iter()
            .enumerate()
            .filter(|(_, to)| **to == block);
        for (index, _) in edges {
            let nothing = &mut |_: &A::Domain, _, _: &Statement| ();
            let Some(mut state) = walk_block(analysis, body, solution, from, nothing) else {
                continue;
            };
            let edge = Edge {
                from,
                to: block,
                terminator: &content.terminator,
                index,
            };
            analysis.edge(&mut state, edge);
            walk_from(analysis, body, &mut state, block, nothing);
            found.push((from, state));
        }
    }
    found
}

/// The state at the end of a block, if it is reached.
fn walk_block<A: Analysis>(
    analysis: &A,
    body: &Body,
    solution: &Solution<A::Domain>,
    block: BlockId,
    visit: &mut impl FnMut(&A::Domain, StatementId, &Statement),
) -> Option<A::Domain> {
    let mut state = solution.entries[block.0 as usize].clone()?;
    walk_from(analysis, body, &mut state, block, visit);
    Some(state)
}

/// Goes through a block, beginning with this state.
fn walk_from<A: Analysis>(
    analysis: &A,
    body: &Body,
    state: &mut A::Domain,
    block: BlockId,
    visit: &mut impl FnMut(&A::Domain, StatementId, &Statement),
) {
    stop::ask();
    analysis.enter(state, block);
    for (position, statement) in body.block(block).statements.iter().enumerate() {
        let id = StatementId {
            block,
            index: position as u32,
        };
        visit(state, id, statement);
        analysis.statement(state, id, statement);
    }
}
