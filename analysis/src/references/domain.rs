//! The lattice of references.

use crate::dataflow::Domain;
use crate::ir::BlockId;
use crate::points_to::Class;
use crate::symexec::{Path, mentions_definition};
use std::collections::BTreeMap;

/// What happened to reference counts since the function's entry.
///
/// Joining takes the lowest number of references, because a thread may have given one up on any path, and
/// intersects where it had the last one, because it must have on every path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct References {
    /// How many references more than at the entry the thread has at least; those that are missing have not changed.
    net: BTreeMap<Path, i8>,
    /// Objects to which nobody else has a reference.
    last: BTreeMap<Path, Last>,
}

/// How a thread has found out that it had the last reference.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Last {
    /// The memory of the count.
    pub count: Class,
    /// What the others have done before they gave up theirs comes before what follows.
    pub acquires: bool,
}

/// More or fewer are not counted.
const MOST: i8 = 3;

impl References {
    pub fn count(&mut self, object: &Path, step: i8) {
        let known = self.net.get(object).copied().unwrap_or(0);
        let net = known.saturating_add(step).clamp(-MOST, MOST);
        if net == 0 {
            self.net.remove(object);
        } else {
            self.net.insert(object.clone(), net);
        }
    }

    pub fn find_last(&mut self, object: &Path, last: Last) {
        self.last.insert(object.clone(), last);
    }

    /// Whether nothing happened.
    pub fn is_idle(&self) -> bool {
        self.net.is_empty() && self.last.is_empty()
    }

    pub fn net(&self) -> impl Iterator<Item = (&Path, i8)> {
        self.net.iter().map(|(object, net)| (object, *net))
    }

    /// Objects to which the thread may have no reference any more, if it had one at the entry.
    pub fn given_up(&self) -> impl Iterator<Item = &Path> {
        let given_up = self.net.iter().filter(|(_, net)| **net < 0);
        given_up.map(|(object, _)| object)
    }

    pub fn last(&self) -> impl Iterator<Item = (&Path, Last)> {
        self.last.iter().map(|(object, last)| (object, *last))
    }

    /// Control goes back to a loop's head: names that were given in these blocks will be given anew.
    pub(super) fn forget_definitions(&mut self, is_repeated: &dyn Fn(BlockId) -> bool) {
        let is_stale = |path: &Path| mentions_definition(path, is_repeated);
        self.net.retain(|path, _| !is_stale(path));
        self.last.retain(|path, _| !is_stale(path));
    }
}

impl Domain for References {
    fn join(&mut self, other: &References) -> bool {
        let before = self.clone();
        let mut net = BTreeMap::new();
        for object in self.net.keys().chain(other.net.keys()) {
            let of = |state: &References| state.net.get(object).copied().unwrap_or(0);
            let least = of(self).min(of(other));
            if least != 0 {
                net.insert(object.clone(), least);
            }
        }
        self.net = net;
        self.last
            .retain(|object, last| other.last.get(object) == Some(last));
        *self != before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symexec::{Root, Step};

    fn object(index: u32) -> Path {
        Path::new(Root::Formal(index)).then(Step::Deref)
    }

    /// All states of two objects with few references.
    fn samples() -> Vec<References> {
        let mut found = Vec::new();
        for one in -2..=1 {
            for other in -1..=2 {
                for last in 0..3 {
                    let mut state = References::default();
                    state.count(&object(0), one);
                    state.count(&object(1), other);
                    if last > 0 {
                        let last_of = Last {
                            count: Class::for_tests(last),
                            acquires: last > 1,
                        };
                        state.find_last(&object(last - 1), last_of);
                    }
                    found.push(state);
                }
            }
        }
        found
    }

    fn joined(left: &References, right: &References) -> References {
        let mut result = left.clone();
        result.join(right);
        result
    }

    #[test]
    fn joining_obeys_the_laws_of_a_semilattice() {
        for left in samples() {
            assert_eq!(joined(&left, &left), left);
            for right in samples() {
                let there = joined(&left, &right);
                assert_eq!(there, joined(&right, &left));
                assert_eq!(joined(&there, &right), there);
                for third in samples() {
                    assert_eq!(
                        joined(&there, &third),
                        joined(&left, &joined(&right, &third))
                    );
                }
            }
        }
    }

    #[test]
    fn taking_a_reference_and_giving_it_up_again_changes_nothing() {
        let mut state = References::default();
        state.count(&object(0), 1);
        state.count(&object(0), -1);
        assert_eq!(state, References::default());
        state.count(&object(0), -1);
        assert_eq!(state.given_up().count(), 1);
    }
}
