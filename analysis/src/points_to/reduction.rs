//! Leaves those nodes of a solved graph out that nobody outside can have anything to do with.
//!
//! What stays is one node for each class. Values to which no way leads from outside go: nothing can be united with them any more, and
//! all that is asked about them is what they point to. All cells stay, but strings that have nothing to do with anything are one.

use super::detail::{Containers, Detail};
use super::graph::{Graph, NONE, Node, NodeId, Task};
use super::standing::Kinds;

/// A graph in which every node is a class of its own.
pub(super) struct Reduced {
    pub nodes: Vec<Node>,
    pub details: Vec<Detail>,
    pub signatures: Vec<(Vec<NodeId>, NodeId)>,
}

/// Which classes stay, and what they are called then.
pub(super) struct Reduction {
    /// By root; `NONE` for those that go.
    names: Vec<NodeId>,
    /// The roots that stay, in their new order.
    roots: Vec<NodeId>,
}

const GOES: u8 = 0;
const STAYS: u8 = 1;
const IS_STRING: u8 = 2;

impl Reduction {
    /// `interface` are the nodes that others know.
    pub fn new(graph: &mut Graph, interface: Vec<NodeId>, kinds: &Kinds) -> Reduction {
        let mut fates = vec![GOES; graph.len()];
        keep_reachable(graph, interface, &mut fates);
        let mut cells = Vec::new();
        let mut string = None;
        for node in 0..graph.len() as NodeId {
            let is_left = graph.is_cell(node) && fates[node as usize] == GOES;
            if !is_left || graph.find(node) != node {
                continue;
            }
            if kinds.are_only_strings(node) && graph.is_bare(node) {
                fates[node as usize] = IS_STRING;
                string.get_or_insert(node);
            } else {
                cells.push(node);
            }
        }
        keep_reachable(graph, cells, &mut fates);
        if let Some(string) = string {
            fates[string as usize] = GOES;
            keep_reachable(graph, vec![string], &mut fates);
        }
        let roots = 0..graph.len() as NodeId;
        let roots: Vec<NodeId> = roots
            .filter(|node| fates[*node as usize] == STAYS)
            .collect();
        let mut names = vec![NONE; graph.len()];
        for (name, root) in roots.iter().enumerate() {
            names[*root as usize] = name as NodeId;
        }
        if let Some(string) = string {
            for node in 0..graph.len() {
                if fates[node] == IS_STRING {
                    names[node] = names[string as usize];
                }
            }
        }
        Reduction { names, roots }
    }

    /// What a node is called; of a value that goes what it points to, and `NONE` if that is nothing.
    pub fn node(&self, graph: &mut Graph, node: NodeId) -> NodeId {
        match self.kept(graph, node) {
            NONE => {
                { graph.existing_target(node) }.map_or(NONE, |target| self.names[target as usize])
            }
            name => name,
        }
    }

    /// What a node is called, or `NONE` if it goes.
    fn kept(&self, graph: &mut Graph, node: NodeId) -> NodeId {
        self.names[graph.find(node) as usize]
    }

    fn all_kept(&self, graph: &mut Graph, nodes: &[NodeId]) -> Vec<NodeId> {
        let nodes = nodes.iter().map(|node| self.kept(graph, *node));
        let mut nodes: Vec<NodeId> = nodes.filter(|node| *node != NONE).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    pub fn reduced(&self, graph: &mut Graph) -> Reduced {
        let mut reduced = Reduced {
            nodes: Vec::with_capacity(self.roots.len()),
            details: Vec::new(),
            signatures: Vec::new(),
        };
        for (name, root) in self.roots.iter().enumerate() {
            let node = graph.nodes[*root as usize];
            let target = match node.target {
                NONE => NONE,
                target => self.kept(graph, target),
            };
            let detail = match node.detail {
                NONE => NONE,
                number => {
                    let detail = graph.details.take(number).into_own();
                    let detail = self.detail(graph, detail, name as NodeId, &mut reduced);
                    reduced.details.push(detail);
                    reduced.details.len() as u32 - 1
                }
            };
            reduced.nodes.push(Node {
                parent: name as NodeId,
                size: node.size,
                target,
                detail,
                is_cell: node.is_cell,
            });
        }
        reduced
    }

    fn detail(
        &self,
        graph: &mut Graph,
        mut detail: Detail,
        own: NodeId,
        reduced: &mut Reduced,
    ) -> Detail {
        for (_, child) in &mut detail.fields {
            *child = self.kept(graph, *child);
        }
        for (_, containers) in &mut detail.containers {
            *containers = Containers::from_vec(self.all_kept(graph, containers));
        }
        detail.equal_if_pointer = self.all_kept(graph, &detail.equal_if_pointer);
        detail.equal_if_pointer.retain(|other| *other != own);
        if let Some(rare) = &mut detail.rare {
            for (_, outer) in &mut rare.inverses {
                *outer = self.kept(graph, *outer);
            }
            rare.offered = self.all_kept(graph, &rare.offered);
            for (_, signature) in &mut rare.signatures {
                let (arguments, result) = graph.signatures[*signature as usize].clone();
                let arguments = arguments.into_iter().map(|node| self.kept(graph, node));
                let arguments = arguments.collect();
                *signature = reduced.signatures.len() as u32;
                reduced
                    .signatures
                    .push((arguments, self.kept(graph, result)));
            }
        }
        detail
    }
}

/// Whatever can be reached from some nodes stays.
fn keep_reachable(graph: &mut Graph, from: Vec<NodeId>, fates: &mut [u8]) {
    let mut pending = from;
    while let Some(node) = pending.pop() {
        let root = graph.find(node);
        if fates[root as usize] != GOES {
            continue;
        }
        fates[root as usize] = STAYS;
        pending.extend(graph.existing_target(root));
        let Some(detail) = graph.known_detail(root) else {
            continue;
        };
        pending.extend(detail.fields.iter().map(|field| field.1));
        pending.extend(detail.containers.iter().flat_map(|known| &known.1));
        pending.extend(&detail.equal_if_pointer);
        let rare = detail.rare();
        pending.extend(rare.inverses.iter().map(|inverse| inverse.1));
        pending.extend(&rare.offered);
        for (_, signature) in &rare.signatures {
            let (arguments, result) = &graph.signatures[*signature as usize];
            pending.extend(arguments);
            pending.push(*result);
        }
    }
}

impl Graph {
    /// Two nodes are one, which is seen to later.
    pub(super) fn unite_later(&mut self, left: NodeId, right: NodeId) {
        self.tasks.push(Task::Unite(left, right));
    }
}
