//! Pairs conflicting accesses into races (RELAY fig. 7), weighs the evidence for each, and ranks them.

mod acceptance;
mod access_index;
mod arrays;
mod comparison;
mod distinct_ids;
mod evidence;
mod guards;
mod identity;
mod kept;
mod limits;
mod location;
mod looks;
mod matched;
mod moments;
mod moved;
mod naming;
mod narrowing;
mod ordering;
mod orders_again;
mod orders_changed;
mod other_names;
mod overlap;
mod pairing;
mod pairing_again;
mod partners;
mod pointers_changed;
mod points;
mod postings;
mod protection;
mod publication;
#[cfg(test)]
mod random;
mod read_modify_write;
mod references;
mod search;
mod sighting;
mod sizes;
mod sole_locks;
mod tallies;
mod tickets;
mod views;
mod whole_object;
mod whole_program;

pub use acceptance::AcceptedStatements;
pub use comparison::{AccessKey, Comparison, Verdict};
pub use evidence::{Reason, ReasonKind};
pub use identity::fingerprint;
pub use kept::{AllConstraints, NamedConstraints};
pub use limits::{Limit, LimitReached};
pub use naming::Names;
pub use ordering::{OrderKind, Orders};
pub use overlap::Likeness;
pub use pairing::{Apart, Pair, Race};
pub use read_modify_write::write_of;
pub use sighting::{NamedLock, Sighting};
pub use sizes::LocationSize;
pub use whole_program::{Options, WholeProgram, Work, analyse};

/// Races below this rank are shown only to those who ask for them.
pub const DEFAULT_MIN_RANK: u8 = 20;
