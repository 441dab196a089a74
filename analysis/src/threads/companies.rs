//! Numbers for the threads that come to contexts together.

use super::roots::RootId;
use crate::dataflow::Shared;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Stands for threads that come to some context: equal numbers for equal threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct CompanyId(pub u32);

/// The numbers that were given. Copies go on with numbers that no other copy gives, so that a number means the same to all of
/// them, also if a check was stopped and the next one goes on from before it.
#[derive(Clone, Default)]
pub(super) struct Companies {
    numbers: FxHashMap<Shared<BTreeSet<RootId>>, CompanyId>,
    next: Arc<AtomicU32>,
}

impl Companies {
    /// The number of these threads, a new one if they have none yet.
    pub fn number(&mut self, roots: &Shared<BTreeSet<RootId>>) -> CompanyId {
        if let Some(known) = self.numbers.get(roots) {
            return *known;
        }
        let next = CompanyId(self.next.fetch_add(1, Ordering::Relaxed));
        self.numbers.insert(roots.clone(), next);
        next
    }

    /// The number of these threads, if they have one.
    pub fn known(&self, roots: &Shared<BTreeSet<RootId>>) -> Option<CompanyId> {
        self.numbers.get(roots).copied()
    }

    /// Whether numbers mean the same to both.
    pub fn number_like(&self, other: &Companies) -> bool {
        Arc::ptr_eq(&self.next, &other.next)
    }
}
