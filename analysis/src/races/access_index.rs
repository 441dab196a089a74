//! Which accesses there are to each class of memory, kept up to date while functions change.

use crate::accesses::{Access, Facts};
use crate::callgraph::FunctionId;
use crate::ir::AccessKind;
use crate::points_to::{Class, PointsTo};
use crate::shared_list::SharedList;
use crate::stop;
use crate::threads::Contexts;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// An access, by its function and its number among the function's.
pub(super) type AccessNumber = (FunctionId, u32);

/// The accesses of every class of memory, by functions that some thread gets to.
#[derive(Clone, Default)]
pub(super) struct AccessIndex {
    /// By class. Also such as nobody writes, because an edit may add a write.
    classes: SharedList<Option<Arc<ClassAccesses>>>,
    /// How many classes somebody writes.
    written: usize,
}

struct ClassAccesses {
    /// In the order of functions, and of the accesses in them.
    accesses: Vec<AccessNumber>,
    is_written: bool,
    /// The one that names the class best, found when it is asked for. There may be many, and as long as the list is the same they
    /// touch what they touched.
    naming: OnceLock<Option<AccessNumber>>,
}

/// An access of a function that stays as it is, which touches other memory than before.
pub(super) struct TouchesOthers {
    pub access: AccessNumber,
    pub more: Vec<Class>,
    pub no_more: Vec<Class>,
}

/// The program that is indexed.
#[derive(Clone, Copy)]
pub(super) struct Indexed<'i> {
    pub points_to: &'i PointsTo,
    pub facts: &'i Facts,
    pub contexts: &'i Contexts,
}

impl AccessIndex {
    pub fn new(program: Indexed<'_>) -> AccessIndex {
        let count = program.points_to.class_count();
        let mut by_class: Vec<Vec<AccessNumber>> = vec![Vec::new(); count];
        for function in (0..program.facts.len() as u32).map(FunctionId) {
            stop::ask();
            program.each_access(function, &mut |class, access| {
                by_class[class.index()].push(access);
            });
        }
        let classes = by_class.into_iter();
        let classes: SharedList<Option<Arc<ClassAccesses>>> = classes
            .map(|accesses| ClassAccesses::new(accesses, program.facts))
            .collect();
        let written = classes.iter().flatten();
        AccessIndex {
            written: written.filter(|accesses| accesses.is_written).count(),
            classes,
        }
    }

    /// The index after an edit, and the classes that the functions that changed, and these accesses of others, have or had to
    /// do with.
    pub fn again(
        &self,
        before: Indexed<'_>,
        now: Indexed<'_>,
        changed: &BTreeSet<FunctionId>,
        others: &[TouchesOthers],
    ) -> (AccessIndex, BTreeSet<Class>) {
        let mut added: BTreeMap<Class, Vec<AccessNumber>> = BTreeMap::new();
        for &function in changed {
            before.each_access(function, &mut |class, _| {
                added.entry(class).or_default();
            });
            now.each_access(function, &mut |class, access| {
                added.entry(class).or_default().push(access);
            });
        }
        let mut is_gone: FxHashSet<(Class, AccessNumber)> = FxHashSet::default();
        for other in others
            .iter()
            .filter(|other| !changed.contains(&other.access.0))
        {
            for class in &other.more {
                added.entry(*class).or_default().push(other.access);
            }
            for class in &other.no_more {
                added.entry(*class).or_default();
                is_gone.insert((*class, other.access));
            }
        }
        let affected: BTreeSet<Class> = added.keys().copied().collect();
        let mut index = self.clone();
        for (class, more) in added {
            let known = self.known(class);
            let kept = known.into_iter().flat_map(|known| &known.accesses);
            let kept = kept.filter(|access| {
                !changed.contains(&access.0) && !is_gone.contains(&(class, **access))
            });
            let mut accesses: Vec<AccessNumber> = kept.copied().chain(more).collect();
            // Few parts of what was sorted: quick.
            accesses.sort();
            let accesses = ClassAccesses::new(accesses, now.facts);
            let is_written = accesses.as_ref().is_some_and(|now| now.is_written);
            index.written += usize::from(is_written);
            index.written -= usize::from(known.is_some_and(|known| known.is_written));
            while index.classes.len() <= class.index() {
                index.classes.push(None);
            }
            index.classes.set(class.index(), accesses);
        }
        (index, affected)
    }

    fn known(&self, class: Class) -> Option<&ClassAccesses> {
        self.classes.get(class.index())?.as_deref()
    }

    /// The accesses to a class that somebody writes.
    pub fn get(&self, class: Class) -> Option<&[AccessNumber]> {
        let accesses = self.known(class)?;
        accesses.is_written.then_some(&accesses.accesses)
    }

    /// The access that names a class best, chosen by `choose` from all of them unless that is known.
    pub fn naming(
        &self,
        class: Class,
        choose: impl FnOnce(&[AccessNumber]) -> Option<AccessNumber>,
    ) -> Option<AccessNumber> {
        let known = self.known(class)?;
        *known.naming.get_or_init(|| choose(&known.accesses))
    }

    /// The classes that somebody writes, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (Class, &[AccessNumber])> {
        let classes = self.classes.iter().enumerate();
        let known =
            classes.filter_map(|(index, accesses)| Some((Class::at(index), accesses.as_deref()?)));
        let written = known.filter(|(_, accesses)| accesses.is_written);
        written.map(|(class, accesses)| (class, &accesses.accesses[..]))
    }

    /// How many classes somebody writes.
    pub fn len(&self) -> usize {
        self.written
    }
}

impl ClassAccesses {
    /// `None` if there are none.
    fn new(accesses: Vec<AccessNumber>, facts: &Facts) -> Option<Arc<ClassAccesses>> {
        let is_write = |(function, access): &AccessNumber| {
            let access = &facts[function.0 as usize].accesses[*access as usize];
            access.kind != AccessKind::Read
        };
        (!accesses.is_empty()).then(|| {
            Arc::new(ClassAccesses {
                is_written: accesses.iter().any(is_write),
                accesses,
                naming: OnceLock::new(),
            })
        })
    }
}

impl Indexed<'_> {
    /// The accesses of a function, each with every class that it touches.
    pub fn each_access(&self, function: FunctionId, found: &mut dyn FnMut(Class, AccessNumber)) {
        if self.contexts.count(function) == 0 {
            return;
        }
        let accesses = &self.facts[function.0 as usize].accesses;
        for (access, number) in accesses.iter().zip(0..) {
            for class in self.classes_of(access) {
                found(class, (function, number));
            }
        }
    }

    /// Every class that an access touches.
    pub fn classes_of<'c>(&'c self, access: &'c Access) -> impl Iterator<Item = Class> + 'c {
        let class = access.cell.class;
        let parts = match access.cell.whole {
            true => self.points_to.parts(class),
            false => &[],
        };
        let others = parts.iter().copied().filter(move |part| *part != class);
        std::iter::once(class).chain(others)
    }
}
