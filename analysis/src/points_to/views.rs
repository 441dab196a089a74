//! Objects that are seen as records: how the members of several records lie over each other.

use super::graph::{Graph, NodeId, Task};
use super::records::{LabelId, Relation};
use crate::ir::RecordRef;

impl Graph {
    pub fn collapse(&mut self, node: NodeId, record: RecordRef) {
        self.tasks.push(Task::Collapse(node, record));
        self.run();
    }

    /// So many bytes of a union are accessed as something that is no record.
    pub fn union_leaf(&mut self, cell: NodeId, union: RecordRef, bytes: u64) {
        let root = self.find(cell);
        let leaf = (union, bytes);
        if self.stands(root) {
            return self.must(self.rare_of(root).union_leaves.contains(&leaf));
        }
        let detail = self.detail(root);
        if !detail.rare().union_leaves.contains(&leaf) {
            detail.rare_mut().union_leaves.push(leaf);
            let views = detail.views.clone();
            self.unite_leaves(root, &[leaf], &views);
            self.run();
        }
    }

    /// The first bytes of a record are accessed without naming the member.
    pub fn first_word(&mut self, cell: NodeId, record: RecordRef) {
        if !self.records.has_layout(record) {
            return self.collapse(cell, record);
        }
        let mut inner = cell;
        for label in self.records.first_word(record) {
            inner = self.field(inner, label);
            self.tasks.push(Task::Unite(cell, inner));
        }
        self.run();
    }

    /// The node is seen as a record.
    pub(super) fn add_view(&mut self, root: NodeId, record: RecordRef) {
        if self.stands(root) {
            let detail = self.known_detail(root);
            let is_seen = detail.is_some_and(|detail| detail.views.contains(&record));
            return self.must(is_seen);
        }
        let detail = self.detail(root);
        let Err(position) = detail.views.binary_search(&record) else {
            return;
        };
        let others = detail.views.clone();
        detail.views.insert(position, record);
        let labels: Vec<LabelId> = detail.containers.iter().map(|known| known.0).collect();
        for other in others {
            self.tasks.push(Task::Relate(root, record, other));
        }
        for label in labels {
            self.climb(root, label, &[record]);
        }
        let leaves = &self.detail(root).rare().union_leaves;
        if !leaves.is_empty() {
            let leaves = leaves.clone();
            self.unite_leaves(root, &leaves, &[record]);
        }
    }

    /// A first member that is seen as the record around it is that record.
    pub(super) fn climb(&mut self, root: NodeId, label: LabelId, views: &[RecordRef]) {
        if self.is_seen_as_container(root, label, views) {
            let list = self.detail(root).unite_containers(label, root);
            let tasks = list.into_iter().map(|one| Task::Unite(root, one));
            self.tasks.extend(tasks);
        }
    }

    /// Whether a first member with these views is seen as the record around it.
    pub(super) fn is_seen_as_container(
        &mut self,
        root: NodeId,
        label: LabelId,
        views: &[RecordRef],
    ) -> bool {
        if !self.nodes[root as usize].is_cell || !self.records.is_first(label) {
            return false;
        }
        let around = self.records.get(label).record;
        let mut views = views.iter();
        views.any(|view| *view == around || self.records.prefix(*view, around).is_some())
    }

    pub(super) fn relate(&mut self, node: NodeId, left: RecordRef, right: RecordRef) {
        match &*self.records.relation(left, right) {
            Relation::Prefix(labels) => {
                let mut inner = node;
                for label in labels.iter() {
                    inner = self.field(inner, *label);
                    self.tasks.push(Task::Unite(node, inner));
                }
            }
            Relation::Members(pairs) => {
                for (one, other) in pairs {
                    let (one, other) = (self.field(node, *one), self.field(node, *other));
                    self.tasks.push(Task::Unite(one, other));
                }
            }
            Relation::Collapse => {
                self.tasks.push(Task::Collapse(node, left));
                self.tasks.push(Task::Collapse(node, right));
            }
        }
    }

    pub(super) fn merge_members(&mut self, node: NodeId, record: RecordRef) {
        let root = self.find(node);
        if self.stands(root) {
            return self.must(self.rare_of(root).collapsed.contains(&record));
        }
        let detail = self.detail(root);
        if let Err(position) = detail.rare().collapsed.binary_search(&record) {
            detail.rare_mut().collapsed.insert(position, record);
            if self.nodes[root as usize].is_cell {
                let content = self.nodes[root as usize].target;
                self.tasks.push(Task::Collapse(content, record));
            }
        }
        let fields = std::mem::take(&mut self.detail(root).fields);
        let (of_record, others): (Vec<_>, Vec<_>) = fields
            .into_iter()
            .partition(|(label, _)| self.records.get(*label).record == record);
        self.detail(root).fields = others.into();
        for (_, child) in of_record {
            self.tasks.push(Task::Unite(root, child));
        }
        self.add_view(root, record);
    }

    /// Scalars in a union share bytes with the first members of the records in it.
    pub(super) fn unite_leaves(
        &mut self,
        root: NodeId,
        leaves: &[(RecordRef, u64)],
        views: &[RecordRef],
    ) {
        for (union, bytes) in leaves {
            for view in views {
                if !self.records.is_alternative(*union, *view) {
                    continue;
                }
                let Some(members) = self.records.within(*view, *bytes) else {
                    self.tasks.push(Task::Collapse(root, *view));
                    continue;
                };
                let first = self.records.first_word(*view);
                let mut inner = root;
                for label in first {
                    inner = self.field(inner, label);
                    self.tasks.push(Task::Unite(root, inner));
                }
                for label in members {
                    let member = self.field(root, label);
                    self.tasks.push(Task::Unite(root, member));
                }
            }
        }
    }
}
