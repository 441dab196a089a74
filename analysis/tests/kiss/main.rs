//! Interleavings that show races and violated assertions, in small programs.

mod arithmetic;
mod harness;
mod library;
mod papers;
mod synchronisation;
