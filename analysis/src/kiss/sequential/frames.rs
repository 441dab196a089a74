//! Variables of a function that other threads may get at outlive the stack that the scheduler takes away.
//!
//! A thread that stops leaves its frame, though its variables are still there for others, and the next thread would find
//! its own variables at the same address. So these are allocated, and never given back.

use super::noticed::Noticed;
use super::resuming::Style;
use super::run_time;
use super::writer::Writer;
use crate::ir::{
    AccessMode, Base, Body, LocalId, Operand, Place, Rvalue, Statement, Storage, Ty, TyKind,
};
use crate::kiss::program::Program;
use rustc_hash::FxHashMap;

/// For each variable that is allocated, the register that points to it.
#[derive(Default)]
pub(super) struct Frames {
    pointers: FxHashMap<LocalId, LocalId>,
}

impl Frames {
    /// Allocates what threads may share of a function's variables, in front of everything else.
    pub fn allocate(
        body: &Body,
        noticed: &Noticed<'_>,
        program: &Program,
        writer: &mut Writer,
    ) -> Frames {
        let mut frames = Frames::default();
        for (index, local) in body.locals.iter().enumerate() {
            let id = LocalId(index as u32);
            // Whoever goes on later needs all of them.
            let is_needed = writer.style == Style::Resumable
                || noticed.is_shared(body.function, &Place::local(id));
            let is_kept = local.storage == Storage::Memory
                && !matches!(local.ty.kind(), TyKind::VaList)
                && is_needed;
            let Some(size) = program.size_of(&local.ty).filter(|_| is_kept) else {
                continue;
            };
            // An index behind a pointer counts what it points to.
            let pointee = local.ty.element().unwrap_or(&local.ty).clone();
            let bytes = Operand::Integer(i128::from(size.max(1)));
            let ty = Ty::void().pointer_to();
            let Some(memory) = writer.call(run_time::ALLOCATE, vec![bytes], Some(ty.clone()), None)
            else {
                continue;
            };
            let pointer = writer.local(pointee.pointer_to());
            writer.push(
                Statement::Assign {
                    target: pointer,
                    value: Rvalue::Convert {
                        value: memory,
                        from: ty,
                    },
                },
                None,
            );
            if index < body.parameters {
                frames.keep_argument(id, pointer, &local.ty, writer);
            }
            frames.pointers.insert(id, pointer);
        }
        frames
    }

    fn keep_argument(&self, argument: LocalId, pointer: LocalId, ty: &Ty, writer: &mut Writer) {
        let value = writer.local(ty.clone());
        writer.push(
            Statement::Load {
                target: value,
                place: Place::local(argument),
                ty: ty.clone(),
                mode: AccessMode::Plain,
            },
            None,
        );
        writer.push(
            Statement::Store {
                place: Place::deref(Operand::Local(pointer)),
                value: Operand::Local(value),
                ty: ty.clone(),
                mode: AccessMode::Plain,
            },
            None,
        );
    }

    /// The place where the variable is now.
    pub fn find(&self, place: &mut Place) {
        if let Base::Local(local) = place.base
            && let Some(pointer) = self.pointers.get(&local)
        {
            place.base = Base::Deref(Operand::Local(*pointer));
        }
    }
}
