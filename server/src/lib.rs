//! Everything around the analysis: the project on disk, the command line, the language server.

pub mod cli;
mod internal_error;
pub mod lsp;
pub mod models;
pub mod process_memory;
pub mod project;
pub mod race_options;
pub mod races;
pub mod recall;
pub mod replay;
pub mod report;
pub mod sequential;
pub mod store;
pub mod suppression;
pub mod workspace;
