//! `racelens dump`: prints the intermediate representation.

use super::options::ProgramOptions;
use super::terminal::{ColorChoice, complain, print, print_notes};
use super::{EXIT_STATUS, FAILURE, SUCCESS};
use crate::workspace::{SyntaxNote, Workspace};
use clap::{Args, Subcommand};
use racelens_analysis::host::Location;
use std::path::Path;

#[derive(Args)]
pub(super) struct DumpArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Print the intermediate representation of each function
    #[command(after_help = EXIT_STATUS)]
    Ir {
        #[command(flatten)]
        program: ProgramOptions,
        /// Print only functions of this name
        #[arg(long, value_name = "NAME")]
        function: Option<String>,
        /// Leave out the places in the source
        #[arg(long)]
        plain: bool,
    },
}

pub(super) fn run(arguments: &DumpArguments) -> u8 {
    let What::Ir {
        program,
        function,
        plain,
    } = &arguments.what;
    let workspace = match program.load() {
        Ok(workspace) => workspace,
        Err(error) => {
            complain(&format!("error: {error}"));
            return FAILURE;
        }
    };
    print_notes(&workspace.notes, ColorChoice::Auto);
    let syntax: Vec<_> = workspace
        .syntax_notes()
        .iter()
        .map(SyntaxNote::to_note)
        .collect();
    print_notes(&syntax, ColorChoice::Auto);
    if workspace.units == 0 {
        complain("nothing was analysed");
        return FAILURE;
    }
    let printed = print_bodies(&workspace, function.as_deref(), *plain);
    match function {
        Some(name) if printed == 0 => {
            complain(&format!(
                "error: there is no function `{name}` that could be analysed\n  \
                 help: check its spelling; without --function all are printed"
            ));
            FAILURE
        }
        _ => SUCCESS,
    }
}

/// Returns how many bodies there are.
fn print_bodies(workspace: &Workspace, only: Option<&str>, plain: bool) -> usize {
    let analysis = workspace.analysis();
    let mut printed = 0;
    for function in analysis.functions() {
        if only.is_some_and(|only| only != function.name(analysis.database()).as_str()) {
            continue;
        }
        let Some(lowered) = &analysis.lowered(function).body else {
            continue;
        };
        printed += 1;
        if plain {
            print(&format!("{}\n", lowered.body.pretty()));
            continue;
        }
        let locations = workspace.locations(&analysis, function);
        let comment = |id| {
            let span = lowered.source_map.statement(id);
            locations
                .as_ref()
                .and_then(|locations| locations.location(span))
                .map_or_else(String::new, |location| short(&location))
        };
        print(&format!("{}\n", lowered.body.pretty_with(&comment)));
    }
    printed
}

fn short(location: &Location) -> String {
    let file = Path::new(location.file.as_str())
        .file_name()
        .map_or_else(Default::default, |name| name.to_string_lossy());
    let origin = if location.in_macro {
        " (in a macro)"
    } else {
        ""
    };
    format!("{file}:{}:{}{origin}", location.line, location.column)
}
