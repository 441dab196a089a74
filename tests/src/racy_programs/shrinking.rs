//! Makes the plan of a program smaller while something stays true of it.

use super::plan::{Access, Element, Moment, Plan, Route};

/// Each try compiles and runs a program; a smaller one is not worth more time than this.
const MOST_TRIES: usize = 60;

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
        if is_worth_running(&candidate) {
            candidates.push(candidate);
        }
    };
    if !plan.scenes.is_empty() && !plan.threads.is_empty() {
        propose(&|plan| {
            plan.threads.clear();
            plan.main_calls.clear();
        });
        propose(&|plan| plan.scenes.clear());
    }
    for scene in 0..plan.scenes.len() {
        propose(&|plan| drop(plan.scenes.remove(scene)));
    }
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
    for call in 0..plan.main_calls.len() {
        propose(&|plan| {
            plan.main_calls.remove(call);
        });
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
    candidates.extend(with_simpler_scenes(plan));
    candidates
}

/// Whether there are two threads that could meet.
fn is_worth_running(plan: &Plan) -> bool {
    let has_two = plan.threads.len() > 1
        || plan.threads.iter().any(|thread| thread.instances > 1)
        || !plan.main_calls.is_empty();
    if plan.threads.is_empty() {
        plan.main_calls.is_empty() && !plan.scenes.is_empty()
    } else {
        has_two
    }
}

/// Plans in which one scene has one thing less.
fn with_simpler_scenes(plan: &Plan) -> Vec<Plan> {
    let mut candidates = Vec::new();
    for (index, scene) in plan.scenes.iter().enumerate() {
        let mut scenes = Vec::new();
        if scene.moment != Moment::Before {
            let mut simpler = scene.clone();
            simpler.moment = Moment::Before;
            scenes.push(simpler);
        }
        if scene.in_helpers {
            let mut simpler = scene.clone();
            simpler.in_helpers = false;
            scenes.push(simpler);
        }
        if scene.accesses().iter().any(|access| !is_simple(*access)) {
            let mut simpler = scene.clone();
            (simpler.write, simpler.read) = (Access::Increment, Access::Read);
            simpler.others = scene.others.map(|access| {
                if access.is_read() {
                    Access::Read
                } else {
                    Access::Increment
                }
            });
            scenes.push(simpler);
        }
        for form in 0..scene.forms.len() {
            let mut simpler = scene.clone();
            simpler.forms.remove(form);
            scenes.push(simpler);
        }
        candidates.extend(scenes.into_iter().map(|scene| {
            let mut candidate = plan.clone();
            candidate.scenes[index] = scene;
            candidate
        }));
    }
    candidates
}

fn is_simple(access: Access) -> bool {
    matches!(access, Access::Increment | Access::Read)
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
    fn of_several_scenes_the_one_that_matters_stays_in_its_simplest_form() {
        let has_flaw = |plan: &Plan| {
            let mut scenes = plan.scenes.iter();
            scenes.any(|scene| scene.flaw.is_some()).then_some(())
        };
        let large = (0..100)
            .map(plan)
            .find(|plan| has_flaw(plan).is_some() && plan.scenes.len() > 1);
        let (small, ()) = smallest(large.unwrap(), (), &has_flaw);
        assert_eq!(small.scenes.len(), 1);
        assert!(small.threads.is_empty());
        assert!(small.scenes[0].forms.is_empty());
        assert_eq!(small.scenes[0].write, Access::Increment);
    }

    #[test]
    fn a_plan_that_cannot_be_smaller_stays() {
        let count = plan(7).calls().count();
        let (same, ()) = smallest(plan(7), (), &|_| None);
        assert_eq!(same.calls().count(), count);
    }
}
