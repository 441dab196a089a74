//! The summaries of a program, and those that hold while a component is computed.

use crate::callgraph::FunctionId;
use crate::forks::ForkSummary;
use crate::locksets::LockSummary;
use crate::ownership::SharingSummary;
use crate::references::ReferenceSummary;
use crate::shared_list::SharedList;
use crate::signals::SignalSummary;
use crate::symexec::ValueSummary;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What callers know of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    pub values: Arc<ValueSummary>,
    pub locks: Arc<LockSummary>,
    pub forks: Arc<ForkSummary>,
    pub sharing: Arc<SharingSummary>,
    pub signals: Arc<SignalSummary>,
    pub references: Arc<ReferenceSummary>,
}

impl Summary {
    /// How many things callers have to look at: values left in memory, locks, threads, objects.
    pub fn entries(&self) -> usize {
        let values = self.values.stores.len() + self.values.clobbered.len();
        let locks = self.locks.outcomes.possible();
        let locks: usize = locks
            .map(|lockset| lockset.held().count() + lockset.released().count())
            .sum();
        let forks = self.forks.threads.len() + self.forks.joined.len();
        let sharing = self.sharing.published.len() + self.sharing.held.len();
        values + locks + forks + sharing + self.references.net.len()
    }
}

/// The summaries of all functions.
#[derive(Clone)]
pub struct Summaries {
    pub(super) settled: SharedList<Summary>,
}

impl Summaries {
    pub fn get(&self, function: FunctionId) -> &Summary {
        &self.settled[function.0 as usize]
    }

    /// The view in which every function is settled.
    pub fn known(&self) -> Known<'_> {
        Known {
            settled: self,
            component: None,
        }
    }
}

/// What is known while the functions of a component are summarised.
#[derive(Clone, Copy)]
pub struct Known<'s> {
    pub(super) settled: &'s Summaries,
    /// The members of the component, with what is known of them so far.
    pub(super) component: Option<&'s BTreeMap<u32, Summary>>,
}

impl<'s> Known<'s> {
    pub fn get(self, function: FunctionId) -> &'s Summary {
        let member = self
            .component
            .and_then(|component| component.get(&function.0));
        member.unwrap_or_else(|| self.settled.get(function))
    }
}
