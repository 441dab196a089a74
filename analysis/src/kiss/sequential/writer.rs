//! Writes the body of a generated function, block by block.

use super::resuming::Style;
use super::run_time;
use crate::ir::{
    AccessMode, Block, BlockId, Body, Callee, FunctionRef, IntRank, Local, LocalId, Operand, Place,
    Rvalue, Statement, StatementId, Storage, Terminator, Ty,
};
use crate::kiss::program::{Origin, Program};
use rustc_hash::FxHashMap;

/// Where the statements of a body come from.
pub(super) type Origins = FxHashMap<(FunctionRef, StatementId), Origin>;

/// A body under construction. Blocks come out in the order in which they were begun.
pub(super) struct Writer {
    pub body: Body,
    /// The number of each block in the order of the text.
    order: Vec<BlockId>,
    current: BlockId,
    /// The block that leaves the function because the thread is to stop.
    pub(super) leave: Option<BlockId>,
    origins: FxHashMap<(BlockId, u32), Origin>,
    /// Whether the function can go on where it stopped, and how.
    pub(super) style: Style,
    /// Where it goes on, by the numbers of the places.
    pub(super) resumes: Vec<BlockId>,
    /// The register with the number of the place where it stops.
    pub(super) stopped_at: Option<LocalId>,
}

impl Writer {
    /// Goes on with a body whose first `kept` blocks have their numbers already, though no content yet.
    pub fn new(body: Body, kept: usize, style: Style) -> Writer {
        let mut writer = Writer {
            body,
            order: Vec::new(),
            current: BlockId(0),
            leave: None,
            origins: FxHashMap::default(),
            style,
            resumes: Vec::new(),
            stopped_at: None,
        };
        writer.body.blocks = vec![Block::default(); kept.max(1)];
        if kept == 0 {
            writer.begin(BlockId(0));
        }
        writer
    }

    /// The block comes in front of all others.
    pub(super) fn begin_first(&mut self, block: BlockId) {
        self.order.insert(0, block);
        self.current = block;
    }

    /// Where the function begins.
    pub(super) fn first_block(&self) -> BlockId {
        self.order.first().copied().unwrap_or(BlockId(0))
    }

    /// From here on statements go to this block.
    pub fn begin(&mut self, block: BlockId) {
        self.order.push(block);
        self.current = block;
    }

    /// Writes at the end of another block; one that has no place in the text yet comes last.
    pub(super) fn aside(&mut self, block: BlockId, write: impl FnOnce(&mut Self)) {
        let current = self.current;
        if self.order.contains(&block) {
            self.current = block;
        } else {
            self.begin(block);
        }
        write(self);
        self.current = current;
    }

    pub fn new_block(&mut self) -> BlockId {
        self.body.blocks.push(Block::default());
        BlockId(self.body.blocks.len() as u32 - 1)
    }

    pub fn local(&mut self, ty: Ty) -> LocalId {
        self.body.locals.push(Local {
            name: None,
            ty,
            storage: Storage::Register,
        });
        LocalId(self.body.locals.len() as u32 - 1)
    }

    pub fn push(&mut self, statement: Statement, origin: Option<Origin>) {
        let block = &mut self.body.blocks[self.current.0 as usize];
        let index = block.statements.len() as u32;
        block.statements.push(statement);
        if let Some(origin) = origin {
            self.origins.insert((self.current, index), origin);
        }
    }

    pub fn assign(&mut self, ty: Ty, value: Rvalue) -> Operand {
        let target = self.local(ty);
        self.push(Statement::Assign { target, value }, None);
        Operand::Local(target)
    }

    /// Calls a function of the run-time part.
    pub fn call(
        &mut self,
        name: &str,
        arguments: Vec<Operand>,
        result: Option<Ty>,
        origin: Option<Origin>,
    ) -> Option<Operand> {
        let target = result.map(|ty| self.local(ty));
        let statement = Statement::Call {
            target,
            callee: Callee::Direct(run_time::function(name)),
            arguments,
        };
        self.push(statement, origin);
        target.map(Operand::Local)
    }

    pub fn load(&mut self, pointer: Operand, ty: Ty) -> Operand {
        let target = self.local(ty.unqualified());
        self.push(
            Statement::Load {
                target,
                place: Place::deref(pointer),
                ty,
                mode: AccessMode::Plain,
            },
            None,
        );
        Operand::Local(target)
    }

    /// An operand as a pointer to anything.
    pub fn as_pointer(&mut self, operand: Operand) -> Operand {
        let from = match &operand {
            Operand::Local(local) => self.body.local(*local).ty.decayed(),
            _ => Ty::integer(IntRank::Long, true),
        };
        if from == pointer() {
            return operand;
        }
        self.assign(
            pointer(),
            Rvalue::Convert {
                value: operand,
                from,
            },
        )
    }

    pub fn end_block(&mut self, terminator: Terminator) {
        self.body.blocks[self.current.0 as usize].terminator = terminator;
    }

    /// Leaves the function if the condition is not zero, and goes on in a new block otherwise.
    pub fn leave_if(&mut self, condition: Operand) {
        let leave = match self.leave {
            Some(leave) => leave,
            None => self.new_block(),
        };
        self.leave = Some(leave);
        let on = self.new_block();
        let then = self.stopping_block(leave);
        self.end_block(Terminator::Branch {
            condition,
            then,
            otherwise: on,
        });
        self.begin(on);
    }

    /// `if (raise) return`.
    pub fn leave_if_raised(&mut self) {
        if let Some(raised) = self.call(run_time::RAISED, Vec::new(), Some(Ty::int()), None) {
            self.leave_if(raised);
        }
    }

    /// The body with its blocks in the order of the text, and the origins of its statements.
    pub fn finish(mut self, program: &Program) -> (Body, Origins) {
        if let Some(leave) = self.leave {
            self.begin(leave);
            let result = no_value(&self.body.result);
            self.end_block(Terminator::Return(result));
        }
        self.make_resumable(program);
        let mut number = vec![None; self.body.blocks.len()];
        for (position, block) in self.order.iter().enumerate() {
            number[block.0 as usize] = Some(BlockId(position as u32));
        }
        let renamed = |block: BlockId| number[block.0 as usize].unwrap_or(block);
        let mut blocks = Vec::with_capacity(self.order.len());
        for block in &self.order {
            let mut content = std::mem::take(&mut self.body.blocks[block.0 as usize]);
            content.terminator.redirect(renamed);
            for statement in &mut content.statements {
                if let Statement::Assign {
                    value: Rvalue::LabelAddress(label),
                    ..
                } = statement
                {
                    *label = renamed(*label);
                }
            }
            blocks.push(content);
        }
        self.body.blocks = blocks;
        let function = self.body.function;
        let origins = self.origins.into_iter().map(|((block, index), origin)| {
            let id = StatementId {
                block: renamed(block),
                index,
            };
            ((function, id), origin)
        });
        (self.body, origins.collect())
    }
}

pub(super) fn pointer() -> Ty {
    Ty::void().pointer_to()
}

pub(super) fn long() -> Ty {
    Ty::integer(IntRank::Long, true)
}

/// What a function returns whose thread does not go on: nobody looks at it.
fn no_value(ty: &Ty) -> Option<Operand> {
    if ty.is_float() {
        Some(Operand::Float(0))
    } else if ty.is_integer() || ty.pointee().is_some() {
        Some(Operand::Integer(0))
    } else {
        None
    }
}
