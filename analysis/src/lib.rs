//! The analysis behind Racelens: preprocessed C text in, plain structs out.

pub mod frontend;
pub mod ir;
