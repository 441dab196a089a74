//! The file scope of a unit, answered by queries.

use super::{Db, Unit, queries};
use crate::frontend::groups::DeclarationSource;
use crate::frontend::layout::DataModel;
use crate::frontend::lower::{Environment, ItemTypes};
use crate::frontend::scope::Bindings;
use crate::ir::{RecordLayout, RecordRef};
use std::sync::Arc;
use ustr::Ustr;

pub(super) struct UnitEnvironment<'db> {
    pub db: &'db dyn Db,
    pub unit: Unit,
}

impl Environment for UnitEnvironment<'_> {
    fn unit(&self) -> Ustr {
        self.unit.path(self.db)
    }

    fn data_model(&self) -> DataModel {
        self.unit.data_model(self.db)
    }

    fn bindings(&self, name: Ustr) -> Bindings {
        queries::bindings(self.db, self.unit, name).clone()
    }

    fn item_types(&self, source: &DeclarationSource) -> Arc<ItemTypes> {
        queries::item_types(self.db, self.unit, source.clone())
    }

    fn tagged_record(&self, source: &DeclarationSource, tag: Ustr) -> Option<RecordRef> {
        queries::tagged_record(self.db, self.unit, source.clone(), tag)
    }

    fn record_layout(&self, record: RecordRef) -> Option<Arc<RecordLayout>> {
        queries::record_layout(self.db, self.unit, record)
    }
}
