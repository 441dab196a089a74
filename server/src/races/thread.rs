//! Threads as a reader knows them.

use super::checked::Checked;
use crate::report::Thread;
use racelens_analysis::races::WholeProgram;
use racelens_analysis::threads::{RootId, RootKind};

/// How many there are. One that is started at one place with several arguments is one.
pub(super) fn count(program: &WholeProgram) -> usize {
    let roots = program.contexts.roots.iter();
    let distinct: std::collections::HashSet<_> =
        roots.map(|root| (root.entry, root.kind)).collect();
    distinct.len()
}

pub(super) fn thread(checked: &Checked<'_>, root: RootId) -> Thread {
    let root = checked.program().contexts.root(root);
    let started = match root.kind {
        RootKind::Started { by, at, .. } => checked.landmark_place(by, at),
        RootKind::Main | RootKind::Exported | RootKind::Named => None,
    };
    Thread {
        name: checked.function_name(root.entry),
        many: root.many,
        started,
    }
}

/// Several, each once, in the order of the program.
pub(super) fn threads(
    checked: &Checked<'_>,
    roots: impl IntoIterator<Item = RootId>,
) -> Vec<Thread> {
    let mut threads: Vec<Thread> = Vec::new();
    for root in roots {
        let thread = thread(checked, root);
        if !threads.contains(&thread) {
            threads.push(thread);
        }
    }
    threads
}
