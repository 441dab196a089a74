//! What a class has besides its target. Most nodes have nothing of this.

use super::graph::NodeId;
use super::records::LabelId;
use crate::ir::RecordRef;

#[derive(Default)]
pub(super) struct Detail {
    /// Sorted by label.
    pub fields: Vec<(LabelId, NodeId)>,
    /// The records as which the node is seen, sorted.
    pub views: Vec<RecordRef>,
    /// Of what the node is which member.
    pub containers: Vec<(LabelId, Vec<NodeId>)>,
    /// The container to which somebody goes from here.
    pub inverses: Vec<(LabelId, NodeId)>,
    pub functions: Vec<u32>,
    /// Calls of what is here, one signature for each number of arguments.
    pub signatures: Vec<(usize, u32)>,
    pub equal_if_pointer: Vec<NodeId>,
    /// Variable arguments that nobody takes yet.
    pub offered: Vec<NodeId>,
    pub taken: bool,
    pub collapsed: bool,
    pub shifted: bool,
    pub spread: bool,
    pub union: bool,
    pub union_leaf: bool,
}

impl Detail {
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

    pub fn inverse(&self, label: LabelId) -> Option<NodeId> {
        let known = self.inverses.iter().find(|known| known.0 == label);
        known.map(|known| known.1)
    }

    pub fn containers_by(&self, label: LabelId) -> Option<&[NodeId]> {
        let known = self.containers.iter().find(|known| known.0 == label);
        known.map(|known| known.1.as_slice())
    }

    /// How much work it is to move this into another class.
    pub fn weight(&self) -> usize {
        self.fields.len() + self.containers.len() + self.views.len() + self.functions.len()
    }
}
