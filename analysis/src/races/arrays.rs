//! Variables that are arrays.

use crate::callgraph::Functions;
use crate::ir::{Base, Body, GlobalRef, Place, Projection, Rvalue, Statement};
use crate::shared_list::SharedList;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The variables of which functions use elements.
#[derive(Clone, Default)]
pub(super) struct Arrays {
    all: Arc<FxHashSet<GlobalRef>>,
    /// By the function's number.
    used: SharedList<Arc<[GlobalRef]>>,
}

impl Arrays {
    pub fn new(functions: &Functions) -> Arrays {
        let ids = functions.ids();
        let used = ids.map(|function| arrays_used(functions.body(function)));
        Arrays::of(used.collect())
    }

    /// The same after an edit, where functions had the same numbers before.
    pub fn again(&self, functions: &Functions, before: &Functions) -> Arrays {
        let mut used = self.used.clone();
        let mut is_same = true;
        for function in functions.edited_since(before) {
            let index = function.0 as usize;
            let now = arrays_used(functions.body(function));
            if used[index] != now {
                used.set(index, now);
                is_same = false;
            }
        }
        match is_same {
            true => self.clone(),
            false => Arrays::of(used),
        }
    }

    fn of(used: SharedList<Arc<[GlobalRef]>>) -> Arrays {
        let all = used.iter().flat_map(|used| used.iter().copied());
        Arrays {
            all: Arc::new(all.collect()),
            used,
        }
    }

    /// The variables of which some function uses elements.
    pub fn all(&self) -> &Arc<FxHashSet<GlobalRef>> {
        &self.all
    }

    /// Whether they are the variables that they were.
    pub fn are_those_of(&self, before: &Arrays) -> bool {
        Arc::ptr_eq(&self.all, &before.all) || self.all == before.all
    }
}

/// Each once, in the order of the function.
fn arrays_used(body: &Body) -> Arc<[GlobalRef]> {
    let mut found: Vec<GlobalRef> = Vec::new();
    let mut note = |place: &Place| {
        if let (Base::Global(global), Some(Projection::Index(_))) =
            (&place.base, place.path.first())
            && !found.contains(global)
        {
            found.push(*global);
        }
    };
    for (_, statement) in body.statements() {
        match statement {
            Statement::Load { place, .. }
            | Statement::Store { place, .. }
            | Statement::Update { place, .. }
            | Statement::Assign {
                value: Rvalue::AddressOf(place),
                ..
            } => note(place),
            _ => {}
        }
    }
    found.into()
}
