//! Which edges go back, and what a loop assigns.

use crate::ir::cfg::reverse_postorder;
use crate::ir::{
    BinaryOperator, BlockId, Body, LocalId, Operand, Rvalue, Statement, StatementId, Terminator,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The loops of a body, as far as the order of its blocks shows them. Every cycle has an edge that goes
/// back in reverse postorder; where it goes to is a head.
#[derive(Clone)]
pub struct Loops {
    /// Each block's place in reverse postorder; `u32::MAX` for those that control never reaches.
    position: Vec<u32>,
    heads: FxHashMap<BlockId, Head>,
}

#[derive(Clone)]
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

    /// Whether a block belongs to the loop with this head.
    pub fn is_inside(&self, block: BlockId, head: BlockId) -> bool {
        self.heads.get(&head).is_some_and(|loop_| {
            let first = self.position[head.0 as usize];
            (first..=loop_.last).contains(&self.position[block.0 as usize])
        })
    }

    /// The head of the innermost loop around a block, if each of the loop's turns runs the block and the loop
    /// is left from its head alone.
    pub fn passing(&self, body: &Body, block: BlockId) -> Option<BlockId> {
        let around = self
            .heads
            .keys()
            .filter(|head| self.is_inside(block, **head));
        let head = *around.max_by_key(|head| self.position[head.0 as usize])?;
        let mut seen = BTreeSet::from([head]);
        let mut work: Vec<BlockId> = body.block(head).terminator.successors();
        work.retain(|next| self.is_inside(*next, head));
        while let Some(next) = work.pop() {
            if next == head {
                return None;
            }
            if next == block || !seen.insert(next) {
                continue;
            }
            for successor in body.block(next).terminator.successors() {
                if !self.is_inside(successor, head) {
                    return None;
                }
                work.push(successor);
            }
        }
        // Behind the block, too, nothing may leave the loop.
        let mut work = vec![block];
        let mut behind = BTreeSet::new();
        while let Some(next) = work.pop() {
            if next == head || !behind.insert(next) {
                continue;
            }
            for successor in body.block(next).terminator.successors() {
                if !self.is_inside(successor, head) {
                    return None;
                }
                work.push(successor);
            }
        }
        Some(head)
    }

    /// The operand that a loop's counter is compared with, if the loop counts it up by one from turn to turn
    /// and ends where it reaches that.
    pub fn counted_bound<'b>(
        &self,
        body: &'b Body,
        head: BlockId,
        counter: LocalId,
    ) -> Option<&'b Operand> {
        let loop_ = self.heads.get(&head)?;
        let block = body.block(head);
        let Terminator::Branch {
            condition: Operand::Local(condition),
            then,
            ..
        } = &block.terminator
        else {
            return None;
        };
        if !self.is_inside(*then, head) {
            return None;
        }
        let compared = block
            .statements
            .iter()
            .rev()
            .find_map(|statement| match statement {
                Statement::Assign { target, value } if target == condition => Some(value),
                _ => None,
            })?;
        let copies = Copies::of(counter, &block.statements);
        let bound = match compared {
            Rvalue::Binary {
                operator: BinaryOperator::Less | BinaryOperator::NotEqual,
                left,
                right,
                ..
            } if copies.has(left) => right,
            Rvalue::Binary {
                operator: BinaryOperator::Greater,
                left,
                right,
                ..
            } if copies.has(right) => left,
            _ => return None,
        };
        let first = self.position[head.0 as usize];
        let inside = (0..body.blocks.len()).map(|index| BlockId(index as u32));
        let inside =
            inside.filter(|block| (first..=loop_.last).contains(&self.position[block.0 as usize]));
        let mut increments = 0;
        for block in inside {
            let statements = &body.block(block).statements;
            for (index, statement) in statements.iter().enumerate() {
                if statement.target() != Some(counter) {
                    continue;
                }
                let copies = Copies::of(counter, &statements[..index]);
                if !copies.is_one_more(statement) {
                    return None;
                }
                increments += 1;
            }
        }
        (increments == 1).then_some(bound)
    }

    /// Whether a statement may run more than once in one call.
    pub fn repeats(&self, statement: StatementId) -> bool {
        let position = self.position[statement.block.0 as usize];
        self.heads
            .iter()
            .any(|(head, loop_)| (self.position[head.0 as usize]..=loop_.last).contains(&position))
    }
}

/// Registers that hold a counter's value, or one more, behind some statements of a block.
struct Copies {
    same: BTreeSet<LocalId>,
    one_more: BTreeSet<LocalId>,
}

impl Copies {
    fn of(counter: LocalId, statements: &[Statement]) -> Copies {
        let mut copies = Copies {
            same: BTreeSet::from([counter]),
            one_more: BTreeSet::new(),
        };
        for statement in statements {
            let Some(target) = statement.target() else {
                continue;
            };
            let (same, one_more) = (copies.is_same(statement), copies.is_one_more(statement));
            copies.same.remove(&target);
            copies.one_more.remove(&target);
            if same {
                copies.same.insert(target);
            } else if one_more {
                copies.one_more.insert(target);
            }
        }
        copies
    }

    fn has(&self, operand: &Operand) -> bool {
        matches!(operand, Operand::Local(local) if self.same.contains(local))
    }

    fn is_same(&self, statement: &Statement) -> bool {
        match statement {
            Statement::Assign {
                value: Rvalue::Use(value) | Rvalue::Convert { value, .. },
                ..
            } => self.has(value),
            _ => false,
        }
    }

    fn is_one_more(&self, statement: &Statement) -> bool {
        let Statement::Assign { value, .. } = statement else {
            return false;
        };
        match value {
            Rvalue::Use(Operand::Local(local))
            | Rvalue::Convert {
                value: Operand::Local(local),
                ..
            } => self.one_more.contains(local),
            Rvalue::Binary {
                operator: BinaryOperator::Add,
                left,
                right: Operand::Integer(1),
                ..
            } => self.has(left),
            Rvalue::PointerAdd {
                base,
                index: Operand::Integer(1),
                ..
            } => self.has(base),
            _ => false,
        }
    }
}
