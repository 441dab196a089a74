//! Signals: order that comes neither from locks nor from starting and joining threads. A function's signals
//! are those that it may have posted, and those that it has certainly waited for, since its entry.
//!
//! A signal is a semaphore, an event or a completion that starts unset, or a variable that is zero until some
//! thread publishes something by storing to it. Whoever has waited for a signal comes after everything that
//! its only poster did before it first posted it.

mod analysis;
mod barriers;
mod changes;
mod display;
mod domain;
#[cfg(test)]
mod domain_tests;
mod library;
mod memory_order;
mod steps;

pub use analysis::{SignalSolution, SignalSummary, signals};
pub use barriers::{Passes, Phase};
pub use domain::{Locks, Passed, Posted, SignalState, Way, may_be_same};
pub use library::{certainly_sets, stores_something};
pub use memory_order::{acquires, order_at, releases};
pub use steps::{SignalCalls, SignalEffect, may_set};
