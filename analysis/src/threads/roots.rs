//! Where threads begin.

use crate::callgraph::FunctionId;
use crate::ir::StatementId;
use crate::models;
use crate::symexec::Value;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct RootId(pub u32);

/// Something that runs on its own, beginning with one function.
#[derive(Clone, PartialEq, Debug)]
pub struct ThreadRoot {
    pub entry: FunctionId,
    pub kind: RootKind,
    /// What its formals are, as everybody knows it.
    pub bindings: Vec<Value>,
    /// Several of it may run at the same time.
    pub many: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RootKind {
    Main,
    /// A function of a library, which any thread of its user may call.
    Exported,
    Started {
        context: models::Context,
        by: FunctionId,
        at: StatementId,
    },
}

/// Where execution may begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Entries {
    /// `main`, and what is started from there.
    #[default]
    Threads,
    /// Besides, every function that other files can call, each in a thread of its own.
    Exported,
}

impl ThreadRoot {
    /// Whether it runs in the main thread, one after the other with all else that does.
    // UNSOUND: callbacks of an event loop are taken to run in the main thread, one at a time.
    pub fn is_main_thread(&self) -> bool {
        match self.kind {
            RootKind::Main => true,
            RootKind::Exported => false,
            RootKind::Started { context, .. } => {
                matches!(context, models::Context::Callback | models::Context::Exit)
            }
        }
    }
}
