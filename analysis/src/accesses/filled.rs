//! Arrays whose elements a loop has numbered, before another loop gives one of them to each thread.

use super::facts::{Access, Cell, StartFact, StartedWith};
use super::turns::{Counter, Turns};
use crate::dataflow::{Loops, Solution};
use crate::ir::{AccessKind, BlockId, Body, Place, StatementId};
use crate::points_to::{Class, PointsTo};
use crate::symexec::{Execution, Index, Path, Root, State, Step, Value};
use std::collections::BTreeSet;

/// A store that leaves in each element of an array the number of the element.
pub(super) struct Numbering {
    at: StatementId,
    place: Path,
    counter: Counter,
    class: Class,
}

impl Numbering {
    pub fn of_store(
        state: &State,
        at: StatementId,
        place: &Place,
        value: &Value,
        class: Class,
    ) -> Option<Numbering> {
        let Value::Entry(number) = value else {
            return None;
        };
        let counter = Counter::of(number)?;
        let crate::symexec::Targets::Exactly(place) = state.place(place) else {
            return None;
        };
        let element = Step::Index(Index::Entry(number.clone()));
        place.steps.contains(&element).then_some(Numbering {
            at,
            place,
            counter,
            class,
        })
    }
}

/// What is known of a function when all its statements have been seen.
pub(super) struct Filling<'f> {
    pub body: &'f Body,
    pub execution: &'f Execution<'f>,
    pub states: &'f Solution<State>,
    pub loops: &'f Loops,
    pub turns: &'f Turns<'f>,
    pub points_to: &'f PointsTo,
    pub accesses: &'f [Access],
}

impl Filling<'_> {
    /// The numbers that each thread of a start finds in its element.
    pub fn contents(&self, numberings: &[Numbering], start: &StartFact) -> Vec<StartedWith> {
        let Some(counter) = self.turns.counter(start.statement) else {
            return Vec::new();
        };
        let site = self.execution.site(start.statement);
        let own = Index::Entry(Path::new(Root::PerThread(site)));
        let mut found = Vec::new();
        for numbering in numberings {
            if !self.is_complete(numbering, counter, start.statement) {
                continue;
            }
            let number = Index::Entry(numbering.counter.path());
            let steps = numbering.place.steps.iter().map(|step| match step {
                Step::Index(index) if *index == number => Step::Index(own.clone()),
                step => step.clone(),
            });
            let place = Path::with_steps(numbering.place.root, steps.collect());
            for (index, argument) in start.arguments.iter().enumerate() {
                let Value::Address(object) = argument else {
                    continue;
                };
                if object.contains(&place) && object.steps.contains(&Step::Index(own.clone())) {
                    let formal = Path::new(Root::Formal(index as u32)).then(Step::Deref);
                    found.push(StartedWith {
                        place: formal.extended(&place.steps[object.steps.len()..]),
                        value: Value::Entry(Path::new(Root::PerThread(site))),
                        class: numbering.class,
                    });
                }
            }
        }
        found
    }

    /// Whether a loop has numbered all elements that another one counts through, and nobody has overwritten the
    /// numbers in between.
    fn is_complete(&self, numbering: &Numbering, counter: Counter, start: StatementId) -> bool {
        let Some(head) = self.loops.passing(self.body, numbering.at.block) else {
            return false;
        };
        let range = |counter: Counter| {
            let Counter { head, local } = counter;
            self.execution.counted_range(self.states, head, local)
        };
        let covers = match (range(numbering.counter), range(counter)) {
            (Some((first, Value::Constant(end))), Some((from, Value::Constant(to)))) => {
                first <= from && to <= end
            }
            (Some(all), Some(needed)) => all == needed,
            _ => false,
        };
        covers
            && numbering.counter.head == head
            && !self.loops.is_inside(start.block, head)
            && !self.reaches(BlockId(0), start.block, Some(head))
            && !self.overwrites(numbering, head)
    }

    /// Whether another write to the numbers may happen when the loop has begun.
    fn overwrites(&self, numbering: &Numbering, head: BlockId) -> bool {
        let touches = |cell: Cell| {
            cell.class == numbering.class
                || (cell.whole && self.points_to.has_part(cell.class, numbering.class))
        };
        let mut writes = self.accesses.iter().filter(|access| {
            access.kind != AccessKind::Read
                && access.statement != numbering.at
                && touches(access.cell)
        });
        writes.any(|write| self.reaches(head, write.statement.block, None))
    }

    fn reaches(&self, from: BlockId, to: BlockId, avoiding: Option<BlockId>) -> bool {
        let mut seen = BTreeSet::new();
        let mut work = vec![from];
        while let Some(block) = work.pop() {
            if Some(block) == avoiding || !seen.insert(block) {
                continue;
            }
            if block == to {
                return true;
            }
            work.extend(self.body.block(block).terminator.successors());
        }
        false
    }
}
