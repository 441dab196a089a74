//! What it means for moments that an edit has threads ordered otherwise: two of them are asked about again if one knows of a signal that
//! is not what it was.

use super::moments::When;
use super::ordering::Orders;
use crate::symexec::Path;
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
