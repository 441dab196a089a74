//! The `racelens` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    racelens::cli::run(std::env::args_os())
}
