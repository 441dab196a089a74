//! How often functions mention records, and convert pointers from one to the other: whether an edit changes what is known of
//! records is seen by counting.

use super::constraints::{Argument, Constraints};
use crate::ir::{FunctionRef, RecordLayout, RecordRef};
use crate::stop;
use rustc_hash::FxHashMap;
use std::sync::Arc;

#[derive(Clone, Default)]
pub(super) struct RecordUses {
    pub mentions: FxHashMap<RecordRef, Mentions>,
    /// Pairs of records, with how often pointers are converted between them.
    pub conversions: FxHashMap<(RecordRef, RecordRef), u32>,
}

#[derive(Clone)]
pub(super) struct Mentions {
    count: u32,
    /// That of the first function.
    pub layout: Arc<RecordLayout>,
    /// Whether all functions know this layout.
    is_agreed_on: bool,
}

/// A record with the layout that a function knows.
type Mention = (RecordRef, Arc<RecordLayout>);

/// Gives the formals of the bodies of a named function.
pub(super) type Formals<'f> = &'f dyn Fn(FunctionRef) -> Vec<&'f [Argument]>;

impl RecordUses {
    pub fn new<'c>(
        functions: impl Iterator<Item = &'c Constraints>,
        formals: Formals<'_>,
    ) -> RecordUses {
        let mut uses = RecordUses::default();
        for constraints in functions {
            stop::ask();
            uses.add(constraints, formals);
        }
        uses
    }

    /// The uses after a function says something else; `None` if nobody can tell which layout a record has then.
    pub fn after(
        &self,
        before: &Constraints,
        now: &Constraints,
        formals: Formals<'_>,
    ) -> Option<RecordUses> {
        let mut uses = self.clone();
        uses.add(now, formals);
        // Where functions do not agree, the first one decides: nobody else may come or go.
        let is_agreed_on = |one: &Mention, others: &[Mention]| {
            others.contains(one)
                || uses
                    .mentions
                    .get(&one.0)
                    .is_some_and(|known| known.is_agreed_on)
        };
        let mut new = now.records.iter();
        let mut old = before.records.iter();
        if !new.all(|one| is_agreed_on(one, &before.records))
            || !old.all(|one| is_agreed_on(one, &now.records))
        {
            return None;
        }
        for (record, _) in &before.records {
            let mentions = uses.mentions.get_mut(record)?;
            mentions.count = mentions.count.checked_sub(1)?;
            if mentions.count == 0 {
                uses.mentions.remove(record);
            }
        }
        for pair in before.conversions(formals) {
            let count = uses.conversions.get_mut(&pair)?;
            *count = count.checked_sub(1)?;
            if *count == 0 {
                uses.conversions.remove(&pair);
            }
        }
        Some(uses)
    }

    /// Whether the same follows for records.
    pub fn come_to_the_same(&self, other: &RecordUses) -> bool {
        let mut mentions = self.mentions.iter();
        let mut conversions = self.conversions.keys();
        self.mentions.len() == other.mentions.len()
            && self.conversions.len() == other.conversions.len()
            && mentions.all(|(record, mentions)| {
                let known = other.mentions.get(record);
                known.is_some_and(|known| known.has_layout(&mentions.layout))
            })
            && conversions.all(|pair| other.conversions.contains_key(pair))
    }

    fn add(&mut self, constraints: &Constraints, formals: Formals<'_>) {
        for (record, layout) in &constraints.records {
            let mentions = self.mentions.entry(*record).or_insert_with(|| Mentions {
                count: 0,
                layout: layout.clone(),
                is_agreed_on: true,
            });
            mentions.count += 1;
            mentions.is_agreed_on &= mentions.has_layout(layout);
        }
        for pair in constraints.conversions(formals) {
            *self.conversions.entry(pair).or_default() += 1;
        }
    }
}

impl Mentions {
    fn has_layout(&self, layout: &Arc<RecordLayout>) -> bool {
        Arc::ptr_eq(&self.layout, layout) || self.layout == *layout
    }
}
