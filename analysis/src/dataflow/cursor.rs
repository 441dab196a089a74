//! Walks over a solved body and shows the state in front of each statement.

use super::{Analysis, Solution};
use crate::ir::{BlockId, Body, Statement, StatementId};

/// Calls `visit` for every reachable statement with the state that holds in front of it.
pub fn visit_statements<A: Analysis>(
    analysis: &A,
    body: &Body,
    solution: &Solution<A::Domain>,
    mut visit: impl FnMut(&A::Domain, StatementId, &Statement),
) {
    for (index, block) in body.blocks.iter().enumerate() {
        let Some(mut state) = solution.entries[index].clone() else {
            continue;
        };
        analysis.enter(&mut state, BlockId(index as u32));
        for (position, statement) in block.statements.iter().enumerate() {
            let id = StatementId {
                block: BlockId(index as u32),
                index: position as u32,
            };
            visit(&state, id, statement);
            analysis.statement(&mut state, id, statement);
        }
    }
}
