//! What the members of a small component know of each other. Each call of a member by another makes objects of its own; if those that deeper
//! calls make had names, too, every look at a member would find one more of them.

use super::callees::Callees;
use super::component::Members;
use super::known::Summary;
use crate::ir::{FunctionRef, Landmark};
use crate::symexec::{CallSite, Root, Site};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The calls of a member that may lead back into its component.
pub(super) struct DeeperCalls {
    function: FunctionRef,
    calls: FxHashSet<Landmark>,
}

impl DeeperCalls {
    pub fn of(callees: &Callees<'_>, members: &Members) -> DeeperCalls {
        let body = callees.graph.functions.body(callees.function);
        let inside = CallSite::of_body(body).filter(|call| callees.reaches(*call, members));
        DeeperCalls {
            function: body.function,
            calls: inside.map(|call| body.landmark(call.statement)).collect(),
        }
    }

    /// Whether an object comes out of one of these calls.
    fn make(&self, site: &Site) -> bool {
        site.function == self.function && self.calls.contains(&site.statement)
    }

    /// The summary without names for what these calls make.
    pub fn without_their_objects(&self, summary: &Summary) -> Summary {
        if !summary.values.heap.iter().any(|site| self.make(site)) {
            return summary.clone();
        }
        let mut values = (*summary.values).clone();
        // What has no number among a function's objects is somewhere for whoever calls it.
        values.heap.retain(|site| !self.make(site));
        let stores = std::mem::take(&mut values.stores);
        for (path, value) in stores {
            match path.root {
                Root::Heap(site) if self.make(&site) => match path.last_field() {
                    Some(field) => {
                        values.clobbered.insert(field);
                    }
                    None => values.forgot = true,
                },
                _ => values.stores.push((path, value)),
            }
        }
        let mut sharing = (*summary.sharing).clone();
        let is_named = |root: Root| !matches!(root, Root::Heap(site) if self.make(&site));
        sharing.published.retain(|object| is_named(object.root));
        // What is put into an object without a name is known to others, so this has to be told.
        sharing.held.retain(|(object, _)| is_named(object.root));
        Summary {
            values: Arc::new(values),
            sharing: Arc::new(sharing),
            ..summary.clone()
        }
    }
}
