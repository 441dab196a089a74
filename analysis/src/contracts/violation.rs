//! A promise about locks that the program breaks.

use crate::callgraph::FunctionId;
use crate::ir::StatementId;
use crate::threads::{ContextId, RootId};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Stays the same when lines move.
    pub id: u64,
    pub kind: ViolationKind,
    pub function: FunctionId,
    /// The access or the call; `None` if it is about the function as a whole.
    pub statement: Option<StatementId>,
    /// In which context of the function, and in which thread.
    pub seen: Option<(ContextId, RootId)>,
    /// What is guarded or called, as a C programmer would write it.
    pub subject: String,
    /// The lock, as the function calls it.
    pub lock: String,
    /// It is held, but only for reading, together with others.
    pub held_shared: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ViolationKind {
    /// An access without the lock that guards the memory.
    GuardedBy,
    /// A call without the lock that the callee requires.
    RequiresCapability,
    /// A function that does not take the lock that it says it takes.
    AcquireCapability,
    /// A function that does not release the lock that it says it releases.
    ReleaseCapability,
}

impl ViolationKind {
    /// The code, which is the attribute's name.
    pub fn word(self) -> &'static str {
        match self {
            ViolationKind::GuardedBy => "guarded_by",
            ViolationKind::RequiresCapability => "requires_capability",
            ViolationKind::AcquireCapability => "acquire_capability",
            ViolationKind::ReleaseCapability => "release_capability",
        }
    }
}
