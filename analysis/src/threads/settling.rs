//! What a replay comes to: the contexts of before with other lists for some functions, and who comes where by now.

use super::context::ContextId;
use super::contexts::{Arrival, Contexts};
use super::group_roots::roots_in;
use super::multiplicity::is_repeated;
use super::reached::{Called, LeftOut};
use super::replay::{Relisted, Replay, Way, key_of_call, number_of_call};
use super::timeline::{Place, Time, Visit};
use crate::callgraph::FunctionId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Replay<'_> {
    /// The contexts after the edit; `None` if there are other threads.
    pub(super) fn settled(self) -> Option<Contexts> {
        let mut contexts = self.known.clone();
        for (function, relisted) in &self.relisted {
            self.set_list(&mut contexts, *function, relisted)?;
        }
        self.redirect_callers(&mut contexts)?;
        self.rename_callers(&mut contexts);
        self.set_left_out(&mut contexts);
        self.set_timeline(&mut contexts);
        let others = self.settle_threads(&mut contexts)?;
        let relisted = self.relisted.keys().copied();
        let touched: BTreeSet<FunctionId> = relisted.chain(others).collect();
        contexts.finish_replay(self.known, &touched);
        Some(contexts)
    }

    /// Where a visit leads by now.
    fn place_now(&self, time: Time) -> Option<Place> {
        match self.inserted.get(&time) {
            Some(place) => Some(*place),
            None => self.still(self.known.timeline.at(time)?),
        }
    }

    /// A context of before by the number that it has now, if it is still there.
    fn still(&self, (function, id): Place) -> Option<Place> {
        let id = match self.relisted.get(&function) {
            Some(relisted) => relisted.survivors[id.0 as usize]?,
            None => id,
        };
        Some((function, id))
    }

    fn set_list(
        &self,
        contexts: &mut Contexts,
        function: FunctionId,
        relisted: &Relisted,
    ) -> Option<()> {
        let mut list = relisted.list.clone();
        let known = &self.known.functions[function.0 as usize].contexts;
        for (reached, origin) in list.contexts.iter_mut().zip(&relisted.origins) {
            let earlier = origin.map(|origin| &known[origin.0 as usize]);
            if let Some(earlier) = earlier {
                reached.roots = earlier.roots.clone();
                reached.company = earlier.company;
                reached.is_timeless = earlier.is_timeless;
                reached.is_repeated = earlier.is_repeated;
                reached.starts = earlier.starts.clone();
            } else {
                reached.is_timeless = self.known.any_moment.is_that_of(&reached.context);
            }
            let before = earlier.map_or(&[][..], |earlier| earlier.calls());
            reached.calls = Some(self.calls_now(reached.visited_at, before)?);
        }
        let mut seen: FxHashSet<(ContextId, Arrival)> = FxHashSet::default();
        for (key, event) in &relisted.events {
            let id = event.context?;
            let reached = &mut list.contexts[id.0 as usize];
            let arrival = match event.way {
                Way::Root(root) => {
                    // What a thread leaves behind where it ends depends on how its entry is entered.
                    let is_it = |arrival: &Arrival| *arrival == Arrival::Root(root);
                    let mut known = known.iter();
                    let before = known.find(|earlier| earlier.arrivals.iter().any(is_it))?;
                    if before.context != reached.context {
                        return None;
                    }
                    Arrival::Root(root)
                }
                Way::Call { at, repeats } => {
                    let (caller, context) = self.place_now(key.0)?;
                    Arrival::Call {
                        caller,
                        context,
                        at,
                        repeats,
                    }
                }
            };
            if seen.insert((id, arrival)) {
                reached.arrivals.push(arrival);
            }
        }
        contexts.functions.set(function.0 as usize, Arc::new(list));
        Some(())
    }

    /// The calls of a visit with the contexts that they lead to by now.
    fn calls_now(&self, time: Time, before: &[Called]) -> Option<Vec<Called>> {
        let event = |callee: FunctionId, number: usize| {
            let relisted = self.relisted.get(&callee)?;
            relisted.events.get(&key_of_call(time, number))
        };
        let revisited = self.revisited.get(&time);
        let Some(calls) = revisited.and_then(|revisited| revisited.calls.as_ref()) else {
            let calls = before.iter().enumerate();
            let calls = calls.map(|(number, call)| {
                let context = match self.relisted.contains_key(&call.callee) {
                    true => event(call.callee, number)?.context?,
                    false => call.context,
                };
                Some(Called {
                    context,
                    ..call.clone()
                })
            });
            return calls.collect();
        };
        // Functions that are not listed again are called as they were.
        let mut count: FxHashMap<FunctionId, usize> = FxHashMap::default();
        let calls = calls.iter().enumerate().map(|(number, call)| {
            if self.relisted.contains_key(&call.target) {
                let event = event(call.target, number)?;
                return Some(Called {
                    callee: call.target,
                    context: event.context?,
                    at: call.at,
                    repeats: call.repeats,
                    entered: event.entered.clone(),
                });
            }
            let count = count.entry(call.target).or_default();
            let mut same = before.iter().filter(|old| old.callee == call.target);
            let same = same.nth(*count)?;
            *count += 1;
            Some(same.clone())
        });
        calls.collect()
    }

    /// Tells those who call functions with other lists, and are not in such a list themselves, where their calls lead.
    fn redirect_callers(&self, contexts: &mut Contexts) -> Option<()> {
        for (time, revisited) in &self.revisited {
            let (function, id) = self.place_now(*time)?;
            if revisited.calls.is_some() && !self.relisted.contains_key(&function) {
                let before = self.known.reached(function, id).calls();
                let calls = self.calls_now(*time, before)?;
                contexts.reached_mut(function, id).calls = Some(calls);
            }
        }
        for relisted in self.relisted.values() {
            for (key, event) in &relisted.events {
                let Way::Call { .. } = event.way else {
                    continue;
                };
                let (caller, id) = self.place_now(key.0)?;
                let revisited = self.revisited.get(&key.0);
                if self.relisted.contains_key(&caller)
                    || revisited.is_some_and(|revisited| revisited.calls.is_some())
                {
                    continue;
                }
                let number = number_of_call(*key);
                let context = event.context?;
                let known = contexts.reached(caller, id).calls().get(number)?;
                if known.context != context
                    && let Some(calls) = &mut contexts.reached_mut(caller, id).calls
                {
                    calls[number].context = context;
                }
            }
        }
        Some(())
    }

    /// Tells those who are called from contexts that have another number now, and are in no other list themselves.
    fn rename_callers(&self, contexts: &mut Contexts) {
        let mut called: BTreeSet<Place> = BTreeSet::new();
        for (function, relisted) in &self.relisted {
            let list = &self.known.functions[function.0 as usize].contexts;
            for (index, (earlier, now)) in list.iter().zip(&relisted.survivors).enumerate() {
                if now.is_some_and(|now| now.0 as usize != index) {
                    let places = earlier.calls().iter();
                    let places = places.map(|call| (call.callee, call.context));
                    called.extend(places.filter(|(callee, _)| !self.relisted.contains_key(callee)));
                }
            }
        }
        for (function, id) in called {
            for arrival in &mut contexts.reached_mut(function, id).arrivals {
                if let Arrival::Call {
                    caller, context, ..
                } = arrival
                    && let Some(now) = self.still((*caller, *context))
                {
                    *context = now.1;
                }
            }
        }
    }

    fn set_left_out(&self, contexts: &mut Contexts) {
        let relisted = self.relisted.keys();
        let functions: BTreeSet<FunctionId> = relisted.chain(self.changed).copied().collect();
        for function in functions {
            let index = function.0 as usize;
            let known = &self.known.left_out[index];
            let mut left_out = LeftOut::default();
            for (number, reached) in contexts.functions[index].contexts.iter().enumerate() {
                let origin = match self.relisted.get(&function) {
                    Some(relisted) => relisted.origins[number],
                    None => Some(ContextId(number as u32)),
                };
                let blocks = match self.revisited.get(&reached.visited_at) {
                    Some(revisited) => revisited.left_out.clone(),
                    None => origin.map_or_else(BTreeSet::new, |origin| known.of(origin)),
                };
                left_out.add(ContextId(number as u32), blocks);
            }
            if left_out != *known {
                contexts.left_out.set(index, left_out);
            }
        }
    }

    fn set_timeline(&self, contexts: &mut Contexts) {
        if self.relisted.is_empty() {
            return;
        }
        let inserted = self.inserted.iter();
        let inserted = inserted.map(|(time, place)| Visit {
            time: *time,
            place: *place,
        });
        let timeline = &self.known.timeline;
        let timeline = timeline.again(|visit| self.still(visit.place), inserted);
        contexts.timeline = Arc::new(timeline);
    }

    /// Finds the threads that come to contexts, and which of these are entered more than once, from callers to callees.
    /// The functions for which that is not as before; `None` if that makes a difference to what threads there are.
    fn settle_threads(&self, contexts: &mut Contexts) -> Option<BTreeSet<FunctionId>> {
        let components = self.sources.components;
        let relisted = self.relisted.keys();
        // Others come to a function only if it is listed again. But one alone may call itself now, or not any more.
        let alone =
            |function: &&FunctionId| components.members(components.of(function.0)).len() == 1;
        let functions = relisted.chain(self.changed.iter().filter(alone));
        let mut pending: BTreeSet<Reverse<u32>> = functions
            .map(|function| Reverse(components.of(function.0)))
            .collect();
        let mut touched = BTreeSet::new();
        while let Some(Reverse(component)) = pending.pop_first() {
            let members = components.members(component);
            let is_recursive = components.is_recursive(component);
            let roots = roots_in(contexts, members, is_recursive);
            for (place, roots) in roots {
                let (function, id) = place;
                let reached = contexts.reached(function, id);
                let is_known = |place: &Place| contexts.reached(place.0, place.1).is_repeated;
                let is_repeated =
                    is_recursive || is_repeated(contexts, &reached.arrivals, &is_known);
                if roots.is_none() && reached.is_repeated == is_repeated {
                    continue;
                }
                // Threads that are started there have other parents, or there are more of them; and who ends there is
                // somebody else.
                if !reached.starts.is_empty() || self.ends_threads(function) {
                    return None;
                }
                let callees = reached.calls().iter();
                let callees = callees.map(|call| components.of(call.callee.0));
                let callees = callees.filter(|callee| *callee != component);
                pending.extend(callees.map(Reverse));
                touched.insert(function);
                let roots = roots.unwrap_or_else(|| reached.roots.clone());
                let company = match contexts.companies.known(&roots) {
                    Some(company) => company,
                    None => Arc::make_mut(&mut contexts.companies).number(&roots),
                };
                let reached = contexts.reached_mut(function, id);
                reached.roots = roots;
                reached.company = company;
                reached.is_repeated = is_repeated;
            }
        }
        Some(touched)
    }
}
