//! What is known of each function, by its name. An edit that changes what is known of few functions shares the rest.

use crate::ir::FunctionRef;
use crate::shared_list::SharedList;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

#[derive(Clone, Default)]
pub(super) struct ByFunction<T> {
    positions: Arc<FxHashMap<FunctionRef, u32>>,
    /// By position.
    names: Arc<Vec<FunctionRef>>,
    /// Names that are those of several functions.
    ambiguous: Arc<FxHashSet<FunctionRef>>,
    known: SharedList<T>,
}

impl<T> ByFunction<T> {
    pub fn get(&self, function: FunctionRef) -> Option<&T> {
        self.known.get(*self.positions.get(&function)? as usize)
    }

    /// Whether a name may be that of several functions.
    pub fn is_ambiguous(&self, function: FunctionRef) -> bool {
        self.ambiguous.contains(&function)
    }

    /// All that the other one knows, too: of each function its own and the other one's.
    pub fn with<'o>(
        &'o self,
        other: &'o ByFunction<T>,
    ) -> impl Iterator<Item = (FunctionRef, &'o T, &'o T)> {
        // Most programs have the functions that they had.
        let are_alike = self.names == other.names;
        let all = self.names.iter().zip(self.known.iter()).enumerate();
        all.filter_map(move |(position, (name, own))| {
            let theirs = match are_alike {
                true => other.known.get(position),
                false => other.get(*name),
            };
            Some((*name, own, theirs?))
        })
    }
}

impl<T: PartialEq> ByFunction<Arc<T>> {
    /// The functions of which something else is known than the other one knows.
    pub fn different_from(&self, other: &ByFunction<Arc<T>>) -> FxHashSet<FunctionRef> {
        let is_same = |one: &Arc<T>, other: &Arc<T>| Arc::ptr_eq(one, other) || one == other;
        if Arc::ptr_eq(&self.names, &other.names) || self.names == other.names {
            let unshared = self.known.unshared_with(&other.known);
            let different =
                unshared.filter(|index| !is_same(&self.known[*index], &other.known[*index]));
            return different.map(|index| self.names[index]).collect();
        }
        let names = self.names.iter().chain(&*other.names).copied();
        let different = names.filter(|name| {
            let both = self.get(*name).zip(other.get(*name));
            !both.is_some_and(|(one, other)| is_same(one, other))
        });
        different.collect()
    }
}

impl<T: Clone> ByFunction<T> {
    /// Of a function of which something is known, something else.
    pub fn replace(&mut self, function: FunctionRef, value: T) {
        if let Some(position) = self.positions.get(&function) {
            self.known.set(*position as usize, value);
        }
    }

    pub fn for_each_mut(&mut self, mut change: impl FnMut(&mut T)) {
        for position in 0..self.known.len() {
            change(self.known.entry(position));
        }
    }
}

impl<T> FromIterator<(FunctionRef, T)> for ByFunction<T> {
    /// Of two that have one name, the first is known.
    fn from_iter<I: IntoIterator<Item = (FunctionRef, T)>>(all: I) -> ByFunction<T> {
        let mut positions: FxHashMap<FunctionRef, u32> = FxHashMap::default();
        let mut ambiguous: FxHashSet<FunctionRef> = FxHashSet::default();
        let mut names = Vec::new();
        let known = all.into_iter().filter_map(|(function, value)| {
            let next = positions.len() as u32;
            let position = *positions.entry(function).or_insert(next);
            if position != next {
                ambiguous.insert(function);
                return None;
            }
            names.push(function);
            Some(value)
        });
        let known = known.collect();
        ByFunction {
            positions: Arc::new(positions),
            ambiguous: Arc::new(ambiguous),
            names: Arc::new(names),
            known,
        }
    }
}
