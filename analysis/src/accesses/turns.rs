//! Loops that start a thread in each turn, or join one: which thread an element with the loop's counter
//! belongs to, and that this thread does not run at some point of the turn.

use super::facts::Access;
use crate::dataflow::{Loops, Solution};
use crate::forks::{ForkSolution, Handle};
use crate::ir::{BlockId, Body, LocalId, Statement, StatementId};
use crate::symexec::{Definition, Execution, Index, Path, Root, Site, State, Step, Targets, Value};
use std::collections::BTreeSet;

/// The counter of a loop, by the name that it has in each turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Counter {
    pub head: BlockId,
    pub local: LocalId,
}

impl Counter {
    pub fn of(path: &Path) -> Option<Counter> {
        match path.root {
            Root::Value(Definition::Merge(head, local)) if path.steps.is_empty() => {
                Some(Counter { head, local })
            }
            _ => None,
        }
    }

    pub fn path(self) -> Path {
        Path::new(Root::Value(Definition::Merge(self.head, self.local)))
    }
}

/// A thread is started in each turn of a loop, and gets what has the loop's counter.
struct Start {
    at: StatementId,
    counter: Counter,
    handle: Option<Handle>,
}

/// A thread is joined in each turn of a loop.
struct Join {
    at: StatementId,
    head: BlockId,
    handle: Handle,
}

/// The starts and joins in the loops of one function.
pub(super) struct Turns<'t> {
    body: &'t Body,
    execution: &'t Execution<'t>,
    loops: &'t Loops,
    starts: Vec<Start>,
    joins: Vec<Join>,
}

impl<'t> Turns<'t> {
    pub fn new(
        body: &'t Body,
        states: &Solution<State>,
        execution: &'t Execution<'t>,
        forks: &ForkSolution<'_>,
    ) -> Turns<'t> {
        let loops = execution.loops();
        let mut turns = Turns {
            body,
            execution,
            loops,
            starts: Vec::new(),
            joins: Vec::new(),
        };
        for (at, handle) in forks.joins_in_loops() {
            if let Some(head) = loops.passing(body, at.block) {
                let handle = handle.clone();
                turns.joins.push(Join { at, head, handle });
            }
        }
        let starts: Vec<(StatementId, Option<Handle>)> = forks
            .starts()
            .filter(|(at, _)| loops.repeats(*at))
            .map(|(at, handle)| (at, handle.cloned()))
            .collect();
        if starts.is_empty() {
            return turns;
        }
        let starts_here = |id: StatementId, _: &Statement| starts.iter().any(|(at, _)| *at == id);
        execution.visit_chosen(states, starts_here, |state, id, statement| {
            let Some((at, handle)) = starts.iter().find(|(at, _)| *at == id) else {
                return;
            };
            let Statement::Call { arguments, .. } = statement else {
                return;
            };
            let values = arguments.iter().map(|argument| state.operand(argument));
            let counters = values.flat_map(|value| counters_in(&value));
            for counter in counters {
                let is_known = turns.starts.iter().any(|known| known.at == *at);
                let counted = execution.counted_range(states, counter.head, counter.local);
                if !is_known && loops.is_inside(at.block, counter.head) && counted.is_some() {
                    turns.starts.push(Start {
                        at: *at,
                        counter,
                        handle: handle.clone().filter(|handle| handle.range.is_some()),
                    });
                }
            }
        });
        turns
    }

    /// The place as it is known to the thread that it belongs to, if that thread does not run at this point of
    /// the turn: it has not been started yet, or it has been joined.
    pub fn own_element(&self, at: StatementId, place: &Targets) -> Option<Path> {
        match place {
            Targets::Exactly(path) if !self.starts.is_empty() => self.own_path(at, path),
            _ => None,
        }
    }

    /// The same for an argument.
    pub fn own_value(&self, at: StatementId, value: Value) -> Value {
        if self.starts.is_empty() {
            return value;
        }
        match value {
            Value::Address(path) => Value::Address(self.own_path(at, &path).unwrap_or(path)),
            value => value,
        }
    }

    fn own_path(&self, at: StatementId, path: &Path) -> Option<Path> {
        let mut changed = None;
        let mut renamed = Path::new(path.root);
        for step in &path.steps {
            let step = match step {
                Step::Index(Index::Entry(index)) => {
                    let start = Counter::of(index).and_then(|counter| self.idle(at, counter));
                    match start {
                        Some(start) => {
                            changed = Some(());
                            let number = Path::new(Root::PerThread(self.site(start)));
                            Step::Index(Index::Entry(number))
                        }
                        None => step.clone(),
                    }
                }
                step => step.clone(),
            };
            renamed = renamed.then(step);
        }
        changed.map(|()| renamed)
    }

    fn site(&self, start: StatementId) -> Site {
        self.execution.site(start)
    }

    /// The start whose thread of this turn does not run at a point.
    fn idle(&self, at: StatementId, counter: Counter) -> Option<StatementId> {
        if !self.loops.is_inside(at.block, counter.head) {
            return None;
        }
        let joined = self.joins.iter().filter(|join| join.head == counter.head);
        for join in joined {
            // Only reached behind the join of the same turn.
            if self.reaches(None, at, counter.head, Some(join.at)) {
                continue;
            }
            let start = self.starts.iter().find(|start| {
                let handle = start.handle.as_ref();
                handle.is_some_and(|handle| handle.is_joined_by(&join.handle))
            });
            if let Some(start) = start {
                return Some(start.at);
            }
        }
        let mut here = self.starts.iter().filter(|start| start.counter == counter);
        let first = here.clone().next()?.at;
        let is_started = here.any(|start| self.reaches(Some(start.at), at, counter.head, None));
        (!is_started).then_some(first)
    }

    /// Whether control can get from behind a statement, or from the loop's head, to another statement in one
    /// turn without passing a third.
    fn reaches(
        &self,
        from: Option<StatementId>,
        to: StatementId,
        head: BlockId,
        avoiding: Option<StatementId>,
    ) -> bool {
        let start = match from {
            Some(from) if from.block == to.block && from.index < to.index => return true,
            Some(from) => from.block,
            None => head,
        };
        let mut seen = BTreeSet::new();
        let mut work = Vec::new();
        if from.is_none() {
            work.push(start);
        } else {
            work.extend(self.body.block(start).terminator.successors());
            work.retain(|block| *block != head);
        }
        while let Some(block) = work.pop() {
            if !seen.insert(block) {
                continue;
            }
            let barrier = avoiding.filter(|avoided| avoided.block == block);
            if block == to.block && barrier.is_none_or(|barrier| to.index <= barrier.index) {
                return true;
            }
            if barrier.is_some() {
                continue;
            }
            let successors = self.body.block(block).terminator.successors();
            work.extend(successors.into_iter().filter(|next| *next != head));
        }
        false
    }

    /// Whether a write may happen to what a thread was given after it was started.
    pub fn may_follow(&self, write: &Access, start: StatementId) -> bool {
        let own = Index::Entry(Path::new(Root::PerThread(self.site(start))));
        let place = write.own_element.as_ref();
        if place.is_some_and(|place| place.steps.contains(&Step::Index(own.clone()))) {
            return false;
        }
        let write = write.statement;
        let mut seen = BTreeSet::new();
        let mut work = self.body.block(start.block).terminator.successors();
        let mut is_behind = write.block == start.block && write.index > start.index;
        while let Some(block) = work.pop() {
            if seen.insert(block) {
                is_behind |= block == write.block;
                work.extend(self.body.block(block).terminator.successors());
            }
        }
        is_behind
    }

    /// The counter that tells the threads of a start apart.
    pub fn counter(&self, start: StatementId) -> Option<Counter> {
        let known = self.starts.iter().find(|known| known.at == start);
        known.map(|known| known.counter)
    }

    /// Whether a value is the number of the turn in which a thread is started.
    pub fn is_number_of_turn(&self, start: StatementId, value: &Value) -> bool {
        let counter = match value {
            Value::Entry(path) => Counter::of(path),
            _ => None,
        };
        counter.is_some() && self.counter(start) == counter
    }
}

/// The counters that elements in a value's place have, or that it is.
fn counters_in(value: &Value) -> Vec<Counter> {
    let indices = |path: &Path| -> Vec<Counter> {
        let steps = path.steps.iter();
        steps
            .filter_map(|step| match step {
                Step::Index(Index::Entry(index)) => Counter::of(index),
                _ => None,
            })
            .collect()
    };
    match value {
        Value::Address(path) => indices(path),
        Value::Entry(path) => Counter::of(path).into_iter().collect(),
        _ => Vec::new(),
    }
}
