//! Which accesses there are to each class of memory, kept up to date while functions change.

use crate::accesses::FunctionFacts;
use crate::callgraph::FunctionId;
use crate::ir::AccessKind;
use crate::points_to::{Class, PointsTo};
use crate::threads::Contexts;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An access, by its function and its number among the function's.
pub(super) type AccessNumber = (FunctionId, u32);

/// The accesses of every class of memory, by functions that some thread gets to.
#[derive(Clone, Default)]
pub(super) struct AccessIndex {
    /// Sorted by class. Also such as nobody writes, because an edit may add a write.
    classes: Vec<(Class, Arc<ClassAccesses>)>,
    written: usize,
}

struct ClassAccesses {
    /// In the order of functions, and of the accesses in them.
    accesses: Vec<AccessNumber>,
    is_written: bool,
}

/// The program that is indexed.
#[derive(Clone, Copy)]
pub(super) struct Indexed<'i> {
    pub points_to: &'i PointsTo,
    pub facts: &'i [Arc<FunctionFacts>],
    pub contexts: &'i Contexts,
}

impl AccessIndex {
    pub fn new(program: Indexed<'_>) -> AccessIndex {
        let mut by_class: FxHashMap<Class, Vec<AccessNumber>> = FxHashMap::default();
        for function in (0..program.facts.len() as u32).map(FunctionId) {
            program.each_access(function, &mut |class, access| {
                by_class.entry(class).or_default().push(access);
            });
        }
        let classes = by_class.into_iter();
        let mut classes: Vec<(Class, Arc<ClassAccesses>)> = classes
            .map(|(class, accesses)| (class, ClassAccesses::new(accesses, program.facts)))
            .collect();
        classes.sort_unstable_by_key(|(class, _)| *class);
        AccessIndex::of(classes)
    }

    /// The index after an edit, and the classes that the functions that changed have or had to do with. Classes must
    /// have the same parts as before.
    pub fn again(
        &self,
        before: Indexed<'_>,
        now: Indexed<'_>,
        changed: &[FunctionId],
    ) -> (AccessIndex, BTreeSet<Class>) {
        let mut added: BTreeMap<Class, Vec<AccessNumber>> = BTreeMap::new();
        let mut is_changed: BTreeSet<FunctionId> = BTreeSet::new();
        for &function in changed {
            is_changed.insert(function);
            before.each_access(function, &mut |class, _| {
                added.entry(class).or_default();
            });
            now.each_access(function, &mut |class, access| {
                added.entry(class).or_default().push(access);
            });
        }
        let affected: BTreeSet<Class> = added.keys().copied().collect();
        let mut classes = self.classes.clone();
        let mut new = Vec::new();
        for (class, more) in added {
            let found = classes.binary_search_by_key(&class, |(class, _)| *class);
            let known = found.ok().map(|at| &*classes[at].1);
            let kept = known.into_iter().flat_map(|known| &known.accesses);
            let kept = kept.filter(|(function, _)| !is_changed.contains(function));
            let mut accesses: Vec<AccessNumber> = kept.copied().chain(more).collect();
            // Two parts of what was sorted: quick.
            accesses.sort_by_key(|(function, _)| *function);
            let accesses = ClassAccesses::new(accesses, now.facts);
            match found {
                Ok(at) => classes[at].1 = accesses,
                Err(_) => new.push((class, accesses)),
            }
        }
        classes.extend(new);
        classes.retain(|(_, accesses)| !accesses.accesses.is_empty());
        classes.sort_by_key(|(class, _)| *class);
        (AccessIndex::of(classes), affected)
    }

    fn of(classes: Vec<(Class, Arc<ClassAccesses>)>) -> AccessIndex {
        let written = classes.iter().filter(|(_, accesses)| accesses.is_written);
        AccessIndex {
            written: written.count(),
            classes,
        }
    }

    /// The accesses to a class that somebody writes.
    pub fn get(&self, class: Class) -> Option<&[AccessNumber]> {
        let found = self
            .classes
            .binary_search_by_key(&class, |(class, _)| *class);
        let accesses = &self.classes[found.ok()?].1;
        accesses.is_written.then_some(&accesses.accesses)
    }

    /// The classes that somebody writes, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (Class, &[AccessNumber])> {
        let written = self
            .classes
            .iter()
            .filter(|(_, accesses)| accesses.is_written);
        written.map(|(class, accesses)| (*class, &accesses.accesses[..]))
    }

    /// How many classes somebody writes.
    pub fn len(&self) -> usize {
        self.written
    }
}

impl ClassAccesses {
    fn new(accesses: Vec<AccessNumber>, facts: &[Arc<FunctionFacts>]) -> Arc<ClassAccesses> {
        let is_write = |(function, access): &AccessNumber| {
            let access = &facts[function.0 as usize].accesses[*access as usize];
            access.kind != AccessKind::Read
        };
        Arc::new(ClassAccesses {
            is_written: accesses.iter().any(is_write),
            accesses,
        })
    }
}

impl Indexed<'_> {
    /// The accesses of a function, each with every class that it touches.
    fn each_access(&self, function: FunctionId, found: &mut dyn FnMut(Class, AccessNumber)) {
        if self.contexts.count(function) == 0 {
            return;
        }
        let accesses = &self.facts[function.0 as usize].accesses;
        for (access, number) in accesses.iter().zip(0..) {
            let class = access.cell.class;
            found(class, (function, number));
            if access.cell.whole {
                let parts = self.points_to.parts(class).iter();
                for part in parts.filter(|part| **part != class) {
                    found(*part, (function, number));
                }
            }
        }
    }
}
