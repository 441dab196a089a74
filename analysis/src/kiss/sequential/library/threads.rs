//! Threads that are started and joined, and functions that run once.

use super::super::writer::pointer;
use super::Library;
use crate::ir::{AccessMode, Callee, Operand, Place, Rvalue, Statement, Terminator, Ty};
use crate::models::{Action, Root, Step, Value};

impl Library<'_> {
    pub(super) fn start(
        &mut self,
        entry: &Value,
        arguments: &[Value],
        handle: Option<&Value>,
    ) -> Option<()> {
        if arguments.len() > 2 {
            return None;
        }
        let entry = self.value(entry)?;
        let entry = self.writer.as_pointer(entry);
        let mut given = vec![entry, Operand::Integer(arguments.len() as i128)];
        for index in 0..2 {
            given.push(match arguments.get(index) {
                Some(argument) => {
                    let argument = self.value(argument)?;
                    self.writer.as_pointer(argument)
                }
                None => Operand::Integer(0),
            });
        }
        let thread = self
            .writer
            .call("racelens_new_thread", given, Some(Ty::int()), None)?;
        if let Some(handle) = handle {
            self.give_handle(handle, &thread)?;
        }
        self.call("racelens_start", vec![thread])
    }

    /// Puts the thread's number where the program will look for its handle.
    fn give_handle(&mut self, handle: &Value, thread: &Operand) -> Option<()> {
        if handle.root == Root::Result && handle.path.is_empty() {
            self.result = Some(thread.clone());
            return Some(());
        }
        if let Some((Step::Dereference, path)) = handle.path.split_last() {
            let place = Value {
                root: handle.root,
                path: path.into(),
            };
            let place = self.value(&place)?;
            let ty = self.type_of(&place).pointee().cloned()?;
            if ty.is_integer() || ty.pointee().is_some() {
                let value = Rvalue::Convert {
                    value: thread.clone(),
                    from: Ty::int(),
                };
                let value = self.writer.assign(ty.unqualified(), value);
                let store = Statement::Store {
                    place: Place::deref(place),
                    value,
                    ty,
                    mode: AccessMode::Plain,
                };
                self.writer.push(store, None);
                return Some(());
            }
            let place = self.writer.as_pointer(place);
            return self.call("racelens_name_thread", vec![place, thread.clone()]);
        }
        let handle = self.value(handle)?;
        let handle = self.writer.as_pointer(handle);
        self.call("racelens_name_thread", vec![handle, thread.clone()])
    }

    pub(super) fn join(&mut self, handle: Option<&Value>, entry: Option<&Value>) -> Option<()> {
        let Some(handle) = handle else {
            let entry = self.value(entry?)?;
            let entry = self.writer.as_pointer(entry);
            return self.waiting_call("racelens_join_entry", vec![entry]);
        };
        let handle = self.value(handle)?;
        let handle = self.writer.as_pointer(handle);
        let result = self.waiting_value("racelens_join", vec![handle], pointer())?;
        // What a join writes is the thread's result.
        let written = self
            .model
            .effects
            .iter()
            .find_map(|effect| match &effect.action {
                Action::Write { pointer, .. } => Some(pointer.clone()),
                _ => None,
            });
        if let Some(written) = written {
            let place = self.value(&written)?;
            let ty = self.type_of(&place).pointee().cloned()?;
            let size = self.program.size_of(&ty)?.min(8);
            let place = self.writer.as_pointer(place);
            let size = Operand::Integer(i128::from(size));
            self.call("racelens_give", vec![place, size, result])?;
        }
        Some(())
    }

    pub(super) fn once(
        &mut self,
        control: &Value,
        entry: &Value,
        arguments: &[Value],
    ) -> Option<()> {
        let control = self.value(control)?;
        let control = self.writer.as_pointer(control);
        let entry = self.value(entry)?;
        let mut given = Vec::new();
        for argument in arguments {
            given.push(self.value(argument)?);
        }
        let first = self.waiting_value("racelens_once_begin", vec![control.clone()], Ty::int())?;
        let (run, behind) = (self.writer.new_block(), self.writer.new_block());
        self.writer.end_block(Terminator::Branch {
            condition: first,
            then: run,
            otherwise: behind,
        });
        self.writer.begin(run);
        let call = Statement::Call {
            target: None,
            callee: Callee::Indirect(entry),
            arguments: given,
        };
        self.writer.mark();
        self.writer.push(call, None);
        self.writer.leave_if_raised();
        self.call("racelens_once_end", vec![control])?;
        self.writer.end_block(Terminator::Goto(behind));
        self.writer.begin(behind);
        Some(())
    }
}
