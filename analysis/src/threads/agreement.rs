//! Contexts that were told from those before an edit are compared with those that are found anew.

use super::contexts::Contexts;
use super::reached::{Called, Reached};
use super::timeline::{Place, Time};
use crate::callgraph::FunctionId;
use rustc_hash::FxHashMap;

impl Contexts {
    /// Panics if something is different that anybody can notice, now or after further edits.
    pub(super) fn assert_are_those(&self, fresh: &Contexts) {
        assert_eq!(self.roots, fresh.roots);
        assert!(self.never_parallel == fresh.never_parallel);
        assert!(*self.deciding == *fresh.deciding);
        assert!(*self.numbers == *fresh.numbers);
        assert_eq!(self.holding_too_much(), fresh.holding_too_much());
        let places = |contexts: &Contexts| -> Vec<Place> {
            let visits = contexts.timeline.iter();
            visits.map(|visit| visit.place).collect()
        };
        assert_eq!(places(self), places(fresh));
        let times: FxHashMap<Time, Time> = { self.timeline.iter() }
            .zip(fresh.timeline.iter())
            .map(|(mine, theirs)| (mine.time, theirs.time))
            .chain([(Time::BEGINNING, Time::BEGINNING)])
            .collect();
        let entries = self.entries.iter().zip(&fresh.entries);
        for ((time, entered), (fresh_time, fresh_entered)) in entries {
            assert_eq!((times[time], entered), (*fresh_time, fresh_entered));
        }
        for index in 0..self.functions.len() {
            let function = FunctionId(index as u32);
            let (mine, theirs) = (&self.functions[index], &fresh.functions[index]);
            assert_eq!(mine.contexts.len(), theirs.contexts.len(), "{function:?}");
            assert!(
                self.left_out[index] == fresh.left_out[index],
                "{function:?}"
            );
            for (mine, theirs) in mine.contexts.iter().zip(&theirs.contexts) {
                let reached = |times: &dyn Fn(Time) -> Time, reached: &Reached| {
                    (
                        (reached.context.clone(), reached.roots.clone()),
                        (times(reached.found_at), times(reached.visited_at)),
                        (reached.is_timeless, reached.is_repeated),
                        (reached.arrivals.first().copied(), reached.starts.clone()),
                    )
                };
                let (now, anew) = (
                    reached(&|time| times[&time], mine),
                    reached(&|time| time, theirs),
                );
                assert_eq!(now, anew, "{function:?}");
                assert_eq!(self.companies.known(&mine.roots), Some(mine.company));
                // Calls that lead elsewhere stand behind the others, whenever their callers were visited.
                assert_eq!(mine.arrivals.len(), theirs.arrivals.len(), "{function:?}");
                let mut arrivals = mine.arrivals.iter();
                assert!(arrivals.all(|arrival| theirs.arrivals.contains(arrival)));
                let called = |call: &Called| {
                    let place = (call.callee, call.context);
                    (place, call.at, call.repeats, call.entered.clone())
                };
                let calls = mine.calls().iter().map(called);
                let anew = theirs.calls().iter().map(called);
                assert!(calls.eq(anew), "calls of {function:?}");
            }
        }
    }
}
