//! Edits a copy of a real project over and over, and compares what is said after each edit with what is said by who reads
//! the project anew: reports, notes, hovers, summaries.
//!
//! `project_edits EDITS DIRECTORY [--seed N] [--seconds N] [--from N] [--exported] [--each]`. It ends with 1 if there is a
//! disagreement, which comes again with the same seed; with `--from` nothing is compared before the edit with that number.
//! With `--exported` threads may call at first whatever other files can call. With `--each` every edit is told.

use racelens_tests::project_edits::{Beginnings, Outcome, ProjectCopy, Run};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

/// The same as in the program itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// As much stack as the language server gives its thread.
const STACK_BYTES: usize = 16 << 20;

fn main() -> ExitCode {
    let Some(wishes) = Wishes::read(std::env::args().skip(1)) else {
        eprintln!(
            "usage: project_edits EDITS DIRECTORY [--seed N] [--seconds N] [--from N] [--exported] [--each]"
        );
        return ExitCode::from(2);
    };
    let (seed, directory) = (wishes.run.seed, wishes.directory.clone());
    let thread = thread::Builder::new().stack_size(STACK_BYTES);
    let run = thread.spawn(move || wishes.fulfil());
    let outcome = run.map_err(|error| error.to_string()).and_then(|run| {
        let ended = run.join();
        ended.unwrap_or(Err("an edit ended it in the middle".to_owned()))
    });
    match outcome {
        Ok(outcome) => told(&outcome, seed, &directory),
        Err(error) => {
            eprintln!("{}, seed {seed}: {error}", directory.display());
            ExitCode::FAILURE
        }
    }
}

struct Wishes {
    directory: PathBuf,
    run: Run,
    beginnings: Beginnings,
    tells_each: bool,
}

impl Wishes {
    fn read(mut arguments: impl Iterator<Item = String>) -> Option<Wishes> {
        let edits = arguments.next()?.parse().ok()?;
        let mut wishes = Wishes {
            directory: arguments.next()?.into(),
            run: Run {
                seed: 1,
                edits,
                from: 0,
                budget: Duration::MAX,
            },
            beginnings: Beginnings::Started,
            tells_each: false,
        };
        while let Some(word) = arguments.next() {
            match word.as_str() {
                "--seed" => wishes.run.seed = arguments.next()?.parse().ok()?,
                "--seconds" => {
                    wishes.run.budget = Duration::from_secs(arguments.next()?.parse().ok()?);
                }
                "--from" => wishes.run.from = arguments.next()?.parse().ok()?,
                "--exported" => wishes.beginnings = Beginnings::Exported,
                "--each" => wishes.tells_each = true,
                _ => return None,
            }
        }
        Some(wishes)
    }

    fn fulfil(self) -> Result<Outcome, String> {
        let project = ProjectCopy::new(&self.directory, self.beginnings)?;
        self.run.run(&project.state, &mut |edit, kind, file| {
            if self.tells_each {
                eprintln!("{edit} {} {}", kind.word(), file.display());
            }
        })
    }
}

fn told(outcome: &Outcome, seed: u64, directory: &Path) -> ExitCode {
    for disagreement in &outcome.disagreements {
        let alone = match disagreement.is_alone {
            true => "it alone leads there",
            false => "with what was before it",
        };
        println!(
            "seed {seed}, edit {}, {} ({}; {alone}): {}\n",
            disagreement.edit,
            disagreement.kind,
            disagreement.file.display(),
            disagreement.difference
        );
    }
    let count: u64 = outcome.compared.values().sum();
    println!(
        "{}, seed {seed}: {count} edits compared, after {} of them something did not parse, {} disagreements",
        directory.display(),
        outcome.broken,
        outcome.disagreements.len()
    );
    for (kind, count) in &outcome.compared {
        println!("{count:7} {kind}");
    }
    match outcome.disagreements.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
