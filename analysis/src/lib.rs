//! The analysis behind Racelens: preprocessed C text in, plain structs out.

pub mod db;
pub mod frontend;
pub mod host;
pub mod ir;
pub mod models;
