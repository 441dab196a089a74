//! From preprocessed text to bodies: lexing, splitting, normalising, parsing, lowering.

pub mod groups;
pub mod lex;
pub mod markers;
pub mod names;
pub mod nesting;
pub mod normalise;
pub mod parse;
pub mod split;
