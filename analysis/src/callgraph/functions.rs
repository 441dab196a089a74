//! All functions that have a body, by number and by name.

use crate::ir::{Body, FunctionRef};
use crate::shared_list::SharedList;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A function of the program; numbers are given in the order of files and lines.
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

    /// Gives a function another body. It keeps its name.
    pub fn replace(&mut self, function: FunctionId, body: Arc<Body>) {
        let index = function.0 as usize;
        debug_assert_eq!(self.bodies[index].function, body.function);
        if !Arc::ptr_eq(&self.bodies[index], &body) {
            self.bodies.set(index, body);
        }
    }

    /// Whether names mean the functions that they meant before, which have the same numbers.
    pub fn are_named_as(&self, before: &Functions) -> bool {
        if Arc::ptr_eq(&self.names, &before.names) {
            return self.bodies.len() == before.bodies.len();
        }
        let names = |functions: &Functions| {
            functions
                .bodies
                .iter()
                .map(|body| body.function)
                .collect::<Vec<_>>()
        };
        names(self) == names(before) && self.names == before.names
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

    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    pub fn ids(&self) -> impl ExactSizeIterator<Item = FunctionId> + use<> {
        (0..self.bodies.len() as u32).map(FunctionId)
    }
}

fn same(now: &SharedList<Arc<Body>>, before: &SharedList<Arc<Body>>) -> bool {
    let mut unshared = now.unshared_with(before);
    now.len() == before.len()
        && unshared.all(|index| {
            let (now, before) = (&now[index], &before[index]);
            Arc::ptr_eq(now, before) || now == before
        })
}
