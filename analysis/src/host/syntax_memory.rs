//! What was found not to parse before, for as long as neither the text nor the names in it change.

use super::UnitTable;
use crate::db::{RootDatabase, syntax_error};
use crate::frontend::groups::{Group, ItemSource};
use crate::frontend::parse::SyntaxError;
use crate::frontend::scope::Scope;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use ustr::Ustr;

/// By unit, and by the group's address, which the entry keeps in place.
#[derive(Default)]
pub(super) struct SyntaxMemory(Mutex<Known>);

pub(super) type Known = FxHashMap<(Ustr, usize), Arc<GroupErrors>>;

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

impl GroupErrors {
    /// Looks at these items of a group, unless that is known.
    pub fn of(
        db: &RootDatabase,
        table: &UnitTable,
        group: &Arc<Group>,
        items: Vec<u32>,
        known: &Known,
    ) -> Arc<GroupErrors> {
        let scope = table.unit.scope(db);
        let still_true =
            |known: &&Arc<GroupErrors>| Arc::ptr_eq(&known.scope, scope) && known.items == items;
        let key = (table.unit.path(db), Arc::as_ptr(group) as usize);
        if let Some(known) = known.get(&key).filter(still_true) {
            return known.clone();
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

    pub fn key(&self, unit: Ustr) -> (Ustr, usize) {
        (unit, Arc::as_ptr(&self.group) as usize)
    }
}
