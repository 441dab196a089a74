//! `racelens sequentialize`: prints the sequential program that simulates the threads of a concurrent one.

use super::options::ProgramOptions;
use super::progress::ProgressDisplay;
use super::terminal::{ColorChoice, complain, print_data, print_notes};
use super::{FAILURE, SUCCESS};
use crate::race_options::RaceOptions;
use crate::sequential::{Request, Target, exported_functions, text};
use clap::Args;
use racelens_analysis::kiss::sequential::Points;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct SequentializeArguments {
    #[command(flatten)]
    program: ProgramOptions,
    /// Look only for this race, or for races on what this line accesses [default: any race]
    #[arg(long, value_name = "ID|FILE:LINE", conflicts_with = "asserts")]
    race: Option<String>,
    /// Look for violated assertions instead of races
    #[arg(long)]
    asserts: bool,
    /// Let at most this many started threads wait until they are scheduled
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=32))]
    max: u32,
    /// Let every thread go on where it stopped, in each of this many rounds, instead of stopping it for good
    #[arg(long, value_name = "K", conflicts_with = "max", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,
    /// Start these functions as threads, instead of calling main
    #[arg(long, value_name = "FUNCTION", value_delimiter = ',')]
    start: Vec<String>,
    /// Start every function that other files can call, two threads each
    #[arg(long, conflicts_with = "start")]
    start_exported: bool,
    /// Switch threads in front of every statement, not only of those that other threads can notice
    #[arg(long)]
    everywhere: bool,
}

pub(super) const EXIT_STATUS: &str = "\
Exit status:
  0  the program was printed
  2  there is no such race, nothing could be analysed, or the command line is wrong";

pub(super) fn run(arguments: &SequentializeArguments) -> u8 {
    let progress = ProgressDisplay::new();
    let workspace = match arguments.program.load_or_complain(&progress) {
        Ok(workspace) => workspace,
        Err(status) => return status,
    };
    let options = RaceOptions::new(&workspace, None);
    let functions = match arguments.start_exported {
        // Two threads each, because a function may race with itself.
        true => {
            let exported = exported_functions(&workspace);
            [exported.clone(), exported].concat()
        }
        false => arguments.start.clone(),
    };
    let request = Request {
        target: arguments.target(),
        max: arguments.max,
        rounds: arguments.rounds,
        points: match arguments.everywhere {
            true => Points::Everywhere,
            false => Points::WhereNoticed,
        },
        functions,
    };
    let printed = progress.during("making the program sequential", || {
        text(&workspace, &options, &request)
    });
    progress.clear();
    print_notes(&workspace.notes, ColorChoice::Auto);
    if workspace.units == 0 {
        complain("nothing was analysed");
        return FAILURE;
    }
    match printed {
        Ok(printed) => {
            print_data(&printed);
            SUCCESS
        }
        Err(refused) => {
            complain(&format!("error: {refused}"));
            FAILURE
        }
    }
}

impl SequentializeArguments {
    fn target(&self) -> Target {
        if self.asserts {
            return Target::Assertions;
        }
        let Some(asked) = &self.race else {
            return Target::AnyRace;
        };
        let line = asked
            .rsplit_once(':')
            .and_then(|(file, line)| Some((PathBuf::from(file), line.parse().ok()?)));
        match line {
            Some((file, line)) => Target::Line(file, line),
            None => Target::Race(asked.clone()),
        }
    }
}
