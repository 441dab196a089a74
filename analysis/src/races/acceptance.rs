//! Tells the pairs of a location that the user accepts from those to report.

use super::location::{Location, MOST_OF_A_GROUP};
use super::moments::Moments;
use super::overlap::Memory;
use super::pairing::{Pair, compare, note};
use super::sighting::Sighting;
use crate::accesses::Facts;
use crate::callgraph::FunctionId;
use crate::ir::StatementId;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Statements whose races the user accepts.
pub type AcceptedStatements = FxHashSet<(FunctionId, StatementId)>;

/// What is known of the program while the pairs of one location are looked for.
#[derive(Clone, Copy)]
pub(super) struct Accepted<'a> {
    pub statements: &'a AcceptedStatements,
    pub moments: &'a Moments<'a>,
    pub facts: &'a Facts,
    pub memory: Memory<'a>,
}

impl Accepted<'_> {
    /// The location as if accepted statements did not access it. `None` if none does.
    pub fn left_out(&self, location: &Location) -> Option<Location> {
        let sightings = || location.groups.iter().flat_map(|(_, sightings)| sightings);
        if self.statements.is_empty() || !sightings().any(|sighting| self.has(*sighting)) {
            return None;
        }
        let groups = location.groups.iter().filter_map(|(character, sightings)| {
            let open = sightings.iter().copied();
            let open: Vec<Sighting> = open.filter(|sighting| !self.has(*sighting)).collect();
            (!open.is_empty()).then(|| (character.clone(), open))
        });
        Some(Location {
            groups: groups.collect(),
            around: location.around.clone(),
            is_often: location.is_often,
        })
    }

    /// The pairs with an accepted side. Every accepted access that races with something is in one of them,
    /// however many there are: whoever accepted it wants to know whether that is still needed.
    pub fn pairs(&self, location: &Location) -> Vec<Pair> {
        let mut found = BTreeMap::new();
        let is_around = |sighting: Sighting| {
            let key = (sighting.function, sighting.access);
            location.around.contains(&key)
        };
        for (left, left_sightings) in &location.groups {
            let accepted = left_sightings.iter().copied();
            let accepted: Vec<Sighting> = accepted.filter(|one| self.has(*one)).collect();
            if accepted.is_empty() {
                continue;
            }
            for (right, right_sightings) in &location.groups {
                let conflict = compare(self.moments, self.memory, left, right);
                let Ok(conflict) = conflict else {
                    continue;
                };
                for &first in &accepted {
                    for &second in right_sightings.iter().take(MOST_OF_A_GROUP) {
                        if is_around(first) && is_around(second) {
                            continue;
                        }
                        let pair = Pair::new((left, first), (right, second), conflict);
                        note(&mut found, pair, self.facts);
                    }
                }
            }
        }
        found.into_values().collect()
    }

    fn has(&self, sighting: Sighting) -> bool {
        let facts = &self.facts[sighting.function.0 as usize];
        let statement = facts.accesses[sighting.access as usize].statement;
        self.statements.contains(&(sighting.function, statement))
    }
}
