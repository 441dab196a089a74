//! The language server, spoken to as an editor speaks to it.

mod bad_input;
mod client;
mod code_actions;
mod diagnostics;
mod hover;
mod navigation;
mod order;
mod projects;
mod pulled_diagnostics;
mod settings;
mod showing;
#[path = "../common/temporary_folder.rs"]
mod temporary_folder;
mod verify;
mod warm_start;
