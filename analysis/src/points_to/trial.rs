//! Trying constraints on a graph that is solved: whether they hold there already.
//!
//! While something is tried, the nodes that were there before stand as they are. New nodes may be united with them, and must
//! then be nothing that those are not; whatever would change a node that stands makes the trial fail. Nothing of a trial
//! has to be undone, but for forgetting the new nodes.

use super::detail::{Detail, NOTHING_RARE, Rare};
use super::graph::{Graph, NONE, NodeId, Task};
use super::records::LabelId;
use rustc_hash::FxHashMap;

/// What is known about a trial.
#[derive(Default)]
pub(super) struct Trial {
    /// Nodes with smaller numbers stand; none do while nothing is tried.
    standing: NodeId,
    has_failed: bool,
    /// A new cell is said to contain one that stands, as that member.
    contained: Vec<(NodeId, LabelId, NodeId)>,
    /// Variable arguments to which new values are offered.
    offered: Vec<(NodeId, NodeId)>,
    /// Values that are equal if one is a pointer, which none was when that was said.
    equal_if_pointer: Vec<(NodeId, NodeId)>,
    signatures: usize,
    details: usize,
    labels: usize,
}

impl Trial {
    pub fn note_equal_if_pointer(&mut self, left: NodeId, right: NodeId) {
        if self.standing > 0 {
            self.equal_if_pointer.push((left, right));
        }
    }
}

impl Graph {
    /// From now on everything that is there stands.
    pub fn begin_trial(&mut self) {
        self.trial = Trial {
            standing: self.nodes.len() as NodeId,
            signatures: self.signatures.len(),
            details: self.details.len(),
            labels: self.records.label_count(),
            ..Trial::default()
        };
    }

    /// Forgets what was tried.
    pub fn end_trial(&mut self) {
        self.nodes.truncate(self.trial.standing as usize);
        self.details.truncate(self.trial.details);
        self.signatures.truncate(self.trial.signatures);
        self.records.forget_labels(self.trial.labels);
        self.tasks.clear();
        self.links.clear();
        self.trial = Trial::default();
    }

    /// Whether a root is one that must stay as it is.
    pub fn stands(&self, root: NodeId) -> bool {
        root < self.trial.standing
    }

    /// What was tried does not hold.
    pub fn fall(&mut self) {
        self.trial.has_failed = true;
        self.tasks.clear();
        self.links.clear();
    }

    pub fn must(&mut self, holds: bool) {
        if !holds {
            self.fall();
        }
    }

    pub fn rare_of(&self, root: NodeId) -> &Rare {
        self.known_detail(root)
            .map_or(&NOTHING_RARE, |detail| detail.rare())
    }

    pub(super) fn offer_to_standing(&mut self, root: NodeId, value: NodeId) {
        if self.rare_of(root).taken {
            self.unite(root, value);
        } else {
            self.trial.offered.push((root, value));
        }
    }

    /// A new node turns out to be one that stands.
    pub(super) fn absorb(&mut self, standing: NodeId, new: NodeId) {
        self.nodes[new as usize].parent = standing;
        let [kept, lost] = [standing, new].map(|node| self.nodes[node as usize].target);
        if lost != NONE {
            if kept == NONE {
                return self.fall();
            }
            self.tasks.push(Task::Unite(kept, lost));
        }
        let lost = self.nodes[new as usize].detail;
        if lost == NONE {
            return;
        }
        let lost = self.details.take(lost);
        let is_pointer = kept != NONE && !self.nodes[standing as usize].is_cell;
        if is_pointer {
            let waiting = lost.equal_if_pointer.iter();
            let tasks = waiting.map(|other| Task::Unite(standing, *other));
            self.tasks.extend(tasks);
        }
        let labels = lost.containers.iter().map(|(label, _)| *label);
        let whole: Vec<LabelId> = labels
            .filter(|label| self.is_all_of_its_container(standing, *label))
            .collect();
        let nothing = Detail::default();
        let kept = self.details.get(self.nodes[standing as usize].detail);
        let kept = kept.unwrap_or(&nothing);
        let mut tasks = Vec::new();
        let holds = lost.fields.iter().all(|(label, child)| {
            let collapsed = kept.is_collapsed(self.records.get(*label).record);
            let known = match collapsed {
                true => Some(standing),
                false => kept.field(*label),
            };
            tasks.extend(known.map(|known| Task::Unite(known, *child)));
            known.is_some()
        });
        let has_views = lost.views.iter().all(|view| kept.views.contains(view));
        for (label, containers) in &lost.containers {
            for container in containers {
                // The same rules as where two details meet, all of which were applied to what stands.
                let outer = match whole.contains(label) {
                    true => Some(standing),
                    false => kept.inverse(*label),
                };
                tasks.extend(outer.map(|outer| Task::Unite(outer, *container)));
                self.trial.contained.push((standing, *label, *container));
            }
        }
        let has_rare = match &lost.rare {
            Some(lost) => {
                let offered = lost.offered.iter();
                match kept.rare().taken {
                    true => tasks.extend(offered.map(|value| Task::Unite(standing, *value))),
                    false => {
                        let offered = offered.map(|value| (standing, *value));
                        self.trial.offered.extend(offered);
                    }
                }
                absorb_rare(kept.rare(), lost, &self.signatures, &mut tasks)
            }
            None => true,
        };
        self.tasks.extend(tasks);
        self.must(holds && has_views && has_rare);
    }

    /// Whether a cell is not told apart from what it is this member of.
    fn is_all_of_its_container(&mut self, cell: NodeId, label: LabelId) -> bool {
        let views = match self.known_detail(cell) {
            Some(detail) if detail.rare().spread => return true,
            Some(detail) => detail.views.clone(),
            None => return false,
        };
        self.is_seen_as_container(cell, label, &views)
    }

    /// Whether what was tried holds. `is_entailed` asks for more: also that values which are equal if one is a pointer were
    /// known to be that, whatever others may make a pointer.
    pub fn has_held(&mut self, is_entailed: bool) -> bool {
        if self.trial.has_failed || self.records.label_count() != self.trial.labels {
            return false;
        }
        let contained = std::mem::take(&mut self.trial.contained);
        let is_contained = contained.into_iter().all(|(inner, label, outer)| {
            let outer = self.find(outer);
            let detail = self.known_detail(inner);
            let known = detail.and_then(|detail| detail.containers_by(label));
            let known = known.unwrap_or_default().to_vec();
            known.into_iter().any(|node| self.find(node) == outer)
        });
        let offered = std::mem::take(&mut self.trial.offered);
        let is_offered = offered
            .into_iter()
            .all(|(arguments, value)| self.is_offered(arguments, value));
        is_contained && is_offered && (!is_entailed || self.were_equal_if_pointer())
    }

    /// Whether others can get at nothing by a value that they could not get at before. Who takes variable arguments from
    /// somewhere unknown gets at what they point to.
    fn is_offered(&mut self, arguments: NodeId, value: NodeId) -> bool {
        let arguments = self.find(arguments);
        let value = self.find(value);
        let known = self.rare_of(arguments).offered.clone();
        let roots: Vec<NodeId> = known.into_iter().map(|known| self.find(known)).collect();
        if roots.contains(&value) {
            return true;
        }
        if self.known_detail(value).is_some() {
            return false;
        }
        let target = self.existing_target(value);
        target.is_some_and(|target| {
            let mut known = roots.into_iter();
            known.any(|known| self.existing_target(known) == Some(target))
        })
    }

    /// Whether the values that stand and are now equal if one is a pointer were so before.
    fn were_equal_if_pointer(&mut self) -> bool {
        let pairs = std::mem::take(&mut self.trial.equal_if_pointer);
        let pairs: Vec<(NodeId, NodeId)> = pairs
            .into_iter()
            .map(|(left, right)| (self.find(left), self.find(right)))
            .collect();
        let mut now = Neighbours::default();
        for (left, right) in pairs {
            now.add(left, right);
        }
        let groups = now.groups();
        groups.into_iter().all(|group| {
            let (standing, new): (Vec<NodeId>, Vec<NodeId>) =
                group.into_iter().partition(|node| self.stands(*node));
            let Some((first, rest)) = standing.split_first() else {
                return true;
            };
            // What stands would get members from a new record.
            if !new.iter().all(|node| self.is_plain(*node)) {
                return false;
            }
            if rest.is_empty() {
                return true;
            }
            let known = self.equal_if_pointer_to(*first);
            rest.iter().all(|node| known.contains(node))
        })
    }

    fn equal_if_pointer_to(&mut self, value: NodeId) -> Vec<NodeId> {
        let mut found = vec![value];
        let mut next = 0;
        while let Some(&value) = found.get(next) {
            next += 1;
            let detail = self.known_detail(value);
            let others = detail.map_or_else(Vec::new, |detail| detail.equal_if_pointer.clone());
            for other in others {
                let other = self.find(other);
                if self.stands(other) && !found.contains(&other) {
                    found.push(other);
                }
            }
        }
        found
    }
}

/// Whether nothing rare is new; what turns out to be one comes among the tasks.
fn absorb_rare(
    kept: &Rare,
    lost: &Rare,
    signatures: &[(Vec<NodeId>, NodeId)],
    tasks: &mut Vec<Task>,
) -> bool {
    let has_signatures = lost.signatures.iter().all(|(arguments, signature)| {
        let known = kept.signatures.iter().find(|known| known.0 == *arguments);
        let Some((_, known)) = known else {
            return false;
        };
        let (one, other) = (
            &signatures[*known as usize],
            &signatures[*signature as usize],
        );
        let pairs = one.0.iter().zip(&other.0);
        tasks.extend(pairs.map(|(one, other)| Task::Unite(*one, *other)));
        tasks.push(Task::Unite(one.1, other.1));
        true
    });
    let has_inverses = lost.inverses.iter().all(|(label, outer)| {
        let known = kept.inverses.iter().find(|known| known.0 == *label);
        tasks.extend(known.map(|known| Task::Unite(known.1, *outer)));
        known.is_some()
    });
    let mut functions = lost.functions.iter();
    let mut collapsed = lost.collapsed.iter();
    let mut leaves = lost.union_leaves.iter();
    has_signatures
        && has_inverses
        && functions.all(|function| kept.functions.binary_search(function).is_ok())
        && collapsed.all(|record| kept.collapsed.contains(record))
        && leaves.all(|leaf| kept.union_leaves.contains(leaf))
        && kept.taken >= lost.taken
        && kept.shifted >= lost.shifted
        && kept.spread >= lost.spread
}

/// Which nodes stand beside which.
#[derive(Default)]
struct Neighbours(FxHashMap<NodeId, Vec<NodeId>>);

impl Neighbours {
    fn add(&mut self, left: NodeId, right: NodeId) {
        self.0.entry(left).or_default().push(right);
        self.0.entry(right).or_default().push(left);
    }

    /// The nodes that hang together.
    fn groups(mut self) -> Vec<Vec<NodeId>> {
        let mut groups = Vec::new();
        while let Some(&first) = self.0.keys().next() {
            let mut group = Vec::new();
            let mut pending = vec![first];
            while let Some(node) = pending.pop() {
                if let Some(neighbours) = self.0.remove(&node) {
                    group.push(node);
                    pending.extend(neighbours);
                }
            }
            groups.push(group);
        }
        groups
    }
}
