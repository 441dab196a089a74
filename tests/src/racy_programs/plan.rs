//! What a random program consists of, apart from its text: objects, operations on them, threads, scenes.

use super::idioms::Idiom;
use super::reported_today;

/// A program that is rendered by [`super::source`]; a smaller plan is a smaller program.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Names everything in the text, so that several programs fit into one process.
    pub seed: u64,
    /// Whether every access that needs a lock has it and no scene has a flaw, so that nothing can race.
    pub is_disciplined: bool,
    pub objects: Vec<Object>,
    pub operations: Vec<Operation>,
    pub threads: Vec<Thread>,
    /// What the main thread calls while the others run.
    pub main_calls: Vec<Call>,
    pub rounds: usize,
    /// Whether the arguments of the threads come from the heap or from a static array.
    pub arguments_on_heap: bool,
    pub scenes: Vec<Scene>,
}

/// One use of an idiom, with objects and threads of its own.
#[derive(Debug, Clone)]
pub struct Scene {
    pub idiom: &'static Idiom,
    pub flaw: Option<&'static str>,
    pub forms: Vec<&'static str>,
    pub moment: Moment,
    /// An access that writes.
    pub write: Access,
    /// An access that only reads.
    pub read: Access,
    pub others: [Access; 2],
    /// Whether the accesses stand in functions of their own.
    pub in_helpers: bool,
}

/// When a scene takes place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before the threads start.
    Before,
    /// In the main thread, while the others run.
    Meanwhile,
    /// In a thread of its own, while the others run.
    InThread,
    /// After all threads were joined.
    After,
}

/// Shared data of one struct type, with what ought to guard it.
#[derive(Debug, Clone)]
pub struct Object {
    pub storage: Storage,
    pub lock: LockKind,
    pub lock_place: LockPlace,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    Global,
    /// An array of [`super::objects::ELEMENTS`] structs.
    Array,
    /// Allocated by the main thread and handed over in the argument of each thread.
    Handed,
    /// A static local variable behind a function that returns its address.
    StaticLocal,
    /// Allocated and known by a global pointer, and by a second one that is its alias.
    Pointed,
    /// Nodes of a linked list, found by walking from its head.
    List,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockKind {
    Mutex,
    Recursive,
    ReadWrite,
    Spin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockPlace {
    /// A member of the object.
    Inside,
    /// A global of its own.
    Global,
    /// A global that the object points to.
    BehindPointer,
    /// An array of locks beside an array of objects.
    Parallel,
}

/// One function with one access line.
#[derive(Debug, Clone)]
pub struct Operation {
    pub object: usize,
    pub addressing: Addressing,
    pub guard: Guard,
    pub route: Route,
    pub style: Style,
    pub access: Access,
}

/// How the function of an operation gets at its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addressing {
    /// `object->value`
    Pointer,
    /// `objects[index].value`
    Index,
    /// `object.value`
    Name,
}

/// Which lock is held at the access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// The object's own.
    Right,
    /// Its own and another one around it.
    Nested,
    /// Its own for reading only.
    Shared,
    Nothing,
    /// One that guards something else.
    Spare,
    /// That of the next element of the array.
    Neighbour,
    /// The right one, but released before the access.
    Released,
    /// The right one in some rounds only.
    Sometimes,
    /// The result of a try is not looked at before the access.
    Tried,
}

/// The shape of the code between the call of the operation and its access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    Direct,
    /// The lock is an argument.
    LockPassed,
    /// The access is in a called function, the lock is taken around the call.
    CallerHolds,
    /// As before, through a table of functions.
    FunctionTable,
    /// The access is at the bottom of a recursion.
    Recursion,
    /// The called function takes the lock and leaves it to its caller to release.
    LeftHeld,
    TryLock,
    Switch,
    EarlyReturn,
    GotoOut,
    Loop,
    /// A function gets the address of the member.
    MemberPointer,
    /// From an element of a list to its end, each for itself.
    Walk,
    /// From an element of a list to its end, with the next one locked before the last is released.
    HandOverHand,
}

/// How the lock operations of a function are spelt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Plain,
    /// A function each to lock and to unlock.
    Wrappers,
    Macros,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Increment,
    Read,
    PairLow,
    PairHigh,
    ReadPairLow,
    WholePair,
    FlagBit,
    CountBits,
    ReadBits,
    UnionWhole,
    UnionHalf,
    ReadUnion,
    ItemConstant,
    ItemSymbolic,
    ReadItem,
    ClearItems,
    FillItems,
    CopyItems,
    AtomicMember,
    AtomicMemberCall,
    AtomicBuiltin,
    AtomicLoad,
}

#[derive(Debug, Clone)]
pub struct Thread {
    pub calls: Vec<Call>,
    /// More than one is started in a loop.
    pub instances: usize,
}

#[derive(Debug, Clone, Copy)]
pub struct Call {
    pub operation: usize,
    pub element: Element,
}

/// Which of an object's elements a call is about; objects with one element ignore it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    Constant(usize),
    OfThread,
    OfRound,
}

impl Plan {
    /// A program that shows one idiom, with the simplest accesses.
    pub fn of_one_scene(
        idiom: &'static Idiom,
        flaw: Option<&'static str>,
        forms: Vec<&'static str>,
    ) -> Plan {
        let scene = Scene {
            idiom,
            flaw,
            forms,
            moment: Moment::Before,
            write: Access::Increment,
            read: Access::Read,
            others: [Access::Increment; 2],
            in_helpers: false,
        };
        Plan {
            seed: 0,
            is_disciplined: flaw.is_none(),
            objects: Vec::new(),
            operations: Vec::new(),
            threads: Vec::new(),
            main_calls: Vec::new(),
            rounds: 1,
            arguments_on_heap: false,
            scenes: vec![scene],
        }
    }

    /// Whether one of its scenes is reported today although nothing is wrong with it.
    pub fn is_reported_today(&self) -> bool {
        reported_today::is_reported_today(self)
    }

    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        let threads = self.threads.iter().flat_map(|thread| &thread.calls);
        threads.chain(&self.main_calls)
    }

    /// The operations that are called; the others have no text.
    pub fn used_operations(&self) -> Vec<usize> {
        let mut used: Vec<usize> = self.calls().map(|call| call.operation).collect();
        used.sort_unstable();
        used.dedup();
        used
    }

    pub fn used_objects(&self) -> Vec<usize> {
        let operations = self.used_operations();
        let mut used: Vec<usize> = operations
            .iter()
            .map(|operation| self.operations[*operation].object)
            .collect();
        used.sort_unstable();
        used.dedup();
        used
    }
}

impl Scene {
    /// Whether a flaw or a form of the idiom is there.
    pub fn has(&self, name: &str) -> bool {
        self.flaw == Some(name) || self.forms.contains(&name)
    }

    pub fn accesses(&self) -> [Access; 4] {
        [self.write, self.read, self.others[0], self.others[1]]
    }

    /// The idiom, its forms and its flaw, in words.
    pub fn title(&self) -> String {
        let mut title = self.idiom.name.to_owned();
        for form in &self.forms {
            title.push_str(&format!(", {form}"));
        }
        if let Some(flaw) = self.flaw {
            title.push_str(&format!(", but {flaw}"));
        }
        title.replace('_', " ")
    }
}

impl Access {
    /// Whether the access only reads, so that a lock held for reading suffices.
    pub fn is_read(self) -> bool {
        use Access::*;
        matches!(
            self,
            Read | ReadPairLow | ReadBits | ReadUnion | ReadItem | CopyItems | AtomicLoad
        )
    }

    /// Whether the access goes to a member that is only accessed atomically.
    pub fn is_always_atomic(self) -> bool {
        matches!(self, Access::AtomicMember | Access::AtomicMemberCall)
    }
}
