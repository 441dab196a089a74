//! The contexts of a program that was edited. What a function's calls lead to depends on its facts and on its contexts
//! alone, so it is enough to look at the calls of the functions that changed: where they lead to what they led to before,
//! nothing changes for anybody else.

use super::at_calls::KnownStates;
use super::context::{Context, ContextId};
use super::contexts::{Arrival, Contexts};
use super::deciding::Deciding;
use super::flow::{Sources, contexts_with};
use super::numbers::HandedNumbers;
use super::prepared::{PreparedBefore, Surroundings};
use super::reached::LeftOut;
use super::replay::{Replay, Replayed};
use super::rerouting::Rerouting;
use super::turns::out_of_turn;
use crate::accesses::{FunctionFacts, StartFact};
use crate::callgraph::{CallGraph, FunctionId};
use crate::ir::{Body, Local, Storage};
use crate::signals::SignalState;
use crate::stop::Stop;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Finds the contexts of a program that was analysed earlier, when its functions had the same numbers. `has_same_parts` says
/// whether classes of memory have the parts that they had.
pub fn contexts_again(
    graph: &CallGraph<'_>,
    sources: Sources<'_>,
    earlier: Sources<'_>,
    known: &Arc<Contexts>,
    has_same_parts: bool,
    stop: &Stop,
) -> Arc<Contexts> {
    let touched = touched(&sources, &earlier);
    if sources.rules == earlier.rules
        && numbers_hold(graph, sources, earlier, known, has_same_parts, &touched)
        && let Some(edit) = Edit::new(sources, earlier, known, &touched)
        && let Some(still) = edit.contexts(graph, stop)
    {
        return still;
    }
    let deciding = Arc::new(Deciding::new(sources.facts, sources.components));
    let mut others = touched;
    let is_known = add_callers(&mut others, sources, earlier, known, &deciding);
    let before = is_known.then(|| {
        let mut is_same = vec![true; sources.functions.len()];
        for function in &others {
            is_same[function.0 as usize] = false;
        }
        PreparedBefore {
            contexts: known,
            is_same,
        }
    });
    let mut contexts = contexts_with(graph, sources, deciding, before, stop);
    contexts.go_on_from(known);
    Arc::new(contexts)
}

/// The functions that have another text or other facts than before.
fn touched(now: &Sources<'_>, before: &Sources<'_>) -> BTreeSet<FunctionId> {
    let edited = now.functions.edited_since(before.functions);
    let unshared = now.facts.unshared_with(before.facts);
    let other_facts =
        unshared.filter(|index| !Arc::ptr_eq(&now.facts[*index], &before.facts[*index]));
    let other_facts = other_facts.map(|index| FunctionId(index as u32));
    edited.chain(other_facts).collect()
}

fn numbers_hold(
    graph: &CallGraph<'_>,
    sources: Sources<'_>,
    earlier: Sources<'_>,
    known: &Contexts,
    has_same_parts: bool,
    touched: &BTreeSet<FunctionId>,
) -> bool {
    match has_same_parts {
        true => {
            let points_to = graph.points_to();
            let numbers = &known.numbers;
            numbers.are_right_for(points_to, sources.facts, earlier.facts, touched)
        }
        false => *known.numbers == HandedNumbers::new(graph, sources.facts),
    }
}

/// Adds the functions that call others with something else although they are the same: because other formals decide what those
/// do, or because they take other arguments. Whether that is all of it.
fn add_callers(
    changed: &mut BTreeSet<FunctionId>,
    sources: Sources<'_>,
    earlier: Sources<'_>,
    known: &Contexts,
    deciding: &Deciding,
) -> bool {
    let parameters = |sources: &Sources<'_>, function: FunctionId| {
        let body = sources.functions.body(function);
        body.parameters
    };
    let others = { changed.iter().copied() }
        .filter(|function| parameters(&sources, *function) != parameters(&earlier, *function));
    let called: BTreeSet<FunctionId> = others
        .chain(deciding.different_from(&known.deciding))
        .collect();
    for function in called {
        let contexts = &known.functions[function.0 as usize].contexts;
        for arrival in contexts.iter().flat_map(|reached| &reached.arrivals) {
            match arrival {
                Arrival::Call { caller, .. } => {
                    changed.insert(*caller);
                }
                Arrival::Root(_) => return false,
            }
        }
    }
    true
}

/// An edit after which most contexts may be what they were.
struct Edit<'e> {
    sources: Sources<'e>,
    earlier: Sources<'e>,
    known: &'e Arc<Contexts>,
    /// The functions that do something else in their contexts.
    changed: BTreeSet<FunctionId>,
    /// The functions that have their turn before or behind others than earlier.
    out_of_turn: BTreeSet<FunctionId>,
    /// Whether a function that is in no group begins or ceases to call itself: then it is entered more than once in all its contexts,
    /// or not any more, which rerouting does not look at.
    is_otherwise_recursive: bool,
    deciding: Arc<Deciding>,
}

impl<'e> Edit<'e> {
    /// `None` if other functions call each other, or threads begin and end otherwise.
    fn new(
        sources: Sources<'e>,
        earlier: Sources<'e>,
        known: &'e Arc<Contexts>,
        touched: &BTreeSet<FunctionId>,
    ) -> Option<Edit<'e>> {
        let out_of_turn = out_of_turn(known, sources.components, earlier.components)?;
        let touched = touched.iter().copied();
        let changed = touched.filter(|function| !looks_the_same(&sources, &earlier, *function));
        let mut changed: BTreeSet<FunctionId> = changed.collect();
        let begins_and_ends_as_before = |function: &FunctionId| {
            let now = Version::new(&sources, *function);
            now.begins_and_ends_as(&Version::new(&earlier, *function), known, *function)
        };
        let is_begun_as_before = |function: &FunctionId| {
            let begins = |sources: &Sources<'_>| {
                let body = sources.functions.body(*function);
                sources.rules.begins(body)
            };
            begins(&sources) == begins(&earlier)
        };
        let mut all = changed.iter();
        if !all.all(|one| is_begun_as_before(one) && begins_and_ends_as_before(one)) {
            return None;
        }
        let decides_the_same = |function: &FunctionId| {
            let index = function.0 as usize;
            Deciding::is_same_for(&sources.facts[index], &earlier.facts[index])
        };
        let deciding = match changed.iter().all(decides_the_same) {
            true => known.deciding.clone(),
            false => Arc::new(Deciding::new(sources.facts, sources.components)),
        };
        let is_known = add_callers(&mut changed, sources, earlier, known, &deciding);
        let now = sources.components;
        let otherwise_recursive: Vec<u32> = now.alone_otherwise_than(earlier.components).collect();
        changed.extend(otherwise_recursive.iter().copied().map(FunctionId));
        is_known.then_some(Edit {
            sources,
            earlier,
            known,
            changed,
            out_of_turn,
            is_otherwise_recursive: !otherwise_recursive.is_empty(),
            deciding,
        })
    }

    /// The contexts after the edit, if they can be told from those before.
    fn contexts(&self, graph: &CallGraph<'_>, stop: &Stop) -> Option<Arc<Contexts>> {
        if self.changed.is_empty() && self.out_of_turn.is_empty() {
            return Some(self.known.clone());
        }
        let surroundings = Surroundings {
            graph,
            facts: self.sources.facts,
            deciding: self.deciding.clone(),
            states: stop.aside(KnownStates::default()),
            before: None,
        };
        let mut contexts = self.rerouted(&surroundings, stop).or_else(|| {
            let replay = Replay::new(Replayed {
                surroundings: &surroundings,
                sources: self.sources,
                earlier: self.earlier,
                known: self.known,
                changed: &self.changed,
                out_of_turn: &self.out_of_turn,
            });
            replay.run(stop)
        })?;
        contexts.deciding = self.deciding.clone();
        #[cfg(debug_assertions)]
        {
            let deciding = Deciding::new(self.sources.facts, self.sources.components);
            let fresh = contexts_with(graph, self.sources, Arc::new(deciding), None, stop);
            contexts.assert_are_those(&fresh);
        }
        Some(Arc::new(contexts))
    }

    /// The earlier contexts with calls that lead elsewhere, if that makes no difference to anybody else.
    fn rerouted(&self, surroundings: &Surroundings<'_>, stop: &Stop) -> Option<Contexts> {
        if !self.out_of_turn.is_empty() || self.is_otherwise_recursive {
            return None;
        }
        let known = self.known;
        let mut contexts = Contexts::clone(known);
        let mut rerouting = Rerouting::new(self.sources);
        for function in self.changed.iter().copied() {
            stop.check();
            let index = function.0 as usize;
            let mut left_out = LeftOut::default();
            for number in 0..known.count(function) {
                let id = ContextId(number as u32);
                let reached = contexts.reached(function, id);
                let prepared = surroundings.prepared(function, &reached.context);
                left_out.add(id, prepared.left_out);
                // Whether a start is reached decides about a thread.
                let starts = self.sources.facts[index].starts.iter();
                let starts = starts.zip(&self.earlier.facts[index].starts);
                let is_reached_as_before = |(new, old): (&StartFact, &StartFact)| {
                    left_out.has(id, new.statement.block)
                        == known.left_out[index].has(id, old.statement.block)
                };
                if !{ starts }.all(is_reached_as_before) {
                    return None;
                }
                if !reached.leads_to(&prepared.calls)
                    && !rerouting.reroute(&mut contexts, (function, id), prepared.calls)
                {
                    return None;
                }
            }
            contexts.left_out.set(index, left_out);
        }
        Some(contexts)
    }
}

/// Whether a function has the same facts, as far as contexts depend on them.
fn looks_the_same(now: &Sources<'_>, before: &Sources<'_>, function: FunctionId) -> bool {
    let index = function.0 as usize;
    let (mine, theirs) = (&now.facts[index], &before.facts[index]);
    let (body, earlier) = (
        now.functions.body(function),
        before.functions.body(function),
    );
    body.parameters == earlier.parameters
        && body.function == earlier.function
        && body.blocks.is_empty() == earlier.blocks.is_empty()
        && mine.calls == theirs.calls
        && mine.starts == theirs.starts
        && mine.branches == theirs.branches
        && mine.at_return == theirs.at_return
        && mine.ends == theirs.ends
        && landmarks_agree(mine, body, earlier)
        && variables_agree(body, earlier)
}

/// Whether other functions know the variables that facts may speak of by the same names. What is lent to them has its
/// name there, and its number in the facts.
fn variables_agree(body: &Body, earlier: &Body) -> bool {
    let name = |local: &Local| (local.storage == Storage::Memory).then_some(local.name);
    let mut pairs = body.locals.iter().zip(&earlier.locals);
    pairs.all(|(mine, theirs)| name(mine) == name(theirs))
}

/// Whether calls and starts that stand in the same place are still called the same.
fn landmarks_agree(facts: &FunctionFacts, body: &Body, earlier: &Body) -> bool {
    let calls = facts.calls.iter().map(|call| call.statement);
    let starts = facts.starts.iter().map(|start| start.statement);
    calls
        .chain(starts)
        .all(|at| body.landmark(at) == earlier.landmark(at))
}

/// A function before or after an edit.
struct Version<'v> {
    facts: &'v FunctionFacts,
    body: &'v Body,
}

impl<'v> Version<'v> {
    fn new(sources: &Sources<'v>, function: FunctionId) -> Version<'v> {
        Version {
            facts: &sources.facts[function.0 as usize],
            body: sources.functions.body(function),
        }
    }

    /// What a thread that is started in a context knows of signals.
    fn inherited(&self, start: &StartFact, context: &Context) -> SignalState {
        let signals = context.signals_at(&start.signals, &start.locks, self.body);
        signals.inherited()
    }

    /// Whether threads begin and end in it as they do in the other one, in the contexts that it has.
    fn begins_and_ends_as(
        &self,
        other: &Version<'_>,
        known: &Contexts,
        function: FunctionId,
    ) -> bool {
        let starts = self.facts.starts.iter().zip(&other.facts.starts);
        let contexts = &known.functions[function.0 as usize].contexts;
        let is_same_start = |(mine, theirs): (&StartFact, &StartFact)| {
            let there = StartFact {
                statement: mine.statement,
                locks: mine.locks.clone(),
                signals: mine.signals.clone(),
                ..theirs.clone()
            };
            // Of locks and signals a thread gets to know what its starter has passed, and nothing else.
            let inherits_the_same = || {
                contexts.iter().all(|reached| {
                    self.inherited(mine, &reached.context)
                        == other.inherited(theirs, &reached.context)
                })
            };
            *mine == there
                && self.body.landmark(mine.statement) == other.body.landmark(theirs.statement)
                && ((mine.locks == theirs.locks && mine.signals == theirs.signals)
                    || inherits_the_same())
        };
        // Where it returns, a thread ends that has begun with it.
        let mut arrivals = contexts.iter().flat_map(|reached| &reached.arrivals);
        let begins_threads = arrivals.any(|arrival| matches!(arrival, Arrival::Root(_)));
        self.body.blocks.is_empty() == other.body.blocks.is_empty()
            && (!begins_threads || self.facts.at_return == other.facts.at_return)
            && (contexts.is_empty() || self.facts.ends == other.facts.ends)
            && self.facts.starts.len() == other.facts.starts.len()
            && (self.facts.starts.is_empty() || variables_agree(self.body, other.body))
            && { starts }.all(is_same_start)
    }
}
