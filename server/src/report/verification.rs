//! What `verify` found out: for each question a witness, or how far it looked.

use crate::project::{Note, Place};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct VerificationReport {
    pub answers: Vec<Answer>,
    /// How far the search went.
    pub bounds: SearchBounds,
    pub notes: Vec<Note>,
    pub seconds: f64,
}

/// What is known of a race that somebody has looked for an interleaving of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verified {
    Answered {
        verdict: VerifyVerdict,
        bounds: SearchBounds,
    },
    /// A function that the answer rests on has changed since.
    OutOfDate,
}

/// The answer to one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The race's id; assertions have none.
    pub id: Option<String>,
    /// `race on conn.hits`
    pub question: String,
    pub verdict: VerifyVerdict,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifyVerdict {
    Witnessed(WitnessTrace),
    /// All interleavings within the bounds were tried.
    NotFound {
        /// And there are no others.
        complete: bool,
        /// What was left open although it is within the bounds.
        reservations: Vec<String>,
    },
    /// Something could not be run, or the budget was spent.
    Unknown(Vec<String>),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchBounds {
    /// All interleavings with so many switches away from threads that could go on were tried.
    pub switches_done: Option<u32>,
    pub switches: u32,
    pub threads: usize,
    pub path_steps: u32,
    pub local_steps: u32,
    pub states: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessTrace {
    pub threads: Vec<TraceThread>,
    pub steps: Vec<TraceStep>,
    /// The accesses that happen at once, or the assertion.
    pub ends: Vec<TraceStep>,
    /// Values that the way depends on and that nobody knows.
    pub assumptions: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceThread {
    pub entry: String,
    /// It was made to call the others, and stands in no file.
    pub is_harness: bool,
    pub started: Option<Place>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    pub thread: usize,
    pub place: Option<Place>,
    pub function: String,
    /// `writes stopped = 1`
    pub text: String,
    /// The value that is read or written, if it is known: `1`.
    pub value: Option<String>,
    /// What a function does, one after the other: larger for what comes later in one evaluation.
    pub moment: (u32, u32, u32),
    /// What stands there, if it is a part of one line that the user wrote.
    pub source: Option<String>,
    pub locks: Vec<String>,
}

impl Verified {
    /// The word that JSON uses.
    pub fn word(&self) -> &'static str {
        match self {
            Verified::Answered { verdict, .. } => verdict.word(),
            Verified::OutOfDate => "out_of_date",
        }
    }

    pub fn trace(&self) -> Option<&WitnessTrace> {
        match self {
            Verified::Answered {
                verdict: VerifyVerdict::Witnessed(trace),
                ..
            } => Some(trace),
            _ => None,
        }
    }
}

impl VerifyVerdict {
    pub fn word(&self) -> &'static str {
        match self {
            VerifyVerdict::Witnessed(_) => "witnessed",
            VerifyVerdict::NotFound { .. } => "not_found",
            VerifyVerdict::Unknown(_) => "unknown",
        }
    }

    /// Why it is unknown, or what was left open although nothing was found.
    pub fn limits(&self) -> &[String] {
        match self {
            VerifyVerdict::Witnessed(_) => &[],
            VerifyVerdict::NotFound { reservations, .. } => reservations,
            VerifyVerdict::Unknown(reasons) => reasons,
        }
    }

    /// Whether every interleaving was tried.
    pub fn is_complete(&self) -> bool {
        matches!(self, VerifyVerdict::NotFound { complete: true, .. })
    }
}

impl TraceStep {
    /// The characters of the step in the source, or 0 if they are not known.
    pub fn length(&self) -> u32 {
        let source = self.source.as_ref();
        source.map_or(0, |source| source.chars().count() as u32)
    }
}

impl WitnessTrace {
    /// The way there, and then what happens at once.
    pub fn all_steps(&self) -> impl Iterator<Item = &TraceStep> {
        self.steps.iter().chain(&self.ends)
    }

    /// The threads that do something on the way.
    pub fn acting_threads(&self) -> Vec<usize> {
        let acts = |thread: &usize| self.all_steps().any(|step| step.thread == *thread);
        (0..self.threads.len()).filter(acts).collect()
    }

    /// What a thread is called: `worker`, or `worker (2)` for the second one that begins with it.
    pub fn thread_name(&self, thread: usize) -> String {
        let Some(own) = self.threads.get(thread) else {
            return String::new();
        };
        let before = self.threads[..thread].iter();
        match before.filter(|it| it.entry == own.entry).count() {
            0 => own.entry.clone(),
            before => format!("{} ({})", own.entry, before + 1),
        }
    }
}
