//! Everything around the analysis: the project on disk, the command line, the language server.

pub mod cli;
pub mod project;
pub mod workspace;
