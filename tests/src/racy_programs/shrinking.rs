//! Makes the plan of a program smaller while something stays true of it.

use super::plan::{Element, Plan, Route};

/// Each try compiles and runs a program; a smaller one is not worth more time than this.
const MOST_TRIES: usize = 40;

/// The smallest plan that was found to pass `test`, with what the test said about it.
///
/// A race may hide in one run and show in the next, so that this is not the smallest there is.
pub fn smallest<T>(plan: Plan, verdict: T, test: &dyn Fn(&Plan) -> Option<T>) -> (Plan, T) {
    let (mut plan, mut verdict) = (plan, verdict);
    let mut tries = 0;
    'smaller: loop {
        for candidate in simpler(&plan) {
            tries += 1;
            if tries > MOST_TRIES {
                return (plan, verdict);
            }
            if let Some(found) = test(&candidate) {
                (plan, verdict) = (candidate, found);
                continue 'smaller;
            }
        }
        return (plan, verdict);
    }
}

/// Plans with one thing less, those that lose most first.
fn simpler(plan: &Plan) -> Vec<Plan> {
    let mut candidates = Vec::new();
    let mut propose = |change: &dyn Fn(&mut Plan)| {
        let mut candidate = plan.clone();
        change(&mut candidate);
        let has_two = candidate.threads.len() > 1
            || candidate.threads.iter().any(|thread| thread.instances > 1)
            || !candidate.main_calls.is_empty();
        if !candidate.threads.is_empty() && has_two {
            candidates.push(candidate);
        }
    };
    for thread in 0..plan.threads.len() {
        propose(&|plan| drop(plan.threads.remove(thread)));
    }
    if !plan.main_calls.is_empty() {
        propose(&|plan| plan.main_calls.clear());
    }
    for thread in 0..plan.threads.len() {
        if plan.threads[thread].instances > 1 {
            propose(&|plan| plan.threads[thread].instances = 1);
        }
        for call in 0..plan.threads[thread].calls.len() {
            propose(&|plan| {
                plan.threads[thread].calls.remove(call);
            });
        }
    }
    for operation in plan.used_operations() {
        if plan.operations[operation].route != Route::Direct {
            propose(&|plan| plan.operations[operation].route = Route::Direct);
        }
    }
    if plan
        .calls()
        .any(|call| call.element != Element::Constant(1))
    {
        propose(&|plan| {
            let threads = plan.threads.iter_mut().flat_map(|thread| &mut thread.calls);
            for call in threads.chain(&mut plan.main_calls) {
                call.element = Element::Constant(1);
            }
        });
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::racy_programs::plan;

    #[test]
    fn what_does_not_matter_is_dropped() {
        let calls = |plan: &Plan| (plan.calls().count() > 1).then_some(());
        let large = (0..100).map(plan).max_by_key(|plan| plan.calls().count());
        let (small, ()) = smallest(large.unwrap(), (), &calls);
        assert_eq!(small.calls().count(), 2);
    }

    #[test]
    fn a_plan_that_cannot_be_smaller_stays() {
        let count = plan(7).calls().count();
        let (same, ()) = smallest(plan(7), (), &|_| None);
        assert_eq!(same.calls().count(), count);
    }
}
