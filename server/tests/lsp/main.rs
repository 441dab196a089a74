//! The language server, spoken to as an editor speaks to it.

mod client;
mod diagnostics;
mod hover;
mod projects;
mod pulled_diagnostics;
#[path = "../common/temporary_folder.rs"]
mod temporary_folder;
