//! What it means for the accesses of functions that stay as they are that classes of memory are not what they were.

use super::access_index::{AccessNumber, Indexed, TouchesOthers};
use super::sole_locks::{Pointers, SoleLocks};
use crate::callgraph::{FunctionId, Functions};
use crate::ir::GlobalRef;
use crate::points_to::{Changes, Class};
use crate::stop::Stop;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// How the accesses of functions are different that have only moved, if at all.
#[derive(Default)]
pub(super) struct PointersChanged {
    /// Accesses of whole objects that have other members now.
    pub touching: Vec<TouchesOthers>,
    /// Functions of which some accesses look otherwise.
    pub looking_otherwise: BTreeSet<FunctionId>,
    /// The locations of accesses by which the address of other memory may become known.
    pub leading_elsewhere: BTreeSet<Class>,
}

/// A program before or after an edit.
#[derive(Clone, Copy)]
pub(super) struct PointedTo<'v> {
    pub indexed: Indexed<'v>,
    pub pointers: Pointers<'v>,
}

impl<'v> PointedTo<'v> {
    pub fn new(
        indexed: Indexed<'v>,
        functions: &'v Functions,
        arrays: &'v FxHashSet<GlobalRef>,
    ) -> PointedTo<'v> {
        PointedTo {
            indexed,
            pointers: Pointers {
                points_to: indexed.points_to,
                functions,
                arrays,
            },
        }
    }
}

impl PointersChanged {
    /// Of all functions but those whose accesses are others anyway.
    pub fn find(
        before: PointedTo<'_>,
        now: PointedTo<'_>,
        changes: &Changes,
        sole_locks: &SoleLocks,
        changed: &BTreeSet<FunctionId>,
    ) -> PointersChanged {
        let finder = Finder {
            before,
            now,
            changes,
            sole_locks,
        };
        let functions = (0..now.indexed.facts.len() as u32).into_par_iter();
        let functions = functions.map(FunctionId);
        let others = functions.filter(|function| {
            !changed.contains(function) && now.indexed.contexts.count(*function) > 0
        });
        let stop = Stop::of_this_thread();
        let found = others.fold(Found::default, |mut found, function| {
            stop.heard(|| finder.function(function, &mut found));
            found
        });
        let found = found.map(|found| found.result);
        found.reduce(PointersChanged::default, PointersChanged::and)
    }

    fn and(mut self, other: PointersChanged) -> PointersChanged {
        self.touching.extend(other.touching);
        self.looking_otherwise.extend(other.looking_otherwise);
        self.leading_elsewhere.extend(other.leading_elsewhere);
        self
    }
}

struct Finder<'f> {
    before: PointedTo<'f>,
    now: PointedTo<'f>,
    changes: &'f Changes,
    sole_locks: &'f SoleLocks,
}

#[derive(Default)]
struct Found {
    result: PointersChanged,
    /// Many accesses touch the same classes.
    classes: FxHashMap<Class, ClassChange>,
    whole: FxHashMap<Class, bool>,
}

/// What is different about a class for who accesses it.
#[derive(Clone, Copy)]
struct ClassChange {
    looks_otherwise: bool,
    leads_elsewhere: bool,
}

impl Finder<'_> {
    fn function(&self, function: FunctionId, found: &mut Found) {
        let now = self.now.pointers;
        if !self.sole_locks.are_right_for(function, now) {
            found.result.looking_otherwise.insert(function);
        }
        let accesses = &self.now.indexed.facts[function.0 as usize].accesses;
        for (access, number) in accesses.iter().zip(0..) {
            let class = access.cell.class;
            let change = found.classes.entry(class);
            let change = *change.or_insert_with(|| self.class(class));
            let has_other_parts = access.cell.whole && {
                let known = found.whole.entry(class);
                *known.or_insert_with(|| self.has_other_parts(class))
            };
            if has_other_parts {
                let touches = self.touches((function, number), class);
                found.result.touching.push(touches);
            }
            if change.looks_otherwise {
                found.result.looking_otherwise.insert(function);
            }
            if change.leads_elsewhere {
                let classes = self.now.indexed.classes_of(access);
                found.result.leading_elsewhere.extend(classes);
            }
        }
    }

    fn class(&self, class: Class) -> ClassChange {
        let (before, now) = (self.before.pointers, self.now.pointers);
        if !self.changes.touch_class(class) {
            return ClassChange {
                looks_otherwise: false,
                leads_elsewhere: false,
            };
        }
        ClassChange {
            looks_otherwise: before.has_many_objects(class) != now.has_many_objects(class),
            leads_elsewhere: before.points_to.deref(class) != now.points_to.deref(class),
        }
    }

    fn has_other_parts(&self, class: Class) -> bool {
        let (before, now) = (self.before.indexed.points_to, self.now.indexed.points_to);
        self.changes.touch_parts(class, before) && before.parts(class) != now.parts(class)
    }

    /// Both lists are sorted.
    fn touches(&self, access: AccessNumber, class: Class) -> TouchesOthers {
        let before = self.before.indexed.points_to.parts(class);
        let now = self.now.indexed.points_to.parts(class);
        let only_in = |mine: &[Class], theirs: &[Class]| -> Vec<Class> {
            let only = mine
                .iter()
                .filter(|part| theirs.binary_search(part).is_err());
            only.copied().collect()
        };
        TouchesOthers {
            access,
            more: only_in(now, before),
            no_more: only_in(before, now),
        }
    }
}
