//! Functions that stop in the middle, and go on there when they are called again.
//!
//! A thread of a program with rounds stops like one of KISS: every function returns at once. But before it does, it puts
//! its registers and the number of the place into a frame; what lies in memory is allocated anyway. To let the thread go
//! on, its outermost function is called again. Each finds its frame, jumps to the call that it stopped in, and so leads
//! to the innermost one.

use super::Scheduling;
use super::run_time;
use super::writer::{Writer, pointer};
use crate::ir::{
    AccessMode, BlockId, Body, LocalId, Operand, Place, Rvalue, Statement, Storage, SwitchCase,
    Terminator, Ty, TyKind,
};
use crate::kiss::program::Program;
use rustc_hash::FxHashMap;

/// What a function does when its thread stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    /// It returns, and that is that.
    Plain,
    /// It keeps what it needs to go on.
    Resumable,
    /// Nothing stops it in the middle, because its variable arguments could not be kept.
    Uninterrupted,
}

impl Style {
    pub fn of(scheduling: Scheduling, is_variadic: bool) -> Style {
        match scheduling {
            Scheduling::Stack => Style::Plain,
            Scheduling::Rounds if is_variadic => Style::Uninterrupted,
            Scheduling::Rounds => Style::Resumable,
        }
    }

    /// Whether the function works with variable arguments.
    pub fn needs_arguments(body: &Body) -> bool {
        let mut locals = body.locals.iter();
        body.variadic || locals.any(|local| matches!(local.ty.kind(), TyKind::VaList))
    }
}

/// Where the number of the place lies in a frame, in front of the registers.
const PLACE_BYTES: u64 = 16;

impl Writer {
    /// If the thread stops in the call that comes next, it goes on with it.
    pub fn mark(&mut self) {
        if self.style == Style::Resumable {
            let block = self.new_block();
            self.end_block(Terminator::Goto(block));
            self.begin(block);
            self.resumes.push(block);
        }
    }

    /// The block that leads out of the function from where it is now.
    pub(super) fn stopping_block(&mut self, leave: BlockId) -> BlockId {
        if self.style != Style::Resumable {
            return leave;
        }
        let place = match self.stopped_at {
            Some(place) => place,
            None => self.local(Ty::int()),
        };
        self.stopped_at = Some(place);
        let number = Operand::Integer(self.resumes.len() as i128);
        let block = self.new_block();
        self.aside(block, |writer| {
            let value = Rvalue::Use(number);
            writer.push(
                Statement::Assign {
                    target: place,
                    value,
                },
                None,
            );
            writer.end_block(Terminator::Goto(leave));
        });
        block
    }

    /// Adds what keeps the function's registers, where it can stop.
    pub(super) fn make_resumable(&mut self, program: &Program) {
        let Some(leave) = self.leave else {
            return;
        };
        match self.style {
            Style::Plain => {}
            Style::Uninterrupted => {
                let first = self.first_block();
                let entry = self.new_block();
                self.begin_first(entry);
                self.call(run_time::ATOMIC_BEGIN, Vec::new(), None, None);
                self.end_block(Terminator::Goto(first));
                self.before_returns(run_time::ATOMIC_END);
            }
            Style::Resumable => self.keep_registers(leave, program),
        }
    }

    fn keep_registers(&mut self, leave: BlockId, program: &Program) {
        let Some(stopped_at) = self.stopped_at else {
            return;
        };
        let (kept, size) = self.kept_registers(stopped_at, program);
        let first = self.first_block();
        let (entry, restore) = (self.new_block(), self.new_block());
        self.begin_first(entry);
        let bytes = vec![Operand::Integer(i128::from(size))];
        let Some(frame) = self.call(run_time::ENTER, bytes, Some(pointer()), None) else {
            return;
        };
        let number = self.field(&frame, 0, &Ty::int());
        let place = self.load(number, Ty::int());
        let case = |number: usize, target: BlockId| SwitchCase {
            low: number as i128,
            high: number as i128,
            target,
        };
        self.end_block(Terminator::Switch {
            value: place.clone(),
            cases: vec![case(0, first)],
            default: restore,
        });
        self.begin(restore);
        for (register, offset, ty) in &kept {
            let field = self.field(&frame, *offset, ty);
            self.push(
                Statement::Load {
                    target: *register,
                    place: Place::deref(field),
                    ty: ty.clone(),
                    mode: AccessMode::Plain,
                },
                None,
            );
        }
        let resumes = self.resumes.iter().enumerate();
        let cases: Vec<SwitchCase> = resumes
            .map(|(index, block)| case(index + 1, *block))
            .collect();
        self.end_block(Terminator::Switch {
            value: place,
            cases,
            default: first,
        });
        self.aside(leave, |writer| {
            let number = writer.field(&frame, 0, &Ty::int());
            writer.store(number, Operand::Local(stopped_at), Ty::int());
            for (register, offset, ty) in &kept {
                let field = writer.field(&frame, *offset, ty);
                writer.store(field, Operand::Local(*register), ty.clone());
            }
        });
        self.before_returns(run_time::LEAVE);
    }

    fn store(&mut self, pointer: Operand, value: Operand, ty: Ty) {
        self.push(
            Statement::Store {
                place: Place::deref(pointer),
                value,
                ty,
                mode: AccessMode::Plain,
            },
            None,
        );
    }

    /// A pointer to what lies at this offset of a frame.
    fn field(&mut self, frame: &Operand, offset: u64, ty: &Ty) -> Operand {
        let address = self.assign(
            pointer(),
            Rvalue::PointerAdd {
                base: frame.clone(),
                index: Operand::Integer(i128::from(offset)),
                size: 1,
            },
        );
        self.assign(
            ty.pointer_to(),
            Rvalue::Convert {
                value: address,
                from: pointer(),
            },
        )
    }

    fn before_returns(&mut self, call: &str) {
        for index in 0..self.body.blocks.len() {
            if matches!(self.body.blocks[index].terminator, Terminator::Return(_)) {
                self.aside(BlockId(index as u32), |writer| {
                    writer.call(call, Vec::new(), None, None);
                });
            }
        }
    }

    /// The registers whose values may be needed behind a place where the function stops, where they lie in its frame, and
    /// the size of that.
    fn kept_registers(
        &self,
        stopped_at: LocalId,
        program: &Program,
    ) -> (Vec<(LocalId, u64, Ty)>, u64) {
        let crossing = self.registers_of_several_blocks();
        let mut kept = Vec::new();
        let mut end = PLACE_BYTES;
        for register in crossing {
            let ty = self.body.local(register).ty.unqualified();
            let size = program.size_of(&ty).unwrap_or(0);
            if register == stopped_at || size == 0 {
                continue;
            }
            kept.push((register, end, ty));
            end += size.next_multiple_of(PLACE_BYTES);
        }
        (kept, end)
    }

    /// A function stops between blocks only, so that other registers are never needed later.
    fn registers_of_several_blocks(&self) -> Vec<LocalId> {
        let mut only_in: FxHashMap<LocalId, usize> = FxHashMap::default();
        let mut several = vec![false; self.body.locals.len()];
        // Arguments are there before the first block.
        several[..self.body.parameters].fill(true);
        for (number, block) in self.body.blocks.iter().enumerate() {
            let mut read = |operand: &Operand, only_in: &FxHashMap<LocalId, usize>| {
                if let Operand::Local(local) = operand
                    && only_in.get(local) != Some(&number)
                {
                    several[local.0 as usize] = true;
                }
            };
            for statement in &block.statements {
                statement.operands(&mut |operand| read(operand, &only_in));
                if let Some(target) = statement.target() {
                    only_in.insert(target, number);
                }
            }
            block
                .terminator
                .operands(&mut |operand| read(operand, &only_in));
        }
        let locals = self.body.locals.iter().zip(several).enumerate();
        locals
            .filter(|(_, (local, several))| *several && local.storage == Storage::Register)
            .map(|(index, _)| LocalId(index as u32))
            .collect()
    }
}
