//! When contexts are visited while they are found. An edit that lets a function be entered otherwise puts visits in between
//! and takes others out, and all others stay in the order in which they were.

use super::context::ContextId;
use crate::callgraph::FunctionId;

/// A moment while contexts are found. Later moments are greater, and there is room between any two visits of one search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Default)]
pub(super) struct Time(u128);

/// How far visits are apart at first.
const GAP: u128 = 1 << 94;

/// A visit that is put in between leaves this part of the room in front of it, and the rest behind: others follow more often than they come in front
/// of it. So there is room for two hundred visits, one behind the other, and for forty in front of each other.
const IN_FRONT: u128 = 4;

impl Time {
    /// Before the first visit.
    pub const BEGINNING: Time = Time(0);

    /// That of a visit by its number, from one on.
    pub fn of_visit(number: u32) -> Time {
        Time(u128::from(number) * GAP)
    }

    /// A moment between two; `None` if there is no room.
    pub fn between(self, later: Option<Time>) -> Option<Time> {
        let later = later.map_or(self.0.checked_add(2 * GAP)?, |later| later.0);
        let room = later.checked_sub(self.0)?;
        let between = self.0 + (room / IN_FRONT).max(1);
        (between < later).then_some(Time(between))
    }
}

/// A context of a function, by its number there.
pub(super) type Place = (FunctionId, ContextId);

/// A context is visited once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Visit {
    pub time: Time,
    pub place: Place,
}

/// All visits in their order.
#[derive(Clone, Default)]
pub(super) struct Timeline(Vec<Visit>);

impl Timeline {
    pub fn push(&mut self, visit: Visit) {
        self.0.push(visit);
    }

    /// The visits behind a moment.
    pub fn after(&self, time: Time) -> &[Visit] {
        &self.0[self.0.partition_point(|visit| visit.time <= time)..]
    }

    /// The last visit in front of a moment.
    pub fn last_before(&self, time: Option<Time>) -> Option<&Visit> {
        let count = match time {
            Some(time) => self.0.partition_point(|visit| visit.time < time),
            None => self.0.len(),
        };
        self.0[..count].last()
    }

    /// What is visited at a moment.
    pub fn at(&self, time: Time) -> Option<Place> {
        let index = self.0.binary_search_by_key(&time, |visit| visit.time);
        index.ok().map(|index| self.0[index].place)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Visit> {
        self.0.iter()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The same with others in between. `now` says where a visit leads by now, if it is still made.
    pub fn again(
        &self,
        now: impl Fn(&Visit) -> Option<Place>,
        more: impl Iterator<Item = Visit>,
    ) -> Timeline {
        let mut visits = Vec::with_capacity(self.0.len());
        let mut more = more.peekable();
        for visit in &self.0 {
            while let Some(new) = more.next_if(|new| new.time < visit.time) {
                visits.push(new);
            }
            visits.extend(now(visit).map(|place| Visit { place, ..*visit }));
        }
        visits.extend(more);
        Timeline(visits)
    }
}

#[cfg(test)]
mod tests {
    use super::Time;

    #[test]
    fn there_is_room_for_many_one_behind_the_other() {
        let (mut last, end) = (Time::of_visit(1), Time::of_visit(2));
        for _ in 0..200 {
            let next = last.between(Some(end)).expect("there is room");
            assert!(last < next && next < end);
            last = next;
        }
    }

    #[test]
    fn there_is_room_for_some_in_front_of_each_other() {
        let (begin, mut first) = (Time::of_visit(1), Time::of_visit(2));
        for _ in 0..40 {
            let next = begin.between(Some(first)).expect("there is room");
            assert!(begin < next && next < first);
            first = next;
        }
    }

    #[test]
    fn there_is_an_end_of_room() {
        let (begin, mut first) = (Time::of_visit(1), Time::of_visit(2));
        while let Some(next) = begin.between(Some(first)) {
            assert!(begin < next && next < first);
            first = next;
        }
        assert_eq!(begin.between(Some(first)), None);
        assert!(begin.between(None).is_some());
    }
}
