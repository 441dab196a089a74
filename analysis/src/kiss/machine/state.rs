//! The state of a running program: memory, threads, and what threads wait for.

use super::memory::Memory;
use super::value::{OpenValue, Unknown, Value};
use crate::ir::{FunctionRef, GlobalRef, Ty};
use crate::models::Mode;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use ustr::Ustr;

/// Cheap to clone: what two states have in common they share.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub memory: Memory,
    pub threads: Vec<Arc<Thread>>,
    pub locks: BTreeMap<u64, Lock>,
    /// Objects that can be posted and waited for, and whether they are.
    pub signals: BTreeMap<u64, bool>,
    pub barriers: BTreeMap<u64, Barrier>,
    pub once: BTreeMap<u64, Once>,
    /// Threads by the values that join them.
    pub handles: BTreeMap<u64, usize>,
    /// Attribute objects that make recursive mutexes.
    pub recursive_attributes: BTreeSet<u64>,
    /// Each thread's own copies of thread-local variables.
    pub thread_locals: BTreeMap<(usize, GlobalRef), u64>,
    /// Values from outside that nothing has depended on yet.
    pub open: BTreeMap<OpenValue, Opened>,
    pub end: Option<End>,
    /// What was left out on the way here. It tells two states apart no more than the way does.
    pub ignored: Arc<BTreeSet<Ignored>>,
}

/// Something that a program does and that is not run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ignored {
    /// A function without body and model. It is taken to do nothing but return.
    Function(Ustr),
    /// The handlers that this function sets. No signal is taken to come, and the program not to end.
    HandlersOf(Ustr),
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ignored::Function(name) => write!(
                f,
                "`{name}`, which has neither a body nor a model, does nothing but return"
            ),
            Ignored::HandlersOf(name) => {
                write!(f, "handlers that `{name}` sets are never called")
            }
        }
    }
}

/// Where a value from outside came from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Opened {
    pub source: Source,
    pub ty: Ty,
    /// The values that it can have, where its type says too little.
    pub range: Option<(i64, i64)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// What a function without body or model returns.
    Function(Ustr),
    /// One of the bytes that a function gets from outside.
    Byte(Ustr),
    /// What a harness passes to a function: the name of an [`intrinsics::ARGUMENT`].
    ///
    /// [`intrinsics::ARGUMENT`]: crate::kiss::program::intrinsics::ARGUMENT
    Passed(Ustr),
    /// A parameter of the first function.
    Parameter(u32),
    /// One of so many.
    Choice(u32),
}

/// How the whole program came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// `main` returned or somebody called `exit`.
    Exit,
    /// An assertion did not hold in this thread.
    AssertionFailed(usize),
    /// What an assumption rules out.
    Assumed,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Lock {
    pub recursive: bool,
    /// Of a semaphore: how often it can still be taken.
    pub count: Option<i64>,
    /// Of a sequence lock: how often writing began and ended.
    pub sequence: Option<u32>,
    /// Who has it and how often, in the order of taking. Those who read beside a sequence lock's writers are among them.
    pub holders: Vec<Holder>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Holder {
    pub thread: usize,
    pub mode: Mode,
    pub times: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Barrier {
    pub parties: u64,
    pub arrived: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Once {
    RunBy(usize),
    Done,
}

#[derive(Clone, PartialEq, Hash, Debug)]
pub struct Thread {
    pub entry: FunctionRef,
    /// The innermost activation is the last one.
    pub stack: Vec<Activation>,
    /// What the thread returned, once it has.
    pub result: Option<Value>,
    pub opened: u32,
}

#[derive(Clone, PartialEq, Hash, Debug)]
pub enum Activation {
    Frame(Frame),
    Model(ModelCall),
}

/// A function that runs.
#[derive(Clone, PartialEq, Hash, Debug)]
pub struct Frame {
    /// Its body's number in the [`super::Machine`].
    pub body: u32,
    pub block: u32,
    pub index: u32,
    pub registers: Vec<Value>,
    /// Where each variable in memory lies; zero for registers.
    pub objects: Vec<u64>,
    /// What `alloca` and variable-length arrays made.
    pub dynamic: Vec<u64>,
}

/// A library function that runs, effect by effect.
#[derive(Clone, PartialEq, Hash, Debug)]
pub struct ModelCall {
    pub function: FunctionRef,
    pub arguments: Vec<(Value, Ty)>,
    pub result_ty: Ty,
    pub effect: u32,
    pub result: Option<Value>,
    pub phase: Phase,
    /// How far a function has come that calls back more than once.
    pub progress: (u64, u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    Beginning,
    /// Sleeps until somebody posts this.
    Asleep(u64),
    Woken,
    /// Runs a function of the program as part of the effect.
    Calling,
}

impl State {
    pub fn thread_mut(&mut self, thread: usize) -> &mut Thread {
        Arc::make_mut(&mut self.threads[thread])
    }

    /// The value is known from here on.
    pub fn resolve(&mut self, open: OpenValue, value: &Value, bytes: &[u8]) {
        self.open.remove(&open);
        let unknown = Unknown::Open(open);
        let is_it = |held: &Value| *held == Value::Unknown(unknown);
        for thread in &mut self.threads {
            let holds = thread.stack.iter().any(|activation| match activation {
                Activation::Frame(frame) => frame.registers.iter().any(|held| match held {
                    Value::Bytes(image) => image.unknown.iter().any(|part| part.what == unknown),
                    held => is_it(held),
                }),
                Activation::Model(call) => {
                    call.arguments.iter().any(|(held, _)| is_it(held))
                        || call.result.as_ref().is_some_and(is_it)
                }
            }) || thread.result.as_ref().is_some_and(is_it);
            if !holds {
                continue;
            }
            let thread = Arc::make_mut(thread);
            let replace = |held: &mut Value| {
                if *held == Value::Unknown(unknown) {
                    *held = value.clone();
                } else if let Value::Bytes(image) = held {
                    Arc::make_mut(image).resolve(unknown, bytes);
                }
            };
            for activation in &mut thread.stack {
                match activation {
                    Activation::Frame(frame) => frame.registers.iter_mut().for_each(replace),
                    Activation::Model(call) => {
                        call.arguments
                            .iter_mut()
                            .for_each(|(held, _)| replace(held));
                        call.result.iter_mut().for_each(replace);
                    }
                }
            }
            thread.result.iter_mut().for_each(replace);
        }
        self.memory.resolve(unknown, bytes);
    }

    /// A number that equal states have in common, and different ones almost certainly do not.
    pub fn fingerprint(&self) -> u128 {
        let mut hasher = Twin::default();
        for object in self.memory.objects() {
            object.hash(&mut hasher);
        }
        self.threads.hash(&mut hasher);
        self.locks.hash(&mut hasher);
        self.signals.hash(&mut hasher);
        self.barriers.hash(&mut hasher);
        self.once.hash(&mut hasher);
        self.handles.hash(&mut hasher);
        self.recursive_attributes.hash(&mut hasher);
        self.thread_locals.hash(&mut hasher);
        self.open.hash(&mut hasher);
        self.end.hash(&mut hasher);
        (u128::from(hasher.first.finish()) << 64) | u128::from(hasher.second.finish())
    }
}

/// Two different hash functions at once.
#[derive(Default)]
struct Twin {
    first: rapidhash::fast::RapidHasher<'static>,
    second: rustc_hash::FxHasher,
}

impl Hasher for Twin {
    fn write(&mut self, bytes: &[u8]) {
        self.first.write(bytes);
        self.second.write(bytes);
    }

    fn finish(&self) -> u64 {
        self.first.finish()
    }
}

impl Lock {
    pub fn new(recursive: bool, count: Option<i64>) -> Lock {
        Lock {
            recursive,
            count,
            sequence: None,
            holders: Vec::new(),
        }
    }

    /// A lock whose readers do not keep writers out, but try again.
    pub fn with_sequence() -> Lock {
        Lock {
            sequence: Some(0),
            ..Lock::new(false, None)
        }
    }

    /// Whether the thread could take it now.
    pub fn is_free_for(&self, thread: usize, mode: Mode, recursive: bool) -> bool {
        if let Some(count) = self.count {
            return count > 0;
        }
        self.holders.iter().all(|holder| {
            if self.sequence.is_some() {
                holder.mode == Mode::Shared
            } else if holder.thread == thread {
                recursive || self.recursive || (holder.mode, mode) == (Mode::Shared, Mode::Shared)
            } else {
                (holder.mode, mode) == (Mode::Shared, Mode::Shared)
            }
        })
    }

    pub fn take(&mut self, thread: usize, mode: Mode) {
        if let Some(count) = &mut self.count {
            *count -= 1;
        }
        self.note_writing(mode);
        let mine = self
            .holders
            .iter_mut()
            .find(|holder| holder.thread == thread && holder.mode == mode);
        match mine {
            Some(holder) => holder.times += 1,
            None => self.holders.push(Holder {
                thread,
                mode,
                times: 1,
            }),
        }
    }

    /// Whether the thread had it.
    pub fn give_back(&mut self, thread: usize) -> bool {
        if let Some(count) = &mut self.count {
            *count += 1;
        }
        let mine = self.holders.iter().position(|holder| {
            holder.thread == thread && (self.sequence.is_none() || holder.mode == Mode::Exclusive)
        });
        let Some(position) = mine else {
            return self.count.is_some();
        };
        self.leave(position);
        true
    }

    /// Ends a section of a reader beside writers: whether one wrote since the number was `start`. `None` if there is no such
    /// section.
    pub fn must_retry(&mut self, thread: usize, start: u32) -> Option<bool> {
        let sequence = self.sequence?;
        let is_mine = |holder: &Holder| (holder.thread, holder.mode) == (thread, Mode::Shared);
        let position = self.holders.iter().position(is_mine)?;
        self.leave(position);
        Some(sequence != start)
    }

    fn leave(&mut self, position: usize) {
        self.note_writing(self.holders[position].mode);
        self.holders[position].times -= 1;
        if self.holders[position].times == 0 {
            self.holders.remove(position);
        }
    }

    fn note_writing(&mut self, mode: Mode) {
        if let Some(sequence) = &mut self.sequence
            && mode == Mode::Exclusive
        {
            *sequence = sequence.wrapping_add(1);
        }
    }
}

impl Thread {
    /// The innermost function of the program that runs.
    pub fn frame(&self) -> Option<&Frame> {
        self.stack
            .iter()
            .rev()
            .find_map(|activation| match activation {
                Activation::Frame(frame) => Some(frame),
                Activation::Model(_) => None,
            })
    }

    pub fn is_finished(&self) -> bool {
        self.stack.is_empty()
    }
}
