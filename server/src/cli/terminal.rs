//! Writes to the user: results to standard output, notes and progress to standard error.

use crate::project::{Note, Severity, visible};
use crate::report::text::Appearance;
use clap::ValueEnum;
use std::io::{self, ErrorKind, IsTerminal, StdoutLock, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// When to write in colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorChoice {
    // On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    Always,
    Never,
}

impl ColorChoice {
    fn applies_to(self, stream: &impl IsTerminal) -> bool {
        match self {
            ColorChoice::Auto => {
                let is_unwanted =
                    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                stream.is_terminal() && !is_unwanted
            }
            ColorChoice::Always => true,
            ColorChoice::Never => false,
        }
    }

    /// How results look on standard output.
    pub fn appearance(self) -> Appearance {
        let columns = console::Term::stdout().size_checked();
        Appearance {
            in_colour: self.applies_to(&io::stdout()),
            width: columns.map(|(_, columns)| usize::from(columns)),
        }
    }
}

/// Writes a result for people. It may quote a stranger's code, which must not command the terminal.
pub(super) fn print(text: &str) {
    print_data(&visible(text));
}

/// Set if a result did not get to where the user wanted it.
static IS_OUTPUT_LOST: AtomicBool = AtomicBool::new(false);

/// Writes a result for programs, as it is. A reader that has seen enough (`| head`) is no error; a full disk is.
pub(super) fn print_data(text: &str) {
    print_written(|output| output.write_all(text.as_bytes()));
}

/// The same for a result that is not in memory as a whole.
pub(super) fn print_written(write: impl FnOnce(&mut StdoutLock<'_>) -> io::Result<()>) {
    let mut output = io::stdout().lock();
    let written = write(&mut output).and_then(|()| output.flush());
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
        && !IS_OUTPUT_LOST.swap(true, Ordering::Relaxed)
    {
        complain(&format!("error: the result cannot be written: {error}"));
    }
}

/// Whether everything that was printed got to its reader.
pub(super) fn is_output_lost() -> bool {
    IS_OUTPUT_LOST.load(Ordering::Relaxed)
}

/// Writes a message to standard error, whether or not somebody reads it.
pub(super) fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", visible(text));
}

/// Writes notes to standard error, the severity in colour if that is wanted.
pub(super) fn print_notes<'n>(notes: impl IntoIterator<Item = &'n Note>, colour: ColorChoice) {
    let errors = io::stderr();
    let in_colour = colour.applies_to(&errors);
    let mut errors = errors.lock();
    for note in notes {
        let _ = writeln!(errors, "{}", shown(note, in_colour));
    }
}

fn shown(note: &Note, in_colour: bool) -> String {
    let text = note.to_string();
    if !in_colour {
        return text;
    }
    let colour = match note.severity {
        Severity::Error => "1;31",
        Severity::Warning => "1;33",
        Severity::Information => "1;36",
    };
    let plain = format!("{}: ", note.severity);
    let coloured = format!("\x1b[{colour}m{}\x1b[0m: ", note.severity);
    text.replacen(&plain, &coloured, 1)
}

/// A number with its noun: `1 file`, `2 files`.
pub(super) fn counted(count: usize, one: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {one}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_severity_is_coloured() {
        let note = Note::error("no: error: here").with_help("help");
        assert_eq!(shown(&note, false), "error: no: error: here\n  help: help");
        assert_eq!(
            shown(&note, true),
            "\x1b[1;31merror\x1b[0m: no: error: here\n  help: help"
        );
    }

    #[test]
    fn counts_read_well() {
        assert_eq!(counted(1, "call"), "1 call");
        assert_eq!(counted(0, "call"), "0 calls");
    }
}
