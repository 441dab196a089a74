//! Cells and values in equivalence classes: the union-find structure and its rules.
//!
//! A cell holds a value and a value points to a cell; `target` is either step. Both can have
//! members. Uniting two nodes unites their targets and their members of the same name. A copy of a
//! record unites values only, so that the two objects stay apart.

use super::detail::{Detail, Rare};
use super::details::Details;
use super::records::{LabelId, Records};
use super::trial::Trial;
use crate::ir::RecordRef;
use crate::stop;
use smallvec::{SmallVec, smallvec};

pub(super) type NodeId = u32;
pub(super) const NONE: u32 = u32::MAX;

/// After so many tasks it asks whether somebody still wants them done.
const ASK_AFTER: u32 = 4096;

#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) parent: NodeId,
    pub(super) size: u32,
    pub(super) target: NodeId,
    pub(super) detail: u32,
    pub(super) is_cell: bool,
}

/// What is still to be done. Nothing recurses, however deep the structures are.
pub(super) enum Task {
    Unite(NodeId, NodeId),
    /// The node is seen as both records.
    Relate(NodeId, RecordRef, RecordRef),
    /// The members of the record are not told apart.
    Collapse(NodeId, RecordRef),
    /// A function that a class contains gets calls with this signature.
    Link(u32, u32),
}

pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) details: Details,
    pub(super) tasks: Vec<Task>,
    pub records: Records,
    /// Pairs of function and signature that have to be linked; the solver takes them.
    pub links: Vec<(u32, u32)>,
    /// The values of the arguments and the result of calls through pointers.
    pub signatures: Vec<(Vec<NodeId>, NodeId)>,
    /// What stands as it is, while something is tried.
    pub(super) trial: Trial,
}

impl Graph {
    pub fn new(records: Records) -> Graph {
        Graph {
            nodes: Vec::new(),
            details: Details::default(),
            tasks: Vec::new(),
            records,
            links: Vec::new(),
            signatures: Vec::new(),
            trial: Trial::default(),
        }
    }

    /// Makes room for so many terms. Many of them are cells, which come with a value.
    pub fn reserve(&mut self, terms: usize) {
        self.nodes.reserve(terms + terms / 2);
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_cell(&self, node: NodeId) -> bool {
        self.nodes[node as usize].is_cell
    }

    pub fn value(&mut self) -> NodeId {
        self.node(false)
    }

    /// A cell has a value from the beginning.
    pub fn cell(&mut self) -> NodeId {
        let value = self.value();
        self.cell_with(value)
    }

    fn cell_with(&mut self, value: NodeId) -> NodeId {
        let cell = self.node(true);
        self.nodes[cell as usize].target = value;
        cell
    }

    fn node(&mut self, is_cell: bool) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node {
            parent: id,
            size: 1,
            target: NONE,
            detail: NONE,
            is_cell,
        });
        id
    }

    pub fn find(&mut self, node: NodeId) -> NodeId {
        let mut node = node;
        loop {
            let parent = self.nodes[node as usize].parent;
            if parent == node {
                return node;
            }
            let grandparent = self.nodes[parent as usize].parent;
            self.nodes[node as usize].parent = grandparent;
            node = grandparent;
        }
    }

    pub fn existing_target(&mut self, node: NodeId) -> Option<NodeId> {
        let root = self.find(node);
        let target = self.nodes[root as usize].target;
        (target != NONE).then(|| self.find(target))
    }

    pub fn detail_of(&mut self, node: NodeId) -> Option<&Detail> {
        let root = self.find(node);
        self.known_detail(root)
    }

    /// The cell that a value points to, or the value that a cell holds.
    pub fn target(&mut self, node: NodeId) -> NodeId {
        if let Some(target) = self.existing_target(node) {
            return target;
        }
        let cell = self.cell();
        self.set_target(node, cell);
        cell
    }

    pub fn set_target(&mut self, value: NodeId, cell: NodeId) {
        let root = self.find(value);
        let known = self.nodes[root as usize].target;
        if known != NONE {
            self.tasks.push(Task::Unite(known, cell));
            return;
        }
        if self.stands(root) {
            return self.fall();
        }
        self.nodes[root as usize].target = cell;
        self.flush_pointer(root);
    }

    pub fn unite(&mut self, left: NodeId, right: NodeId) {
        self.tasks.push(Task::Unite(left, right));
        self.run();
    }

    /// Two integers are equal, which matters as soon as one of them is a pointer.
    pub fn unite_if_pointer(&mut self, left: NodeId, right: NodeId) {
        let (left, right) = (self.find(left), self.find(right));
        if left == right {
            return;
        }
        if self.nodes[left as usize].target != NONE || self.nodes[right as usize].target != NONE {
            self.unite(left, right);
            return;
        }
        self.trial.note_equal_if_pointer(left, right);
        for (one, other) in [(left, right), (right, left)] {
            // What stands becomes no pointer any more.
            if !self.stands(one) {
                self.detail(one).equal_if_pointer.push(other);
            }
        }
    }

    /// The value gets an argument of a variable list, which matters as soon as somebody takes it.
    pub fn offer(&mut self, arguments: NodeId, value: NodeId) {
        let root = self.find(arguments);
        if self.stands(root) {
            return self.offer_to_standing(root, value);
        }
        let rare = self.detail(root).rare_mut();
        if rare.taken {
            self.unite(root, value);
        } else {
            rare.offered.push(value);
        }
    }

    pub fn take(&mut self, arguments: NodeId) {
        let root = self.find(arguments);
        if self.stands(root) {
            return self.must(self.rare_of(root).taken);
        }
        self.detail(root).rare_mut().taken = true;
        self.flush_offered(root);
        self.run();
    }

    /// A pointer into the cell was moved by some number of bytes.
    pub fn shift(&mut self, cell: NodeId) {
        let root = self.find(cell);
        if self.stands(root) {
            return self.must(self.rare_of(root).shifted);
        }
        self.detail(root).rare_mut().shifted = true;
        self.unite_shifted(root);
        self.run();
    }

    /// The cell cannot be told apart from what contains it.
    pub fn spread(&mut self, cell: NodeId) {
        let root = self.find(cell);
        if self.stands(root) {
            return self.must(self.rare_of(root).spread);
        }
        self.detail(root).rare_mut().spread = true;
        self.unite_spread(root);
        self.run();
    }

    pub fn add_function(&mut self, cell: NodeId, function: u32) {
        let root = self.find(cell);
        let known = &mut self.detail(root).rare_mut().functions;
        if let Err(position) = known.binary_search(&function) {
            known.insert(position, function);
        }
    }

    /// The cell is called with this signature; one with as many arguments is the same one.
    pub fn add_signature(&mut self, cell: NodeId, arguments: usize) -> u32 {
        let root = self.find(cell);
        let known = &self.rare_of(root).signatures;
        if let Some((_, signature)) = known.iter().find(|(count, _)| *count == arguments) {
            return *signature;
        }
        let signature = self.signatures.len() as u32;
        let values: Vec<NodeId> = (0..arguments).map(|_| self.value()).collect();
        let result = self.value();
        self.signatures.push((values, result));
        if self.stands(root) {
            self.fall();
            return signature;
        }
        let rare = self.detail(root).rare_mut();
        rare.signatures.push((arguments, signature));
        for function in rare.functions.clone() {
            self.tasks.push(Task::Link(function, signature));
        }
        self.run();
        signature
    }

    /// A member of a cell or of a value.
    pub fn field(&mut self, node: NodeId, label: LabelId) -> NodeId {
        let root = self.find(node);
        let record = self.records.get(label).record;
        if record.is_union() {
            return root;
        }
        if let Some(detail) = self.known_detail(root) {
            if detail.is_collapsed(record) {
                return root;
            }
            if let Some(known) = detail.field(label) {
                return self.find(known);
            }
        }
        if self.stands(root) {
            self.fall();
            return match self.nodes[root as usize].is_cell {
                true => self.cell(),
                false => self.value(),
            };
        }
        let child = if self.nodes[root as usize].is_cell {
            let content = self.nodes[root as usize].target;
            let value = self.field(content, label);
            self.cell_with(value)
        } else {
            self.value()
        };
        // Making the value's member may have united nothing yet: tasks wait.
        self.detail(root).insert_field(label, child);
        if self.nodes[root as usize].is_cell {
            self.detail(child).add_containers(label, smallvec![root]);
        }
        self.add_view(root, record);
        child
    }

    /// The cell whose member the given cell is.
    pub fn container(&mut self, cell: NodeId, label: LabelId) -> NodeId {
        let root = self.find(cell);
        let record = self.records.get(label).record;
        if record.is_union() {
            return root;
        }
        let inverse = self.known_detail(root);
        if let Some(known) = inverse.and_then(|detail| detail.inverse(label)) {
            return self.find(known);
        }
        if self.stands(root) {
            self.fall();
            return self.cell();
        }
        let detail = self.detail(root);
        let known = detail.containers_by(label).and_then(|list| list.first());
        let outer = match known.copied() {
            Some(outer) => outer,
            None => {
                let outer = self.cell();
                let inner = self.field(outer, label);
                self.tasks.push(Task::Unite(inner, root));
                outer
            }
        };
        self.detail(root).rare_mut().inverses.push((label, outer));
        self.unite_containers(root, label);
        self.unite_shifted(root);
        self.run();
        self.find(outer)
    }

    /// Does everything that is waiting.
    pub fn run(&mut self) {
        let mut turns = 0u32;
        while let Some(task) = self.tasks.pop() {
            turns = turns.wrapping_add(1);
            if turns.is_multiple_of(ASK_AFTER) {
                stop::ask();
            }
            match task {
                Task::Unite(left, right) => self.merge(left, right),
                Task::Relate(node, left, right) => self.relate(node, left, right),
                Task::Collapse(node, record) => self.merge_members(node, record),
                Task::Link(function, signature) => self.links.push((function, signature)),
            }
        }
    }

    /// The detail of a root, if there is one.
    pub(super) fn known_detail(&self, root: NodeId) -> Option<&Detail> {
        self.details.get(self.nodes[root as usize].detail)
    }

    pub(super) fn detail(&mut self, root: NodeId) -> &mut Detail {
        self.details.of_node(&mut self.nodes[root as usize].detail)
    }

    fn merge(&mut self, left: NodeId, right: NodeId) {
        let (left, right) = (self.find(left), self.find(right));
        if left == right {
            return;
        }
        match (self.stands(left), self.stands(right)) {
            (true, true) => return self.fall(),
            (true, false) => return self.absorb(left, right),
            (false, true) => return self.absorb(right, left),
            (false, false) => {}
        }
        let sizes = [left, right].map(|node| self.nodes[node as usize].size);
        let (winner, loser) = if sizes[0] >= sizes[1] {
            (left, right)
        } else {
            (right, left)
        };
        self.nodes[loser as usize].parent = winner;
        self.nodes[winner as usize].size = sizes[0].saturating_add(sizes[1]);
        let [kept, lost] = [winner, loser].map(|node| self.nodes[node as usize].target);
        if kept == NONE {
            self.nodes[winner as usize].target = lost;
        } else if lost != NONE {
            self.tasks.push(Task::Unite(kept, lost));
        }
        let lost = self.nodes[loser as usize].detail;
        if lost == NONE {
            self.flush_pointer(winner);
            return;
        }
        let kept = self.nodes[winner as usize].detail;
        if kept == NONE {
            self.nodes[winner as usize].detail = lost;
            self.flush_pointer(winner);
            return;
        }
        // Less is moved into more.
        let weight = |detail: u32| self.details.get(detail).map_or(0, Detail::weight);
        let (kept, lost) = match weight(lost) > weight(kept) {
            true => (lost, kept),
            false => (kept, lost),
        };
        self.nodes[winner as usize].detail = kept;
        let lost = self.details.take(lost);
        self.merge_details(winner, &lost);
        self.flush_pointer(winner);
        self.flush_offered(winner);
    }

    /// The details of two united nodes meet: what one asks for, the other may have.
    fn merge_details(&mut self, winner: NodeId, lost: &Detail) {
        // A detail of a group becomes the graph's own only if it has to be another one.
        let Some(kept) = self.known_detail(winner) else {
            return;
        };
        let has_collapsed = !kept.rare().collapsed.is_empty();
        let mut tasks: SmallVec<[Task; 8]> = SmallVec::new();
        let mut new_fields: SmallVec<[(LabelId, NodeId); 8]> = SmallVec::new();
        for (label, child) in &lost.fields {
            if has_collapsed && kept.is_collapsed(self.records.get(*label).record) {
                tasks.push(Task::Unite(winner, *child));
                continue;
            }
            match kept.field(*label) {
                Some(known) => tasks.push(Task::Unite(known, *child)),
                None => new_fields.push((*label, *child)),
            }
        }
        let old_views = kept.views.clone();
        let new_views = lost.views.iter().copied();
        let new_views: SmallVec<[RecordRef; 4]> = new_views
            .filter(|view| old_views.binary_search(view).is_err())
            .collect();
        self.tasks.extend(tasks);
        if !new_fields.is_empty() {
            let fields = &mut self.detail(winner).fields;
            fields.extend(new_fields);
            fields.sort_unstable_by_key(|field| field.0);
        }
        if !lost.equal_if_pointer.is_empty() {
            let waiting = &mut self.detail(winner).equal_if_pointer;
            waiting.extend(&lost.equal_if_pointer);
        }
        for (label, list) in &lost.containers {
            self.detail(winner).add_containers(*label, list.clone());
        }
        for view in new_views {
            self.add_view(winner, view);
        }
        for (label, _) in &lost.containers {
            self.climb(winner, *label, &old_views);
            self.unite_containers(winner, *label);
        }
        if let Some(lost) = &lost.rare {
            self.merge_rare(winner, lost, &old_views);
        }
        self.unite_shifted(winner);
        self.unite_spread(winner);
    }

    fn merge_rare(&mut self, winner: NodeId, lost: &Rare, old_views: &[RecordRef]) {
        let kept = self
            .details
            .of_node(&mut self.nodes[winner as usize].detail);
        let kept = kept.rare_mut();
        let tasks = &mut self.tasks;
        // A function that is on both sides got the calls of both already.
        let is_new = |function: &&u32, others: &[u32]| others.binary_search(function).is_err();
        for (arguments, signature) in &lost.signatures {
            let functions = kept.functions.iter();
            let functions = functions.filter(|function| is_new(function, &lost.functions));
            tasks.extend(functions.map(|function| Task::Link(*function, *signature)));
            let known = kept.signatures.iter().find(|known| known.0 == *arguments);
            let Some(&(_, known)) = known else {
                continue;
            };
            let (one, other) = (
                &self.signatures[known as usize],
                &self.signatures[*signature as usize],
            );
            let pairs = one.0.iter().zip(&other.0);
            tasks.extend(pairs.map(|(one, other)| Task::Unite(*one, *other)));
            tasks.push(Task::Unite(one.1, other.1));
        }
        let functions = lost.functions.iter();
        for function in functions.filter(|function| is_new(function, &kept.functions)) {
            let signatures = kept.signatures.iter();
            tasks.extend(signatures.map(|(_, signature)| Task::Link(*function, *signature)));
        }
        if kept.functions.is_empty() {
            kept.functions = lost.functions.clone();
        } else if !lost.functions.is_empty() {
            kept.functions.extend(&lost.functions);
            kept.functions.sort_unstable();
            kept.functions.dedup();
        }
        for (arguments, signature) in &lost.signatures {
            if !kept.signatures.iter().any(|known| known.0 == *arguments) {
                kept.signatures.push((*arguments, *signature));
            }
        }
        for (label, outer) in &lost.inverses {
            match kept.inverses.iter().find(|known| known.0 == *label) {
                Some(known) => tasks.push(Task::Unite(known.1, *outer)),
                None => kept.inverses.push((*label, *outer)),
            }
        }
        kept.offered.extend(&lost.offered);
        kept.taken |= lost.taken;
        kept.shifted |= lost.shifted;
        kept.spread |= lost.spread;
        for record in &lost.collapsed {
            if kept.collapsed.binary_search(record).is_err() {
                tasks.push(Task::Collapse(winner, *record));
            }
        }
        let new_leaves = lost.union_leaves.iter().copied();
        let new_leaves: Vec<(RecordRef, u64)> = new_leaves
            .filter(|leaf| !kept.union_leaves.contains(leaf))
            .collect();
        kept.union_leaves.extend(&new_leaves);
        self.unite_leaves(winner, &new_leaves, old_views);
        for (label, _) in &lost.inverses {
            self.unite_containers(winner, *label);
        }
    }

    /// Where somebody goes from a member to its container, all containers are one.
    fn unite_containers(&mut self, root: NodeId, label: LabelId) {
        let known = self.known_detail(root);
        let Some(outer) = known.and_then(|detail| detail.inverse(label)) else {
            return;
        };
        let list = self.detail(root).unite_containers(label, outer);
        let tasks = list.into_iter().map(|one| Task::Unite(outer, one));
        self.tasks.extend(tasks);
    }

    fn unite_shifted(&mut self, root: NodeId) {
        let rare = self.rare_of(root);
        if rare.shifted {
            let inverses: Vec<NodeId> = rare.inverses.iter().map(|known| known.1).collect();
            let tasks = inverses.into_iter().map(|outer| Task::Unite(root, outer));
            self.tasks.extend(tasks);
        }
    }

    fn unite_spread(&mut self, root: NodeId) {
        if self.rare_of(root).spread {
            let detail = self.detail(root);
            let labels: Vec<LabelId> = detail.containers.iter().map(|known| known.0).collect();
            let outer: Vec<NodeId> = labels
                .into_iter()
                .flat_map(|label| detail.unite_containers(label, root))
                .collect();
            let tasks = outer.into_iter().map(|outer| Task::Unite(root, outer));
            self.tasks.extend(tasks);
        }
    }

    fn flush_pointer(&mut self, root: NodeId) {
        let node = self.nodes[root as usize];
        let known = self.known_detail(root);
        let is_waiting = known.is_some_and(|detail| !detail.equal_if_pointer.is_empty());
        if node.is_cell || node.target == NONE || !is_waiting {
            return;
        }
        let waiting = std::mem::take(&mut self.detail(root).equal_if_pointer);
        let tasks = waiting.into_iter().map(|other| Task::Unite(root, other));
        self.tasks.extend(tasks);
    }

    fn flush_offered(&mut self, root: NodeId) {
        if self.rare_of(root).taken {
            let detail = self.detail(root);
            let offered = std::mem::take(&mut detail.rare_mut().offered);
            let tasks = offered.into_iter().map(|value| Task::Unite(root, value));
            self.tasks.extend(tasks);
        }
    }
}
