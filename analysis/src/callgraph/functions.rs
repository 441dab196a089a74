//! All functions that have a body, by number and by name.

use crate::ir::{Body, FunctionRef};
use crate::shared_list::SharedList;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A function of the program; numbers are given in the order of files and lines. Some are given to nobody, so that a function that
/// comes can have one between those of its neighbours.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// The bodies of a program.
#[derive(Clone, Default)]
pub struct Functions {
    bodies: SharedList<Arc<Body>>,
    /// Shared with the program before an edit that changes no name.
    names: Arc<FxHashMap<FunctionRef, Vec<FunctionId>>>,
    /// What gives the variables of files their first values.
    pub initialisers: SharedList<Arc<Body>>,
}

impl Functions {
    pub fn add(&mut self, body: Arc<Body>) -> FunctionId {
        let id = FunctionId(self.bodies.len() as u32);
        self.bodies.push(body);
        id
    }

    /// Says that a name means this function. A header's function has one name for each unit, and a name
    /// that several programs of a project define means several functions.
    pub fn name(&mut self, name: FunctionRef, function: FunctionId) {
        let known = Arc::make_mut(&mut self.names).entry(name).or_default();
        if !known.contains(&function) {
            known.push(function);
        }
    }

    /// Gives a function another body. It keeps its name, unless it comes or goes: then the names have to be said again.
    pub fn replace(&mut self, function: FunctionId, body: Arc<Body>) {
        let index = function.0 as usize;
        debug_assert!(is_successor(&body, &self.bodies[index]));
        if !Arc::ptr_eq(&self.bodies[index], &body) {
            self.bodies.set(index, body);
        }
    }

    /// No name means anything any more.
    pub fn forget_names(&mut self) {
        self.names = Arc::default();
    }

    /// Whether functions that were there before and are there now have the same numbers.
    pub fn number_as(&self, before: &Functions) -> bool {
        let mut unshared = self.bodies.unshared_with(&before.bodies);
        self.bodies.len() == before.bodies.len()
            && unshared.all(|index| is_successor(&self.bodies[index], &before.bodies[index]))
    }

    /// The names that mean other functions than before.
    pub fn named_otherwise(&self, before: &Functions) -> FxHashSet<FunctionRef> {
        if Arc::ptr_eq(&self.names, &before.names) {
            return FxHashSet::default();
        }
        let is_other = |name: &&FunctionRef| self.names.get(name) != before.names.get(name);
        let names = self.names.keys().chain(before.names.keys());
        names.filter(is_other).copied().collect()
    }

    /// Whether they are the same program, statement by statement.
    pub fn are_equal(&self, before: &Functions) -> bool {
        same(&self.bodies, &before.bodies)
            && self.has_initialisers_of(before)
            && (Arc::ptr_eq(&self.names, &before.names) || self.names == before.names)
    }

    /// Whether variables get the first values that they got.
    pub fn has_initialisers_of(&self, before: &Functions) -> bool {
        same(&self.initialisers, &before.initialisers)
    }

    /// The functions whose text is not what it was before, where they had the same numbers.
    pub fn edited_since<'f>(
        &'f self,
        before: &'f Functions,
    ) -> impl Iterator<Item = FunctionId> + 'f {
        let unshared = self.bodies.unshared_with(&before.bodies);
        let is_other = |index: &usize| match self.bodies.get(*index).zip(before.bodies.get(*index))
        {
            Some((now, before)) => !(Arc::ptr_eq(now, before) || now == before),
            None => true,
        };
        unshared
            .filter(is_other)
            .map(|index| FunctionId(index as u32))
    }

    pub fn resolve(&self, name: FunctionRef) -> &[FunctionId] {
        self.names.get(&name).map_or(&[], Vec::as_slice)
    }

    pub fn body(&self, function: FunctionId) -> &Arc<Body> {
        &self.bodies[function.0 as usize]
    }

    /// How many numbers are given.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// The numbers that are not nobody's.
    pub fn with_names(&self) -> impl Iterator<Item = FunctionId> + '_ {
        let all = self.ids().zip(self.bodies.iter());
        all.filter(|(_, body)| !body.function.is_nobody())
            .map(|(id, _)| id)
    }

    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// All numbers, also those of nobody.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = FunctionId> + use<> {
        (0..self.bodies.len() as u32).map(FunctionId)
    }
}

/// Whether a body can be what has become of another one: it is of the same function, or one of them is of nobody.
fn is_successor(now: &Body, before: &Body) -> bool {
    now.function == before.function || now.function.is_nobody() || before.function.is_nobody()
}

fn same(now: &SharedList<Arc<Body>>, before: &SharedList<Arc<Body>>) -> bool {
    let mut unshared = now.unshared_with(before);
    now.len() == before.len()
        && unshared.all(|index| {
            let (now, before) = (&now[index], &before[index]);
            Arc::ptr_eq(now, before) || now == before
        })
}
