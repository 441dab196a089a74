//! Which parts of a function are left out where its formals are certain numbers: `remove(name, 1)` does not run what
//! stands behind `if (!in_handler)`.
//!
//! Values are followed by the text alone, through registers that are assigned once. What the symbolic execution says of a value
//! would not do: there, a pointer that may be null is the pointer.

mod certain;
mod definitions;
mod reach;

pub use certain::{Certain, Passed};
pub use definitions::Definitions;
pub use reach::Branches;
