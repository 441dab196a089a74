//! Projects on disk, with a real compiler: what is found, what is preprocessed, what is refused.

mod compile_commands;
mod config;
mod editing;
mod hostile;
mod load;
mod preprocess;
#[path = "../common/temporary_folder.rs"]
mod temporary_folder;
mod workspace;
