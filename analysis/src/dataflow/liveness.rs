//! Which registers are still needed where.

use crate::ir::cfg::reverse_postorder;
use crate::ir::{BlockId, Body, LocalId, Operand};
use fixedbitset::FixedBitSet;

/// For each block, the registers whose values it or a later block reads.
pub struct Liveness {
    at_entry: Vec<FixedBitSet>,
}

impl Liveness {
    pub fn new(body: &Body) -> Liveness {
        let count = body.locals.len();
        let empty = FixedBitSet::with_capacity(count);
        let mut read = vec![empty.clone(); body.blocks.len()];
        let mut assigned = vec![empty.clone(); body.blocks.len()];
        for (index, block) in body.blocks.iter().enumerate() {
            let mut note = |operand: &Operand, assigned: &FixedBitSet| {
                if let Operand::Local(local) = operand
                    && !assigned.contains(local.0 as usize)
                {
                    read[index].insert(local.0 as usize);
                }
            };
            for statement in &block.statements {
                statement.operands(&mut |operand| note(operand, &assigned[index]));
                if let Some(target) = statement.target() {
                    assigned[index].insert(target.0 as usize);
                }
            }
            block
                .terminator
                .operands(&mut |operand| note(operand, &assigned[index]));
        }
        let mut at_entry = read;
        let order = reverse_postorder(&body.blocks);
        loop {
            let mut changed = false;
            for &block in order.iter().rev() {
                let mut needed = empty.clone();
                for successor in body.block(block).terminator.successors() {
                    needed.union_with(&at_entry[successor.0 as usize]);
                }
                needed.difference_with(&assigned[block.0 as usize]);
                let known = &mut at_entry[block.0 as usize];
                if !needed.is_subset(known) {
                    known.union_with(&needed);
                    changed = true;
                }
            }
            if !changed {
                return Liveness { at_entry };
            }
        }
    }

    /// Whether the value that a register has at the start of a block may be read.
    pub fn is_needed(&self, block: BlockId, local: LocalId) -> bool {
        self.at_entry[block.0 as usize].contains(local.0 as usize)
    }
}
