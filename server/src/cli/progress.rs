//! A bar on standard error that says how far a long run is; nothing if that is no terminal.

use crate::workspace::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

pub(super) struct ProgressDisplay {
    bar: ProgressBar,
    started: Instant,
    /// The number of the phase that is shown; 0 at first. Functions are many, so that only what
    /// differs from one to the next may be set for each.
    phase: AtomicUsize,
}

/// A run that is shorter shows no progress.
const QUIET: Duration = Duration::from_millis(500);
/// How often something moves while nobody knows how much is left.
const TICK: Duration = Duration::from_millis(120);

impl ProgressDisplay {
    pub fn new() -> ProgressDisplay {
        ProgressDisplay {
            // It draws nothing if standard error is no terminal.
            bar: ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr()),
            started: Instant::now(),
            phase: AtomicUsize::new(0),
        }
    }

    /// May be called from several threads.
    pub fn update(&self, progress: Progress) {
        if self.bar.is_hidden() || self.started.elapsed() < QUIET {
            return;
        }
        let (phase, what, done, total) = described(progress);
        if self.phase.swap(phase, Ordering::Relaxed) != phase {
            self.bar.set_style(counting_style());
            self.bar.set_message(what);
            self.bar.set_length(total as u64);
        }
        self.bar.set_position(done as u64);
    }

    /// Shows that `work` goes on, where it cannot say how far it is.
    pub fn during<T>(&self, what: &'static str, work: impl FnOnce() -> T) -> T {
        if self.bar.is_hidden() {
            return work();
        }
        std::thread::scope(|scope| {
            let (running, finished) = channel::<()>();
            scope.spawn(move || {
                let wait = QUIET.saturating_sub(self.started.elapsed());
                if finished.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                    self.bar.set_style(spinning_style());
                    self.bar.set_message(what);
                    self.bar.enable_steady_tick(TICK);
                }
            });
            let result = work();
            drop(running);
            result
        })
    }

    /// Removes the bar, so that what follows begins in the first column.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// The phase by number and in words, how much is done, and of how much.
fn described(progress: Progress) -> (usize, &'static str, usize, usize) {
    match progress {
        Progress::Preprocessed(done, total) => (1, "preprocessing files", done, total),
        Progress::Lowered(done, total) => (2, "reading functions", done, total),
    }
}

fn counting_style() -> ProgressStyle {
    style("{msg:20} {wide_bar} {pos} of {len}")
}

fn spinning_style() -> ProgressStyle {
    style("{msg} {spinner} {elapsed}")
}

fn style(template: &str) -> ProgressStyle {
    // A template that is wrong costs its look only; the test below finds it.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::TermLike;
    use std::io;
    use std::sync::{Arc, Mutex};

    /// A terminal that keeps the line it shows.
    #[derive(Clone, Debug, Default)]
    struct OneLine(Arc<Mutex<String>>);

    impl OneLine {
        fn change(&self, change: impl FnOnce(&mut String)) -> io::Result<()> {
            change(&mut self.0.lock().unwrap());
            Ok(())
        }
    }

    impl TermLike for OneLine {
        fn width(&self) -> u16 {
            60
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.change(|line| line.push_str(text.trim_end()))
        }
        fn clear_line(&self) -> io::Result<()> {
            self.change(String::clear)
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    fn shown(ran_for: Duration, change: impl FnOnce(&ProgressDisplay)) -> String {
        let terminal = OneLine::default();
        let target = ProgressDrawTarget::term_like(Box::new(terminal.clone()));
        let display = ProgressDisplay {
            bar: ProgressBar::with_draw_target(Some(0), target),
            started: Instant::now().checked_sub(ran_for).unwrap(),
            phase: AtomicUsize::new(0),
        };
        change(&display);
        let line = terminal.0.lock().unwrap();
        console::strip_ansi_codes(&line).into_owned()
    }

    #[test]
    fn a_long_run_shows_what_it_does_and_how_far_it_is() {
        let text = shown(QUIET, |display| {
            display.update(Progress::Preprocessed(3, 6));
        });
        assert!(text.starts_with("preprocessing files "), "{text:?}");
        assert!(text.ends_with(" 3 of 6"), "{text:?}");
        let text = shown(QUIET, |display| {
            display.update(Progress::Preprocessed(6, 6));
            display.update(Progress::Lowered(1, 9));
        });
        assert!(text.starts_with("reading functions "), "{text:?}");
        assert!(text.ends_with(" 1 of 9"), "{text:?}");
        let text = shown(QUIET, |display| {
            display.during("looking for races", || std::thread::sleep(TICK * 3));
        });
        assert!(text.starts_with("looking for races "), "{text:?}");
    }

    #[test]
    fn a_short_run_shows_nothing() {
        let text = shown(Duration::ZERO, |display| {
            display.update(Progress::Preprocessed(3, 6));
            display.during("looking for races", || ());
        });
        assert_eq!(text, "");
    }

    #[test]
    fn nothing_is_left_when_it_is_cleared() {
        let text = shown(QUIET, |display| {
            display.update(Progress::Lowered(1, 2));
            display.clear();
        });
        assert_eq!(text, "");
    }
}
