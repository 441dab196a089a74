//! Relative locksets: which locks a function has certainly taken and possibly released since its
//! entry, at every point (RELAY §3.2, fig. 3 to 5).

mod analysis;
mod choices;
mod domain;
mod effects;
mod outcomes;
mod state;
mod summary;

pub use analysis::{LocksetSolution, locksets};
pub use domain::{Hold, Lockset, Mode};
pub use effects::{LockCalls, LockEffect};
pub use outcomes::{Outcomes, Sign, Signs};
pub use summary::LockSummary;
