//! Strangers' programs, faults of the machine and of our own: nothing runs, nothing leaks, nothing stops.

#![cfg(unix)]

mod bounds;
mod cache;
mod deep_programs;
mod faults;
mod internal_errors;
mod malicious;
mod program;
mod server_process;
#[path = "../common/temporary_folder.rs"]
mod temporary_folder;
