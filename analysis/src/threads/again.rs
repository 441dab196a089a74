//! The contexts of a program that was edited. What a function's calls lead to depends on its facts and on its contexts
//! alone, so it is enough to look at the calls of the functions that changed: where they lead to what they led to before,
//! nothing changes for anybody else.

use super::at_calls::KnownStates;
use super::context::ContextId;
use super::contexts::Contexts;
use super::deciding::Deciding;
use super::flow::{Sources, contexts_with};
use super::numbers::HandedNumbers;
use super::prepared::{PreparedBefore, Surroundings};
use super::reached::LeftOut;
use super::rerouting::Rerouting;
use crate::accesses::{FunctionFacts, StartFact};
use crate::callgraph::{CallGraph, FunctionId};
use crate::ir::Body;
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
    let still = still(graph, sources, earlier, known, has_same_parts, stop);
    still.unwrap_or_else(|| {
        let deciding = Arc::new(Deciding::new(sources.facts, sources.components));
        let before = (*deciding == *known.deciding)
            .then(|| prepared_before(sources, earlier, known))
            .flatten();
        Arc::new(contexts_with(graph, sources, deciding, before, stop))
    })
}

/// What functions that are the same did before; `None` if some function takes other arguments.
fn prepared_before<'k>(
    sources: Sources<'_>,
    earlier: Sources<'_>,
    known: &'k Contexts,
) -> Option<PreparedBefore<'k>> {
    let touched = touched(&sources, &earlier);
    let mut functions = touched.iter();
    let takes_the_same = |function: &FunctionId| {
        let (now, before) = (
            sources.functions.body(*function),
            earlier.functions.body(*function),
        );
        now.parameters == before.parameters
    };
    functions.all(takes_the_same).then(|| {
        let mut is_same = vec![true; sources.functions.len()];
        for function in &touched {
            is_same[function.0 as usize] = false;
        }
        PreparedBefore {
            contexts: known,
            is_same,
        }
    })
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

/// The earlier contexts, if they are still right.
fn still(
    graph: &CallGraph<'_>,
    sources: Sources<'_>,
    earlier: Sources<'_>,
    known: &Arc<Contexts>,
    has_same_parts: bool,
    stop: &Stop,
) -> Option<Arc<Contexts>> {
    if sources.rules != earlier.rules || sources.components != earlier.components {
        return None;
    }
    let edited: Vec<FunctionId> = touched(&sources, &earlier).into_iter().collect();
    let numbers_hold = if has_same_parts {
        let points_to = graph.points_to();
        known
            .numbers
            .are_right_for(points_to, sources.facts, earlier.facts, &edited)
    } else {
        *known.numbers == HandedNumbers::new(graph, sources.facts)
    };
    if !numbers_hold {
        return None;
    }
    let changed = edited
        .into_iter()
        .filter(|function| !looks_the_same(&sources, &earlier, *function));
    let changed: Vec<FunctionId> = changed.collect();
    if changed.is_empty() {
        return Some(known.clone());
    }
    let decides_the_same = |function: &FunctionId| {
        let index = function.0 as usize;
        Deciding::is_same_for(&sources.facts[index], &earlier.facts[index])
    };
    if !changed.iter().all(decides_the_same)
        && Deciding::new(sources.facts, sources.components) != *known.deciding
    {
        return None;
    }
    let surroundings = Surroundings {
        graph,
        facts: sources.facts,
        deciding: known.deciding.clone(),
        states: KnownStates::default(),
        before: None,
    };
    let mut contexts = Contexts::clone(known);
    let mut rerouting = Rerouting::new(graph, sources);
    for function in changed {
        stop.check();
        let index = function.0 as usize;
        let (now, before) = (
            Version::new(&sources, function),
            Version::new(&earlier, function),
        );
        if !now.begins_and_ends_as(&before) {
            return None;
        }
        let mut left_out = LeftOut::default();
        for number in 0..known.count(function) {
            let id = ContextId(number as u32);
            let reached = contexts.reached(function, id);
            let prepared = surroundings.prepared(function, &reached.context);
            left_out.add(id, prepared.left_out);
            // Whether a start is reached decides about a thread.
            let starts = now.facts.starts.iter().zip(&before.facts.starts);
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
    Some(Arc::new(contexts))
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
        && body.blocks.is_empty() == earlier.blocks.is_empty()
        && mine.calls == theirs.calls
        && mine.starts == theirs.starts
        && mine.branches == theirs.branches
        && mine.at_return == theirs.at_return
        && mine.ends == theirs.ends
        && landmarks_agree(mine, body, earlier)
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

    /// Whether threads begin and end in it as they do in the other one.
    fn begins_and_ends_as(&self, other: &Version<'_>) -> bool {
        let starts = self.facts.starts.iter().zip(&other.facts.starts);
        let is_same_start = |(mine, theirs): (&StartFact, &StartFact)| {
            let there = StartFact {
                statement: mine.statement,
                ..theirs.clone()
            };
            *mine == there
                && self.body.landmark(mine.statement) == other.body.landmark(theirs.statement)
        };
        self.body.parameters == other.body.parameters
            && self.body.blocks.is_empty() == other.body.blocks.is_empty()
            && self.facts.at_return == other.facts.at_return
            && self.facts.ends == other.facts.ends
            && self.facts.starts.len() == other.facts.starts.len()
            && { starts }.all(is_same_start)
    }
}
