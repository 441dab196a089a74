//! The `racelens` program.

fn main() {}
