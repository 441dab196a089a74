//! Every access of the representation leads back to where the user wrote it.
//!
//! An expectation is the source itself, with a line of carets below each line for each access that
//! was found in it: `r` a read, `w` a write, `u` an atomic update, and the memory that is accessed.
//! `(in a macro)` marks an access that the body of a macro makes; it stands where the macro is used.

mod check;
mod files;
mod lines;
#[path = "../common/temporary_folder.rs"]
mod temporary_folder;
