//! Library functions that synchronise, as bodies made of their models.

mod comparing;
mod locks;
mod threads;
mod values;
pub(super) mod words;

use super::resuming::Style;
use super::run_time;
use super::writer::{Writer, long};
use crate::ir::{
    Body, FunctionRef, FunctionTy, Landmarks, Local, LocalId, Operand, Rvalue, Storage, Terminator,
    Ty,
};
use crate::kiss::machine::library::{kind_of_new_lock, retried_from};
use crate::kiss::program::Program;
use crate::models::{Action, Context, Effect, FunctionModel, LockKind, Root, Test, Value, When};

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
        landmarks: Landmarks::default(),
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
            Action::Release { lock }
                if let Some(start) = retried_from(self.function.name.as_str()) =>
            {
                self.retry(lock, start)
            }
            Action::Release { lock } => self.with_pointer("racelens_release", lock, &[]),
            Action::InitialiseLock {
                lock,
                kind,
                recursive,
                count,
            } => {
                let is_semaphore = *kind == LockKind::Semaphore;
                let recursive = match kind_of_new_lock(self.function.name.as_str()) {
                    Some(argument) => Operand::Local(LocalId(argument as u32)),
                    None => Operand::Integer(i128::from(*recursive)),
                };
                self.initialise(lock, is_semaphore, recursive, count.as_ref())
            }
            Action::InitialiseSignal { object, count } => {
                self.initialise(object, true, Operand::Integer(0), count.as_ref())
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
            Action::Call { .. } => self.compare(),
            Action::Allocate { .. } | Action::Atomic(_) | Action::Body => None,
            // The handle of a thread, and its result: written where it is started and joined.
            Action::Read { .. }
            | Action::Write { .. }
            | Action::Copy { .. }
            | Action::Free { .. } => Some(()),
        }
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
