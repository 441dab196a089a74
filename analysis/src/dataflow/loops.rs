//! Which edges go back, and what a loop assigns.

use crate::ir::cfg::reverse_postorder;
use crate::ir::{BlockId, Body, LocalId, StatementId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The loops of a body, as far as the order of its blocks shows them. Every cycle has an edge that goes
/// back in reverse postorder; where it goes to is a head.
pub struct Loops {
    /// Each block's place in reverse postorder; `u32::MAX` for those that control never reaches.
    position: Vec<u32>,
    heads: FxHashMap<BlockId, Head>,
}

struct Head {
    /// The last block, in reverse postorder, from which an edge goes back to the head.
    last: u32,
    /// Registers that are assigned between the head and that block.
    assigned: BTreeSet<LocalId>,
}

impl Loops {
    pub fn new(body: &Body) -> Loops {
        let order = reverse_postorder(&body.blocks);
        let mut position = vec![u32::MAX; body.blocks.len()];
        for (index, block) in order.iter().enumerate() {
            position[block.0 as usize] = index as u32;
        }
        let mut heads: FxHashMap<BlockId, Head> = FxHashMap::default();
        for &block in &order {
            let from = position[block.0 as usize];
            for to in body.block(block).terminator.successors() {
                if position[to.0 as usize] <= from {
                    let head = heads.entry(to).or_insert(Head {
                        last: from,
                        assigned: BTreeSet::new(),
                    });
                    head.last = head.last.max(from);
                }
            }
        }
        for (block, head) in &mut heads {
            let first = position[block.0 as usize];
            for inside in &order[first as usize..=head.last as usize] {
                let statements = &body.block(*inside).statements;
                head.assigned
                    .extend(statements.iter().filter_map(|statement| statement.target()));
            }
        }
        Loops { position, heads }
    }

    /// Whether an edge goes back to a loop's head.
    pub fn goes_back(&self, from: BlockId, to: BlockId) -> bool {
        self.position[to.0 as usize] <= self.position[from.0 as usize]
    }

    /// Registers that a loop with this head assigns; `None` for blocks that are no heads.
    pub fn assigned(&self, head: BlockId) -> Option<&BTreeSet<LocalId>> {
        self.heads.get(&head).map(|head| &head.assigned)
    }

    /// Whether a block may run again when control has gone back to a head.
    pub fn is_behind(&self, block: BlockId, head: BlockId) -> bool {
        self.position[block.0 as usize] >= self.position[head.0 as usize]
    }

    /// Whether a statement may run more than once in one call.
    pub fn repeats(&self, statement: StatementId) -> bool {
        let position = self.position[statement.block.0 as usize];
        self.heads
            .iter()
            .any(|(head, loop_)| (self.position[head.0 as usize]..=loop_.last).contains(&position))
    }
}
