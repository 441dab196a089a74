//! Relative locksets: which locks a function has certainly taken and possibly released since its
//! entry, at every point (RELAY §3.2, fig. 3 to 5).

mod analysis;
mod choices;
mod conditions;
mod domain;
#[cfg(test)]
mod domain_tests;
mod effects;
mod happened;
mod names;
mod outcomes;
mod point;
mod release;
mod sites;
mod state;
mod summary;

pub use analysis::{LocksetSolution, lock_summary, locksets};
pub use domain::Lockset;
pub use effects::{Happens, LockCalls, LockEffect, happens, read_registers};
pub use happened::{Hold, MOST_LOCKS, Mode};
pub use outcomes::{Effect, Outcomes, Sign, Signs};
pub use point::PointLocks;
pub use sites::LockSites;
pub use state::{ResultKind, Tested};
pub use summary::LockSummary;
