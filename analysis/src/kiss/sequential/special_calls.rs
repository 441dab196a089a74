//! Calls of library functions that the models cannot say enough about.

use super::library::words::Word;
use super::rewriting::Rewriting;
use super::run_time;
use super::writer::{long, pointer};
use crate::ir::{
    AccessKind, IntRank, LocalId, Operand, Rvalue, Statement, StatementId, Terminator, Ty,
};
use crate::kiss::program::{Failure, Role, intrinsics};

impl Rewriting<'_, '_> {
    pub fn word(
        &mut self,
        at: StatementId,
        word: Word,
        target: Option<LocalId>,
        arguments: &[Operand],
    ) {
        let set = |this: &mut Self, value: Operand, from: Ty| {
            if let Some(target) = target {
                let value = Rvalue::Convert { value, from };
                this.itself(at, Statement::Assign { target, value });
            }
        };
        match (word, arguments) {
            (Word::Error, _) => self.fail(at),
            (Word::Assert, [condition]) => {
                let (wrong, right) = (self.writer.new_block(), self.writer.new_block());
                self.writer.end_block(Terminator::Branch {
                    condition: condition.clone(),
                    then: right,
                    otherwise: wrong,
                });
                self.writer.begin(wrong);
                self.fail(at);
                self.writer.end_block(Terminator::Goto(right));
                self.writer.begin(right);
            }
            (Word::Assume, [condition]) => {
                self.point(at);
                let condition = condition.clone();
                self.writer
                    .call(intrinsics::ASSUME, vec![condition], None, None);
            }
            (Word::AnyValue, _) => set(self, Operand::Unknown, long()),
            (Word::CurrentThread, _) => {
                let unsigned = Ty::integer(IntRank::Long, false);
                let thread =
                    self.writer
                        .call(run_time::SELF, Vec::new(), Some(unsigned.clone()), None);
                if let Some(thread) = thread {
                    set(self, thread, unsigned);
                }
            }
            (Word::GetSpecific, [key]) => {
                let found = self.writer.call(
                    "racelens_get_specific",
                    vec![key.clone()],
                    Some(pointer()),
                    None,
                );
                if let Some(found) = found {
                    set(self, found, pointer());
                }
            }
            (Word::SetSpecific, [key, value]) => {
                let value = self.writer.as_pointer(value.clone());
                self.writer.call(
                    "racelens_set_specific",
                    vec![key.clone(), value],
                    None,
                    None,
                );
                set(self, Operand::Integer(0), Ty::int());
            }
            (Word::InitialiseBarrier, [barrier, _, count]) => {
                let barrier = self.writer.as_pointer(barrier.clone());
                let arguments = vec![barrier, count.clone()];
                self.writer
                    .call("racelens_initialise_barrier", arguments, None, None);
                set(self, Operand::Integer(0), Ty::int());
            }
            (Word::SetMutexType, [attributes, kind]) => {
                let attributes = self.writer.as_pointer(attributes.clone());
                let arguments = vec![attributes, kind.clone()];
                self.writer
                    .call("racelens_set_mutex_type", arguments, None, None);
                set(self, Operand::Integer(0), Ty::int());
            }
            (Word::InitialiseMutex, [mutex, attributes]) => {
                let mutex = self.writer.as_pointer(mutex.clone());
                let attributes = self.writer.as_pointer(attributes.clone());
                let arguments = vec![mutex, attributes];
                self.writer
                    .call("racelens_initialise_mutex", arguments, None, None);
                set(self, Operand::Integer(0), Ty::int());
            }
            (Word::Sleep | Word::Nothing, _) => set(self, Operand::Integer(0), Ty::int()),
            (Word::Free, [pointer, ..]) => {
                let shared = self
                    .shared
                    .noticed
                    .is_pointee_shared(self.function, pointer);
                if shared && self.shared.noticed.is_checked(self.function, at) {
                    let address = self.writer.as_pointer(pointer.clone());
                    self.check_bytes(at, address, Operand::Integer(1), AccessKind::Write, false);
                }
            }
            _ => {
                self.writer
                    .call(run_time::UNSUPPORTED, Vec::new(), None, None);
            }
        }
    }

    fn fail(&mut self, at: StatementId) {
        if !self.shared.asserts {
            let never = vec![Operand::Integer(0)];
            self.writer.call(intrinsics::ASSUME, never, None, None);
            return;
        }
        self.point(at);
        let failure = Failure::Assertion(self.function, at);
        self.shared.failures.push(failure);
        let code = Operand::Integer(self.shared.failures.len() as i128 - 1);
        let site = self.shared.site(self.origin(at, Role::Itself));
        self.writer
            .call(run_time::FAIL_AT, vec![code, site], None, None);
    }
}
