//! The `racelens` program as a user runs it, on good and on bad input.

mod bad_files;
mod bad_projects;
mod commands;
mod good_programs;
mod program;
