//! What it means for pairing that an edit has threads ordered otherwise: two moments are asked about again if one of them knows of a
//! signal that is not what it was, and locations are paired again only if the answer about two of their moments is another one.

use super::access_index::AccessNumber;
use super::kept::LocationsAgain;
use super::moments::{MeetingOtherwise, When};
use super::ordering::Orders;
use super::pairing::is_reached_by_several;
use super::sighting::Surroundings;
use crate::callgraph::FunctionId;
use crate::points_to::Class;
use crate::symexec::Path;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// The signals and the like that are not what they were.
pub(super) struct OrderChanges {
    signals: BTreeSet<Path>,
    barriers: BTreeSet<Path>,
    claims: BTreeSet<Path>,
    tokens: BTreeSet<u32>,
}

impl Orders {
    pub(super) fn changes_since(&self, before: &Orders) -> OrderChanges {
        let false_tokens = self.false_tokens.symmetric_difference(&before.false_tokens);
        let claims = self.claims.symmetric_difference(&before.claims);
        let mut tokens = different(&self.tokens, &before.tokens);
        tokens.extend(false_tokens);
        OrderChanges {
            signals: different(&self.signals, &before.signals),
            barriers: different(&self.barriers, &before.barriers),
            claims: claims.cloned().collect(),
            tokens,
        }
    }
}

/// The keys that stand for something else, or for nothing on one side.
fn different<K: Ord + Clone, V: PartialEq>(
    one: &BTreeMap<K, V>,
    other: &BTreeMap<K, V>,
) -> BTreeSet<K> {
    let is_other = |key: &&K| one.get(*key) != other.get(*key);
    one.keys()
        .chain(other.keys())
        .filter(is_other)
        .cloned()
        .collect()
}

impl OrderChanges {
    /// Whether what orders a moment and another one may depend on them. Only what one of the two knows of is looked up.
    pub fn concern(&self, when: &When) -> bool {
        let signals = &when.signals;
        signals
            .passed()
            .any(|(path, _)| self.signals.contains(path))
            || !signals.won().is_disjoint(&self.claims)
            || !signals.tokens().is_disjoint(&self.tokens)
            || signals
                .phase
                .barriers()
                .any(|barrier| self.barriers.contains(barrier))
    }
}

impl LocationsAgain<'_> {
    /// Has the locations paired again at which there are accesses of two of these moments.
    pub(super) fn pair_again_where(
        &mut self,
        others: &MeetingOtherwise,
        surroundings: &Surroundings<'_>,
    ) {
        if others.is_empty() {
            return;
        }
        let changed: FxHashSet<FunctionId> = self.changed.iter().copied().collect();
        let locations: Vec<(Class, &[AccessNumber])> = self
            .index
            .iter()
            .filter(|(class, _)| !self.affected.contains(class))
            .collect();
        let apart = locations
            .par_iter()
            .filter(|(_, accesses)| self.has_two_of(others, accesses, &changed, surroundings));
        let apart: Vec<Class> = apart.map(|(class, _)| *class).collect();
        // The accesses of functions that changed may turn out to be what they were.
        let accessed = self.affected.iter().copied();
        let accessed = accessed.filter(|class| {
            let accesses = self.index.get(*class);
            accesses.is_some_and(|all| self.has_two_of(others, all, &changed, surroundings))
        });
        let all: Vec<Class> = accessed.chain(apart).collect();
        for locations in [
            &mut self.touched_otherwise,
            &mut self.affected,
            &mut self.accessed,
        ] {
            locations.extend(all.iter().copied());
        }
    }

    fn has_two_of(
        &self,
        others: &MeetingOtherwise,
        accesses: &[AccessNumber],
        changed: &FxHashSet<FunctionId>,
        surroundings: &Surroundings<'_>,
    ) -> bool {
        let known = &self.before.kept.looks.points;
        // At others nobody has asked.
        if !is_reached_by_several(surroundings.contexts, accesses) {
            return false;
        }
        let mut found: FxHashSet<u32> = FxHashSet::default();
        for of_function in accesses.chunk_by(|one, other| one.0 == other.0) {
            let function = of_function[0].0;
            let is_one = |when: &When| others.concern(when.number());
            // Of a function that has not changed, no other moments were asked for.
            if !changed.contains(&function) && known.has_moment(function, &is_one) == Some(false) {
                continue;
            }
            for &access in of_function {
                let looks = surroundings.looks(access).iter();
                let moments = looks.map(|look| &look.character.when);
                let moments = moments.filter(|when| is_one(when));
                found.extend(moments.map(|when| when.number()));
            }
        }
        others.are_among(&found)
    }
}
