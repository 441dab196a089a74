//! From preprocessed text to bodies: lexing, splitting, normalising, parsing, lowering.

pub mod declaration;
pub mod groups;
pub mod layout;
pub mod lex;
pub mod lower;
pub mod markers;
pub mod names;
pub mod nesting;
pub mod normalise;
pub mod parse;
mod parser;
pub mod placement;
mod reading;
pub mod scope;
pub mod split;
mod ways;
