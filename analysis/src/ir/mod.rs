//! One small intermediate representation for every analysis: a control-flow graph per function.
//!
//! Memory is touched by `Load`, `Store` and `Update` alone, each at exactly one place, so that
//! every access in the C text is exactly one statement. Everything else works on registers.

pub mod body;
pub mod cfg;
pub mod contract;
pub mod landmark;
pub mod place;
pub mod pretty;
pub mod source_map;
pub mod ty;
pub mod variable;

pub use body::*;
pub use contract::*;
pub use landmark::*;
pub use place::*;
pub use source_map::*;
pub use ty::*;
pub use variable::*;
