//! Library functions that synchronise, as bodies made of their models.

use super::resuming::Style;
use super::run_time;
use super::writer::{Writer, long, pointer};
use crate::ir::{
    AccessMode, Body, Callee, FunctionRef, FunctionTy, Local, LocalId, Operand, Place, Rvalue,
    Statement, Storage, Terminator, Ty,
};
use crate::kiss::machine::library::timed_out;
use crate::kiss::program::Program;
use crate::models::{
    Action, Context, Effect, FunctionModel, LockKind, Mode, Root, Step, Test, Value, When,
};

/// Whether a call does something that waits, lets others go on, or starts and ends threads.
pub(super) fn synchronises(model: &FunctionModel) -> bool {
    model.effects.iter().any(|effect| match &effect.action {
        Action::Acquire { .. }
        | Action::Release { .. }
        | Action::InitialiseLock { .. }
        | Action::DestroyLock { .. }
        | Action::Wait { .. }
        | Action::Join { .. }
        | Action::Detach { .. }
        | Action::EndThread
        | Action::Once { .. }
        | Action::Post { .. }
        | Action::InitialiseSignal { .. }
        | Action::WaitFor { .. } => true,
        Action::Start { context, .. } => is_thread(*context),
        _ => false,
    })
}

/// What an event loop, a signal or the end of the process calls is no thread of its own, and is left out.
fn is_thread(context: Context) -> bool {
    match context {
        Context::Thread | Context::Work | Context::Interrupt | Context::Timer => true,
        Context::Signal | Context::Callback | Context::Exit => false,
    }
}

/// The name that the body of a library function has in the sequential program.
pub(super) fn name_of(function: FunctionRef) -> FunctionRef {
    run_time::function(&format!("racelens_lib_{}", function.name))
}

/// The body of a library function with this type.
pub(super) fn body(
    function: FunctionRef,
    ty: &FunctionTy,
    model: &FunctionModel,
    program: &Program,
    style: Style,
) -> Body {
    let parameters = ty.parameters.iter().enumerate();
    let locals: Vec<Local> = parameters
        .map(|(index, ty)| Local {
            name: Some(ustr::Ustr::from(&format!("argument_{index}"))),
            ty: ty.decayed(),
            storage: Storage::Register,
        })
        .collect();
    let body = Body {
        function: name_of(function),
        result: ty.result.unqualified(),
        parameters: locals.len(),
        variadic: ty.variadic,
        locals,
        strings: Vec::new(),
        statics: Vec::new(),
        static_locals: Vec::new(),
        blocks: Vec::new(),
        records: Vec::new(),
    };
    let mut library = Library {
        function,
        writer: Writer::new(body, 0, style),
        program,
        model,
        arguments: ty.parameters.len(),
        result: None,
    };
    for effect in &model.effects {
        if library.effect(effect).is_none() {
            library
                .writer
                .call(run_time::UNSUPPORTED, Vec::new(), None, None);
        }
    }
    library.finish()
}

/// The body of a library function under construction.
pub(super) struct Library<'p> {
    function: FunctionRef,
    pub writer: Writer,
    pub program: &'p Program,
    model: &'p FunctionModel,
    pub arguments: usize,
    result: Option<Operand>,
}

impl Library<'_> {
    fn finish(mut self) -> Body {
        let ty = self.writer.body.result.clone();
        let value = if ty.is_void() {
            None
        } else {
            let success = self.success();
            let value = self.result.take().unwrap_or(Operand::Integer(success));
            let from = match &value {
                Operand::Local(local) => self.writer.body.local(*local).ty.clone(),
                _ => Ty::int(),
            };
            Some(self.writer.assign(ty, Rvalue::Convert { value, from }))
        };
        self.writer.end_block(Terminator::Return(value));
        self.writer.finish(self.program).0
    }

    /// What the function returns when everything went well.
    fn success(&self) -> i128 {
        let tests = self
            .model
            .effects
            .iter()
            .filter_map(|effect| match effect.when {
                When::Result(test) => Some(test),
                _ => None,
            });
        match tests.into_iter().next() {
            Some(Test::Zero | Test::NonNegative) => 0,
            Some(Test::NonZero | Test::Positive) => 1,
            Some(Test::Negative) => -1,
            None => 0,
        }
    }

    fn failure(&self) -> i128 {
        match self.success() {
            // What trylock functions return when they do not get the lock: EBUSY.
            0 => 16,
            _ => 0,
        }
    }

    /// `None` if the effect cannot be simulated.
    fn effect(&mut self, effect: &Effect) -> Option<()> {
        // A failure of what cannot fail by being too slow is left out.
        if let When::Argument(..) = effect.when {
            return None;
        }
        let posts = |object: &Value| self.model.posts(object);
        match &effect.action {
            Action::Acquire {
                lock,
                mode,
                kind,
                recursive,
                blocking,
            } => self.acquire(lock, *mode, *kind, *recursive, *blocking),
            // A semaphore is posted; releasing it is the same thing.
            Action::Release { lock } if posts(lock) => Some(()),
            Action::Release { lock } if is_atomic_section(lock) => {
                self.call(run_time::ATOMIC_END, Vec::new())
            }
            Action::Release { lock } => self.with_pointer("racelens_release", lock, &[]),
            Action::InitialiseLock {
                lock, kind, count, ..
            } => {
                let count = match count {
                    Some(count) => self.value(count)?,
                    None => Operand::Integer(0),
                };
                let is_semaphore = i128::from(*kind == LockKind::Semaphore);
                let arguments = [Operand::Integer(is_semaphore), count];
                self.with_pointer("racelens_initialise_lock", lock, &arguments)
            }
            Action::InitialiseSignal { object, count } => {
                let count = match count {
                    Some(count) => self.value(count)?,
                    None => Operand::Integer(0),
                };
                let arguments = [Operand::Integer(1), count];
                self.with_pointer("racelens_initialise_lock", object, &arguments)
            }
            Action::DestroyLock { .. } | Action::Detach { .. } => Some(()),
            Action::Wait { lock, mode, on } => self.wait(lock, *mode, on.as_ref()),
            Action::Start {
                entry,
                arguments,
                handle,
                context,
                ..
            } if is_thread(*context) => self.start(entry, arguments, handle.as_ref()),
            Action::Start { .. } => Some(()),
            Action::Join { handle, entry } => self.join(handle.as_ref(), entry.as_ref()),
            Action::EndThread => {
                let result = match self.arguments {
                    0 => Operand::Integer(0),
                    _ => Operand::Local(LocalId(0)),
                };
                let result = self.writer.as_pointer(result);
                self.call("racelens_end", vec![result])
            }
            Action::Once {
                control,
                entry,
                arguments,
            } => self.once(control, entry, arguments),
            Action::Post { object } if self.model.barrier() == Some(object) => self.barrier(object),
            Action::Post { object } => self.with_pointer("racelens_post", object, &[]),
            Action::WaitFor { object } => {
                let acquires = |effect: &Effect| matches!(&effect.action, Action::Acquire { lock, .. } if lock == object);
                let is_barrier = self.model.barrier() == Some(object);
                if is_barrier || self.model.effects.iter().any(acquires) {
                    return Some(());
                }
                let object = self.value(object)?;
                let object = self.writer.as_pointer(object);
                self.waiting_call("racelens_take", vec![object])
            }
            Action::Allocate { .. } | Action::Call { .. } | Action::Atomic(_) | Action::Body => {
                None
            }
            // The handle of a thread, and its result: written where it is started and joined.
            Action::Read { .. }
            | Action::Write { .. }
            | Action::Copy { .. }
            | Action::Free { .. } => Some(()),
        }
    }

    fn acquire(
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
            LockKind::Sequence => return None,
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

    /// The member in which a mutex of the GNU C library says of itself whether it is recursive.
    fn kind_of_mutex(&mut self, mutex: &Operand) -> Option<Operand> {
        let record = self.type_of(mutex).pointee()?.record()?;
        let data = self.member(mutex.clone(), record, ustr::Ustr::from("__data"))?;
        let record = self.type_of(&data).pointee()?.record()?;
        let kind = self.member(data, record, ustr::Ustr::from("__kind"))?;
        Some(self.writer.as_pointer(kind))
    }

    /// Gives up the lock, lets others go on, and takes the lock again when somebody has posted.
    fn wait(&mut self, lock: &Value, mode: Mode, on: Option<&Value>) -> Option<()> {
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
    fn barrier(&mut self, barrier: &Value) -> Option<()> {
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

    fn start(&mut self, entry: &Value, arguments: &[Value], handle: Option<&Value>) -> Option<()> {
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

    fn join(&mut self, handle: Option<&Value>, entry: Option<&Value>) -> Option<()> {
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

    fn once(&mut self, control: &Value, entry: &Value, arguments: &[Value]) -> Option<()> {
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

    fn call(&mut self, name: &str, arguments: Vec<Operand>) -> Option<()> {
        self.writer.call(name, arguments, None, None);
        Some(())
    }

    /// Lets others go on, in the middle of the function.
    fn point(&mut self) -> Option<()> {
        self.writer.mark();
        let inside = vec![Operand::Integer(-1)];
        let raised = self
            .writer
            .call(run_time::POINT, inside, Some(Ty::int()), None)?;
        self.writer.leave_if(raised);
        Some(())
    }

    fn waiting_call(&mut self, name: &str, arguments: Vec<Operand>) -> Option<()> {
        self.writer.mark();
        self.writer.call(name, arguments, None, None);
        self.leave_if_waiting();
        Some(())
    }

    fn waiting_value(&mut self, name: &str, arguments: Vec<Operand>, ty: Ty) -> Option<Operand> {
        self.writer.mark();
        let value = self.writer.call(name, arguments, Some(ty), None);
        self.leave_if_waiting();
        value
    }

    /// A thread that has to wait stops, if it can go on later; otherwise its path has ended.
    fn leave_if_waiting(&mut self) {
        if self.writer.style == Style::Resumable {
            self.writer.leave_if_raised();
        }
    }

    fn with_pointer(&mut self, name: &str, object: &Value, more: &[Operand]) -> Option<()> {
        let object = self.value(object)?;
        let mut arguments = vec![self.writer.as_pointer(object)];
        arguments.extend_from_slice(more);
        self.call(name, arguments)
    }

    pub fn type_of(&self, operand: &Operand) -> Ty {
        match operand {
            Operand::Local(local) => self.writer.body.local(*local).ty.decayed(),
            _ => long(),
        }
    }
}

/// Sections that nothing interrupts are more than a lock: other threads stop even if they do not ask for it.
pub(super) fn is_atomic_section(lock: &Value) -> bool {
    matches!(lock.root, Root::Global(name) if name.as_str() == "__VERIFIER_atomic")
}

/// The type of a library function, as it is declared or as it is called.
pub(super) fn type_of(
    program: &Program,
    function: FunctionRef,
    arguments: &[Ty],
    result: &Ty,
) -> FunctionTy {
    let declared = program.declaration(function).and_then(Ty::as_function);
    match declared.filter(|declared| !declared.unspecified) {
        Some(declared) => declared.clone(),
        None => FunctionTy {
            result: result.clone(),
            parameters: arguments.into(),
            variadic: false,
            unspecified: false,
        },
    }
}
