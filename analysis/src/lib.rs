//! The analysis behind Racelens: preprocessed C text in, plain structs out.

pub mod accesses;
pub mod branches;
pub mod callgraph;
pub mod contracts;
pub mod dataflow;
pub mod db;
pub mod forks;
pub mod frontend;
pub mod host;
pub mod ir;
pub mod kiss;
pub mod locksets;
pub mod models;
pub mod ownership;
pub mod points_to;
pub mod races;
pub mod references;
pub mod shared_list;
pub mod signals;
pub mod stages;
pub mod stop;
pub mod summaries;
pub mod symexec;
pub mod threads;
