//! `racelens dump`: prints the intermediate representation.

use super::options::{ProgramOptions, print_notes};
use super::{FAILURE, SUCCESS};
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
    /// The intermediate representation of each function.
    Ir {
        #[command(flatten)]
        program: ProgramOptions,
        /// Print only functions of this name.
        #[arg(long, value_name = "NAME")]
        function: Option<String>,
        /// Leave out the places in the source.
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
            eprintln!("error: {error}");
            return FAILURE;
        }
    };
    print_notes(&workspace.notes);
    let syntax: Vec<_> = workspace
        .syntax_notes()
        .iter()
        .map(SyntaxNote::to_note)
        .collect();
    print_notes(&syntax);
    print_bodies(&workspace, function.as_deref(), *plain);
    if workspace.units == 0 {
        FAILURE
    } else {
        SUCCESS
    }
}

fn print_bodies(workspace: &Workspace, only: Option<&str>, plain: bool) {
    let analysis = workspace.analysis();
    for function in analysis.functions() {
        if only.is_some_and(|only| only != function.name(analysis.database()).as_str()) {
            continue;
        }
        let Some(lowered) = &analysis.lowered(function).body else {
            continue;
        };
        if plain {
            println!("{}", lowered.body.pretty());
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
        println!("{}", lowered.body.pretty_with(&comment));
    }
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
