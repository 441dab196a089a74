//! What other threads can get at.

use super::graph::{Graph, NodeId};

/// Which nodes can be reached from the given ones: along pointers, into members, and from members
/// to their containers where the program takes that way.
pub(super) fn reachable(graph: &mut Graph, from: Vec<NodeId>) -> Vec<bool> {
    let mut reached = vec![false; graph.len()];
    let mut pending = from;
    while let Some(node) = pending.pop() {
        let root = graph.find(node);
        if std::mem::replace(&mut reached[root as usize], true) {
            continue;
        }
        pending.extend(graph.existing_target(root));
        // UNSOUND: Another thread that gets a pointer to a member is assumed to get at the object
        // around it only if the program goes from that member to the object somewhere.
        if let Some(detail) = graph.detail_of(root) {
            pending.extend(detail.fields.iter().map(|field| field.1));
            pending.extend(detail.rare().inverses.iter().map(|inverse| inverse.1));
            pending.extend(detail.rare().offered.iter().copied());
        }
    }
    reached
}
