//! The harness of the annotated C corpus: what a fixture states, what was found, and where the two differ.

pub mod agreement;
pub mod analysis;
pub mod compiler;
pub mod corpus;
pub mod edits;
pub mod expectation;
pub mod fixture;
pub mod front_end;
pub mod fuzzing;
pub mod generator;
pub mod incremental;
pub mod interpreter;
pub mod locking_programs;
pub mod matching;
pub mod oracle;
pub mod parsers;
pub mod printed_programs;
pub mod racy_programs;
pub mod random;
pub mod reading;
pub mod sequential_programs;
pub mod side_by_side;
pub mod soak;
pub mod thread_sanitizer;
pub mod tidy;
pub mod verdicts;
