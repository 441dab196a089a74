//! Promises about locks that declarations make, by clang's thread-safety attributes: what they tell the analysis, and
//! where the program breaks them.

mod as_model;
mod duty;
mod keeping;
mod table;
mod violation;

pub use as_model::model;
pub use keeping::violations;
pub use table::Contracts;
pub use violation::{Violation, ViolationKind};
