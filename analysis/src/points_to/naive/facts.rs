//! Lists of facts about cells and values, and the rules over them.

use super::super::constraints::Flow;
use super::super::records::{LabelId, Records, Relation};
use crate::ir::RecordRef;
use std::collections::{BTreeMap, BTreeSet};

pub(super) type Node = usize;

#[derive(Default)]
pub(super) struct Facts {
    pub class: Vec<usize>,
    pub is_cell: Vec<bool>,
    pub targets: Vec<(Node, Node)>,
    pub fields: Vec<(Node, LabelId, Node)>,
    pub inverses: Vec<(Node, LabelId, Node)>,
    pub collapsed: Vec<(Node, RecordRef)>,
    pub leaves: Vec<(Node, RecordRef, u64)>,
    pub first_words: Vec<(Node, RecordRef)>,
    pub shifted: Vec<Node>,
    pub spread: Vec<Node>,
    pub equal_if_pointer: Vec<(Node, Node)>,
    pub offers: Vec<(Node, Node)>,
    pub taken: Vec<Node>,
    pub records: Records,
}

impl Facts {
    pub fn node(&mut self, is_cell: bool) -> Node {
        self.class.push(self.class.len());
        self.is_cell.push(is_cell);
        self.class.len() - 1
    }

    pub fn cell(&mut self) -> Node {
        let (value, cell) = (self.node(false), self.node(true));
        self.targets.push((cell, value));
        cell
    }

    pub fn same(&self, left: Node, right: Node) -> bool {
        self.class[left] == self.class[right]
    }

    pub fn unite(&mut self, left: Node, right: Node) -> bool {
        let (from, to) = (self.class[left], self.class[right]);
        for class in &mut self.class {
            if *class == from {
                *class = to;
            }
        }
        from != to
    }

    fn known_target(&self, node: Node) -> Option<Node> {
        let known = self.targets.iter().find(|known| self.same(known.0, node));
        known.map(|known| known.1)
    }

    pub fn target(&mut self, node: Node) -> Node {
        if let Some(known) = self.known_target(node) {
            return known;
        }
        let cell = self.cell();
        self.targets.push((node, cell));
        cell
    }

    pub fn field(&mut self, node: Node, label: LabelId) -> Node {
        if self.records.get(label).record.is_union() {
            return node;
        }
        let known = self.fields.iter();
        let known = known
            .copied()
            .find(|known| known.1 == label && self.same(known.0, node));
        if let Some((_, _, child)) = known {
            return child;
        }
        let child = if self.is_cell[node] {
            self.cell()
        } else {
            self.node(false)
        };
        self.fields.push((node, label, child));
        child
    }

    pub fn container(&mut self, cell: Node, label: LabelId) -> Node {
        if self.records.get(label).record.is_union() {
            return cell;
        }
        let outer = self.cell();
        self.fields.push((outer, label, cell));
        self.inverses.push((cell, label, outer));
        outer
    }

    pub fn flows(&mut self, left: Node, right: Node, flow: Flow) {
        match flow {
            Flow::Always => {
                self.unite(left, right);
            }
            Flow::Perhaps => self.equal_if_pointer.push((left, right)),
            Flow::Never => {}
        }
    }

    /// Applies each rule to all facts once; whether anything changed.
    pub fn apply_rules(&mut self) -> bool {
        let nodes = self.class.len();
        let mut changed = false;
        for (node, target) in self.targets.clone() {
            for (other, its_target) in self.targets.clone() {
                changed |= self.same(node, other) && self.unite(target, its_target);
            }
        }
        for (node, label, child) in self.fields.clone() {
            for (other, its_label, its_child) in self.fields.clone() {
                changed |=
                    label == its_label && self.same(node, other) && self.unite(child, its_child);
            }
            if self.is_cell[node] {
                let (content, inner) = (self.target(node), self.target(child));
                let field = self.field(content, label);
                changed |= self.unite(field, inner);
            }
            changed |= self.spread.clone().iter().any(|spread| {
                self.same(child, *spread) && self.is_cell[child] && self.unite(node, child)
            });
        }
        for (cell, label, outer) in self.inverses.clone() {
            for (node, its_label, child) in self.fields.clone() {
                changed |= label == its_label && self.same(cell, child) && self.unite(node, outer);
            }
            let shifted = self.shifted.iter().any(|shifted| self.same(*shifted, cell));
            changed |= shifted && self.unite(cell, outer);
        }
        for (node, record) in self.collapsed.clone() {
            for (other, label, child) in self.fields.clone() {
                changed |= self.records.get(label).record == record
                    && self.same(node, other)
                    && self.unite(node, child);
            }
            if self.is_cell[node] {
                let content = self.target(node);
                let mut known = self.collapsed.iter();
                if !known.any(|known| known.1 == record && self.same(known.0, content)) {
                    self.collapsed.push((content, record));
                    changed = true;
                }
            }
        }
        changed |= self.relate_views();
        for (cell, record) in self.first_words.clone() {
            let labels = self.records.first_word(record);
            changed |= self.unite_chain(cell, &labels);
        }
        for (left, right) in self.equal_if_pointer.clone() {
            let pointer = self.known_target(left).is_some() || self.known_target(right).is_some();
            changed |= pointer && self.unite(left, right);
        }
        for (arguments, value) in self.offers.clone() {
            let taken = self.taken.iter().any(|taken| self.same(*taken, arguments));
            changed |= taken && self.unite(arguments, value);
        }
        changed || self.class.len() > nodes
    }

    fn relate_views(&mut self) -> bool {
        let mut views: BTreeMap<usize, (Node, BTreeSet<RecordRef>)> = BTreeMap::new();
        let of_fields = self.fields.iter();
        let of_fields = of_fields.map(|(node, label, _)| (*node, self.records.get(*label).record));
        for (node, record) in of_fields.chain(self.collapsed.iter().copied()) {
            let known = views.entry(self.class[node]);
            known.or_insert((node, BTreeSet::new())).1.insert(record);
        }
        let mut changed = false;
        for (node, records) in views.values() {
            for left in records {
                for right in records.iter().filter(|right| *right > left) {
                    changed |= self.relate(*node, *left, *right);
                }
            }
            for (cell, union, bytes) in self.leaves.clone() {
                if !self.same(cell, *node) {
                    continue;
                }
                for view in records {
                    if self.records.is_alternative(union, *view) {
                        changed |= self.unite_leaf(cell, *view, bytes);
                    }
                }
            }
            for (outer, label, child) in self.fields.clone() {
                let around = self.records.get(label).record;
                if self.is_cell[child] && self.same(child, *node) && self.records.is_first(label) {
                    let seen = records.iter();
                    let outside = seen
                        .copied()
                        .any(|view| view == around || self.records.prefix(view, around).is_some());
                    changed |= outside && self.unite(outer, child);
                }
            }
        }
        changed
    }

    fn relate(&mut self, node: Node, left: RecordRef, right: RecordRef) -> bool {
        match &*self.records.relation(left, right) {
            Relation::Prefix(labels) => self.unite_chain(node, labels),
            Relation::Members(pairs) => pairs.iter().fold(false, |changed, (one, other)| {
                let (one, other) = (self.field(node, *one), self.field(node, *other));
                self.unite(one, other) || changed
            }),
            Relation::Collapse => [left, right].into_iter().fold(false, |changed, record| {
                let mut known = self.collapsed.iter();
                let new = !known.any(|known| known.1 == record && self.same(known.0, node));
                if new {
                    self.collapsed.push((node, record));
                }
                changed || new
            }),
        }
    }

    fn unite_chain(&mut self, node: Node, labels: &[LabelId]) -> bool {
        let mut inner = node;
        let mut changed = false;
        for label in labels {
            inner = self.field(inner, *label);
            changed |= self.unite(node, inner);
        }
        changed
    }

    fn unite_leaf(&mut self, cell: Node, view: RecordRef, bytes: u64) -> bool {
        let Some(members) = self.records.within(view, bytes) else {
            let known = self.collapsed.contains(&(cell, view));
            if !known {
                self.collapsed.push((cell, view));
            }
            return !known;
        };
        let first = self.records.first_word(view);
        let mut changed = self.unite_chain(cell, &first);
        for label in members {
            let member = self.field(cell, label);
            changed |= self.unite(cell, member);
        }
        changed
    }
}
