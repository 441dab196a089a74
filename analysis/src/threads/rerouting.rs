//! Calls of an edited function that lead elsewhere, as long as that makes no difference to any context or thread: then only
//! who comes to a context is another one.
//!
//! The result has to be what finding all contexts anew would give, also in the order in which contexts are found. So a call
//! may come to lead to a context that was found before the caller was visited, and may cease to lead to one that was
//! found by somebody else.

use super::context::ContextId;
use super::contexts::{Arrival, Contexts};
use super::flow::Sources;
use super::multiplicity::is_repeated;
use super::prepared::Entered;
use super::reached::{Called, Reached};
use super::roots::RootId;
use crate::callgraph::{Components, FunctionId};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

pub(super) struct Rerouting<'r> {
    components: &'r Components,
}

type Place = (FunctionId, ContextId);

impl<'r> Rerouting<'r> {
    pub fn new(sources: Sources<'r>) -> Rerouting<'r> {
        Rerouting {
            components: sources.components,
        }
    }

    /// Lets the calls of a function in a context lead where they do now. Says whether all contexts and threads stay as
    /// they are; if not, the contexts are of no use any more.
    pub fn reroute(&mut self, contexts: &mut Contexts, place: Place, calls: Vec<Entered>) -> bool {
        let Some(now) = self.called(contexts, place, calls) else {
            return false;
        };
        let before = contexts.reached(place.0, place.1).calls().to_vec();
        let places = |calls: &[Called]| -> BTreeSet<Place> {
            let calls = calls.iter();
            calls.map(|call| (call.callee, call.context)).collect()
        };
        let (old, new) = (places(&before), places(&now));
        if !self.is_found_as_before(contexts, place, [&before, &now]) {
            return false;
        }
        for &(callee, id) in old.union(&new) {
            let entering = now.iter();
            let entering = entering.filter(|call| (call.callee, call.context) == (callee, id));
            let entering: Vec<Arrival> = entering
                .map(|call| Arrival::Call {
                    caller: place.0,
                    context: place.1,
                    at: call.at,
                    repeats: call.repeats,
                })
                .collect();
            let Some(arrivals) = self.arrivals(contexts, place, (callee, id), entering) else {
                return false;
            };
            contexts.reached_mut(callee, id).arrivals = arrivals;
        }
        contexts.reached_mut(place.0, place.1).calls = Some(now);
        true
    }

    /// Whether contexts are found by these calls in the order in which they were, and joined as they were.
    fn is_found_as_before(&self, contexts: &Contexts, place: Place, calls: [&[Called]; 2]) -> bool {
        let is_exact = |call: &Called| {
            let known = &contexts.functions[call.callee.0 as usize];
            known.exactly(&call.entered) == Some(call.context)
        };
        // What is joined depends on all that came before it, but joining it twice is joining it once.
        let [before, now] = calls.map(|calls| {
            let mut seen = FxHashSet::default();
            let joined = calls.iter().filter(|call| !is_exact(call));
            let joined = joined.map(|call| (call.callee, call.context, &call.entered));
            joined.filter(|call| seen.insert(*call)).collect::<Vec<_>>()
        });
        if before != now {
            return false;
        }
        let is_finder = |call: &&Called| {
            let reached = contexts.reached(call.callee, call.context);
            reached
                .arrivals
                .first()
                .is_some_and(|arrival| is_from(arrival, place))
        };
        let [before, now] = calls.map(|calls| {
            let mut seen = BTreeSet::new();
            let found = calls.iter().filter(|call| is_exact(call)).filter(is_finder);
            let found = found.map(|call| (call.callee, call.context));
            found
                .filter(|place| seen.insert(*place))
                .collect::<Vec<Place>>()
        });
        before == now
    }

    /// The calls with the contexts that they lead to; `None` if there is none for one of them.
    fn called(
        &self,
        contexts: &Contexts,
        place: Place,
        calls: Vec<Entered>,
    ) -> Option<Vec<Called>> {
        let caller = contexts.reached(place.0, place.1);
        let called = calls.into_iter().map(|entered| {
            let mut before = caller.calls().iter();
            let same = before
                .find(|call| call.callee == entered.target && call.entered == entered.context);
            let context = match same {
                Some(same) => same.context,
                None => {
                    let known = &contexts.functions[entered.target.0 as usize];
                    let id = known.exactly(&entered.context)?;
                    let callee = &known.contexts[id.0 as usize];
                    let is_there = callee.found_at < caller.visited_at
                        && caller.roots.is_subset(&callee.roots);
                    is_there.then_some(id)?
                }
            };
            let known = &contexts.functions[entered.target.0 as usize];
            Some(Called {
                callee: entered.target,
                context,
                at: entered.at,
                repeats: entered.repeats,
                entered: known.shared(entered.context),
            })
        });
        called.collect()
    }

    /// Who comes to a place, if it is entered so from a caller; `None` if that makes a difference.
    fn arrivals(
        &mut self,
        contexts: &Contexts,
        from: Place,
        to: Place,
        entering: Vec<Arrival>,
    ) -> Option<Vec<Arrival>> {
        let is_from = |arrival: &Arrival| is_from(arrival, from);
        let reached = contexts.reached(to.0, to.1);
        let leaves = entering.is_empty();
        // It would not have been found, or later on.
        if leaves && reached.arrivals.first().is_none_or(is_from) {
            return None;
        }
        let is_first = reached.arrivals.first().is_some_and(is_from);
        let others = reached.arrivals.iter().filter(|arrival| !is_from(arrival));
        let others = others.copied();
        let arrivals: Vec<Arrival> = match is_first {
            true => entering.into_iter().chain(others).collect(),
            false => others.chain(entering).collect(),
        };
        if leaves && !self.are_supported(contexts, to.0, reached, &arrivals) {
            return None;
        }
        let is_known = |place: &Place| contexts.reached(place.0, place.1).is_repeated;
        let is_repeated = self.components.is_recursive(self.components.of(to.0.0))
            || is_repeated(contexts, &arrivals, &is_known);
        (is_repeated == reached.is_repeated).then_some(arrivals)
    }

    /// Whether all threads still come to a place. What comes from functions that may themselves be called from there
    /// does not count.
    fn are_supported(
        &mut self,
        contexts: &Contexts,
        function: FunctionId,
        reached: &Reached,
        arrivals: &[Arrival],
    ) -> bool {
        let component = self.components.of(function.0);
        let mut roots: BTreeSet<RootId> = BTreeSet::new();
        for arrival in arrivals {
            match arrival {
                Arrival::Root(root) => {
                    roots.insert(*root);
                }
                Arrival::Call {
                    caller, context, ..
                } if self.components.of(caller.0) != component => {
                    roots.extend(contexts.reached(*caller, *context).roots.iter());
                }
                Arrival::Call { .. } => {}
            }
        }
        reached.roots.is_subset(&roots)
    }
}

fn is_from(arrival: &Arrival, place: Place) -> bool {
    match arrival {
        Arrival::Call {
            caller, context, ..
        } => (*caller, *context) == place,
        Arrival::Root(_) => false,
    }
}
