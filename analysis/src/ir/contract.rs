//! What declarations promise about locks: clang's thread-safety attributes.

use super::{GlobalRef, RecordRef};
use ustr::Ustr;

/// One attribute of one declaration.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Contract {
    /// The variable or member is accessed only while the lock is held.
    GuardedBy(LockName),
    /// What the pointer points to is accessed only while the lock is held.
    PointeeGuardedBy(LockName),
    /// The function is called only while the lock is held.
    Requires { lock: LockName, shared: bool },
    /// The function returns with the lock, which it was called without.
    Acquires { lock: LockName, shared: bool },
    /// As `Acquires`, but only if the function returns true, or false.
    TriesToAcquire {
        lock: LockName,
        shared: bool,
        on: bool,
    },
    /// The function returns without the lock.
    Releases(LockName),
    /// The function is exempt from all of this.
    NotAnalysed,
}

/// What a contract is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum ContractSubject {
    /// A variable or a function, by its name at file scope.
    Name(Ustr),
    Member(RecordRef, Ustr),
}

/// A lock as a declaration names it. It is the lock itself, not a pointer to it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct LockName {
    pub base: LockBase,
    pub steps: Vec<LockStep>,
}

/// Where the name of a lock begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum LockBase {
    /// At the object that the annotated member belongs to.
    Object,
    /// At a parameter of the annotated function.
    Parameter(u32),
    Global(GlobalRef),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum LockStep {
    Deref,
    Field { record: RecordRef, name: Ustr },
}

impl Contract {
    pub fn lock(&self) -> Option<&LockName> {
        match self {
            Contract::GuardedBy(lock)
            | Contract::PointeeGuardedBy(lock)
            | Contract::Requires { lock, .. }
            | Contract::Acquires { lock, .. }
            | Contract::TriesToAcquire { lock, .. }
            | Contract::Releases(lock) => Some(lock),
            Contract::NotAnalysed => None,
        }
    }
}
