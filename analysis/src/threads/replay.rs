//! The search for contexts once more after an edit, as far as it takes another way: functions that are entered with something
//! else get other contexts, and what those call is entered with something else in turn.
//!
//! The result has to be what finding all contexts anew gives, and there the order decides: on the numbers of contexts and on
//! how they are joined where there are too many. So all that enters such a function is gone through again in the order of
//! time, and whatever it calls differently enters others at the time of the visit. Visits that stay are made in the order in
//! which they were made: whose turn it is depends on functions and numbers, and both keep their order. A context that
//! is new is visited in front of the first that has its turn after it. Functions of which the order is another one are taken for such that
//! are entered otherwise, and all their visits for new ones. Whatever would change threads makes the replay fail.

use super::context::{Context, ContextId};
use super::contexts::{Arrival, Contexts};
use super::flow::{Sources, Turn, turn};
use super::prepared::{Entered, Surroundings};
use super::reached::{Called, FunctionContexts, Reached};
use super::roots::RootId;
use super::timeline::{Place, Time, Visit};
use crate::accesses::StartFact;
use crate::callgraph::FunctionId;
use crate::dataflow::Fixed;
use crate::ir::{BlockId, Landmark};
use crate::stop::Stop;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// What is replayed, and what is different.
pub(super) struct Replayed<'r> {
    pub surroundings: &'r Surroundings<'r>,
    pub sources: Sources<'r>,
    pub earlier: Sources<'r>,
    /// The contexts before the edit.
    pub known: &'r Contexts,
    /// The functions that do something else in their contexts.
    pub changed: &'r BTreeSet<FunctionId>,
    /// The functions that have their turn before or behind others than earlier. All their visits are gone, and others come in their place.
    pub out_of_turn: &'r BTreeSet<FunctionId>,
}

pub(super) struct Replay<'r> {
    pub(super) surroundings: &'r Surroundings<'r>,
    pub(super) sources: Sources<'r>,
    earlier: Sources<'r>,
    pub(super) known: &'r Contexts,
    pub(super) changed: &'r BTreeSet<FunctionId>,
    out_of_turn: &'r BTreeSet<FunctionId>,
    /// The functions that are entered otherwise, or may be.
    pub(super) relisted: BTreeMap<FunctionId, Relisted>,
    /// Visits in which something else is done, and those that are new.
    pub(super) revisited: FxHashMap<Time, Revisited>,
    /// Visits that are not made any more.
    pub(super) gone: FxHashSet<Time>,
    /// Visits that were not made before.
    pub(super) inserted: BTreeMap<Time, Place>,
    steps: BTreeMap<Key, Step>,
}

/// When something happens: the visit, and what is done in it. First comes the visit itself, then its calls in the order of the
/// function, then the threads that it starts.
pub(super) type Key = (Time, u32);

const VISIT: u32 = 0;
const FIRST_CALL: u32 = 1;
const FIRST_ROOT: u32 = 1 << 31;

/// The key of a call by its number in the visit.
pub(super) fn key_of_call(time: Time, number: usize) -> Key {
    (time, FIRST_CALL + number as u32)
}

/// The number of a call in its visit.
pub(super) fn number_of_call((_, rank): Key) -> usize {
    (rank - FIRST_CALL) as usize
}

enum Step {
    /// A visit of before, by the number that its context had then.
    Visit(Place),
    VisitNew(Place),
    Enter(FunctionId),
}

/// A function whose contexts are listed again.
pub(super) struct Relisted {
    pub list: FunctionContexts,
    /// All that enters it.
    pub events: BTreeMap<Key, Event>,
    /// For each context the number that it had, if it was there before.
    pub origins: Vec<Option<ContextId>>,
    /// For each context of before the number that it has now, as soon as it is found.
    pub survivors: Vec<Option<ContextId>>,
}

/// A function is entered.
pub(super) struct Event {
    pub entered: Fixed<Context>,
    pub way: Way,
    /// The context that this leads to, as soon as it is known.
    pub context: Option<ContextId>,
}

#[derive(Clone, Copy)]
pub(super) enum Way {
    Root(RootId),
    Call { at: Landmark, repeats: bool },
}

pub(super) struct Revisited {
    /// `None` if they are the same as before.
    pub calls: Option<Vec<Entered>>,
    pub left_out: BTreeSet<BlockId>,
}

impl<'r> Replay<'r> {
    pub fn new(replayed: Replayed<'r>) -> Replay<'r> {
        let Replayed {
            surroundings,
            sources,
            earlier,
            known,
            changed,
            out_of_turn,
        } = replayed;
        Replay {
            surroundings,
            sources,
            earlier,
            known,
            changed,
            out_of_turn,
            relisted: BTreeMap::new(),
            revisited: FxHashMap::default(),
            gone: FxHashSet::default(),
            inserted: BTreeMap::new(),
            steps: BTreeMap::new(),
        }
    }

    /// The contexts after the edit; `None` if they have to be found otherwise.
    pub fn run(mut self, stop: &Stop) -> Option<Contexts> {
        for function in self.changed {
            for (id, ..) in self.known.of(*function) {
                let time = self.known.reached(*function, id).visited_at;
                self.steps
                    .insert((time, VISIT), Step::Visit((*function, id)));
            }
        }
        for function in self.out_of_turn {
            self.relist(*function, Time::BEGINNING)?;
        }
        // Whoever has to look at most of it again finds all anew, with help.
        let mut patience = 2 * self.known.timeline.len() + 100;
        while let Some((key, step)) = self.steps.pop_first() {
            stop.check();
            patience = patience.checked_sub(1)?;
            match step {
                Step::Visit(place) => self.visit(key.0, place)?,
                Step::VisitNew(place) => self.visit_new(key.0, place)?,
                Step::Enter(function) => self.enter(function, key)?,
            }
        }
        self.settled()
    }

    /// Something that was visited before has its turn.
    fn visit(&mut self, time: Time, (function, id): Place) -> Option<()> {
        let known = self.known;
        let reached = known.reached(function, id);
        let relisted = self.relisted.get(&function);
        if relisted.is_some_and(|relisted| relisted.survivors[id.0 as usize].is_none()) {
            if !reached.starts.is_empty() || self.ends_threads(function) {
                return None;
            }
            self.gone.insert(time);
            return self.lead_to(time, reached.calls(), &[]);
        }
        if !self.changed.contains(&function) {
            return Some(());
        }
        let prepared = self.surroundings.prepared(function, &reached.context);
        let index = function.0 as usize;
        let starts = self.sources.facts[index].starts.iter();
        let starts = starts.zip(&self.earlier.facts[index].starts);
        // Whether a start is reached decides about a thread.
        let is_reached_as_before = |(new, old): (&StartFact, &StartFact)| {
            prepared.left_out.contains(&new.statement.block)
                == known.left_out[index].has(id, old.statement.block)
        };
        if !{ starts }.all(is_reached_as_before) {
            return None;
        }
        let is_same = reached.leads_to(&prepared.calls);
        if !is_same {
            self.lead_to(time, reached.calls(), &prepared.calls)?;
        }
        let revisited = Revisited {
            calls: (!is_same).then_some(prepared.calls),
            left_out: prepared.left_out,
        };
        self.revisited.insert(time, revisited);
        Some(())
    }

    /// A context has its turn that was not there before.
    fn visit_new(&mut self, time: Time, (function, id): Place) -> Option<()> {
        let list = &self.relisted.get(&function)?.list;
        let context = &list.contexts[id.0 as usize].context;
        let prepared = self.surroundings.prepared(function, context);
        let mut starts = self.sources.facts[function.0 as usize].starts.iter();
        if starts.any(|start| !prepared.left_out.contains(&start.statement.block)) {
            return None;
        }
        self.lead_to(time, &[], &prepared.calls)?;
        let revisited = Revisited {
            calls: Some(prepared.calls),
            left_out: prepared.left_out,
        };
        self.revisited.insert(time, revisited);
        Some(())
    }

    /// Whether threads end in a function otherwise than by returning from where they began.
    pub(super) fn ends_threads(&self, function: FunctionId) -> bool {
        !self.sources.facts[function.0 as usize].ends.is_empty()
    }

    /// Lets the calls of a visit lead elsewhere than before.
    fn lead_to(&mut self, time: Time, before: &[Called], now: &[Entered]) -> Option<()> {
        let callees = before.iter().map(|call| call.callee);
        let callees: BTreeSet<FunctionId> =
            callees.chain(now.iter().map(|call| call.target)).collect();
        let mut others = BTreeSet::new();
        for callee in callees {
            let old = before.iter().filter(|call| call.callee == callee);
            let old = old.map(|call| (&call.entered, call.at, call.repeats));
            let new = now.iter().filter(|call| call.target == callee);
            let new = new.map(|call| (&call.context, call.at, call.repeats));
            if old.eq(new) && !self.relisted.contains_key(&callee) {
                continue;
            }
            self.relist(callee, time)?;
            let relisted = self.relisted.get_mut(&callee)?;
            let calls = (time, FIRST_CALL)..(time, FIRST_ROOT);
            let old: Vec<Key> = { relisted.events.range(calls) }
                .map(|(key, _)| *key)
                .collect();
            for key in old {
                relisted.events.remove(&key);
                self.steps.remove(&key);
            }
            others.insert(callee);
        }
        // Only now: a call may have the number that another one had.
        for (number, call) in now.iter().enumerate() {
            if others.contains(&call.target) {
                let key = key_of_call(time, number);
                let way = Way::Call {
                    at: call.at,
                    repeats: call.repeats,
                };
                let relisted = self.relisted.get_mut(&call.target)?;
                relisted.events.insert(key, Event::new(&call.context, way));
                self.steps.insert(key, Step::Enter(call.target));
            }
        }
        Some(())
    }

    /// Has the contexts of a function listed again, if that is not done already. Until now it was entered as before.
    fn relist(&mut self, function: FunctionId, now: Time) -> Option<()> {
        if self.relisted.contains_key(&function) {
            return Some(());
        }
        let contexts = &self.known.functions[function.0 as usize].contexts;
        let mut events = BTreeMap::new();
        let mut callers: FxHashSet<Place> = FxHashSet::default();
        for arrival in contexts.iter().flat_map(|reached| &reached.arrivals) {
            match arrival {
                Arrival::Root(root) => {
                    let (time, entered) = self.known.entries.get(root.0 as usize)?;
                    let event = Event::new(entered, Way::Root(*root));
                    events.insert((*time, FIRST_ROOT + root.0), event);
                }
                Arrival::Call {
                    caller, context, ..
                } => {
                    if callers.insert((*caller, *context)) {
                        self.add_calls((*caller, *context), function, &mut events);
                    }
                }
            }
        }
        let steps = events.keys().map(|key| (*key, Step::Enter(function)));
        self.steps.extend(steps);
        for (reached, number) in contexts.iter().zip(0..) {
            if reached.visited_at > now {
                let place = (function, ContextId(number));
                let key = (reached.visited_at, VISIT);
                self.steps.insert(key, Step::Visit(place));
            }
        }
        let relisted = Relisted {
            list: FunctionContexts::default(),
            events,
            origins: Vec::new(),
            survivors: vec![None; contexts.len()],
        };
        self.relisted.insert(function, relisted);
        Some(())
    }

    /// Adds the calls of a function that are made at the visit of a place, which was there before.
    fn add_calls(&self, caller: Place, function: FunctionId, events: &mut BTreeMap<Key, Event>) {
        let reached = self.known.reached(caller.0, caller.1);
        let time = reached.visited_at;
        if self.gone.contains(&time) {
            return;
        }
        let mut add = |number, (at, repeats), entered| {
            let way = Way::Call { at, repeats };
            events.insert(key_of_call(time, number), Event::new(entered, way));
        };
        let revisited = self.revisited.get(&time);
        if let Some(calls) = revisited.and_then(|revisited| revisited.calls.as_ref()) {
            let calls = calls.iter().enumerate();
            for (number, call) in calls.filter(|(_, call)| call.target == function) {
                add(number, (call.at, call.repeats), &call.context);
            }
            return;
        }
        let calls = reached.calls().iter().enumerate();
        for (number, call) in calls.filter(|(_, call)| call.callee == function) {
            add(number, (call.at, call.repeats), &call.entered);
        }
    }

    /// A function that is listed again is entered.
    fn enter(&mut self, function: FunctionId, key: Key) -> Option<()> {
        let earlier = self.known;
        let known = &earlier.functions[function.0 as usize];
        let relisted = self.relisted.get_mut(&function)?;
        let event = relisted.events.get_mut(&key)?;
        let list = &mut relisted.list;
        let before = list.contexts.len();
        let (id, entered) = list.find_or_add(event.entered.clone(), &earlier.any_moment);
        event.entered = entered;
        event.context = Some(id);
        let Some(found) = list.contexts.get(before) else {
            return Some(());
        };
        let found_at = key.0;
        let origin = known.with_content(&found.context);
        let last = relisted.survivors.iter().rposition(Option::is_some);
        let still = origin.filter(|origin| {
            let earlier = &known.contexts[origin.0 as usize];
            let keeps_order = !self.out_of_turn.contains(&function)
                && last.is_none_or(|last| last < origin.0 as usize);
            let is_same = *origin == id && earlier.found_at == found_at;
            keeps_order && (is_same || self.is_visited_in_turn((function, *origin), found_at))
        });
        let relisted = self.relisted.get_mut(&function)?;
        let visited_at = match still {
            Some(origin) => {
                relisted.survivors[origin.0 as usize] = Some(id);
                relisted.origins.push(Some(origin));
                known.contexts[origin.0 as usize].visited_at
            }
            // What is visited when something else has been visited is one that is gone, and a new one.
            None => {
                if self.ends_threads(function) {
                    return None;
                }
                let visited_at = self.turn_of_new(function, found_at)?;
                self.inserted.insert(visited_at, (function, id));
                let step = Step::VisitNew((function, id));
                self.steps.insert((visited_at, VISIT), step);
                self.relisted.get_mut(&function)?.origins.push(None);
                visited_at
            }
        };
        let list = &mut self.relisted.get_mut(&function)?.list;
        let reached: &mut Reached = list.contexts.get_mut(before)?;
        (reached.found_at, reached.visited_at) = (found_at, visited_at);
        Some(())
    }

    /// The visits of before that are behind a moment, without those of functions that are out of turn: these are gone.
    fn visits_in_turn_after(&self, time: Time) -> impl Iterator<Item = &Visit> {
        let visits = self.known.timeline.after(time).iter();
        visits.filter(|visit| !self.out_of_turn.contains(&visit.place.0))
    }

    fn turn(&self, function: FunctionId) -> Turn {
        turn(self.sources.components, function)
    }

    /// Whether a context that was there before is still visited when it was, if it is found at this moment.
    fn is_visited_in_turn(&self, place: Place, found_at: Time) -> bool {
        let own = self.turn(place.0);
        // Those in front of it in the list of its function that are not found yet are gone.
        let is_it_or_later = |visit: &&Visit| {
            let (function, id) = visit.place;
            self.turn(function) > own || (function == place.0 && id >= place.1)
        };
        let mut visits = self.visits_in_turn_after(found_at);
        let next = visits.find(is_it_or_later);
        next.is_some_and(|visit| visit.place == place)
    }

    /// When the newest context of a function is visited; `None` if there is no room for it.
    fn turn_of_new(&self, function: FunctionId, found_at: Time) -> Option<Time> {
        let own = self.turn(function);
        let survivors = &self.relisted.get(&function)?.survivors;
        let last = survivors.iter().rposition(Option::is_some);
        // Those in front of the last that is still there are visited in front of it, or gone.
        let is_later = |visit: &&Visit| {
            let (other, id) = visit.place;
            let is_open = || last.is_none_or(|last| (id.0 as usize) > last);
            self.turn(other) > own || (other == function && is_open())
        };
        let timeline = &self.known.timeline;
        let mut visits = self.visits_in_turn_after(found_at);
        let next = visits.find(is_later).map(|visit| visit.time);
        let end = next.map_or(Bound::Unbounded, Bound::Excluded);
        let mut waiting = self.inserted.range((Bound::Excluded(found_at), end));
        let next_new = waiting.find(|(_, place)| self.turn(place.0) > own);
        let next = next_new.map(|(time, _)| *time).or(next);
        let end = next.map_or(Bound::Unbounded, Bound::Excluded);
        let inserted = self.inserted.range((Bound::Unbounded, end)).next_back();
        let last = timeline.last_before(next).map(|visit| visit.time);
        let last = last.max(inserted.map(|(time, _)| *time));
        found_at.max(last.unwrap_or_default()).between(next)
    }
}

impl Event {
    fn new(entered: &Fixed<Context>, way: Way) -> Event {
        Event {
            entered: entered.clone(),
            way,
            context: None,
        }
    }
}
