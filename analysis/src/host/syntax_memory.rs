//! What was found not to parse before, for as long as neither the text nor the names in it change.

use super::UnitTable;
use crate::db::{Function, RootDatabase, syntax_error};
use crate::frontend::groups::{Group, ItemSource};
use crate::frontend::parse::SyntaxError;
use crate::frontend::placement::PlacedGroup;
use crate::frontend::scope::Scope;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use ustr::Ustr;

#[derive(Default)]
pub(super) struct SyntaxMemory(Mutex<Known>);

/// By unit.
pub(super) type Known = BTreeMap<Ustr, Arc<UnitErrors>>;

/// What of a unit does not parse.
pub(super) struct UnitErrors {
    pub table: Arc<UnitTable>,
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

impl UnitErrors {
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
