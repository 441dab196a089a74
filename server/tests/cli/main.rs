//! The `racelens` program as a user runs it, on good and on bad input.

mod annotations;
mod bad_files;
mod bad_projects;
mod baseline;
mod check;
mod commands;
mod demo;
mod explain;
mod good_programs;
mod lsp;
mod program;
mod races;
#[path = "../common/schema.rs"]
mod schema;
mod sequentialize;
mod stats;
mod suppression;
#[path = "../common/temporary_folder.rs"]
mod temporary_folder;
mod verified_check;
mod verify;
mod verify_harness;
mod warm_start;
