//! What a class has besides its target. Most nodes have nothing of this.

use super::graph::NodeId;
use super::records::LabelId;
use crate::ir::RecordRef;
use smallvec::{SmallVec, smallvec};

/// The same members of several objects lie in few containers.
pub(super) type Containers = SmallVec<[NodeId; 2]>;

#[derive(Clone, Default)]
pub(super) struct Detail {
    /// Sorted by label.
    pub fields: SmallVec<[(LabelId, NodeId); 4]>,
    /// The records as which the node is seen, sorted.
    pub views: SmallVec<[RecordRef; 2]>,
    /// Of what the node is which member, sorted by label; only of cells.
    pub containers: SmallVec<[(LabelId, Containers); 1]>,
    pub equal_if_pointer: Vec<NodeId>,
    pub rare: Option<Box<Rare>>,
}

/// What few classes have.
#[derive(Clone, Default)]
pub(super) struct Rare {
    /// The container to which somebody goes from here.
    pub inverses: Vec<(LabelId, NodeId)>,
    /// Sorted.
    pub functions: Vec<u32>,
    /// Calls of what is here, one signature for each number of arguments.
    pub signatures: Vec<(usize, u32)>,
    /// Variable arguments that nobody takes yet.
    pub offered: Vec<NodeId>,
    pub taken: bool,
    /// Records whose members are not told apart here, sorted.
    pub collapsed: Vec<RecordRef>,
    /// Unions of which so many first bytes are accessed as something that is no record.
    pub union_leaves: Vec<(RecordRef, u64)>,
    pub shifted: bool,
    pub spread: bool,
}

pub(super) static NOTHING_RARE: Rare = Rare {
    inverses: Vec::new(),
    functions: Vec::new(),
    signatures: Vec::new(),
    offered: Vec::new(),
    taken: false,
    collapsed: Vec::new(),
    union_leaves: Vec::new(),
    shifted: false,
    spread: false,
};

impl Detail {
    pub fn rare(&self) -> &Rare {
        self.rare.as_deref().unwrap_or(&NOTHING_RARE)
    }

    pub fn rare_mut(&mut self) -> &mut Rare {
        self.rare.get_or_insert_with(Box::default)
    }

    pub fn field(&self, label: LabelId) -> Option<NodeId> {
        let found = self.fields.binary_search_by_key(&label, |field| field.0);
        found.ok().map(|index| self.fields[index].1)
    }

    pub fn insert_field(&mut self, label: LabelId, child: NodeId) {
        let position = self.fields.binary_search_by_key(&label, |field| field.0);
        match position {
            Ok(index) => self.fields[index].1 = child,
            Err(index) => self.fields.insert(index, (label, child)),
        }
    }

    pub fn is_collapsed(&self, record: RecordRef) -> bool {
        self.rare().collapsed.binary_search(&record).is_ok()
    }

    pub fn inverse(&self, label: LabelId) -> Option<NodeId> {
        let known = self.rare().inverses.iter().find(|known| known.0 == label);
        known.map(|known| known.1)
    }

    pub fn containers_by(&self, label: LabelId) -> Option<&[NodeId]> {
        let found = self
            .containers
            .binary_search_by_key(&label, |known| known.0);
        found.ok().map(|index| self.containers[index].1.as_slice())
    }

    pub fn add_containers(&mut self, label: LabelId, mut nodes: Containers) {
        match self
            .containers
            .binary_search_by_key(&label, |known| known.0)
        {
            Ok(index) => self.containers[index].1.append(&mut nodes),
            Err(index) => self.containers.insert(index, (label, nodes)),
        }
    }

    /// The containers, which are all one from now on.
    pub fn unite_containers(&mut self, label: LabelId, with: NodeId) -> Containers {
        match self
            .containers
            .binary_search_by_key(&label, |known| known.0)
        {
            Ok(index) => std::mem::replace(&mut self.containers[index].1, smallvec![with]),
            Err(_) => Containers::new(),
        }
    }

    /// How much work it is to move this into another class.
    pub fn weight(&self) -> usize {
        self.fields.len() + self.containers.len() + self.views.len() + self.rare().functions.len()
    }
}
