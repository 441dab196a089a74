//! Runs lowered programs, one thread, as plainly as possible: an oracle for whatever is clever.
//!
//! Registers hold values of exactly their types: a value that the lowering did not convert is a
//! fault, not something to be repaired here.

mod arithmetic;
mod externals;
mod machine;
mod memory;
mod places;
mod program;

pub use machine::Machine;
pub use program::Program;

use std::fmt;

/// What a register holds. Pointers are integers that [`memory`] can read.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Integer(i128),
    Float(f64),
    /// A struct or union.
    Bytes(Box<[u8]>),
}

/// Why a program cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(pub String);

impl Fault {
    fn new<T>(message: impl Into<String>) -> Result<T, Fault> {
        Err(Fault(message.into()))
    }
}

/// The fault of a program that goes on and on, which says nothing about its lowering.
pub const TOO_LONG: &str = "the program runs too long";

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
