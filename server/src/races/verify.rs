//! Looks for interleavings that show races, and tells them in the words of the source.

use super::Check;
use super::beginnings::Beginnings;
use super::checked::Checked;
use super::race;
use super::verifier::Verifier;
use crate::project::Place;
use crate::report::{
    Answer, SearchBounds, TraceStep, TraceThread, VerificationReport, VerifyVerdict, WitnessTrace,
};
use crate::workspace::{Stretch, Workspace};
use racelens_analysis::host::{Start, Verification, Witnessed};
use racelens_analysis::ir::FunctionRef;
use racelens_analysis::kiss::concurrent::replay::{Assumption, Event, Happening, Trace};
use racelens_analysis::kiss::machine::{Ignored, Source};
use racelens_analysis::kiss::program::intrinsics;
use racelens_analysis::kiss::schedule::{Goal, Position};
use racelens_analysis::kiss::search::{Bounds, Outcome, Targets};
use racelens_analysis::kiss::sequential::{as_types, is_harness, started_by};
use racelens_analysis::races::Race;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

/// What is asked.
#[derive(Clone, Debug)]
pub enum Asked {
    /// The races in which a line takes part.
    Line(PathBuf, u32),
    Race(String),
    /// By their ids.
    Races(BTreeSet<String>),
    AllRaces,
    Assertions,
}

/// How far to look.
#[derive(Clone, Copy, Debug)]
pub struct VerifyOptions<'o> {
    pub entry: &'o str,
    /// Functions that run as threads instead, each as often as it is named.
    pub start: &'o [String],
    /// Every two functions that other files can call run at the same time, one pair after the other.
    pub exported: bool,
    pub bounds: Bounds,
}

impl Default for VerifyOptions<'_> {
    fn default() -> Self {
        VerifyOptions {
            entry: ENTRY,
            start: &[],
            exported: false,
            bounds: Bounds::default(),
        }
    }
}

/// Where a program begins that is not told otherwise.
pub(super) const ENTRY: &str = "main";

impl Check {
    /// Looks for interleavings until `stop` says that it is enough.
    pub fn verify(
        &self,
        workspace: &Workspace,
        asked: &Asked,
        options: VerifyOptions<'_>,
        stop: &dyn Fn() -> bool,
    ) -> Result<VerificationReport, String> {
        let started = Instant::now();
        let analysis = workspace.analysis();
        let checked = Checked::new(workspace.texts(), &analysis, &self.result);
        let races = asked_races(&checked, asked);
        let is_harnessed = options.exported || !options.start.is_empty();
        if let Some(error) = nothing_asked(asked, &races).filter(|_| !is_harnessed) {
            return Err(error);
        }
        let beginnings = Beginnings {
            checked: &checked,
            options: &self.options,
            entry: options.entry,
            named: options.start,
        };
        let mut verifier = Verifier {
            checked: &checked,
            analysis: &analysis,
            program: self.result.program(),
            beginnings: &beginnings,
            bounds: options.bounds,
            accepted: self.suppressions.statements(),
            stop,
            searched: SearchBounds {
                switches_done: None,
                switches: options.bounds.switches,
                threads: options.bounds.threads,
                path_steps: options.bounds.path_steps,
                local_steps: options.bounds.local_steps,
                states: 0,
            },
            notes: Vec::new(),
        };
        let answers = match asked {
            Asked::Assertions => verifier.assertions()?,
            _ if is_harnessed => verifier.harnessed(&races, asked, options.exported)?,
            _ => verifier.races(&races)?,
        };
        Ok(VerificationReport {
            answers,
            bounds: verifier.searched,
            notes: verifier.notes,
            seconds: started.elapsed().as_secs_f64(),
        })
    }
}

fn asked_races<'c>(checked: &'c Checked<'_>, asked: &Asked) -> Vec<&'c Race> {
    let races = checked.program().races.iter().map(|race| &**race);
    match asked {
        Asked::AllRaces => races.collect(),
        Asked::Race(id) => races.filter(|race| race::id(race) == *id).collect(),
        Asked::Races(ids) => races.filter(|race| ids.contains(&race::id(race))).collect(),
        Asked::Line(file, line) => {
            let file = file.canonicalize().unwrap_or_else(|_| file.clone());
            let is_there = |race: &&Race| {
                race.pairs.iter().any(|pair| {
                    [pair.first, pair.second].into_iter().any(|side| {
                        let (function, statement) = checked.statement(side);
                        let place = checked.places.statement_place(function, statement);
                        place.is_some_and(|place| {
                            let path = place.path.canonicalize().unwrap_or(place.path);
                            path == file && place.line == *line
                        })
                    })
                })
            };
            races.filter(is_there).collect()
        }
        Asked::Assertions => Vec::new(),
    }
}

fn nothing_asked(asked: &Asked, races: &[&Race]) -> Option<String> {
    if !races.is_empty() {
        return None;
    }
    match asked {
        Asked::Line(file, line) => Some(format!(
            "line {line} of {} takes part in no race\n  help: `racelens check` lists the races with their lines",
            file.display()
        )),
        Asked::Race(id) => Some(format!(
            "there is no race with the id {id}\n  help: `racelens check` lists the races with their ids"
        )),
        Asked::Races(_) | Asked::AllRaces | Asked::Assertions => None,
    }
}

pub(super) struct Teller<'t, 'c> {
    pub checked: &'t Checked<'c>,
    pub verification: &'t Verification,
    pub start: &'t Start,
    /// What the harness assumes.
    pub assumed: Vec<String>,
}

impl Teller<'_, '_> {
    pub fn race(&self, race: &Race, targets: &Targets) -> Answer {
        let pairs = targets
            .questions
            .iter()
            .find(|pairs| **pairs == self.checked.positions(race));
        let shows = |found: &&Witnessed| match found.witness.goal {
            Goal::Race { first, second } => pairs.is_some_and(|pairs| {
                pairs.contains(&(first.1, second.1)) || pairs.contains(&(second.1, first.1))
            }),
            Goal::Assertion { .. } => false,
        };
        let found = self.verification.witnessed.iter().find(shows);
        Answer {
            id: Some(race::id(race)),
            question: format!("race on {}", race.location),
            verdict: match found {
                Some(found) => VerifyVerdict::Witnessed(self.trace(found)),
                None => self.nothing(),
            },
        }
    }

    pub fn assertions(&self) -> Vec<Answer> {
        let failed = self.verification.witnessed.iter().filter_map(|found| {
            let Goal::Assertion { at, .. } = found.witness.goal else {
                return None;
            };
            Some(Answer {
                id: None,
                question: format!("assertion in {}", at.function.name),
                verdict: VerifyVerdict::Witnessed(self.trace(found)),
            })
        });
        let mut answers: Vec<Answer> = failed.collect();
        if answers.is_empty() {
            answers.push(Answer {
                id: None,
                question: "assertions".to_owned(),
                verdict: self.nothing(),
            });
        }
        answers
    }

    pub fn nothing(&self) -> VerifyVerdict {
        let outcome = &self.verification.outcome;
        let mut reasons: Vec<String> = outcome.limits.iter().map(ToString::to_string).collect();
        let faults = outcome.faults.iter();
        reasons
            .extend(faults.map(|fault| format!("a thread is not followed further where {fault}")));
        if outcome.too_long {
            reasons.push("a path has more steps than are followed".to_owned());
        }
        if outcome.stopped {
            reasons.push("the time budget was spent".to_owned());
        }
        if outcome.full {
            reasons.push("there are more states than are looked at".to_owned());
        }
        if !self.verification.rejected.is_empty() {
            reasons.push("a witness did not replay".to_owned());
        }
        if reasons.is_empty() {
            VerifyVerdict::NotFound {
                complete: outcome.complete,
                reservations: [self.assumed.clone(), reservations(outcome)].concat(),
            }
        } else {
            VerifyVerdict::Unknown(reasons)
        }
    }

    pub fn trace(&self, found: &Witnessed) -> WitnessTrace {
        let trace = &found.trace;
        WitnessTrace {
            threads: trace
                .threads
                .iter()
                .map(|thread| TraceThread {
                    entry: self.entry(thread.entry),
                    is_harness: is_harness(thread.entry),
                    started: thread.started.and_then(|(_, at)| self.place(at)),
                })
                .collect(),
            steps: trace
                .events
                .iter()
                .filter(|event| !is_made(event.at.function))
                .map(|event| self.step(event))
                .collect(),
            ends: trace.ends.iter().map(|event| self.step(event)).collect(),
            assumptions: [self.assumed.clone(), assumptions(trace)].concat(),
        }
    }

    fn step(&self, event: &Event) -> TraceStep {
        let locks = event.locks.iter().map(|lock| {
            let shared = if lock.shared { " (shared)" } else { "" };
            format!("{}{shared}", as_types(&lock.name))
        });
        let stretch = self.stretch(event.at);
        TraceStep {
            thread: event.thread,
            moment: (
                event.at.statement.block.0,
                event.at.statement.index,
                event.effect,
            ),
            source: stretch.as_ref().and_then(|stretch| stretch.text.clone()),
            place: stretch.map(|stretch| stretch.place),
            function: event.at.function.name.to_string(),
            text: as_types(&words(&event.happening)),
            value: value(&event.happening).cloned(),
            locks: locks.collect(),
        }
    }

    /// The function that a thread begins with, as the user knows it.
    fn entry(&self, entry: FunctionRef) -> String {
        let Start::Threads { functions, .. } = self.start else {
            return entry.name.to_string();
        };
        let called = started_by(entry).and_then(|number| functions.get(number));
        match called {
            Some(called) => called.name.to_string(),
            None if is_harness(entry) => "harness".to_owned(),
            None => entry.name.to_string(),
        }
    }

    fn place(&self, at: Position) -> Option<Place> {
        Some(self.stretch(at)?.place)
    }

    fn stretch(&self, at: Position) -> Option<Stretch> {
        let function = self.checked.function_named(at.function)?;
        self.checked.places.statement(function, at.statement)
    }
}

/// Whether the harness has made this function, so that it stands in no file.
fn is_made(function: FunctionRef) -> bool {
    is_harness(function) || started_by(function).is_some()
}

fn words(happening: &Happening) -> String {
    let with = |verb: &str, what: &str, value: &Option<String>| match value {
        Some(value) => format!("{verb} {what} = {value}"),
        None => format!("{verb} {what}"),
    };
    match happening {
        Happening::Reads { what, value } => with("reads", what, value),
        Happening::Writes { what, value } => with("writes", what, value),
        Happening::Updates { what, value } => with("updates", what, value),
        Happening::Locks(lock) => format!("takes {lock}"),
        Happening::Unlocks(lock) => format!("gives back {lock}"),
        Happening::FailsToLock(lock) => format!("does not get {lock}"),
        Happening::Starts(thread) => format!("starts thread {thread}"),
        Happening::Joins(threads) => {
            let threads: Vec<String> = threads.iter().map(ToString::to_string).collect();
            format!("joins thread {}", threads.join(", "))
        }
        Happening::Waits(object) => format!("waits on {object}"),
        Happening::Wakes(object) => format!("is woken and takes {object}"),
        Happening::Posts(object) => format!("posts {object}"),
        Happening::CallsOnce(control) => format!("runs once by {control}"),
        Happening::Frees(object) => format!("frees {object}"),
        Happening::FailsAssertion => "fails the assertion".to_owned(),
    }
}

fn value(happening: &Happening) -> Option<&String> {
    match happening {
        Happening::Reads { value, .. }
        | Happening::Writes { value, .. }
        | Happening::Updates { value, .. } => value.as_ref(),
        _ => None,
    }
}

/// What a search has left open within its bounds.
fn reservations(outcome: &Outcome) -> Vec<String> {
    let values = outcome.values_tried.then(|| {
        "of values from outside only some were tried: small ones, and those around numbers that the program \
         compares with"
            .to_owned()
    });
    let ignored = outcome.ignored.iter().map(ToString::to_string);
    values.into_iter().chain(ignored).collect()
}

fn assumptions(trace: &Trace) -> Vec<String> {
    let values = trace.assumptions.iter();
    let is_told = |ignored: &Ignored| {
        let mut values = values.clone();
        matches!(ignored, Ignored::Function(name) if values.any(|it| it.source == Source::Function(*name)))
    };
    let ignored = trace.ignored.iter().filter(|ignored| !is_told(ignored));
    values
        .clone()
        .map(|it| assumption(it, trace))
        .chain(ignored.map(ToString::to_string))
        .collect()
}

fn assumption(assumption: &Assumption, trace: &Trace) -> String {
    let value = match assumption.value {
        Some(value) => value.to_string(),
        None => "a new object".to_owned(),
    };
    match assumption.source {
        Source::Function(name) => {
            let nothing_else = if trace.ignored.contains(&Ignored::Function(name)) {
                " and does nothing else"
            } else {
                ""
            };
            format!(
                "`{name}` returns {value} in thread {}{nothing_else}",
                assumption.thread
            )
        }
        Source::Passed(name) => {
            let passed = name.strip_prefix(intrinsics::ARGUMENT).unwrap_or(&name);
            let (number, function) = passed.split_once("_of_").unwrap_or(("", passed));
            format!(
                "argument {number} of `{function}` is {value} in thread {}",
                assumption.thread
            )
        }
        Source::Byte(name) => format!(
            "a byte that `{name}` gets in thread {} is {value}",
            assumption.thread
        ),
        Source::Parameter(number) => {
            format!("parameter {number} of the first function is {value}")
        }
        Source::Choice(_) => format!("the choice is {value}"),
    }
}
