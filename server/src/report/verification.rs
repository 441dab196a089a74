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

/// The answer to one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The race's id; assertions have none.
    pub id: Option<String>,
    /// `race on conn.hits`
    pub question: String,
    pub verdict: VerifyVerdict,
}

#[derive(Clone, Debug, PartialEq)]
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

#[derive(Clone, Debug, PartialEq)]
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
    /// What a function does, one after the other: larger for what comes later in one evaluation.
    pub moment: (u32, u32, u32),
    /// What stands there, if it is a part of one line that the user wrote.
    pub source: Option<String>,
    pub locks: Vec<String>,
}
