//! Locks, semaphores, condition variables and barriers.

use super::super::run_time;
use super::super::writer::long;
use super::{Library, is_atomic_section};
use crate::ir::{LocalId, Operand, Ty};
use crate::kiss::machine::library::timed_out;
use crate::models::{LockKind, Mode, Value};

impl Library<'_> {
    /// Makes a lock, a semaphore or a signal. In `recursive` the lowest bit counts.
    pub(super) fn initialise(
        &mut self,
        object: &Value,
        is_semaphore: bool,
        recursive: Operand,
        count: Option<&Value>,
    ) -> Option<()> {
        let count = match count {
            Some(count) => self.value(count)?,
            None => Operand::Integer(0),
        };
        let is_semaphore = Operand::Integer(i128::from(is_semaphore));
        self.with_pointer(
            "racelens_initialise_lock",
            object,
            &[is_semaphore, recursive, count],
        )
    }

    pub(super) fn acquire(
        &mut self,
        lock: &Value,
        mode: Mode,
        kind: LockKind,
        recursive: bool,
        blocking: bool,
    ) -> Option<()> {
        if is_atomic_section(lock) {
            return self.call(run_time::ATOMIC_BEGIN, Vec::new());
        }
        let is_semaphore = match kind {
            LockKind::Semaphore => true,
            LockKind::Mutex | LockKind::Spin | LockKind::ReadWrite | LockKind::Global => false,
            // They keep nobody out.
            LockKind::Interrupts | LockKind::Rcu => return Some(()),
            LockKind::Sequence => {
                let address = self.value(lock)?;
                let address = self.writer.as_pointer(address);
                self.call("racelens_make_sequence", vec![address.clone()])?;
                if mode == Mode::Shared {
                    self.result = self.waiting_value("racelens_read_begin", vec![address], long());
                    return Some(());
                }
                false
            }
        };
        let lock = self.value(lock)?;
        let kind = self.kind_of_mutex(&lock);
        let address = self.writer.as_pointer(lock);
        if let Some(kind) = kind {
            self.call("racelens_read_kind", vec![address.clone(), kind])?;
        }
        let mut arguments = vec![address];
        if !is_semaphore {
            arguments.push(Operand::Integer(i128::from(mode == Mode::Shared)));
            arguments.push(Operand::Integer(i128::from(recursive)));
        }
        let name = match (is_semaphore, blocking) {
            (true, true) => "racelens_take",
            (true, false) => "racelens_try_take",
            (false, true) => "racelens_acquire",
            (false, false) => "racelens_try_acquire",
        };
        if blocking {
            return self.waiting_call(name, arguments);
        }
        let happened = self.writer.call(name, arguments, Some(Ty::int()), None)?;
        let (success, failure) = (self.success(), self.failure());
        let arguments = vec![
            happened,
            Operand::Integer(success),
            Operand::Integer(failure),
        ];
        self.result = self
            .writer
            .call("racelens_outcome", arguments, Some(Ty::int()), None);
        Some(())
    }

    /// A reader beside the writers of a sequence lock is told whether there was one.
    pub(super) fn retry(&mut self, lock: &Value, start: usize) -> Option<()> {
        let lock = self.value(lock)?;
        let lock = self.writer.as_pointer(lock);
        let arguments = vec![lock, Operand::Local(LocalId(start as u32))];
        self.result = self
            .writer
            .call("racelens_read_retry", arguments, Some(Ty::int()), None);
        Some(())
    }

    /// The member in which a mutex of the GNU C library says of itself whether it is recursive.
    fn kind_of_mutex(&mut self, mutex: &Operand) -> Option<Operand> {
        let record = self.type_of(mutex).pointee()?.record()?;
        let data = self.member(mutex.clone(), record, ustr::Ustr::from("__data"))?;
        let record = self.type_of(&data).pointee()?.record()?;
        let kind = self.member(data, record, ustr::Ustr::from("__kind"))?;
        Some(self.writer.as_pointer(kind))
    }

    /// Gives up the lock, lets others go on, and takes the lock again when somebody has posted.
    pub(super) fn wait(&mut self, lock: &Value, mode: Mode, on: Option<&Value>) -> Option<()> {
        let on = self.value(on?)?;
        let on = self.writer.as_pointer(on);
        let lock = self.value(lock)?;
        let lock = self.writer.as_pointer(lock);
        let begin = vec![on.clone(), lock.clone()];
        let posts = self
            .writer
            .call("racelens_wait_begin", begin, Some(long()), None)?;
        self.point()?;
        let shared = Operand::Integer(i128::from(mode == Mode::Shared));
        let arguments = vec![on, lock, posts, shared];
        let Some(timed_out) = timed_out(self.function.name.as_str()) else {
            return self.waiting_call("racelens_wait_end", arguments);
        };
        let late = self.waiting_value("racelens_wait_timed", arguments, Ty::int())?;
        let success = Operand::Integer(self.success());
        let arguments = vec![late, Operand::Integer(timed_out), success];
        self.result = self
            .writer
            .call("racelens_outcome", arguments, Some(Ty::int()), None);
        Some(())
    }

    /// Comes to a barrier, lets others come, and goes on when all are there.
    pub(super) fn barrier(&mut self, barrier: &Value) -> Option<()> {
        let barrier = self.value(barrier)?;
        let barrier = self.writer.as_pointer(barrier);
        let before =
            self.writer
                .call("racelens_come", vec![barrier.clone()], Some(long()), None)?;
        self.point()?;
        let passed = vec![barrier, before];
        self.result = self.waiting_value("racelens_pass", passed, Ty::int());
        Some(())
    }
}
