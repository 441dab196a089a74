//! Random edits of whole projects, such as somebody makes who works on one: in an editor and on the disk, in sources and
//! headers, in flags and names. After each, what is said with the results of before is compared with what somebody says who
//! reads the project anew.

mod class_numbers;
mod comparison;
mod files;
mod flags;
mod functions;
mod headers;
mod kind;
mod names;
mod project_copy;
mod run;
mod session;
mod state;
mod statements;

pub use kind::EditKind;
pub use project_copy::{Beginnings, ProjectCopy};
pub use run::{Disagreement, Outcome, Run};
