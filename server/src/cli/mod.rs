//! The command line: one file a command.

mod dump;
mod index;
mod options;

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;

/// Shows C programmers their data races.
#[derive(Parser)]
#[command(name = "racelens", version, about, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Reads a whole program and says how much of it was understood.
    Index(index::IndexArguments),
    /// Prints what Racelens made of a file, for people who work on Racelens.
    Dump(dump::DumpArguments),
}

/// The work was done and there is nothing to complain about.
const SUCCESS: u8 = 0;
/// The work could not be done.
const FAILURE: u8 = 2;

pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Asking for help is no failure.
            let status = if error.use_stderr() { FAILURE } else { SUCCESS };
            let _ = error.print();
            return ExitCode::from(status);
        }
    };
    ExitCode::from(match arguments.command {
        Command::Index(arguments) => index::run(&arguments),
        Command::Dump(arguments) => dump::run(&arguments),
    })
}
