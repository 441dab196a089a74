//! The words in which models speak: a function's effects, in order, on values named by argument.

use crate::ir::RecordRef;
use ustr::Ustr;

/// What one function does, as far as its callers can notice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionModel {
    /// The library, for explanations to the user.
    pub library: Ustr,
    /// How many parameters the function has, without variable ones. A call with fewer arguments
    /// calls some other function of this name.
    pub arguments: Option<u8>,
    pub variadic: bool,
    /// In the order in which they happen.
    pub effects: Box<[Effect]>,
    pub returns: Returns,
    /// The call never comes back.
    pub noreturn: bool,
    /// The function touches no memory of the program and calls no function of it beyond what the
    /// effects say.
    pub pure: bool,
    /// The model counts even where the program has a body for the function. Otherwise a body
    /// wins, because it may be the program's own function with the same name.
    pub replaces_body: bool,
}

/// One thing that a function does, perhaps only in some calls.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Effect {
    pub when: When,
    pub action: Action,
}

/// In which calls an effect happens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum When {
    Always,
    /// In those with such a result.
    Result(Test),
    /// In those with such an argument.
    Argument(u8, Test),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    Acquire {
        lock: Value,
        mode: Mode,
        kind: LockKind,
        /// The holder may take it again.
        recursive: bool,
        /// Waits until the lock is free, instead of giving up.
        blocking: bool,
    },
    Release {
        lock: Value,
    },
    InitialiseLock {
        lock: Value,
        kind: LockKind,
        recursive: bool,
        /// How often it can be taken before somebody gives it back: a semaphore's first value.
        count: Option<Value>,
    },
    DestroyLock {
        lock: Value,
    },
    /// Releases the lock, sleeps until somebody posts `on`, and takes the lock again.
    Wait {
        lock: Value,
        mode: Mode,
        on: Option<Value>,
    },
    /// From here on, the entry may run in parallel with the caller.
    Start {
        entry: Value,
        arguments: Box<[Value]>,
        /// What `Join` and `Detach` know it by.
        handle: Option<Value>,
        context: Context,
        /// One such call may run the entry several times at once.
        many: bool,
    },
    /// What was started with this handle, or what runs this entry, has ended when the call returns.
    Join {
        handle: Option<Value>,
        entry: Option<Value>,
    },
    /// Nobody will join what was started with this handle.
    Detach {
        handle: Value,
    },
    /// The calling thread ends here.
    EndThread,
    /// Runs the entry in this thread unless some thread already has; it has run in any case.
    Once {
        control: Value,
        entry: Value,
        arguments: Box<[Value]>,
    },
    /// Calls the function in this thread, any number of times, before the call returns.
    Call {
        function: Value,
        arguments: Box<[Value]>,
    },
    Read {
        pointer: Value,
        size: Size,
    },
    Write {
        pointer: Value,
        size: Size,
        /// What is written, where it is known.
        value: Option<Value>,
    },
    Copy {
        to: Value,
        from: Value,
        size: Size,
    },
    Allocate {
        /// Where the address of the new object goes: the result, or a place like `*arg0`.
        result: Value,
        zeroed: bool,
    },
    Free {
        pointer: Value,
    },
    Atomic(Atomic),
    /// Lets a waiter of the object pass.
    Post {
        object: Value,
    },
    /// A new object that can be posted and waited for.
    InitialiseSignal {
        object: Value,
        /// How often it can be waited for before somebody posts it.
        count: Option<Value>,
    },
    /// Waits until somebody has posted the object.
    WaitFor {
        object: Value,
    },
    /// Here the function's own body runs.
    Body,
}

/// An indivisible access. Fences have no pointer; everything else has one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Atomic {
    pub operation: AtomicOperation,
    pub pointer: Option<Value>,
    pub value: Option<Value>,
    /// What `compare_exchange` compares with.
    pub expected: Option<Value>,
    pub result: AtomicResult,
    pub order: Order,
    /// A place that gets the old value (for `compare_exchange`: if it failed).
    pub out: Option<Value>,
}

/// A value at a call: where it starts and how pointers lead on from there.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Value {
    pub root: Root,
    pub path: Box<[Step]>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Root {
    Argument(u8),
    /// Each argument from this one on.
    ArgumentsFrom(u8),
    /// What the function returns.
    Result,
    /// The address of an object inside the library, such as the lock that all share.
    Global(Ustr),
    Constant(i64),
    Unknown,
}

/// A step from one value to the next. All but the last step give pointers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// What lies where the pointer points to.
    Dereference,
    /// A pointer to this member of the record pointed to. A model may name a member that some
    /// version of the library lacks; the effect then does not apply.
    Field(Ustr),
    /// The same where the record is known, as it is to a declaration of the program.
    Member(RecordRef, Ustr),
    /// A pointer to some element of the array pointed to.
    Element,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Size {
    Bytes(u64),
    Value(Value),
    Product(Value, Value),
    /// Up to the terminating zero. It says nothing of arguments that do not point to characters.
    String,
    /// As much as the pointer's type says.
    Pointee,
    Unknown,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Returns {
    #[default]
    Unknown,
    Value(Value),
    /// A new object that nobody else knows.
    Fresh,
    Zero,
}

/// The order of an atomic operation: always the same, or what an argument says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    Fixed(Ordering),
    Argument(u8),
}

/// A choice that has one word per variant in the model files.
pub(super) trait Words: Copy + 'static {
    /// What is chosen, for messages.
    const NAME: &'static str;
    const ALL: &'static [(&'static str, Self)];
}

macro_rules! words {
    ($(#[$attribute:meta])* $name:ident($description:literal) {
        $($(#[$note:meta])* $variant:ident = $word:literal $(or $alias:literal)?,)*
    }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$note])* $variant,)* }

        impl Words for $name {
            const NAME: &'static str = $description;
            const ALL: &'static [(&'static str, Self)] =
                &[$(($word, $name::$variant), $(($alias, $name::$variant),)?)*];
        }

        impl $name {
            /// The word that stands for it in a model file.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }
    };
}

words! {
    /// What a result or an argument is compared with. A null pointer counts as zero.
    Test("condition") {
        Zero = "zero" or "null",
        NonZero = "nonzero" or "nonnull",
        NonNegative = "nonnegative",
        Negative = "negative",
        Positive = "positive",
    }
}

words! {
    Mode("mode") {
        Exclusive = "exclusive",
        /// Holders in shared mode do not keep each other out.
        Shared = "shared",
    }
}

words! {
    LockKind("kind of lock") {
        Mutex = "mutex",
        Spin = "spin",
        ReadWrite = "rw",
        /// Protects only where it is used like a lock: first value one, given back by the taker.
        Semaphore = "semaphore",
        /// Keeps interrupts away from this processor, and says nothing about other processors.
        Interrupts = "irq",
        /// A read side that keeps nobody from writing, but keeps objects alive.
        Rcu = "rcu",
        /// Readers do not keep writers out: they notice and try again.
        Sequence = "seq",
        /// One for the whole program, without an object of its own.
        Global = "global",
    }
}

words! {
    /// Who runs what `Start` starts.
    Context("context") {
        Thread = "thread",
        Interrupt = "interrupt",
        Timer = "timer",
        /// A worker of a pool.
        Work = "work",
        Signal = "signal",
        /// An event loop: later, and one at a time with all other callbacks.
        Callback = "callback",
        /// The end of the process.
        Exit = "exit",
    }
}

words! {
    AtomicOperation("operation") {
        Load = "load",
        Store = "store",
        Exchange = "exchange",
        CompareExchange = "compare_exchange",
        Add = "add",
        Sub = "sub",
        And = "and",
        Or = "or",
        Xor = "xor",
        Nand = "nand",
        TestAndSet = "test_and_set",
        Clear = "clear",
        Fence = "fence",
    }
}

words! {
    /// What an atomic operation returns.
    AtomicResult("result") {
        Old = "old",
        New = "new",
        /// Whether it happened; for `test_and_set`, whether it was set before.
        Flag = "flag",
        /// Whether the new value is zero.
        NewIsZero = "new_is_zero",
        None = "none",
    }
}

words! {
    Ordering("order") {
        Relaxed = "relaxed",
        Consume = "consume",
        Acquire = "acquire",
        Release = "release",
        AcquireRelease = "acq_rel",
        SequentiallyConsistent = "seq_cst",
    }
}

impl Value {
    pub fn argument(index: u8) -> Value {
        Value {
            root: Root::Argument(index),
            path: Box::default(),
        }
    }

    pub fn result() -> Value {
        Value {
            root: Root::Result,
            path: Box::default(),
        }
    }
}

impl FunctionModel {
    /// Whether a call with so many arguments can be a call of this function.
    pub fn accepts(&self, arguments: usize) -> bool {
        self.arguments
            .is_none_or(|expected| arguments >= usize::from(expected))
    }

    /// Whether a call can change which locks are held.
    pub fn touches_locks(&self) -> bool {
        self.effects.iter().any(|effect| {
            matches!(
                effect.action,
                Action::Acquire { .. } | Action::Release { .. }
            )
        })
    }

    /// Whether a call can start threads or wait for their end.
    pub fn touches_threads(&self) -> bool {
        self.effects
            .iter()
            .any(|effect| matches!(effect.action, Action::Start { .. } | Action::Join { .. }))
    }

    /// Whether a call can post a signal, wait for one, or make one of a variable.
    pub fn touches_signals(&self) -> bool {
        self.effects.iter().any(|effect| {
            matches!(
                effect.action,
                Action::Post { .. }
                    | Action::WaitFor { .. }
                    | Action::Once { .. }
                    | Action::Wait { .. }
                    | Action::Atomic(_)
            )
        })
    }

    /// Whether a call lets a waiter of the object pass.
    pub fn posts(&self, value: &Value) -> bool {
        self.effects
            .iter()
            .any(|effect| matches!(&effect.action, Action::Post { object } if object == value))
    }

    /// The barrier at which a call waits for all others that come there: what it posts and waits for.
    pub fn barrier(&self) -> Option<&Value> {
        let certain = |effect: &&Effect| effect.when == When::Always;
        let mut effects = self.effects.iter().filter(certain);
        let posted = effects.find_map(|effect| match &effect.action {
            Action::Post { object } => Some(object),
            _ => None,
        })?;
        let waits = |effect: &Effect| matches!(&effect.action, Action::WaitFor { object } if object == posted);
        effects.any(waits).then_some(posted)
    }

    /// Whether the function's own body runs as one of the effects.
    pub fn wraps_body(&self) -> bool {
        self.effects
            .iter()
            .any(|effect| effect.action == Action::Body)
    }
}
