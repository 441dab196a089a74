//! The salsa database: inputs, queries, and what they share by content.

mod environment;
mod input;
mod internal_error;
mod queries;

pub use input::{Function, FunctionKind, Unit};
pub use internal_error::panic_text;
pub use queries::{
    Lowered, bindings, body, item_contracts, lowered, syntax_error, unit_environment,
};

use crate::frontend::declaration::DeclarationStore;
use crate::frontend::placement::GroupStore;
use std::sync::Arc;

/// What queries can ask for besides each other: stores that are pure functions of content.
#[salsa::db]
pub trait Db: salsa::Database {
    fn declarations(&self) -> &DeclarationStore;
}

#[salsa::db]
#[derive(Clone)]
pub struct RootDatabase {
    storage: salsa::Storage<Self>,
    declarations: Arc<DeclarationStore>,
    groups: Arc<GroupStore>,
}

/// Called with the debug name of each query that is executed.
pub type ExecutionObserver = Box<dyn Fn(String) + Send + Sync>;

impl RootDatabase {
    pub fn new(observer: Option<ExecutionObserver>) -> RootDatabase {
        let callback = observer.map(|observer| -> Box<dyn Fn(salsa::Event) + Send + Sync> {
            Box::new(move |event: salsa::Event| {
                if let salsa::EventKind::WillExecute { database_key } = event.kind {
                    observer(format!("{database_key:?}"));
                }
            })
        });
        RootDatabase {
            storage: salsa::Storage::new(callback),
            declarations: Arc::default(),
            groups: Arc::default(),
        }
    }

    pub fn groups(&self) -> &GroupStore {
        &self.groups
    }
}

impl Default for RootDatabase {
    fn default() -> RootDatabase {
        RootDatabase::new(None)
    }
}

#[salsa::db]
impl salsa::Database for RootDatabase {}

#[salsa::db]
impl Db for RootDatabase {
    fn declarations(&self) -> &DeclarationStore {
        &self.declarations
    }
}
