//! Writes to the user: results to standard output, notes and progress to standard error.

use crate::project::{Note, Severity};
use crate::workspace::Progress;
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Writes a result. A reader that has seen enough (`| head`) is no error.
pub(super) fn print(text: &str) {
    let mut output = std::io::stdout().lock();
    let _ = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
}

/// Writes a message to standard error, whether or not somebody reads it.
pub(super) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Writes notes to standard error, the severity in colour if that is a terminal.
pub(super) fn print_notes<'n>(notes: impl IntoIterator<Item = &'n Note>) {
    let errors = std::io::stderr();
    let in_colour =
        errors.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
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

/// One line on standard error that says how far a long run is; nothing if that is no terminal.
pub(super) struct ProgressLine {
    is_shown: bool,
    started: Instant,
    last: Mutex<Option<Instant>>,
}

/// A run that is shorter shows no progress.
const QUIET: Duration = Duration::from_millis(500);
/// How often the line changes at most.
const INTERVAL: Duration = Duration::from_millis(100);

impl ProgressLine {
    pub fn new() -> ProgressLine {
        ProgressLine {
            is_shown: std::io::stderr().is_terminal(),
            started: Instant::now(),
            last: Mutex::new(None),
        }
    }

    pub fn update(&self, progress: Progress) {
        if !self.is_shown || self.started.elapsed() < QUIET {
            return;
        }
        // Whoever holds the lock is writing a line that is as good as this one.
        let Ok(mut last) = self.last.try_lock() else {
            return;
        };
        if last.is_some_and(|last| last.elapsed() < INTERVAL) {
            return;
        }
        *last = Some(Instant::now());
        let _ = write!(std::io::stderr().lock(), "\r\x1b[K{}", described(progress));
    }

    /// Removes the line, so that what follows begins in the first column.
    pub fn clear(&self) {
        if self.last.lock().is_ok_and(|last| last.is_some()) {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}

fn described(progress: Progress) -> String {
    match progress {
        Progress::Preprocessed(done, total) => format!("preprocessing: {done} of {total} files"),
        Progress::Lowered(done, total) => format!("analysing: {done} of {total} functions"),
    }
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
    fn progress_and_counts_read_well() {
        assert_eq!(
            described(Progress::Preprocessed(3, 141)),
            "preprocessing: 3 of 141 files"
        );
        assert_eq!(counted(1, "call"), "1 call");
        assert_eq!(counted(0, "call"), "0 calls");
    }
}
