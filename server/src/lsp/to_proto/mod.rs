//! Findings as the protocol has them.

mod diagnostics;

pub use diagnostics::{diagnostics, race_message};
