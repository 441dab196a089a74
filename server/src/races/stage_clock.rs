//! Measures how long the stages of a check take.

use crate::report::{StageName, StageTime};
use racelens_analysis::stages::{Stage, Stages};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

/// A stage lasts until the next one begins.
#[derive(Default)]
pub struct StageClock {
    begun: Mutex<Vec<(StageName, Instant)>>,
}

impl StageClock {
    pub fn begin_stage(&self, stage: StageName) {
        self.begun().push((stage, Instant::now()));
    }

    /// What was measured, in the order of time. The last stage ends now.
    pub fn finish(self) -> Vec<StageTime> {
        let begun = self.begun();
        let ends = begun.iter().skip(1).map(|(_, begin)| *begin);
        let ends = ends.chain([Instant::now()]);
        let stages = begun.iter().zip(ends);
        stages
            .map(|((stage, begin), end)| StageTime {
                stage: *stage,
                time: end.saturating_duration_since(*begin),
            })
            .collect()
    }

    fn begun(&self) -> MutexGuard<'_, Vec<(StageName, Instant)>> {
        // What was measured before a panic is still right.
        self.begun
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Stages for StageClock {
    fn begin(&self, stage: Stage) {
        self.begin_stage(match stage {
            Stage::Constraints => StageName::Constraints,
            Stage::PointsTo => StageName::PointsTo,
            Stage::CallGraph => StageName::CallGraph,
            Stage::Summaries => StageName::Summaries,
            Stage::Contexts => StageName::Contexts,
            Stage::Orders => StageName::Orders,
            Stage::Locations => StageName::Locations,
            Stage::Pairing => StageName::Pairing,
            Stage::Contracts => StageName::Contracts,
        });
    }
}
