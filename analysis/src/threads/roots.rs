//! Where threads begin.

use crate::branches::Certain;
use crate::callgraph::{FunctionId, Functions};
use crate::dataflow::Shared;
use crate::forks::Origin;
use crate::ir::{Body, FunctionRef, Landmark};
use crate::locksets::Mode;
use crate::models;
use crate::signals::SignalState;
use crate::symexec::{Path, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use ustr::Ustr;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct RootId(pub u32);

/// Something that runs on its own, beginning with one function.
#[derive(Clone, PartialEq, Debug)]
pub struct ThreadRoot {
    pub entry: FunctionId,
    pub kind: RootKind,
    /// What its formals are, as everybody knows it.
    pub bindings: Vec<Value>,
    /// What is certain about them.
    pub certain: BTreeMap<u32, Certain>,
    /// Numbers in what it is given, which nobody changes.
    pub contents: BTreeMap<Path, Value>,
    /// What its starter has waited for.
    pub signals: Arc<SignalState>,
    /// Several of it may run at the same time.
    pub many: bool,
    /// The threads that start it.
    pub parents: BTreeSet<RootId>,
    /// The `main` functions, itself included, from which it is started: a project may hold several programs.
    pub programs: BTreeSet<RootId>,
    /// Threads that its parent may have running when it is started.
    pub running_before: Shared<BTreeSet<Origin>>,
    /// Threads that may still run when it ends, of those that it has started.
    pub left_behind: BTreeSet<Origin>,
    /// The code that starts it may run more than once, apart from loops around the start itself.
    pub restarted: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RootKind {
    Main,
    /// A function of a library, which any thread of its user may call.
    Exported,
    /// The user says that it runs on its own.
    Named,
    Started {
        context: models::Context,
        by: FunctionId,
        at: Landmark,
    },
}

impl RootKind {
    pub fn is_signal(self) -> bool {
        matches!(self, RootKind::Started { context, .. } if context == models::Context::Signal)
    }

    /// Whether it begins when it is started and ends when it is joined, as timers and handlers do not.
    pub fn is_thread(self) -> bool {
        match self {
            RootKind::Main | RootKind::Exported | RootKind::Named => false,
            RootKind::Started { context, .. } => context == models::Context::Thread,
        }
    }
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

/// What the user says about threads, because the program does not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ThreadRules {
    pub entries: Entries,
    /// Functions that run on their own although nothing starts them, several times at once.
    pub named_entries: Vec<Ustr>,
    /// Entries that never run at the same time.
    pub never_parallel: Vec<(Ustr, Ustr)>,
    /// Locks that whoever calls these functions holds, in terms of their formals, by the functions' annotations. The
    /// program's own calls are seen; those of a library's users are not.
    pub held_at_entry: BTreeMap<FunctionRef, Vec<(Path, Mode)>>,
}

impl ThreadRules {
    /// Whether execution may begin with a function, and how, although nothing in the program starts it.
    pub fn begins(&self, body: &Body) -> Option<RootKind> {
        if body.blocks.is_empty() {
            return None;
        }
        let is_external = body.function.scope.is_external();
        match self.entries {
            _ if is_external && body.function.name == "main" => Some(RootKind::Main),
            _ if self.named_entries.contains(&body.function.name) => Some(RootKind::Named),
            Entries::Exported if is_external => Some(RootKind::Exported),
            Entries::Exported | Entries::Threads => None,
        }
    }

    pub(super) fn keeps_apart(&self, one: Ustr, other: Ustr) -> bool {
        let mut pairs = self.never_parallel.iter();
        pairs.any(|pair| *pair == (one, other) || *pair == (other, one))
    }
}

impl ThreadRoot {
    /// The place that starts it.
    pub fn origin(&self, functions: &Functions) -> Option<Origin> {
        match self.kind {
            RootKind::Started { by, at, .. } => Some(Origin {
                function: functions.body(by).function,
                statement: at,
            }),
            RootKind::Main | RootKind::Exported | RootKind::Named => None,
        }
    }

    /// Whether it runs in the main thread, one after the other with all else that does.
    // UNSOUND: callbacks of an event loop are taken to run in the main thread, one at a time.
    pub fn is_main_thread(&self) -> bool {
        match self.kind {
            RootKind::Main => true,
            RootKind::Exported | RootKind::Named => false,
            RootKind::Started { context, .. } => {
                matches!(context, models::Context::Callback | models::Context::Exit)
            }
        }
    }
}
