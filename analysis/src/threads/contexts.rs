//! The contexts of a program, and what one can ask them.

use super::companies::{Companies, CompanyId};
use super::context::{Context, ContextId};
use super::deciding::Deciding;
use super::numbers::HandedNumbers;
use super::reached::{AnyMoment, FunctionContexts, LeftOut, Reached};
use super::roots::{RootId, ThreadRoot};
use super::timeline::{Place, Time, Timeline, Visit};
use crate::callgraph::FunctionId;
use crate::dataflow::Fixed;
use crate::ir::{Landmark, StatementId};
use crate::locksets::MOST_LOCKS;
use crate::shared_list::SharedList;
use crate::stop;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The contexts of all functions, and the threads that lead to them.
#[derive(Clone, Default)]
pub struct Contexts {
    pub roots: Vec<ThreadRoot>,
    /// Shared with those of before an edit that has changed nothing here.
    pub(super) functions: SharedList<Arc<FunctionContexts>>,
    /// The same as long as nothing changes but who calls whom, and where statements stand.
    likeness: Arc<Likeness>,
    pub(super) left_out: SharedList<LeftOut>,
    pub(super) numbers: Arc<HandedNumbers>,
    pub(super) deciding: Arc<Deciding>,
    /// Functions that are entered with as many locks as are told apart.
    holding_too_much: Arc<[FunctionId]>,
    /// Entries that the user says never run at the same time.
    pub(super) never_parallel: FxHashSet<(FunctionId, FunctionId)>,
    pub(super) companies: Arc<Companies>,
    pub(super) any_moment: Arc<AnyMoment>,
    /// When contexts were visited.
    pub(super) timeline: Arc<Timeline>,
    /// For each thread, when it was found and how its entry is entered.
    pub(super) entries: Vec<(Time, Fixed<Context>)>,
}

/// Contexts that have the same one are alike. Every one is another one.
#[derive(Default)]
struct Likeness;

/// How a context is entered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arrival {
    Root(RootId),
    Call {
        caller: FunctionId,
        context: ContextId,
        at: Landmark,
        repeats: bool,
    },
}

impl Arrival {
    /// Whether both come from one visit of one caller.
    pub(super) fn is_from_where(&self, other: &Arrival) -> bool {
        match (self, other) {
            (
                Arrival::Call {
                    caller, context, ..
                },
                Arrival::Call {
                    caller: other_caller,
                    context: other_context,
                    ..
                },
            ) => caller == other_caller && context == other_context,
            _ => self == other,
        }
    }
}

impl Contexts {
    /// Those of so many functions before any is found.
    pub(super) fn none_yet(
        functions: usize,
        numbers: HandedNumbers,
        deciding: Arc<Deciding>,
        any_moment: Arc<AnyMoment>,
    ) -> Contexts {
        Contexts {
            functions: std::iter::repeat_n(Arc::default(), functions).collect(),
            left_out: std::iter::repeat_n(LeftOut::default(), functions).collect(),
            numbers: Arc::new(numbers),
            deciding,
            any_moment,
            ..Contexts::default()
        }
    }

    /// The contexts of a function, with the threads that come there.
    pub fn of(
        &self,
        function: FunctionId,
    ) -> impl Iterator<Item = (ContextId, &Context, &BTreeSet<RootId>)> {
        let reached = self.functions[function.0 as usize].contexts.iter();
        reached
            .enumerate()
            .map(|(index, reached)| (ContextId(index as u32), &*reached.context, &*reached.roots))
    }

    /// How many contexts a function has.
    pub fn count(&self, function: FunctionId) -> usize {
        self.functions[function.0 as usize].contexts.len()
    }

    /// One context of a function, by its number.
    pub fn nth(
        &self,
        function: FunctionId,
        number: usize,
    ) -> Option<(ContextId, &Context, &BTreeSet<RootId>)> {
        let reached = self.functions[function.0 as usize].contexts.get(number)?;
        let id = ContextId(number as u32);
        Some((id, &reached.context, &reached.roots))
    }

    /// Whether control gets to a statement of a function in a context.
    pub fn reaches(&self, function: FunctionId, id: ContextId, at: StatementId) -> bool {
        !self.left_out[function.0 as usize].has(id, at.block)
    }

    /// Whether some contexts of a function do not get to all of its statements.
    pub fn leaves_out(&self, function: FunctionId) -> bool {
        !self.left_out[function.0 as usize].is_empty()
    }

    /// Whether a context stands for any moment in the lives of its threads.
    pub fn is_timeless(&self, function: FunctionId, id: ContextId) -> bool {
        self.reached(function, id).is_timeless
    }

    /// Stands for the threads that come to a context.
    pub fn company(&self, function: FunctionId, id: ContextId) -> CompanyId {
        self.reached(function, id).company
    }

    /// Whether the same number stands for the same threads in both, if both have it.
    pub fn number_companies_as(&self, other: &Contexts) -> bool {
        self.companies.number_like(&other.companies)
    }

    pub(super) fn number_companies(&mut self) {
        let mut companies = Companies::default();
        for index in 0..self.functions.len() {
            stop::ask();
            for reached in &mut Arc::make_mut(self.functions.entry(index)).contexts {
                reached.company = companies.number(&reached.roots);
            }
        }
        self.companies = Arc::new(companies);
    }

    pub(super) fn find_the_timeless(&mut self) {
        let any = self.any_moment.clone();
        for index in 0..self.functions.len() {
            stop::ask();
            for reached in &mut Arc::make_mut(self.functions.entry(index)).contexts {
                reached.is_timeless = any.is_that_of(&reached.context);
            }
        }
    }

    pub(super) fn find_those_that_hold_too_much(&mut self) {
        let functions = (0..self.functions.len() as u32).map(FunctionId);
        let full = functions.filter(|function| self.holds_too_much(*function));
        self.holding_too_much = full.collect();
    }

    fn holds_too_much(&self, function: FunctionId) -> bool {
        let is_full = |reached: &Reached| reached.context.held.len() >= MOST_LOCKS;
        let known = &self.functions[function.0 as usize];
        known.contexts.iter().any(is_full)
    }

    /// Finds what is known at the end, after an edit that has touched the contexts of these functions.
    pub(super) fn finish_replay(&mut self, before: &Contexts, touched: &BTreeSet<FunctionId>) {
        let others = touched
            .iter()
            .filter(|function| self.holds_too_much(**function));
        let known = before.holding_too_much.iter();
        let known = known.filter(|function| !touched.contains(function));
        let full: BTreeSet<FunctionId> = known.chain(others).copied().collect();
        if !full.iter().eq(before.holding_too_much.iter()) {
            self.holding_too_much = full.into_iter().collect();
        }
        let is_same = |function: &FunctionId| self.is_entered_as_in(before, *function);
        if !touched.iter().all(is_same) {
            self.likeness = Arc::default();
        }
    }

    /// Takes over from before an edit what means the same by now, although all contexts were found again.
    pub(super) fn go_on_from(&mut self, before: &Contexts) {
        if self.roots != before.roots || self.never_parallel != before.never_parallel {
            return;
        }
        let mut companies = Companies::clone(&before.companies);
        for index in 0..self.functions.len() {
            if !self.functions[index].contexts.is_empty() {
                for reached in &mut Arc::make_mut(self.functions.entry(index)).contexts {
                    reached.company = companies.number(&reached.roots);
                }
            }
        }
        self.companies = Arc::new(companies);
        let mut functions = 0..self.functions.len();
        let is_alike =
            functions.all(|index| self.is_entered_as_in(before, FunctionId(index as u32)));
        if is_alike {
            self.likeness = before.likeness.clone();
        }
    }

    /// Whether the same threads come to a function in the same contexts.
    fn is_entered_as_in(&self, before: &Contexts, function: FunctionId) -> bool {
        let index = function.0 as usize;
        let (new, old) = (&self.functions[index], &before.functions[index]);
        let mut pairs = new.contexts.iter().zip(&old.contexts);
        Arc::ptr_eq(new, old)
            || (new.contexts.len() == old.contexts.len()
                && pairs.all(|(new, old)| {
                    new.roots == old.roots
                        && new.context == old.context
                        && new.is_timeless == old.is_timeless
                }))
    }

    /// Functions that are entered with as many locks as are told apart, in the order of the program.
    pub fn holding_too_much(&self) -> &[FunctionId] {
        &self.holding_too_much
    }

    /// Whether they are the same but for where statements stand in their functions.
    pub fn are_alike(&self, other: &Contexts) -> bool {
        Arc::ptr_eq(&self.likeness, &other.likeness)
    }

    /// Whether they are alike, and calls lead from the same contexts to the same ones.
    pub fn have_the_same_calls(&self, other: &Contexts) -> bool {
        self.functions.is(&other.functions)
    }

    pub fn root(&self, root: RootId) -> &ThreadRoot {
        &self.roots[root.0 as usize]
    }

    /// The calls that lead to a function, in the order of the program.
    pub fn calls_of(&self, function: FunctionId) -> BTreeSet<(FunctionId, Landmark)> {
        let reached = self.functions[function.0 as usize].contexts.iter();
        let arrivals = reached.flat_map(|reached| &reached.arrivals);
        arrivals
            .filter_map(|arrival| match arrival {
                Arrival::Call { caller, at, .. } => Some((*caller, *at)),
                Arrival::Root(_) => None,
            })
            .collect()
    }

    /// Whether the user says that threads with these entries never run at the same time.
    pub fn never_parallel(&self, one: &ThreadRoot, other: &ThreadRoot) -> bool {
        self.never_parallel.contains(&(one.entry, other.entry))
    }

    /// The functions to which other threads come than before, or in other contexts; `None` if there are other threads.
    pub fn entered_otherwise_since(&self, before: &Contexts) -> Option<BTreeSet<FunctionId>> {
        if self.are_alike(before) {
            return Some(BTreeSet::new());
        }
        if self.roots != before.roots || self.never_parallel != before.never_parallel {
            return None;
        }
        let unshared = self.functions.unshared_with(&before.functions);
        let unshared: Vec<FunctionId> = unshared.map(|index| FunctionId(index as u32)).collect();
        let functions = unshared.into_par_iter();
        let different = functions.filter(|function| !self.is_entered_as_in(before, *function));
        let different: Vec<FunctionId> = different.collect();
        Some(different.into_iter().collect())
    }

    /// Whether visits are made in their order if these turns decide which of the contexts that wait comes first.
    pub(super) fn are_visited_in_turn<T: Ord + Copy>(
        &self,
        turn: impl Fn(FunctionId) -> T,
    ) -> bool {
        let mut found: BTreeMap<Time, Vec<Place>> = BTreeMap::new();
        for Visit { place, .. } in self.timeline.iter() {
            let reached = self.reached(place.0, place.1);
            found.entry(reached.found_at).or_default().push(*place);
        }
        let mut waiting: BTreeSet<(T, Place)> = BTreeSet::new();
        let mut find = |waiting: &mut BTreeSet<(T, Place)>, time: Time| {
            let places = found.remove(&time).unwrap_or_default().into_iter();
            waiting.extend(places.map(|place| (turn(place.0), place)));
        };
        find(&mut waiting, Time::BEGINNING);
        self.timeline.iter().all(|visit| {
            let next = waiting.pop_first();
            find(&mut waiting, visit.time);
            next.is_some_and(|(_, place)| place == visit.place)
        })
    }

    pub(super) fn function_mut(&mut self, function: FunctionId) -> &mut FunctionContexts {
        Arc::make_mut(self.functions.entry(function.0 as usize))
    }

    pub(super) fn reached_mut(&mut self, function: FunctionId, context: ContextId) -> &mut Reached {
        &mut self.function_mut(function).contexts[context.0 as usize]
    }

    pub(super) fn reached(&self, function: FunctionId, context: ContextId) -> &Reached {
        &self.functions[function.0 as usize].contexts[context.0 as usize]
    }
}
