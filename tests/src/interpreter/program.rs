//! A lowered program: its functions, the layouts of its records and the types of its variables.

use std::collections::HashMap;
use std::sync::Arc;

use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::frontend::lower::LoweredBody;
use racelens_analysis::ir::{FunctionRef, GlobalRef, RecordLayout, RecordRef, Ty};

use super::Fault;
use crate::front_end::FrontEnd;

pub struct Program {
    pub front_end: FrontEnd,
    pub functions: Vec<Arc<LoweredBody>>,
    /// What gives variables at file scope their first values.
    pub initialisers: Vec<Arc<LoweredBody>>,
    local_records: HashMap<RecordRef, Arc<RecordLayout>>,
    static_locals: HashMap<GlobalRef, Ty>,
}

impl Program {
    pub fn new(front_end: FrontEnd) -> Program {
        let functions = front_end.bodies();
        let initialisers = front_end.initialisers();
        let mut local_records = HashMap::new();
        let mut static_locals = HashMap::new();
        for lowered in functions.iter().chain(&initialisers) {
            for (record, layout) in &lowered.body.records {
                local_records.insert(*record, Arc::new(layout.clone()));
            }
            static_locals.extend(lowered.body.static_locals.iter().cloned());
        }
        Program {
            front_end,
            functions,
            initialisers,
            local_records,
            static_locals,
        }
    }

    pub fn function(&self, function: FunctionRef) -> Option<(usize, Arc<LoweredBody>)> {
        self.functions
            .iter()
            .enumerate()
            .find(|(_, lowered)| lowered.body.function == function)
            .map(|(index, lowered)| (index, lowered.clone()))
    }

    pub fn layout(&self, record: RecordRef) -> Option<Arc<RecordLayout>> {
        match self.local_records.get(&record) {
            Some(layout) => Some(layout.clone()),
            None => self.front_end.layout(record),
        }
    }

    pub fn size_of(&self, ty: &Ty) -> Result<usize, Fault> {
        let extent = DataModel::LP64.extent(ty, &|record| self.layout(record));
        match extent {
            Some(extent) => Ok(extent.size as usize),
            None => Fault::new(format!("`{ty}` has no size")),
        }
    }

    pub fn global_type(&self, global: GlobalRef) -> Result<Ty, Fault> {
        let found = match self.static_locals.get(&global) {
            Some(ty) => Some(ty.clone()),
            None => self.front_end.variable(&global.name),
        };
        found.ok_or_else(|| Fault(format!("`{}` has no type", global.name)))
    }
}
