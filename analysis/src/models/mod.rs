//! What library functions do to locks, threads and memory, as data.
//!
//! One TOML file per library says it; this module reads them into a few small enums. Analyses ask
//! `Models::lookup` by the name of a called function and interpret the effects, so that no analysis
//! knows the name of any library function. The file format is described in `server/docs/models.md`.

mod display;
mod effect_reader;
mod error;
mod model_reader;
mod registry;
mod spelling;
mod table_reader;
mod value_syntax;
mod vocabulary;

#[cfg(test)]
mod builtin_tests;
#[cfg(test)]
mod user_file_tests;

pub use error::ModelError;
pub use registry::Models;
pub use vocabulary::*;
