//! Asks for interleavings: one search for all questions that begin alike.

use super::beginnings::Beginnings;
use super::checked::Checked;
use super::verify::{Asked, Teller};
use crate::project::Note;
use crate::report::{Answer, SearchBounds, VerifyVerdict};
use racelens_analysis::db::Function;
use racelens_analysis::host::{Analysis, CheckedProgram, Start, Verification, Witnessed};
use racelens_analysis::ir::StatementId;
use racelens_analysis::kiss::concurrent::replay::{Happening, Trace};
use racelens_analysis::kiss::schedule::{Goal, Position};
use racelens_analysis::kiss::search::{Bounds, Outcome, Targets};
use racelens_analysis::kiss::sequential::as_types;
use racelens_analysis::races::Race;

/// Asks one question after the other, those with the same beginning together.
pub(super) struct Verifier<'v, 'c> {
    pub checked: &'v Checked<'c>,
    pub analysis: &'v Analysis,
    pub program: &'v CheckedProgram,
    pub beginnings: &'v Beginnings<'v, 'c>,
    pub bounds: Bounds,
    /// Statements whose races are accepted.
    pub accepted: Vec<(Function, StatementId)>,
    pub stop: &'v dyn Fn() -> bool,
    pub searched: SearchBounds,
    pub notes: Vec<Note>,
}

impl<'c> Verifier<'_, 'c> {
    pub fn assertions(&mut self) -> Result<Vec<Answer>, String> {
        let start = self.beginnings.of_assertions()?;
        let targets = Targets {
            assertions: true,
            ..Targets::default()
        };
        let verification = self.search(&start, &targets, self.bounds)?;
        Ok(self.teller(&verification, &start).assertions())
    }

    pub fn races(&mut self, races: &[&Race]) -> Result<Vec<Answer>, String> {
        // The questions of each beginning, in the order of the races.
        let mut questions: Vec<(Start, Vec<usize>)> = Vec::new();
        for (number, race) in races.iter().enumerate() {
            for start in self.beginnings.of_race(race)? {
                match questions.iter_mut().find(|(known, _)| *known == start) {
                    Some((_, numbers)) => numbers.push(number),
                    None => questions.push((start, vec![number])),
                }
            }
        }
        let bounds = Bounds {
            states: (self.bounds.states / questions.len().max(1)).max(LEAST_STATES),
            ..self.bounds
        };
        let mut answers: Vec<Option<Answer>> = races.iter().map(|_| None).collect();
        for (start, numbers) in &questions {
            let is_open = |number: &usize| !answers[*number].as_ref().is_some_and(is_witnessed);
            let open: Vec<usize> = numbers.iter().copied().filter(is_open).collect();
            if open.is_empty() {
                continue;
            }
            let positions = open
                .iter()
                .map(|number| self.program.positions(races[*number]));
            let targets = Targets {
                questions: positions.collect(),
                ..Targets::default()
            };
            let verification = self.search(start, &targets, bounds)?;
            let teller = self.teller(&verification, start);
            for number in open {
                let answer = teller.race(races[number], &targets);
                let answer = match answers[number].take() {
                    Some(before) => better(before, answer),
                    None => answer,
                };
                answers[number] = Some(answer);
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }

    /// Lets functions run at the same time and looks for any race: those that are asked about, and those on objects that
    /// their callers pass, of which nothing but the harness says that they are the same.
    pub fn harnessed(
        &mut self,
        races: &[&Race],
        asked: &Asked,
        pairs: bool,
    ) -> Result<Vec<Answer>, String> {
        let starts = match pairs {
            true => self.beginnings.of_pairs(),
            false => vec![self.beginnings.of_named()?],
        };
        let bounds = Bounds {
            states: (self.bounds.states / starts.len().max(1)).max(LEAST_STATES),
            ..self.bounds
        };
        let targets = Targets {
            any_race: true,
            ..Targets::default()
        };
        let questions = Targets {
            questions: races
                .iter()
                .map(|race| self.program.positions(race))
                .collect(),
            ..Targets::default()
        };
        let mut answers: Vec<Option<Answer>> = races.iter().map(|_| None).collect();
        let mut others: Vec<Answer> = Vec::new();
        let mut nothing: Option<Answer> = None;
        for start in &starts {
            let verification = self.search(start, &targets, bounds)?;
            let teller = self.teller(&verification, start);
            for (race, answer) in races.iter().zip(&mut answers) {
                let next = teller.race(race, &questions);
                *answer = Some(match answer.take() {
                    Some(before) => better(before, next),
                    None => next,
                });
            }
            for found in &verification.witnessed {
                if self.is_wanted(found, &questions, asked) {
                    let trace = teller.trace(found);
                    let question = format!("race on {}", racing_place(&found.trace));
                    if !others.iter().any(|other| other.question == question) {
                        others.push(Answer {
                            id: None,
                            question,
                            verdict: VerifyVerdict::Witnessed(trace),
                        });
                    }
                }
            }
            let none = Answer {
                id: None,
                question: "other races".to_owned(),
                verdict: teller.nothing(),
            };
            nothing = Some(match nothing.take() {
                Some(before) => better(before, none),
                None => none,
            });
        }
        let mut answers: Vec<Answer> = answers.into_iter().flatten().collect();
        answers.extend(others);
        if !answers.iter().any(is_witnessed) {
            answers.extend(nothing);
        }
        Ok(answers)
    }

    /// Whether a race that no question is about is to be told.
    fn is_wanted(&self, found: &Witnessed, questions: &Targets, asked: &Asked) -> bool {
        let Goal::Race { first, second } = found.witness.goal else {
            return false;
        };
        let (one, other) = (first.1, second.1);
        let mut pairs = questions.questions.iter().flatten();
        let is_told = pairs.any(|pair| *pair == (one, other) || *pair == (other, one));
        let is_accepted = |at: &Position| {
            let function = self.checked.function_named(at.function);
            function.is_some_and(|function| self.accepted.contains(&(function, at.statement)))
        };
        if is_told || [one, other].iter().any(is_accepted) {
            return false;
        }
        match asked {
            Asked::AllRaces => true,
            Asked::Line(file, line) => [one, other].iter().any(|at| {
                let function = self.checked.function_named(at.function);
                let place = function.and_then(|function| {
                    self.checked.places.statement_place(function, at.statement)
                });
                place.is_some_and(|place| {
                    let path = place.path.canonicalize().unwrap_or(place.path);
                    let file = file.canonicalize().unwrap_or_else(|_| file.clone());
                    path == file && place.line == *line
                })
            }),
            Asked::Race(_) | Asked::Races(_) | Asked::Assertions => false,
        }
    }

    fn search(
        &mut self,
        start: &Start,
        targets: &Targets,
        bounds: Bounds,
    ) -> Result<Verification, String> {
        let found = self
            .analysis
            .verify_from(self.program, start, targets, bounds, self.stop);
        let verification = found.map_err(|error| {
            format!(
                "nothing can be run: {error}\n  help: name the function to begin with by --entry, or functions that run at \
                 the same time by --start, and analyse the files of one program"
            )
        })?;
        add_search(&mut self.searched, &verification.outcome);
        let rejected = verification.rejected.iter();
        self.notes.extend(rejected.map(|reason| rejection(reason)));
        Ok(verification)
    }

    fn teller<'t>(&'t self, verification: &'t Verification, start: &'t Start) -> Teller<'t, 'c> {
        Teller {
            checked: self.checked,
            verification,
            start,
            assumed: self.beginnings.assumptions(start),
        }
    }
}

/// So many states are looked at for each beginning, however many there are.
const LEAST_STATES: usize = 100_000;

/// How far several searches went together.
pub(super) fn add_search(searched: &mut SearchBounds, outcome: &Outcome) {
    let is_first = searched.states == 0;
    searched.switches_done = match (searched.switches_done, outcome.switches_done) {
        (_, done) if is_first => done,
        (Some(before), Some(done)) => Some(before.min(done)),
        _ => None,
    };
    searched.states += outcome.states;
}

/// A mistake of ours.
pub(super) fn rejection(reason: &str) -> Note {
    Note::warning(format!(
        "an interleaving was found that does not replay, which is a bug of Racelens: {reason}"
    ))
    .with_help("report it together with the program")
}

pub(super) fn is_witnessed(answer: &Answer) -> bool {
    matches!(answer.verdict, VerifyVerdict::Witnessed(_))
}

/// Of two beginnings: what was seen counts most, and then what could not be told.
pub(super) fn better(one: Answer, other: Answer) -> Answer {
    let rank = |answer: &Answer| match answer.verdict {
        VerifyVerdict::Witnessed(_) => 2,
        VerifyVerdict::Unknown(_) => 1,
        VerifyVerdict::NotFound { .. } => 0,
    };
    if rank(&other) > rank(&one) {
        other
    } else {
        one
    }
}

/// What both threads are about to access.
fn racing_place(trace: &Trace) -> String {
    let names = trace
        .ends
        .iter()
        .filter_map(|event| match &event.happening {
            Happening::Reads { what, .. }
            | Happening::Writes { what, .. }
            | Happening::Updates { what, .. } => Some(what),
            Happening::Frees(what) => Some(what),
            _ => None,
        });
    // The smaller part has the longer name.
    let name = names.max_by_key(|name| name.len());
    name.map_or_else(|| "memory".to_owned(), |name| as_types(name))
}
