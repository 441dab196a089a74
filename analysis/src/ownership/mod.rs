//! Who knows an object: allocations and locals that nobody else has the address of, and which objects of
//! its callers a function makes known.

mod analysis;
mod domain;
mod objects;
mod steps;

pub use analysis::{SharingSolution, SharingSummary, sharing};
pub use domain::Sharing;
pub use objects::object_of;
pub use steps::{SharingCalls, SharingEffect};
