//! How the records of the program lie over each other.

use super::builder::element_record;
use super::constraints::Label;
use super::record_uses::RecordUses;
use crate::ir::{Field, RecordLayout, RecordRef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A member of a record, numbered in the order in which members are met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct LabelId(pub u32);

/// All records with their layouts, and what follows from seeing one object as two records.
#[derive(Clone, Default)]
pub(super) struct Records {
    layouts: Arc<FxHashMap<RecordRef, Arc<RecordLayout>>>,
    /// Pairs, smaller first, of records that share memory somewhere in the program.
    overlaid: Arc<FxHashSet<(RecordRef, RecordRef)>>,
    /// Each with whether it is where its record starts.
    labels: Vec<(Label, bool)>,
    numbers: FxHashMap<Label, LabelId>,
    /// The same, by the members that were asked for: a bit-field has the number of its storage unit.
    asked: FxHashMap<Label, LabelId>,
    relations: FxHashMap<(RecordRef, RecordRef), Arc<Relation>>,
    prefixes: FxHashMap<(RecordRef, RecordRef), Option<Arc<[LabelId]>>>,
}

/// What it means for members that an object is seen as two records.
#[derive(Debug)]
pub(super) enum Relation {
    /// These members of one record and the whole object start at the same byte.
    Prefix(Arc<[LabelId]>),
    /// These members are the same.
    Members(Vec<(LabelId, LabelId)>),
    /// Nobody knows which members are the same.
    Collapse,
}

impl Records {
    pub fn new(uses: &RecordUses) -> Records {
        let mut records = Records::default();
        let mentions = uses.mentions.iter();
        let layouts = mentions.map(|(record, mentions)| (*record, mentions.layout.clone()));
        records.layouts = Arc::new(layouts.collect());
        for (one, other) in uses.conversions.keys() {
            records.overlay(*one, *other);
        }
        let mut alternatives = Vec::new();
        for (record, layout) in &*records.layouts {
            if record.is_union() {
                let members = layout.fields.iter();
                let inner: Vec<RecordRef> = members
                    .filter_map(|field| element_record(&field.ty))
                    .collect();
                alternatives.push(inner);
            }
        }
        for inner in alternatives {
            for (index, left) in inner.iter().enumerate() {
                for right in &inner[index + 1..] {
                    records.overlay(*left, *right);
                }
            }
        }
        records
    }

    /// Objects of one record are also seen as the other.
    pub fn overlay(&mut self, left: RecordRef, right: RecordRef) {
        if left != right {
            let pair = (left.min(right), left.max(right));
            Arc::make_mut(&mut self.overlaid).insert(pair);
        }
    }

    /// The member that stands for all bit-fields of one storage unit: writing one of them writes all.
    pub fn storage(&self, label: Label) -> Label {
        let Some(layout) = self.layouts.get(&label.record) else {
            return label;
        };
        let field = layout.fields.iter().find(|field| field.name == label.name);
        let Some(field) = field.filter(|field| field.bits.is_some()) else {
            return label;
        };
        let is_same_unit = |other: &&Field| other.bits.is_some() && other.offset == field.offset;
        match layout.fields.iter().find(is_same_unit) {
            Some(first) => Label {
                name: first.name,
                ..label
            },
            None => label,
        }
    }

    pub fn label(&mut self, label: Label) -> LabelId {
        if let Some(known) = self.asked.get(&label) {
            return *known;
        }
        let id = self.numbered(self.storage(label));
        self.asked.insert(label, id);
        id
    }

    fn numbered(&mut self, label: Label) -> LabelId {
        let next = LabelId(self.labels.len() as u32);
        let id = *self.numbers.entry(label).or_insert(next);
        if id == next {
            let layout = self.layouts.get(&label.record);
            let first = layout.is_some_and(|layout| {
                let field = layout.fields.iter().find(|field| field.name == label.name);
                field.is_some_and(|field| field.offset == 0)
            });
            self.labels.push((label, first));
        }
        id
    }

    pub fn label_count(&self) -> usize {
        self.labels.len()
    }

    /// Forgets the members with later numbers, if there are any.
    pub fn forget_labels(&mut self, count: usize) {
        if self.labels.len() > count {
            for (label, _) in self.labels.drain(count..) {
                self.numbers.remove(&label);
            }
            self.asked.retain(|_, id| (id.0 as usize) < count);
            // They may mention such members.
            self.relations.clear();
            self.prefixes.clear();
        }
    }

    /// Numbers members as another program's records do.
    pub fn number_like(&mut self, before: &Records) {
        for (label, _) in &before.labels {
            self.label(*label);
        }
    }

    /// Whether members have the numbers that they had before.
    pub fn continues(&self, before: &Records) -> bool {
        let labels = self.labels.iter().zip(&before.labels);
        self.labels.len() >= before.labels.len() && labels.clone().all(|(new, old)| new == old)
    }

    pub fn find_label(&self, label: Label) -> Option<LabelId> {
        self.numbers.get(&self.storage(label)).copied()
    }

    pub fn get(&self, label: LabelId) -> Label {
        self.labels[label.0 as usize].0
    }

    pub fn size(&self, record: RecordRef) -> Option<u64> {
        self.layouts.get(&record).map(|layout| layout.size)
    }

    pub fn has_layout(&self, record: RecordRef) -> bool {
        self.layouts.contains_key(&record)
    }

    /// Whether the member is where its record starts.
    pub fn is_first(&self, label: LabelId) -> bool {
        self.labels[label.0 as usize].1
    }

    /// The members through which `outer` begins with `inner`.
    pub fn prefix(&mut self, outer: RecordRef, inner: RecordRef) -> Option<Arc<[LabelId]>> {
        if let Some(known) = self.prefixes.get(&(outer, inner)) {
            return known.clone();
        }
        let mut ways: Vec<(RecordRef, Vec<Label>)> = vec![(outer, Vec::new())];
        let mut seen = FxHashSet::default();
        let mut found = None;
        while let Some((record, way)) = ways.pop() {
            if record == inner && !way.is_empty() {
                found = Some(way);
                break;
            }
            if !seen.insert(record) {
                continue;
            }
            let Some(layout) = self.layouts.get(&record) else {
                continue;
            };
            for field in layout.fields.iter().filter(|field| field.offset == 0) {
                if let Some(next) = element_record(&field.ty) {
                    let name = field.name;
                    let mut longer = way.clone();
                    longer.push(Label { record, name });
                    ways.push((next, longer));
                }
            }
        }
        let found: Option<Arc<[LabelId]>> =
            found.map(|way| way.into_iter().map(|label| self.label(label)).collect());
        self.prefixes.insert((outer, inner), found.clone());
        found
    }

    /// The members through which a record begins with something that is no record.
    pub fn first_word(&mut self, record: RecordRef) -> Vec<LabelId> {
        let mut way = Vec::new();
        let mut next = Some(record);
        while let Some(record) = next.take() {
            let Some(layout) = self.layouts.get(&record) else {
                break;
            };
            if let Some(field) = layout.fields.iter().find(|field| field.offset == 0) {
                next = element_record(&field.ty);
                let name = field.name;
                way.push(self.label(Label { record, name }));
            }
        }
        way
    }

    /// Whether a union has members of that record. Of an unknown union nobody can say no.
    pub fn is_alternative(&self, union: RecordRef, record: RecordRef) -> bool {
        self.layouts.get(&union).is_none_or(|layout| {
            let mut members = layout.fields.iter();
            members.any(|field| element_record(&field.ty) == Some(record))
        })
    }

    /// The members that start within so many first bytes; `None` without a layout.
    pub fn within(&mut self, record: RecordRef, bytes: u64) -> Option<Vec<LabelId>> {
        let layout = self.layouts.get(&record)?.clone();
        let fields = layout.fields.iter().filter(|field| field.offset < bytes);
        let names = fields.map(|field| field.name);
        Some(
            names
                .map(|name| self.label(Label { record, name }))
                .collect(),
        )
    }

    pub fn relation(&mut self, left: RecordRef, right: RecordRef) -> Arc<Relation> {
        let key = (left.min(right), left.max(right));
        if let Some(known) = self.relations.get(&key) {
            return known.clone();
        }
        let relation = Arc::new(self.compute_relation(key.0, key.1));
        self.relations.insert(key, relation.clone());
        relation
    }

    fn compute_relation(&mut self, left: RecordRef, right: RecordRef) -> Relation {
        if let Some(way) = self
            .prefix(left, right)
            .or_else(|| self.prefix(right, left))
        {
            return Relation::Prefix(way);
        }
        let overlaid = self.overlaid.contains(&(left, right));
        let layouts = (self.layouts.get(&left), self.layouts.get(&right));
        let (Some(of_left), Some(of_right)) = layouts else {
            return if overlaid {
                Relation::Collapse
            } else {
                Relation::Members(Vec::new())
            };
        };
        // UNSOUND: Memory that is reached as `void *` is assumed to be used as one record, or as
        // records between which the program converts pointers or that begin alike.
        let same = if overlaid {
            overlapping(of_left, of_right)
        } else {
            same_members(of_left, of_right)
        };
        let mut members = Vec::new();
        for (one, other) in same {
            let one = self.label(Label {
                record: left,
                name: one,
            });
            let other = self.label(Label {
                record: right,
                name: other,
            });
            members.push((one, other));
        }
        Relation::Members(members)
    }
}

type MemberPairs = Vec<(ustr::Ustr, ustr::Ustr)>;

/// Members that begin two records alike, as macros that repeat a list of members make them.
fn same_members(left: &RecordLayout, right: &RecordLayout) -> MemberPairs {
    let pairs = left.fields.iter().zip(&right.fields);
    pairs
        .take_while(|(one, other)| {
            one.name == other.name && one.offset == other.offset && one.ty == other.ty
        })
        .map(|(one, other)| (one.name, other.name))
        .collect()
}

/// Members that have a byte in common.
fn overlapping(left: &RecordLayout, right: &RecordLayout) -> MemberPairs {
    let mut pairs = Vec::new();
    for (one, one_end) in ranges(left) {
        for (other, other_end) in ranges(right) {
            if one.offset < other_end && other.offset < one_end {
                pairs.push((one.name, other.name));
            }
        }
    }
    pairs
}

/// Each member with the byte behind it; padding belongs to the member in front of it.
fn ranges(layout: &RecordLayout) -> impl Iterator<Item = (&crate::ir::Field, u64)> {
    layout.fields.iter().map(|field| {
        let behind = layout.fields.iter().map(|other| other.offset);
        let end = behind.filter(|offset| *offset > field.offset).min();
        (field, end.unwrap_or(layout.size.max(field.offset + 1)))
    })
}
