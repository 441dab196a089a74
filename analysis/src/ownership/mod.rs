//! Who knows an object: allocations and locals that nobody else has the address of, and which objects of
//! its callers a function makes known.

mod analysis;
mod calls;
mod domain;
mod objects;
mod steps;
mod taking;

pub use analysis::{SharingSolution, SharingSummary, sharing};
pub use domain::{Owned, Privacy, Sharing};
pub use objects::object_of;
pub use steps::{Known, SharingCalls, SharingEffect};
