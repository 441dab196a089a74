//! The file scope of a unit, answered by queries.

use super::{Db, Unit, queries};
use crate::frontend::groups::DeclarationSource;
use crate::frontend::layout::DataModel;
use crate::frontend::lower::{Environment, ItemTypes};
use crate::frontend::scope::Bindings;
use crate::ir::{RecordLayout, RecordRef};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::Arc;
use ustr::Ustr;

/// Lives as long as one query runs, and keeps what it was told: asking the database again is quick
/// but not free, and a function asks for the same names all the time.
pub(super) struct UnitEnvironment<'db> {
    db: &'db dyn Db,
    unit: Unit,
    bindings: RefCell<FxHashMap<Ustr, &'db Bindings>>,
    layouts: RefCell<FxHashMap<RecordRef, Option<Arc<RecordLayout>>>>,
}

impl<'db> UnitEnvironment<'db> {
    pub fn new(db: &'db dyn Db, unit: Unit) -> UnitEnvironment<'db> {
        UnitEnvironment {
            db,
            unit,
            bindings: RefCell::default(),
            layouts: RefCell::default(),
        }
    }

    pub fn is_typedef(&self, name: Ustr) -> bool {
        queries::names_type(self.bindings(name), name)
    }
}

impl Environment for UnitEnvironment<'_> {
    fn unit(&self) -> Ustr {
        self.unit.path(self.db)
    }

    fn data_model(&self) -> DataModel {
        self.unit.data_model(self.db)
    }

    fn bindings(&self, name: Ustr) -> &Bindings {
        let known = self.bindings.borrow().get(&name).copied();
        known.unwrap_or_else(|| {
            let bindings = queries::bindings(self.db, self.unit, name);
            self.bindings.borrow_mut().insert(name, bindings);
            bindings
        })
    }

    fn item_types(&self, source: &DeclarationSource) -> Arc<ItemTypes> {
        on_enough_stack(|| queries::item_types(self.db, self.unit, source.clone()))
    }

    fn tagged_record(&self, source: &DeclarationSource, tag: Ustr) -> Option<RecordRef> {
        on_enough_stack(|| queries::tagged_record(self.db, self.unit, source.clone(), tag))
    }

    fn record_layout(&self, record: RecordRef) -> Option<Arc<RecordLayout>> {
        if let Some(known) = self.layouts.borrow().get(&record) {
            return known.clone();
        }
        let layout = on_enough_stack(|| queries::record_layout(self.db, self.unit, record));
        self.layouts.borrow_mut().insert(record, layout.clone());
        layout
    }
}

/// A declaration may need another one, and that the next, as often as the program likes.
fn on_enough_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(LEAST_STACK, MORE_STACK, work)
}

/// What one declaration needs until it asks for another, in a debug build, with a reserve.
const LEAST_STACK: usize = 512 << 10;
const MORE_STACK: usize = 8 << 20;
