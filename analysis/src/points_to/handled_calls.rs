//! Which functions' doing matters to which others, as far as wrappers are concerned. It is kept from edit to edit: in a large program it
//! takes longer to find than all that follows from an edit.

use super::constraints::Constraints;
use super::wrappers::Bodies;
use std::sync::Arc;

/// By the positions of bodies.
#[derive(Default)]
pub(super) struct HandledCalls {
    /// Whose callees these are.
    functions: Vec<Arc<Constraints>>,
    callees: Vec<Vec<usize>>,
    /// In no order.
    callers: Vec<Vec<usize>>,
}

impl HandledCalls {
    /// Makes them those of these functions. Only such are looked at that are not what they were.
    pub fn update(&mut self, functions: &[&Arc<Constraints>], bodies: Bodies<'_>) {
        if self.functions.len() != functions.len() {
            let mut anew = HandledCalls {
                functions: functions.iter().copied().cloned().collect(),
                callees: vec![Vec::new(); functions.len()],
                callers: vec![Vec::new(); functions.len()],
            };
            for (caller, function) in functions.iter().enumerate() {
                anew.set(caller, function, bodies);
            }
            *self = anew;
            return;
        }
        for (caller, function) in functions.iter().enumerate() {
            if !Arc::ptr_eq(&self.functions[caller], function) {
                self.set(caller, function, bodies);
            }
        }
    }

    fn set(&mut self, caller: usize, function: &Arc<Constraints>, bodies: Bodies<'_>) {
        for callee in std::mem::take(&mut self.callees[caller]) {
            self.callers[callee].retain(|known| *known != caller);
        }
        let callees = function.handling.callees();
        let mut callees: Vec<usize> = callees.flat_map(bodies).copied().collect();
        callees.sort_unstable();
        callees.dedup();
        for callee in &callees {
            self.callers[*callee].push(caller);
        }
        self.callees[caller] = callees;
        self.functions[caller] = function.clone();
    }

    /// These functions, whoever gets to them, and whatever those get to, sorted.
    pub fn around(&self, functions: &[usize]) -> Vec<usize> {
        let count = self.functions.len();
        let with_callers = closure(count, functions, |function| &self.callers[function]);
        closure(count, &with_callers, |function| &self.callees[function])
    }
}

/// What can be reached from some functions, sorted.
fn closure<'n>(count: usize, from: &[usize], next: impl Fn(usize) -> &'n [usize]) -> Vec<usize> {
    let mut is_reached = vec![false; count];
    let mut reached = Vec::new();
    let mut pending = from.to_vec();
    while let Some(function) = pending.pop() {
        if !std::mem::replace(&mut is_reached[function], true) {
            reached.push(function);
            pending.extend(next(function));
        }
    }
    reached.sort_unstable();
    reached
}
