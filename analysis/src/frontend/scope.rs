//! Which declaration a name stands for at file scope of one translation unit.

use super::groups::{DeclarationSource, Declared, Group};
use super::names::{NameSpace, StorageWords};
use super::placement::PlacedGroup;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::{Arc, Mutex};
use ustr::Ustr;

/// The declarations of a translation unit, in the order of its text.
pub struct Scope {
    groups: Vec<Arc<Group>>,
    /// Built when first asked for, and dropped when memory matters more than a millisecond.
    index: Mutex<Option<Arc<Index>>>,
}

type Index = FxHashMap<Ustr, SmallVec<[(u32, u32); 1]>>;

/// What a name stands for. Each name space of C has its own answer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bindings {
    pub typedef: Option<DeclarationSource>,
    pub tag: Option<DeclarationSource>,
    pub value: Option<ValueBinding>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueBinding {
    pub source: DeclarationSource,
    pub is_enumerator: bool,
    pub storage: StorageWords,
    /// A declaration in which the word `noreturn` occurs.
    pub noreturn: Option<DeclarationSource>,
}

impl Scope {
    pub fn new(placed: &[PlacedGroup]) -> Scope {
        let groups = placed
            .iter()
            .map(|placed| &placed.group)
            .filter(|group| !group.declared.is_empty())
            .cloned()
            .collect();
        Scope {
            groups,
            index: Mutex::new(None),
        }
    }

    /// Whether both scopes give every name the same meaning. How the text is cut into groups may
    /// differ: an edit can move a cut.
    pub fn declares_the_same(&self, other: &Scope) -> bool {
        let (mut mine, mut theirs) = (self.groups.as_slice(), other.groups.as_slice());
        while let ([first, rest @ ..], [other_first, other_rest @ ..]) = (mine, theirs)
            && Arc::ptr_eq(first, other_first)
        {
            (mine, theirs) = (rest, other_rest);
        }
        while let ([rest @ .., last], [other_rest @ .., other_last]) = (mine, theirs)
            && Arc::ptr_eq(last, other_last)
        {
            (mine, theirs) = (rest, other_rest);
        }
        marks(mine.iter()).eq(marks(theirs.iter()))
    }

    /// Frees what can be computed again.
    pub fn forget_index(&self) {
        *self
            .index
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner()) = None;
    }

    pub fn bindings(&self, name: Ustr) -> Bindings {
        let index = self.index();
        let Some(places) = index.get(&name) else {
            return Bindings::default();
        };
        let mut bindings = Bindings::default();
        let mut value: Option<(&Declared, DeclarationSource)> = None;
        let mut storage = StorageWords::default();
        let mut noreturn = None;
        for &(group, declared) in places {
            let group = &self.groups[group as usize];
            let declared = &group.declared[declared as usize];
            let source = || DeclarationSource::new(group, declared.item);
            match declared.space {
                NameSpace::Typedef => {
                    bindings.typedef = bindings.typedef.or_else(|| Some(source()))
                }
                NameSpace::Tag => bindings.tag = bindings.tag.or_else(|| Some(source())),
                NameSpace::Value | NameSpace::FunctionDefinition | NameSpace::Enumerator => {
                    // `static` once said holds for every later declaration.
                    storage.is_static |= declared.storage.is_static;
                    storage.is_thread_local |= declared.storage.is_thread_local;
                    if declared.storage.mentions_noreturn && noreturn.is_none() {
                        noreturn = Some(source());
                    }
                    if value
                        .as_ref()
                        .is_none_or(|(chosen, _)| says_more(declared, chosen))
                    {
                        value = Some((declared, source()));
                    }
                }
            }
        }
        bindings.value = value.map(|(declared, source)| {
            let is_enumerator = declared.space == NameSpace::Enumerator;
            storage.is_extern = declared.storage.is_extern;
            if is_enumerator {
                storage = StorageWords::default();
            }
            ValueBinding {
                source,
                is_enumerator,
                storage,
                noreturn,
            }
        });
        bindings
    }

    /// Whether the name is declared in that name space.
    pub fn declares(&self, name: Ustr, space: NameSpace) -> bool {
        let is_value = |space| !matches!(space, NameSpace::Typedef | NameSpace::Tag);
        self.index().get(&name).is_some_and(|places| {
            places.iter().any(|&(group, declared)| {
                let found = self.groups[group as usize].declared[declared as usize].space;
                found == space || (is_value(found) && is_value(space))
            })
        })
    }

    fn index(&self) -> Arc<Index> {
        let mut slot = self
            .index
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        slot.get_or_insert_with(|| {
            let mut index = Index::default();
            index.reserve(self.groups.iter().map(|group| group.declared.len()).sum());
            for (position, group) in self.groups.iter().enumerate() {
                for (number, declared) in group.declared.iter().enumerate() {
                    index
                        .entry(declared.name)
                        .or_default()
                        .push((position as u32, number as u32));
                }
            }
            Arc::new(index)
        })
        .clone()
    }
}

/// The marks of all declarations in some groups: equal if they declare the same.
pub fn declaration_marks(placed: &[PlacedGroup]) -> impl Iterator<Item = u64> {
    marks(
        placed
            .iter()
            .map(|placed| &placed.group)
            .filter(|group| !group.declared.is_empty()),
    )
}

fn marks<'g>(groups: impl Iterator<Item = &'g Arc<Group>>) -> impl Iterator<Item = u64> {
    groups.flat_map(|group| group.items.iter().map(|item| item.declaration_mark))
}

/// Whether a later declaration tells more about a variable or function than the one so far: a
/// definition tells most, then what is not just `extern`.
fn says_more(later: &Declared, chosen: &Declared) -> bool {
    let rank = |declared: &Declared| match declared.space {
        NameSpace::FunctionDefinition => 2,
        _ if declared.storage.is_extern => 0,
        _ => 1,
    };
    rank(later) > rank(chosen)
}

impl std::fmt::Debug for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scope({} groups)", self.groups.len())
    }
}
