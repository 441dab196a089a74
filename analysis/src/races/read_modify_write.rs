//! Reads that only serve a write of the same place: to its reader, `x++` is one access.

use crate::accesses::FunctionFacts;
use crate::ir::{AccessKind, Body, LocalId, Operand, Statement, StatementId};
use std::collections::BTreeSet;

/// The access that writes what is computed from a read of the same place, if there is one: for `x++` and `x = x + 1` the
/// write of `x`. Accesses are known by their numbers.
pub fn write_of(body: &Body, facts: &FunctionFacts, read: u32) -> Option<u32> {
    let access = &facts.accesses[read as usize];
    let Statement::Load { target, .. } = body.statement(access.statement) else {
        return None;
    };
    let mut computed: BTreeSet<LocalId> = BTreeSet::from([*target]);
    let block = body.block(access.statement.block);
    let following = block.statements.iter().enumerate();
    for (index, statement) in following.skip(access.statement.index as usize + 1) {
        match statement {
            Statement::Assign { target, .. } => {
                let mut depends = false;
                statement.operands(&mut |operand| depends |= is_among(operand, &computed));
                if depends {
                    computed.insert(*target);
                }
            }
            Statement::Store { value, .. } if is_among(value, &computed) => {
                let id = StatementId {
                    block: access.statement.block,
                    index: index as u32,
                };
                let mut others = facts.accesses.iter();
                let write = others.position(|other| {
                    other.statement == id
                        && other.kind == AccessKind::Write
                        && other.place == access.place
                });
                if let Some(write) = write {
                    return Some(write as u32);
                }
            }
            _ => {}
        }
    }
    None
}

fn is_among(operand: &Operand, locals: &BTreeSet<LocalId>) -> bool {
    matches!(operand, Operand::Local(local) if locals.contains(local))
}
