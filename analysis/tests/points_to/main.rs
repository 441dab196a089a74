//! What the pointers of small C programs point to.

mod allocation;
mod calls;
mod harness;
mod random_programs;
mod records;
mod renaming;
mod values;
