//! `racelens stats`: what a check costs, and which functions and locations are the largest.

use super::check::add_notes;
use super::options::{EntriesChoice, ProgramOptions};
use super::progress::ProgressDisplay;
use super::terminal::{ColorChoice, complain, print, print_data, print_notes};
use super::{FAILURE, SUCCESS};
use crate::race_options::{Entries, RaceOptions};
use crate::races::{Check, StageClock};
use crate::report::text::statistics_text;
use crate::report::{PathBase, json};
use clap::{Args, ValueEnum};

#[derive(Args)]
pub(super) struct StatsArguments {
    #[command(flatten)]
    program: ProgramOptions,
    /// How to write the result: for people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// How many of the largest functions and locations to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    largest: usize,
    /// Which functions begin threads: those that the program starts, or also every one that other
    /// files can call [default: threads, or what racelens.toml says]
    #[arg(long, value_enum)]
    entries: Option<EntriesChoice>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(super) fn run(arguments: &StatsArguments) -> u8 {
    let progress = ProgressDisplay::new();
    let workspace = match arguments.program.load_or_complain(&progress) {
        Ok(workspace) => workspace,
        Err(status) => return status,
    };
    let entries = arguments.entries.map(Entries::from);
    let options = RaceOptions::new(&workspace, entries).only_reachable();
    let clock = StageClock::default();
    let mut statistics = progress.during("looking for races", || {
        let check = Check::timed(&workspace, options, &clock);
        let statistics = check.statistics(&workspace, clock, arguments.largest);
        check.leave();
        statistics
    });
    progress.clear();
    add_notes(&mut statistics.notes, &workspace);
    let base = PathBase::current_directory();
    match arguments.format {
        Format::Text => {
            print_notes(&statistics.notes, ColorChoice::Auto);
            if workspace.units > 0 {
                print(&statistics_text(&statistics, &base));
            }
        }
        Format::Json => print_data(&json::statistics(&statistics, &base)),
    }
    let units = workspace.units;
    workspace.leave();
    if units == 0 {
        complain("nothing was analysed");
        return FAILURE;
    }
    SUCCESS
}
