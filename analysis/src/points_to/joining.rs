//! Puts groups of functions together that are solved each by itself.

use super::graph::NodeId;
use super::group::{FUNCTIONS, Group};
use super::placing::{self, Moved, Place};
use super::solution::Object;
use super::solve::{Solver, SolverBody};
use crate::ir::FunctionRef;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// A group as a part of a program's graph.
pub(super) struct Placed {
    pub group: Arc<Group>,
    /// Whether it was a part of the program before.
    pub is_known: bool,
    pub place: Place,
    pub graph: Arc<Moved>,
}

/// What is known of groups since an earlier time.
#[derive(Default)]
pub(super) struct KnownGroups {
    /// Nothing for those that do not hold.
    pub groups: Vec<Option<Arc<Group>>>,
    /// Where they were, and what they were there.
    pub places: Vec<(Place, Arc<Moved>)>,
    /// Functions whose address was taken, in the order of their numbers.
    pub addressed: Vec<FunctionRef>,
}

impl Solver {
    /// Solves the program group by group. Groups that are known and say what they said are not solved again.
    pub(super) fn solve_in_groups(&mut self, known: KnownGroups) {
        let mut groups = Vec::new();
        let mut are_known = Vec::new();
        for number in 0..self.bodies.len().div_ceil(FUNCTIONS) {
            let positions = self.positions(number);
            let known = known.groups.get(number).and_then(Option::as_ref);
            let known = known.filter(|group| group.is_of(&self.bodies[positions.clone()]));
            are_known.push(known.is_some());
            groups.push(match known {
                Some(known) => known.clone(),
                None => Arc::new(Group::new(self, positions)),
            });
        }
        self.place_groups(groups, &are_known, known);
        self.join();
    }

    fn place_groups(&mut self, groups: Vec<Arc<Group>>, are_known: &[bool], known: KnownGroups) {
        let known_places: Vec<Place> = known.places.iter().map(|(place, _)| *place).collect();
        let places = placing::places(&groups, &known_places);
        self.addressed = known.addressed;
        let numbers = self.addressed.iter().copied().zip(0..);
        let mut numbers: FxHashMap<FunctionRef, u32> = numbers.collect();
        for (number, (group, place)) in groups.into_iter().zip(places).enumerate() {
            let is_known = are_known[number];
            let known = known.places.get(number);
            let known = known.filter(|(known, _)| is_known && known.is(&place));
            let graph = match known {
                Some((_, graph)) => graph.clone(),
                None => {
                    let functions = group.addressed.iter().map(|(function, _)| {
                        *numbers.entry(*function).or_insert_with(|| {
                            self.addressed.push(*function);
                            self.addressed.len() as u32 - 1
                        })
                    });
                    let functions: Vec<u32> = functions.collect();
                    Arc::new(Moved::new(&group.graph, &place, &functions))
                }
            };
            self.groups.push(Placed {
                group,
                is_known,
                place,
                graph,
            });
        }
    }

    /// Where the functions of a group are.
    pub(super) fn positions(&self, group: usize) -> Range<usize> {
        let first = group * FUNCTIONS;
        first..self.bodies.len().min(first + FUNCTIONS)
    }

    /// The functions in the group of a function; none if there are no groups.
    pub(super) fn positions_around(&self, position: usize) -> Range<usize> {
        match self.groups.is_empty() {
            true => 0..0,
            false => self.positions(position / FUNCTIONS),
        }
    }

    /// The functions of groups that are no known ones; all if there are no groups.
    pub(super) fn bodies_of_new_groups(&self) -> Vec<&SolverBody> {
        if self.groups.is_empty() {
            return self.bodies.iter().collect();
        }
        let groups = self.groups.iter().enumerate();
        let new = groups.filter(|(_, placed)| !placed.is_known);
        new.flat_map(|(number, _)| &self.bodies[self.positions(number)])
            .collect()
    }

    fn join(&mut self) {
        let groups = std::mem::take(&mut self.groups);
        let places: Vec<Place> = groups.iter().map(|placed| placed.place).collect();
        self.graph.make_room(&places);
        for (number, placed) in groups.iter().enumerate() {
            let (group, first) = (&placed.group, placed.place.first);
            self.graph.put(&placed.place, &placed.graph);
            self.name(group, first);
            let bodies = self.positions(number).zip(&group.bodies);
            for (position, known) in bodies {
                let body = &mut self.bodies[position];
                body.nodes = known.nodes.clone();
                body.first = first;
                body.extra = known.extra.map(|extra| extra + first);
            }
        }
        for placed in &groups {
            self.call_outside(&placed.group, placed.place.first);
        }
        self.groups = groups;
        self.graph.run();
        self.link_all();
    }

    /// What has a name everywhere is one in all groups.
    fn name(&mut self, group: &Group, first: NodeId) {
        for (global, cell) in &group.globals {
            let cell = first + cell;
            let known = *self.globals.entry(*global).or_insert(cell);
            match known == cell {
                true => self.objects.push((cell, Object::Global(*global))),
                false => self.graph.unite_later(known, cell),
            }
        }
        for (function, cell) in &group.addressed {
            let cell = first + cell;
            let known = *self.function_cells.entry(*function).or_insert(cell);
            match known == cell {
                true => self.objects.push((cell, Object::Function(*function))),
                false => self.graph.unite_later(known, cell),
            }
        }
        for (name, cell) in &group.library_objects {
            let cell = first + cell;
            let known = *self.library_objects.entry(*name).or_insert(cell);
            if known != cell {
                self.graph.unite_later(known, cell);
            }
        }
        let objects = group.objects.iter();
        self.objects
            .extend(objects.map(|(cell, object)| (first + cell, *object)));
        let shared = group.shared.iter();
        self.shared.extend(shared.map(|value| first + value));
        let calls = group.indirect_calls.iter();
        let calls = calls.map(|(call, (cell, count))| (*call, (first + cell, *count)));
        self.indirect_calls.extend(calls);
    }

    /// The functions that a group calls are those of other groups.
    fn call_outside(&mut self, group: &Group, first: NodeId) {
        for called in &group.called {
            let body = &self.bodies[called.position];
            let ports = body.constraints.ports().map(|port| body.node(port));
            for (own, port) in ports.zip(&called.ports) {
                self.graph.unite_later(own, first + port);
            }
            if let (Some(own), Some(extra)) = (body.extra, called.extra) {
                self.graph.unite_later(own, first + extra);
            }
        }
    }
}
