//! The `racelens` program.

use std::process::ExitCode;

/// Trees are many small pieces, made and freed by several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    racelens::cli::run(std::env::args_os())
}
