//! What a check has cost, and of what there was the most, as plain values.

use crate::process_memory::ProcessMemory;
use crate::project::{KeptCounters, Note, Place};
use std::time::Duration;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// In the order in which they happened.
    pub stages: Vec<StageTime>,
    pub memory: ProcessMemory,
    /// `None` if nothing is kept from run to run.
    pub cache: Option<KeptCounters>,
    pub program: ProgramSize,
    pub reports: ReportCounts,
    /// The functions with the largest summaries, the largest first.
    pub largest_functions: Vec<FunctionSize>,
    /// The locations with the most accesses, the largest first.
    pub largest_locations: Vec<LocationSize>,
    pub notes: Vec<Note>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageTime {
    pub stage: StageName,
    pub time: Duration,
}

/// A part of the work, from files on the disk to a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StageName {
    Preprocessing,
    Splitting,
    Lowering,
    Suppressions,
    Constraints,
    PointsTo,
    CallGraph,
    Summaries,
    Contexts,
    Orders,
    Locations,
    Pairing,
    Contracts,
    CallPaths,
    Reporting,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramSize {
    pub units: usize,
    /// Of the preprocessed text.
    pub lines: usize,
    pub bytes: usize,
    pub functions: usize,
    pub statements: usize,
    /// To memory that threads may share, by functions that some thread gets to.
    pub accesses: usize,
    pub threads: usize,
    /// Ways in which threads get to functions that are told apart.
    pub contexts: usize,
    pub shared_locations: usize,
}

/// Whatever their rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReportCounts {
    pub races: usize,
    pub suppressed: usize,
    pub violations: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionSize {
    pub name: String,
    /// `None` if it is not in the text.
    pub place: Option<Place>,
    /// What its callers have to look at.
    pub summary_entries: usize,
    pub statements: usize,
    pub accesses: usize,
    pub contexts: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocationSize {
    pub name: String,
    pub accesses: usize,
    /// In how many functions these are.
    pub functions: usize,
    /// How many pairs of them race, as far as they are listed.
    pub racing_pairs: usize,
}

impl Statistics {
    pub fn time(&self) -> Duration {
        self.stages.iter().map(|stage| stage.time).sum()
    }

    /// The part of a stage in the whole time, from 0 to 1.
    pub fn share(&self, stage: &StageTime) -> f64 {
        let whole = self.time().as_secs_f64();
        if whole > 0.0 {
            stage.time.as_secs_f64() / whole
        } else {
            0.0
        }
    }

    /// The memory that the process ends with, for each function.
    pub fn bytes_per_function(&self) -> Option<u64> {
        self.memory.now?.checked_div(self.program.functions as u64)
    }
}

impl StageName {
    /// The word that JSON uses.
    pub fn word(self) -> &'static str {
        self.names().0
    }

    pub fn in_words(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            StageName::Preprocessing => ("preprocessing", "preprocessing"),
            StageName::Splitting => ("splitting", "cutting text into items"),
            StageName::Lowering => ("lowering", "parsing and lowering"),
            StageName::Suppressions => ("suppressions", "comments that accept races"),
            StageName::Constraints => ("constraints", "constraints on pointers"),
            StageName::PointsTo => ("points_to", "points-to"),
            StageName::CallGraph => ("call_graph", "call graph"),
            StageName::Summaries => ("summaries", "summaries"),
            StageName::Contexts => ("contexts", "threads and contexts"),
            StageName::Orders => ("orders", "order of threads"),
            StageName::Locations => ("locations", "accesses by location"),
            StageName::Pairing => ("pairing", "pairing"),
            StageName::Contracts => ("contracts", "lock annotations"),
            StageName::CallPaths => ("call_paths", "call paths"),
            StageName::Reporting => ("reporting", "reporting"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_has_no_shares_and_no_functions() {
        let mut statistics = Statistics::default();
        let stage = StageTime {
            stage: StageName::Pairing,
            time: Duration::ZERO,
        };
        statistics.memory.now = Some(1000);
        assert_eq!(statistics.share(&stage), 0.0);
        assert_eq!(statistics.bytes_per_function(), None);
        statistics.program.functions = 4;
        assert_eq!(statistics.bytes_per_function(), Some(250));
    }
}
