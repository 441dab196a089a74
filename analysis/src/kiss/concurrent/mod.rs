//! The concurrent program, run one small step at a time with no cleverness: the judge of everything clever.
//!
//! [`replay`] follows a given interleaving and says whether it leads where it claims to; no witness is shown without
//! it. [`oracle`] tries every interleaving of a small program.

pub mod describe;
pub mod oracle;
pub mod replay;
pub mod turns;
