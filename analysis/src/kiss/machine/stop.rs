//! Why a step cannot be made as it stands.

use super::value::{Closed, OpenValue};
use std::fmt;
use ustr::Ustr;

/// What the thread's next step runs into. The state is as it was before the step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Stop {
    /// A value from outside matters now: one has to be chosen for it.
    Choose(OpenValue),
    /// The thread does something undefined.
    Fault(Fault),
    /// What comes next cannot be run exactly.
    Limit(Limit),
}

/// Undefined behaviour that would end the program or leave C.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Fault {
    NullDereference,
    InvalidPointer,
    OutOfBounds,
    UseAfterFree,
    UseAfterReturn,
    InvalidFree,
    OutOfMemory,
    InvalidCall,
    Unreachable,
}

/// Where running is not exact, so that the path is given up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Limit {
    /// The path depends on a value that is not known.
    Value(Closed),
    /// The function's effects cannot be run.
    Function(Ustr),
    /// The name means several functions.
    Ambiguous(Ustr),
    /// A variable or record whose type is not known.
    IncompleteType,
    /// A kind of value or operation that the machine does not have.
    Unsupported(&'static str),
    Steps,
    CallDepth,
    Threads,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Stop {
        Stop::Limit(limit)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::NullDereference => "a null pointer is dereferenced",
            Fault::InvalidPointer => "a pointer to no object is dereferenced",
            Fault::OutOfBounds => "an access leaves its object",
            Fault::UseAfterFree => "freed memory is used",
            Fault::UseAfterReturn => "a variable of a function that has returned is used",
            Fault::InvalidFree => "something that is no heap object is freed",
            Fault::OutOfMemory => "too much memory is asked for",
            Fault::InvalidCall => "a call of what is no function",
            Fault::Unreachable => "the end of a function that must return a value is reached",
        })
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Value(Closed::Uninitialised) => {
                f.write_str("the path depends on memory that nobody has written")
            }
            Limit::Value(Closed::Library(function)) => {
                write!(f, "the path depends on what `{function}` computes")
            }
            Limit::Value(Closed::Unrepresented) => {
                f.write_str("the path depends on a value that is not computed")
            }
            Limit::Value(Closed::Undefined) => {
                f.write_str("the path depends on arithmetic that C leaves undefined")
            }
            Limit::Function(function) => write!(f, "what `{function}` does cannot be run"),
            Limit::Ambiguous(name) => write!(f, "`{name}` means several functions"),
            Limit::IncompleteType => f.write_str("a type is not known in full"),
            Limit::Unsupported(what) => write!(f, "{what} cannot be run"),
            Limit::Steps => f.write_str("a thread makes too many steps"),
            Limit::CallDepth => f.write_str("calls are nested too deeply"),
            Limit::Threads => f.write_str("too many threads are started"),
        }
    }
}
