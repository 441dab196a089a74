//! Edges of the control-flow graph, and the order in which analyses visit it.

use super::body::{Block, BlockId, Body, Terminator};

impl Terminator {
    /// The blocks that control can go to next, in a fixed order.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Terminator::Goto(target) => vec![*target],
            Terminator::Branch {
                then, otherwise, ..
            } => vec![*then, *otherwise],
            Terminator::Switch { cases, default, .. } => cases
                .iter()
                .map(|case| case.target)
                .chain([*default])
                .collect(),
            Terminator::ComputedGoto { targets, .. } => targets.clone(),
            Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
        }
    }

    /// Replaces every successor.
    pub fn redirect(&mut self, mut to: impl FnMut(BlockId) -> BlockId) {
        match self {
            Terminator::Goto(target) => *target = to(*target),
            Terminator::Branch {
                then, otherwise, ..
            } => {
                *then = to(*then);
                *otherwise = to(*otherwise);
            }
            Terminator::Switch { cases, default, .. } => {
                for case in cases {
                    case.target = to(case.target);
                }
                *default = to(*default);
            }
            Terminator::ComputedGoto { targets, .. } => {
                for target in targets {
                    *target = to(*target);
                }
            }
            Terminator::Return(_) | Terminator::Unreachable => {}
        }
    }
}

/// The blocks that the entry reaches, each before its successors except along back edges.
pub fn reverse_postorder(blocks: &[Block]) -> Vec<BlockId> {
    let mut order = Vec::with_capacity(blocks.len());
    let mut seen = vec![false; blocks.len()];
    // An explicit stack: a function can have more blocks in a row than the call stack has frames.
    let mut stack = vec![(BlockId(0), blocks[0].terminator.successors(), 0usize)];
    seen[0] = true;
    while let Some((block, successors, next)) = stack.last_mut() {
        // Later successors first, so that the order reads like the source text.
        if let Some(&successor) = successors
            .len()
            .checked_sub(*next + 1)
            .and_then(|at| successors.get(at))
        {
            *next += 1;
            if !std::mem::replace(&mut seen[successor.0 as usize], true) {
                let following = blocks[successor.0 as usize].terminator.successors();
                stack.push((successor, following, 0));
            }
        } else {
            order.push(*block);
            stack.pop();
        }
    }
    order.reverse();
    order
}

impl Body {
    /// For each block, the blocks that lead to it.
    pub fn predecessors(&self) -> Vec<Vec<BlockId>> {
        let mut predecessors = vec![Vec::new(); self.blocks.len()];
        for (index, block) in self.blocks.iter().enumerate() {
            for successor in block.terminator.successors() {
                let known: &mut Vec<BlockId> = &mut predecessors[successor.0 as usize];
                if known.last() != Some(&BlockId(index as u32)) {
                    known.push(BlockId(index as u32));
                }
            }
        }
        predecessors
    }
}
