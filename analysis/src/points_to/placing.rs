//! Where solved groups lie in the graph of a program. A group that stays keeps its place from edit to edit, and with it the numbers
//! of its nodes, so that its part of the graph need not be made again.

use super::detail::{Detail, Rare};
use super::graph::{Graph, NONE, Node, NodeId};
use super::group::Group;
use super::reduction::Reduced;
use std::sync::Arc;

/// Room for a group in a graph.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub first: NodeId,
    nodes: u32,
    first_signature: u32,
    signatures: u32,
}

/// The graph of a group as it is at its place.
pub(super) struct Moved {
    nodes: Vec<Node>,
    details: Arc<Vec<Detail>>,
    signatures: Vec<(Vec<NodeId>, NodeId)>,
}

/// A group may become a little larger where it is.
const SPARE: u32 = if cfg!(test) { 2 } else { 32 };

/// How many nodes and signatures a group has.
type Size = (u32, u32);

/// Gives each group a place: the one that the group of its number had, if it fits there. If too much room is left unused,
/// all get other places.
pub(super) fn places(groups: &[Arc<Group>], known: &[Place]) -> Vec<Place> {
    let sizes: Vec<Size> = groups.iter().map(|group| size(group)).collect();
    places_of(&sizes, known)
}

fn places_of(sizes: &[Size], known: &[Place]) -> Vec<Place> {
    let found = places_beside(sizes, known);
    let needed: u32 = sizes.iter().map(|(nodes, _)| nodes).sum();
    let used = found.iter().map(|place| place.first + place.nodes).max();
    match used.unwrap_or(0) > 2 * needed + SPARE * sizes.len() as u32 {
        true => places_beside(sizes, &[]),
        false => found,
    }
}

fn places_beside(sizes: &[Size], known: &[Place]) -> Vec<Place> {
    let ends = known.iter().map(|place| place.first + place.nodes);
    let mut end = ends.max().unwrap_or(0);
    let signatures = known
        .iter()
        .map(|place| place.first_signature + place.signatures);
    let mut signature_end = signatures.max().unwrap_or(0);
    let places = sizes.iter().enumerate().map(|(number, size)| {
        let (nodes, signatures) = *size;
        let fitting = known.get(number);
        let fitting =
            fitting.filter(|place| nodes <= place.nodes && signatures <= place.signatures);
        if let Some(place) = fitting {
            return *place;
        }
        let place = Place {
            first: end,
            nodes: nodes + nodes / 16 + SPARE,
            first_signature: signature_end,
            signatures: signatures + SPARE,
        };
        end += place.nodes;
        signature_end += place.signatures;
        place
    });
    places.collect()
}

fn size(group: &Group) -> Size {
    let graph = &group.graph;
    (graph.nodes.len() as u32, graph.signatures.len() as u32)
}

impl Place {
    pub fn is(&self, other: &Place) -> bool {
        self.first == other.first && self.first_signature == other.first_signature
    }
}

impl Moved {
    /// `functions` gives the numbers of the group's functions.
    pub fn new(reduced: &Reduced, place: &Place, functions: &[u32]) -> Moved {
        let first = place.first;
        let nodes = reduced.nodes.iter().map(|node| Node {
            parent: node.parent + first,
            target: match node.target {
                NONE => NONE,
                target => target + first,
            },
            ..*node
        });
        let details = reduced.details.iter();
        let details = details.map(|detail| detail.moved(place, functions));
        let signatures = reduced.signatures.iter().map(|(arguments, result)| {
            let arguments = arguments.iter().map(|node| node + first);
            (arguments.collect(), result + first)
        });
        Moved {
            nodes: nodes.collect(),
            details: Arc::new(details.collect()),
            signatures: signatures.collect(),
        }
    }
}

impl Graph {
    /// Makes room for these places. Nodes that belong to none are values that nobody knows.
    pub(super) fn make_room(&mut self, places: &[Place]) {
        let ends = places.iter().map(|place| place.first + place.nodes);
        let nodes = (0..ends.max().unwrap_or(0)).map(|id| Node {
            parent: id,
            size: 1,
            target: NONE,
            detail: NONE,
            is_cell: false,
        });
        self.nodes = nodes.collect();
        let ends = places
            .iter()
            .map(|place| place.first_signature + place.signatures);
        let count = ends.max().unwrap_or(0) as usize;
        self.signatures.resize_with(count, || (Vec::new(), NONE));
    }

    /// Puts a group at its place. Groups come in the order of their numbers.
    pub(super) fn put(&mut self, place: &Place, moved: &Moved) {
        let number = self.details.append(&moved.details);
        let first = place.first as usize;
        let room = &mut self.nodes[first..first + moved.nodes.len()];
        for (node, moved) in room.iter_mut().zip(&moved.nodes) {
            *node = Node {
                detail: number(moved.detail),
                ..*moved
            };
        }
        let first = place.first_signature as usize;
        let room = &mut self.signatures[first..first + moved.signatures.len()];
        room.clone_from_slice(&moved.signatures);
    }
}

impl Detail {
    fn moved(&self, place: &Place, functions: &[u32]) -> Detail {
        let first = place.first;
        let fields = self.fields.iter();
        let containers = self.containers.iter().map(|(label, containers)| {
            let containers = containers.iter().map(|node| node + first);
            (*label, containers.collect())
        });
        let equal_if_pointer = self.equal_if_pointer.iter();
        Detail {
            fields: fields
                .map(|(label, child)| (*label, child + first))
                .collect(),
            views: self.views.clone(),
            containers: containers.collect(),
            equal_if_pointer: equal_if_pointer.map(|node| node + first).collect(),
            rare: { self.rare.as_deref() }.map(|rare| Box::new(rare.moved(place, functions))),
        }
    }
}

impl Rare {
    fn moved(&self, place: &Place, functions: &[u32]) -> Rare {
        let first = place.first;
        let inverses = self.inverses.iter();
        let signatures = self.signatures.iter();
        let mut numbers: Vec<u32> = { self.functions.iter() }
            .map(|function| functions[*function as usize])
            .collect();
        numbers.sort_unstable();
        Rare {
            inverses: inverses
                .map(|(label, outer)| (*label, outer + first))
                .collect(),
            functions: numbers,
            signatures: signatures
                .map(|(arguments, signature)| (*arguments, signature + place.first_signature))
                .collect(),
            offered: self.offered.iter().map(|value| value + first).collect(),
            taken: self.taken,
            collapsed: self.collapsed.clone(),
            union_leaves: self.union_leaves.clone(),
            shifted: self.shifted,
            spread: self.spread,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::random_tests::Random;
    use super::*;

    #[test]
    fn places_do_not_overlap_and_groups_that_fit_mostly_stay() {
        let (mut stayed, mut moved) = (0, 0);
        for seed in 0..500 {
            let mut random = Random(seed);
            let mut sizes: Vec<Size> = Vec::new();
            for _ in 0..1 + random.below(6) {
                sizes.push((random.below(40) as u32, random.below(4) as u32));
            }
            let mut known = places_of(&sizes, &[]);
            for _ in 0..20 {
                let edited = random.below(sizes.len());
                sizes[edited] = (random.below(60) as u32, random.below(6) as u32);
                let places = places_of(&sizes, &known);
                let mut rooms: Vec<(u32, u32)> = Vec::new();
                let mut signatures: Vec<(u32, u32)> = Vec::new();
                for (place, size) in places.iter().zip(&sizes) {
                    assert!(size.0 <= place.nodes && size.1 <= place.signatures);
                    rooms.push((place.first, place.nodes));
                    signatures.push((place.first_signature, place.signatures));
                }
                for mut all in [rooms, signatures] {
                    all.sort_unstable();
                    assert!(
                        all.windows(2)
                            .all(|pair| pair[0].0 + pair[0].1 <= pair[1].0)
                    );
                }
                let others = (0..sizes.len()).filter(|number| *number != edited);
                for number in others {
                    match places[number].is(&known[number]) {
                        true => stayed += 1,
                        false => moved += 1,
                    }
                }
                known = places;
            }
        }
        assert!(
            moved > 0 && stayed > 3 * moved,
            "{stayed} stayed, {moved} moved"
        );
    }
}
