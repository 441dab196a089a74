//! The threads that come to the contexts of functions that call each other. In a large group there are few different sets of threads, so each
//! gets a number, and what two of them are together is found once.

use super::context::ContextId;
use super::contexts::{Arrival, Contexts};
use super::reached::add_roots;
use super::roots::RootId;
use super::timeline::Place;
use crate::callgraph::FunctionId;
use crate::dataflow::Shared;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::marker::PhantomData;

/// No number of a context.
const OUTSIDE: u32 = u32::MAX;

pub(super) type Roots = Shared<BTreeSet<RootId>>;

/// The contexts of these functions, which are sorted, each with the threads that come there if they are not those that are known to. What comes
/// from other functions is what is known of those.
pub(super) fn roots_in(
    contexts: &Contexts,
    members: &[u32],
    is_recursive: bool,
) -> Vec<(Place, Option<Roots>)> {
    let mut sets = RootSets::default();
    let nothing = sets.number(&Roots::default());
    let mut places: Vec<Place> = Vec::new();
    let mut found: Vec<u32> = Vec::new();
    // By function, the number of its first context if it is a member: a group may make a million calls.
    let mut first = vec![OUTSIDE; contexts.functions.len()];
    let mut next = 0;
    for member in members {
        first[*member as usize] = next;
        next += contexts.count(FunctionId(*member)) as u32;
    }
    // What comes from outside does not depend on the rest.
    for function in members.iter().map(|member| FunctionId(*member)) {
        let list = &contexts.functions[function.0 as usize].contexts;
        for (reached, id) in list.iter().zip(0..) {
            let mut roots = nothing;
            for arrival in &reached.arrivals {
                let more = match arrival {
                    Arrival::Root(root) => sets.number(&Roots::new(BTreeSet::from([*root]))),
                    Arrival::Call {
                        caller, context, ..
                    } if first[caller.0 as usize] == OUTSIDE => {
                        sets.number_of_known(&contexts.reached(*caller, *context).roots)
                    }
                    Arrival::Call { .. } => continue,
                };
                roots = sets.union(roots, more);
            }
            places.push((function, ContextId(id)));
            found.push(roots);
        }
    }
    if is_recursive {
        let mut waiting: Vec<usize> = (0..found.len()).collect();
        let mut waits = vec![true; found.len()];
        while let Some(next) = waiting.pop() {
            waits[next] = false;
            let (caller, id) = places[next];
            for call in contexts.reached(caller, id).calls() {
                let first = first[call.callee.0 as usize];
                if first == OUTSIDE {
                    continue;
                }
                let callee = (first + call.context.0) as usize;
                let both = sets.union(found[callee], found[next]);
                if both != found[callee] {
                    found[callee] = both;
                    if !std::mem::replace(&mut waits[callee], true) {
                        waiting.push(callee);
                    }
                }
            }
        }
    }
    let found = places.into_iter().zip(found);
    found
        .map(|((function, id), number)| {
            let known = sets.number_of_known(&contexts.reached(function, id).roots);
            ((function, id), (known != number).then(|| sets.set(number)))
        })
        .collect()
}

/// Sets of threads by number: equal sets have equal numbers.
#[derive(Default)]
struct RootSets<'c> {
    sets: Vec<Roots>,
    by_content: FxHashMap<Roots, u32>,
    /// Those that stay where they are.
    by_address: FxHashMap<usize, u32>,
    unions: FxHashMap<(u32, u32), u32>,
    contexts: PhantomData<&'c Contexts>,
}

impl<'c> RootSets<'c> {
    fn number(&mut self, set: &Roots) -> u32 {
        let next = self.sets.len() as u32;
        let number = *self.by_content.entry(set.clone()).or_insert(next);
        if number == next {
            self.sets.push(set.clone());
        }
        number
    }

    /// The same for one that nobody gives up as long as this is asked.
    fn number_of_known(&mut self, set: &'c Roots) -> u32 {
        if let Some(known) = self.by_address.get(&set.address()) {
            return *known;
        }
        let number = self.number(set);
        self.by_address.insert(set.address(), number);
        number
    }

    fn set(&self, number: u32) -> Roots {
        self.sets[number as usize].clone()
    }

    fn union(&mut self, one: u32, other: u32) -> u32 {
        if one == other {
            return one;
        }
        let key = (one.min(other), one.max(other));
        if let Some(known) = self.unions.get(&key) {
            return *known;
        }
        let mut both = self.set(one);
        add_roots(&mut both, &self.set(other));
        let both = self.number(&both);
        self.unions.insert(key, both);
        both
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots(numbers: &[u32]) -> Roots {
        Roots::new(numbers.iter().map(|number| RootId(*number)).collect())
    }

    #[test]
    fn equal_sets_have_equal_numbers_wherever_they_are_kept() {
        let mut sets = RootSets::default();
        let kept = roots(&[1, 2]);
        let one = sets.number_of_known(&kept);
        assert_eq!(sets.number_of_known(&kept), one);
        assert_eq!(sets.number(&roots(&[2, 1])), one);
        assert_ne!(sets.number(&roots(&[1])), one);
        assert_eq!(sets.set(one), roots(&[1, 2]));
    }

    #[test]
    fn a_union_is_what_both_have() {
        let mut sets = RootSets::default();
        let numbers = [&[][..], &[1], &[2], &[1, 2], &[2, 3]].map(|set| sets.number(&roots(set)));
        for one in numbers {
            for other in numbers {
                let expected = &*sets.set(one) | &*sets.set(other);
                // The second time it is known.
                for _ in 0..2 {
                    let both = sets.union(one, other);
                    assert_eq!(*sets.set(both), expected);
                }
            }
        }
    }
}
