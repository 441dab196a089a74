//! The command line: one file a command.

mod cache;
mod cache_options;
mod check;
mod dump;
mod explain;
mod index;
mod lsp;
mod options;
mod progress;
mod sequentialize;
mod stats;
mod terminal;
mod verify;

use crate::internal_error::internal_error;
use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::panic::catch_unwind;
use std::process::ExitCode;

/// Shows C programmers their data races.
#[derive(Parser)]
#[command(name = "racelens", version, about = "Shows C programmers their data races", max_term_width = 100, after_help = EVERY_EXIT_STATUS)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Find data races
    #[command(after_help = check::EXIT_STATUS)]
    Check(check::CheckArguments),
    /// Say what is known about a line: the locks held there, the threads that run it
    #[command(after_help = EXIT_STATUS)]
    Explain(explain::ExplainArguments),
    /// Look for an interleaving that really gets to a race or a violated assertion
    #[command(after_help = verify::EXIT_STATUS)]
    Verify(verify::VerifyArguments),
    /// Read a whole program and say how much of it was understood
    #[command(after_help = EXIT_STATUS)]
    Index(index::IndexArguments),
    /// Say what a check costs, and which functions and locations are the largest
    #[command(after_help = EXIT_STATUS)]
    Stats(stats::StatsArguments),
    /// Say what is kept on disk for the next start, or remove it
    #[command(after_help = cache::EXIT_STATUS)]
    Cache(cache::CacheArguments),
    /// Serve an editor: the language server
    #[command(after_help = lsp::EXIT_STATUS)]
    Lsp(lsp::LspArguments),
    /// Print a sequential C program that simulates the threads of a concurrent one
    #[command(after_help = sequentialize::EXIT_STATUS)]
    Sequentialize(sequentialize::SequentializeArguments),
    /// Print what Racelens made of a program, for people who work on Racelens
    Dump(dump::DumpArguments),
}

const EVERY_EXIT_STATUS: &str = "\
Exit status:
  0  something was analysed, even if notes say what was not
  1  check found races, or verify found an interleaving
  2  nothing could be analysed, or the command line is wrong";

const EXIT_STATUS: &str = "\
Exit status:
  0  something was analysed, even if notes say what was not
  2  nothing could be analysed, or the command line is wrong";

/// The work was done and there is nothing to complain about.
const SUCCESS: u8 = 0;
/// The work was done and races were found.
const FINDINGS: u8 = 1;
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
    let status = catch_unwind(|| match arguments.command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Index(arguments) => index::run(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
        Command::Cache(arguments) => cache::run(&arguments),
        Command::Lsp(arguments) => lsp::run(&arguments),
        Command::Sequentialize(arguments) => sequentialize::run(&arguments),
        Command::Dump(arguments) => dump::run(&arguments),
    });
    let status = status.unwrap_or_else(|panic| {
        terminal::complain(&format!("error: {}", internal_error(&*panic)));
        FAILURE
    });
    let status = if terminal::is_output_lost() {
        FAILURE
    } else {
        status
    };
    ExitCode::from(status)
}
