//! `racelens explain`: what is known about a line.

use super::options::ProgramOptions;
use super::progress::ProgressDisplay;
use super::terminal::{ColorChoice, complain, print, print_data, print_notes};
use super::{FAILURE, SUCCESS};
use crate::races;
use crate::report::text::TextWriter;
use crate::report::{PathBase, json};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Args)]
pub(super) struct ExplainArguments {
    /// The line, and perhaps the column, to explain
    #[arg(value_name = "FILE:LINE[:COLUMN]")]
    place: AskedPlace,
    #[command(flatten)]
    program: ProgramOptions,
    /// How to write the answer: for people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// When to write in colour
    #[arg(long, value_enum, default_value_t)]
    color: ColorChoice,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(super) fn run(arguments: &ExplainArguments) -> u8 {
    let place = &arguments.place;
    let file = match std::path::absolute(&place.file) {
        Ok(file) if file.is_file() => file,
        _ => {
            complain(&format!(
                "error: {} is not a file that can be read\n  help: correct its path, which is \
                 relative to the current directory",
                place.file.display()
            ));
            return FAILURE;
        }
    };
    let progress = ProgressDisplay::new();
    let workspace = match arguments.program.load_or_complain(&progress) {
        Ok(workspace) => workspace,
        Err(status) => return status,
    };
    let explanation = progress.during("looking for races", || {
        races::explain(&workspace, &file, place.line, place.column)
    });
    progress.clear();
    let in_words = arguments.format == Format::Text;
    if in_words || workspace.units == 0 {
        print_notes(&workspace.notes, arguments.color);
    }
    if workspace.units == 0 {
        complain("nothing was analysed");
        return FAILURE;
    }
    if explanation.lines.is_empty() && explanation.summary.is_none() {
        complain(&format!(
            "error: line {} of {} belongs to no function that was analysed\n  help: name a line \
             inside of a function; `racelens index` says which files and functions are analysed",
            place.line,
            place.file.display()
        ));
        return FAILURE;
    }
    let base = PathBase::current_directory();
    match arguments.format {
        Format::Text => {
            let writer = TextWriter::new(arguments.color.appearance(), base);
            print(&writer.explanation(&explanation));
        }
        Format::Json => print_data(&json::explanation(&explanation, &workspace.notes, &base)),
    }
    SUCCESS
}

/// `src/a.c:12` or `src/a.c:12:5`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AskedPlace {
    pub file: PathBuf,
    pub line: u32,
    pub column: Option<u32>,
}

impl FromStr for AskedPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<AskedPlace, String> {
        let number = |text: &str| text.parse::<u32>().ok().filter(|&number| number > 0);
        let split = |text: &'_ str| {
            let (before, last) = text.rsplit_once(':')?;
            Some((before.to_owned(), number(last)?))
        };
        let (before, last) = split(text)
            .ok_or("it must end with a line number, as in src/a.c:12 or src/a.c:12:5")?;
        let (file, line, column) = match split(&before) {
            Some((file, line)) => (file, line, Some(last)),
            None => (before, last, None),
        };
        if file.is_empty() {
            return Err("the name of the file is missing".to_owned());
        }
        Ok(AskedPlace {
            file: PathBuf::from(file),
            line,
            column,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_from_their_end() {
        let place = |file: &str, line, column| AskedPlace {
            file: PathBuf::from(file),
            line,
            column,
        };
        assert_eq!("a.c:3".parse(), Ok(place("a.c", 3, None)));
        assert_eq!("a.c:3:7".parse(), Ok(place("a.c", 3, Some(7))));
        assert_eq!("a:b.c:3".parse(), Ok(place("a:b.c", 3, None)));
        for wrong in ["a.c", "a.c:", "a.c:0", "a.c:x", ":3", "a.c:3:0", ""] {
            assert!(wrong.parse::<AskedPlace>().is_err(), "{wrong}");
        }
    }
}
