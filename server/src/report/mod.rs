//! What the analysis found, as plain values that every output is made from.

mod baseline;
mod explanation;
pub mod html;
mod insight;
pub mod json;
pub mod sarif;
mod selection;
mod shown_path;
mod source_excerpt;
mod statistics;
pub mod text;
mod verification;

use crate::project::{Note, Place};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

pub use baseline::{Baseline, BaselineComparison, BaselineError, KnownRace};
pub use explanation::{
    Explanation, FunctionSummary, HeldLock, LineFact, LockOrigin, NoRace, OtherAccess, Outcome,
};
pub use insight::{CallSite, FunctionPlace, Guard, Insight, SharedAccess};
pub use selection::{Selection, UnknownRace};
pub use shown_path::PathBase;
pub use statistics::{
    FunctionSize, LocationSize, ProgramSize, ReportCounts, StageName, StageTime, Statistics,
};
pub use verification::{
    Answer, SearchBounds, TraceStep, TraceThread, VerificationReport, Verified, VerifyVerdict,
    WitnessTrace,
};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Shared with the report before the last change, where they are the same: each race, and the whole list.
    pub races: Arc<Vec<Arc<Race>>>,
    /// Those that the user accepts. They are no findings.
    pub suppressed: Vec<SuppressedRace>,
    /// Promises about locks that declarations make and the program breaks.
    pub violations: Vec<Violation>,
    /// How many more of these the user accepts.
    pub suppressed_violations: usize,
    /// If the report was compared with one. That is no part of what is kept for the next start.
    #[serde(skip)]
    pub baseline: Option<BaselineComparison>,
    pub notes: Vec<Note>,
    pub stats: Stats,
}

impl Report {
    /// To change the list. Who shares it keeps it as it is.
    pub fn races_mut(&mut self) -> &mut Vec<Arc<Race>> {
        Arc::make_mut(&mut self.races)
    }
}

/// How sure an answer is. A race is never called more than it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Tier {
    /// No common lock was found, and nothing that orders the accesses.
    Possible,
    /// There is an interleaving that gets there.
    Witnessed,
    /// There is a proof that no interleaving gets there.
    ProvenSafe,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Race {
    /// Twelve hexadecimal digits that stay the same when lines move.
    pub id: String,
    pub tier: Tier,
    /// From 0 (hardly worth a look) to 100.
    pub rank: u8,
    /// What is raced on: `conn.hits`, `counter`.
    pub location: String,
    pub reasons: Vec<Reason>,
    /// The first two are the best pair; others of the same cause follow, each line once.
    pub accesses: Vec<Access>,
    /// The rest of them.
    pub unlisted: Unlisted,
    /// What to write into the source to accept the race. All of them are needed.
    pub benign_comments: Vec<OfferedComment>,
    /// If somebody has looked for an interleaving. That is no part of what is kept for the next start.
    #[serde(skip)]
    pub verified: Option<Verified>,
}

/// Accesses that take part in a race and are not listed: there may be hundreds, which nobody reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unlisted {
    /// Lines, as far as these were looked up, and statements otherwise, of which a line may have several.
    pub count: usize,
    /// Where they stand, if all were looked up.
    pub functions: BTreeSet<String>,
}

/// A comment that can be written into the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedComment {
    /// The line that it belongs to: it can stand above it, or at its end.
    pub place: Place,
    /// `// racelens: benign(3f9c) -- reason`
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuppressedRace {
    pub race: Arc<Race>,
    /// By each of these.
    pub suppressions: Vec<Suppression>,
}

/// A promise about locks that a declaration makes, by an attribute, and the program breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// Twelve hexadecimal digits that stay the same when lines move.
    pub id: String,
    /// The attribute: `guarded_by`, `requires_capability`.
    pub code: String,
    /// A sentence for people.
    pub message: String,
    /// What is guarded or called: `c->hits`, `bump`.
    pub subject: String,
    pub lock: String,
    pub place: Place,
    /// How many characters it has in the source; 0 if that is not known.
    pub length: u32,
    pub function: String,
    /// None if it is about the function as a whole.
    pub thread: Option<Thread>,
    /// What is certainly held.
    pub locks: Vec<Lock>,
    /// The calls from the thread's entry down to `function`.
    pub path: Vec<Call>,
    pub benign_comment: Option<OfferedComment>,
}

/// A comment in the source that accepts races.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suppression {
    pub place: Place,
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// A word for machines: `inferred_guard`, `write_write`, `doubt_unsharing`.
    pub kind: String,
    /// A sentence for people.
    pub text: String,
    /// Whether it speaks against a race.
    pub doubt: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AccessKind {
    Read,
    Write,
    /// Reads and writes in one step.
    Update,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    pub place: Place,
    /// How many characters it has in the source; 0 if that is not known.
    pub length: u32,
    pub kind: AccessKind,
    pub atomic: bool,
    /// As it is written: `c->hits`.
    pub expression: String,
    pub function: String,
    pub thread: Thread,
    /// What is certainly held.
    pub locks: Vec<Lock>,
    /// The calls from the thread's entry, which is not among them, down to `function`. Empty if
    /// the access stands in the entry itself.
    pub path: Vec<Call>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// The function that it runs: `main`, `worker`.
    pub name: String,
    /// Whether several of it may run at the same time.
    pub many: bool,
    pub started: Option<Place>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    pub name: String,
    /// Held for reading only, together with others.
    pub shared: bool,
    pub acquired: Option<Place>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Who is called.
    pub function: String,
    /// Where it is called.
    pub place: Place,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    pub units: usize,
    pub functions: usize,
    pub threads: usize,
    pub shared_locations: usize,
    pub accesses: usize,
    pub seconds: f64,
}

impl Tier {
    /// The word that JSON and SARIF use.
    pub fn word(self) -> &'static str {
        match self {
            Tier::Possible => "possible",
            Tier::Witnessed => "witnessed",
            Tier::ProvenSafe => "proven_safe",
        }
    }
}

impl AccessKind {
    pub fn writes(self) -> bool {
        self != AccessKind::Read
    }

    /// The word that JSON uses; an update is a write there.
    pub fn word(self) -> &'static str {
        if self.writes() { "write" } else { "read" }
    }
}

impl Race {
    /// Whether it is something to look at, and not the proof that there is nothing.
    pub fn is_finding(&self) -> bool {
        self.tier != Tier::ProvenSafe
    }

    /// Takes what verifying came to, which decides how sure the race is.
    pub fn set_verified(&mut self, verified: Verified) {
        self.tier = match verified.trace() {
            Some(_) => Tier::Witnessed,
            None => Tier::Possible,
        };
        self.verified = Some(verified);
    }

    /// Every place in it, but for those of an interleaving.
    pub fn places_mut(&mut self) -> impl Iterator<Item = &mut Place> {
        let accesses = self.accesses.iter_mut().flat_map(|access| {
            let locks = access.locks.iter_mut();
            let calls = access.path.iter_mut().map(|call| &mut call.place);
            std::iter::once(&mut access.place)
                .chain(&mut access.thread.started)
                .chain(locks.filter_map(|lock| lock.acquired.as_mut()))
                .chain(calls)
        });
        let comments = self.benign_comments.iter_mut();
        accesses.chain(comments.map(|comment| &mut comment.place))
    }

    /// The interleaving that shows it.
    pub fn trace(&self) -> Option<&WitnessTrace> {
        self.verified.as_ref()?.trace()
    }
}
