//! What was found not to parse before, for as long as neither the text nor the names in it change.

use super::UnitTable;
use crate::db::{Function, RootDatabase, syntax_error};
use crate::frontend::groups::{Group, ItemSource};
use crate::frontend::parse::SyntaxError;
use crate::frontend::placement::PlacedGroup;
use crate::frontend::scope::Scope;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use ustr::Ustr;

#[derive(Default)]
pub(super) struct SyntaxMemory(Mutex<Known>);

/// What is known of all units, by path.
// After an edit nobody looks at the other units, nor through their groups.
#[derive(Default)]
pub(super) struct Known {
    units: BTreeMap<Ustr, KnownUnit>,
    /// The units in which something does not parse.
    failing: BTreeSet<Ustr>,
    /// How many units have text of a file that is not their own.
    included: FxHashMap<Ustr, usize>,
}

struct KnownUnit {
    table: Arc<UnitTable>,
    errors: UnitErrors,
}

/// What of a unit does not parse.
pub(super) struct UnitErrors {
    /// The groups that no unit before this one has, whether anything in them was looked at or not.
    pub first: FxHashSet<GroupKey>,
    /// The files besides its own that it has text of.
    pub included: FxHashSet<Ustr>,
    /// The groups that were looked at, by their position.
    pub groups: Vec<(u32, Arc<GroupErrors>)>,
    /// Functions that do not parse, or use types that are not known.
    pub functions: Vec<Function>,
}

/// A group where it stands. What is at the address is kept by whoever keeps the key.
pub(super) type GroupKey = (usize, Ustr, u32);

pub(super) fn group_key(placed: &PlacedGroup) -> GroupKey {
    let origin = placed.origin_of(0);
    (Arc::as_ptr(&placed.group).addr(), origin.file, origin.line)
}

/// The items of a group that do not parse in a unit.
pub(super) struct GroupErrors {
    group: Arc<Group>,
    scope: Arc<Scope>,
    /// Those that were looked at.
    items: Vec<u32>,
    pub errors: Vec<(u32, SyntaxError)>,
}

impl SyntaxMemory {
    /// All that is known; nothing is, until it is put back.
    pub fn take(&self) -> Known {
        std::mem::take(&mut *self.locked())
    }

    pub fn put(&self, known: Known) {
        *self.locked() = known;
    }

    fn locked(&self) -> MutexGuard<'_, Known> {
        self.0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Known {
    /// The units that are not what they were, if all others are there, and none besides.
    pub fn edited<'u>(
        &self,
        units: &'u BTreeMap<Ustr, Arc<UnitTable>>,
    ) -> Option<Vec<(Ustr, &'u Arc<UnitTable>)>> {
        let mut edited = Vec::new();
        if units.len() != self.units.len() {
            return None;
        }
        for ((path, table), (known_path, known)) in units.iter().zip(&self.units) {
            if path != known_path {
                return None;
            }
            if !Arc::ptr_eq(&known.table, table) {
                edited.push((*path, table));
            }
        }
        Some(edited)
    }

    /// What is known of a unit, and the unit of which that is known.
    pub fn get(&self, path: Ustr) -> Option<(&Arc<UnitTable>, &UnitErrors)> {
        let known = self.units.get(&path)?;
        Some((&known.table, &known.errors))
    }

    /// The units in which something does not parse, by path.
    pub fn failing(&self) -> impl Iterator<Item = (&Arc<UnitTable>, &UnitErrors)> {
        self.failing.iter().filter_map(|path| self.get(*path))
    }

    /// Whether a file is a part of a unit of another name.
    pub fn is_included(&self, file: Ustr) -> bool {
        self.included.contains_key(&file)
    }

    pub fn insert(&mut self, path: Ustr, table: Arc<UnitTable>, errors: UnitErrors) {
        for file in &errors.included {
            *self.included.entry(*file).or_default() += 1;
        }
        if errors.are_none() {
            self.failing.remove(&path);
        } else {
            self.failing.insert(path);
        }
        let before = self.units.insert(path, KnownUnit { table, errors });
        for file in before.iter().flat_map(|known| &known.errors.included) {
            if let Some(count) = self.included.get_mut(file) {
                *count -= 1;
                if *count == 0 {
                    self.included.remove(file);
                }
            }
        }
    }
}

impl UnitErrors {
    fn are_none(&self) -> bool {
        let mut groups = self.groups.iter();
        self.functions.is_empty() && groups.all(|(_, found)| found.errors.is_empty())
    }

    /// By the group's address, which the entry keeps in place.
    pub fn by_group(&self) -> FxHashMap<usize, &Arc<GroupErrors>> {
        let groups = self.groups.iter();
        groups
            .map(|(_, errors)| (Arc::as_ptr(&errors.group).addr(), errors))
            .collect()
    }
}

impl GroupErrors {
    /// Looks at these items of a group, unless that is known.
    pub fn of(
        db: &RootDatabase,
        table: &UnitTable,
        group: &Arc<Group>,
        items: Vec<u32>,
        known: &FxHashMap<usize, &Arc<GroupErrors>>,
    ) -> Arc<GroupErrors> {
        let scope = table.unit.scope(db);
        let still_true =
            |known: &&&Arc<GroupErrors>| Arc::ptr_eq(&known.scope, scope) && known.items == items;
        let known = known.get(&Arc::as_ptr(group).addr());
        if let Some(known) = known.filter(still_true) {
            return Arc::clone(known);
        }
        let error_of = |&index: &u32| {
            let group = group.clone();
            let error = syntax_error(db, table.unit, &ItemSource { group, index })?;
            Some((index, error))
        };
        Arc::new(GroupErrors {
            group: group.clone(),
            scope: scope.clone(),
            errors: items.iter().filter_map(error_of).collect(),
            items,
        })
    }
}
