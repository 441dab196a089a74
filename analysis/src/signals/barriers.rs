//! Barriers cut the life of a thread into phases. Where a thread has passed a barrier a different number of
//! times than another, one of them is still in front of a barrier that the other one is behind.

use crate::symexec::{Path, Site};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How often a barrier may have been passed: at least and at most so often, and so many times modulo a
/// period, which is what a loop that passes it twice in each turn leaves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Passes {
    least: u32,
    /// `None`: there is no bound.
    most: Option<u32>,
    /// The number differs from this by a multiple of the period.
    rest: u32,
    /// Zero if the number is exactly `rest`.
    period: u32,
}

/// A barrier that is passed more often than this has no bound.
const MOST_PASSES: u32 = 16;

impl Passes {
    pub const NEVER: Passes = Passes {
        least: 0,
        most: Some(0),
        rest: 0,
        period: 0,
    };
    pub const ONCE: Passes = Passes {
        least: 1,
        most: Some(1),
        rest: 1,
        period: 0,
    };
    const ANY: Passes = Passes {
        least: 0,
        most: None,
        rest: 0,
        period: 1,
    };

    fn join(self, other: Passes) -> Passes {
        let period = gcd(
            gcd(self.period, other.period),
            self.rest.abs_diff(other.rest),
        );
        Passes {
            least: self.least.min(other.least),
            most: match (self.most, other.most) {
                (Some(mine), Some(theirs)) => Some(mine.max(theirs)),
                _ => None,
            },
            rest: modulo(self.rest, period),
            period,
        }
    }

    fn plus(self, more: Passes) -> Passes {
        let period = gcd(self.period, more.period);
        let most = match (self.most, more.most) {
            (Some(mine), Some(theirs)) => Some(mine + theirs).filter(|sum| *sum <= MOST_PASSES),
            _ => None,
        };
        let sum = Passes {
            least: (self.least + more.least).min(MOST_PASSES),
            most,
            rest: modulo(self.rest + more.rest, period),
            period,
        };
        // Counting exactly must end, too.
        if sum.most.is_none() && sum.period == 0 {
            Passes {
                rest: 0,
                period: 1,
                ..sum
            }
        } else {
            sum
        }
    }

    /// Whether it is certain that the two numbers are different.
    pub fn differ(self, other: Passes) -> bool {
        let ends_before = |one: Passes, two: Passes| one.most.is_some_and(|most| most < two.least);
        if ends_before(self, other) || ends_before(other, self) {
            return true;
        }
        let distance = self.rest.abs_diff(other.rest);
        match gcd(self.period, other.period) {
            0 => distance != 0,
            period => !distance.is_multiple_of(period),
        }
    }
}

/// `1`, `0 to 3`, `1 and more, 0 modulo 2`.
impl fmt::Display for Passes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.most {
            Some(most) if most == self.least => write!(f, "{most}")?,
            Some(most) => write!(f, "{} to {most}", self.least)?,
            None => write!(f, "{} and more", self.least)?,
        }
        if self.period > 1 {
            write!(f, ", {} modulo {}", self.rest, self.period)?;
        }
        Ok(())
    }
}

fn modulo(value: u32, period: u32) -> u32 {
    if period == 0 { value } else { value % period }
}

fn gcd(left: u32, right: u32) -> u32 {
    if right == 0 {
        left
    } else {
        gcd(right, left % right)
    }
}

/// The barriers that were passed since the function's entry.
///
/// Joining counts the passes of both paths, and unites the places that may have been passed last.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Phase {
    /// Those that are not here were not passed.
    passes: BTreeMap<Path, Passes>,
    /// A barrier was passed that has no name.
    any: bool,
    /// The waits of which one may have been the last.
    last: BTreeSet<Site>,
    /// Some barrier was passed for certain.
    certainly: bool,
}

impl Phase {
    pub fn is_empty(&self) -> bool {
        self.passes.is_empty() && self.last.is_empty() && !self.any
    }

    /// Any barriers may have been passed, or none.
    pub fn any() -> Phase {
        Phase {
            any: true,
            ..Phase::default()
        }
    }

    /// A barrier is passed by this call; `None` if it has no exact name.
    pub fn pass(barrier: Option<Path>, call: Site) -> Phase {
        Phase {
            any: barrier.is_none(),
            passes: barrier
                .into_iter()
                .map(|path| (path, Passes::ONCE))
                .collect(),
            last: BTreeSet::from([call]),
            certainly: true,
        }
    }

    pub fn of(&self, barrier: &Path) -> Passes {
        if self.any {
            return Passes::ANY;
        }
        self.passes.get(barrier).copied().unwrap_or(Passes::NEVER)
    }

    /// Whether a barrier without a name was passed.
    pub fn has_unnamed(&self) -> bool {
        self.any
    }

    pub fn barriers(&self) -> impl Iterator<Item = &Path> {
        self.passes.keys()
    }

    /// Whether the last wait of one is no wait that may be the last of the other.
    pub fn ended_elsewhere(&self, other: &Phase) -> bool {
        let may_be_new = |phase: &Phase| !phase.certainly;
        self.last.is_disjoint(&other.last) && !(may_be_new(self) && may_be_new(other))
    }

    pub fn join(&mut self, other: &Phase) {
        if self == other {
            return;
        }
        let known: BTreeSet<Path> = self
            .passes
            .keys()
            .chain(other.passes.keys())
            .cloned()
            .collect();
        for barrier in known {
            let of = |phase: &Phase| phase.passes.get(&barrier).copied();
            let mine = of(self).unwrap_or(Passes::NEVER);
            let theirs = of(other).unwrap_or(Passes::NEVER);
            self.passes.insert(barrier, mine.join(theirs));
        }
        self.any |= other.any;
        self.last.extend(&other.last);
        self.certainly &= other.certainly;
    }

    pub fn then(&self, next: &Phase) -> Phase {
        let mut after = self.clone();
        if next.is_empty() {
            return after;
        }
        for (barrier, more) in &next.passes {
            let known = after.passes.entry(barrier.clone()).or_insert(Passes::NEVER);
            *known = known.plus(*more);
        }
        after.any |= next.any;
        if next.certainly {
            after.last.clear();
        }
        after.last.extend(&next.last);
        after.certainly |= next.certainly;
        after
    }

    /// The same with the names that barriers have for somebody else. One without a name may be any of those
    /// that are named.
    pub fn rebound(&self, rebind: impl Fn(&Path) -> Option<Path>) -> Phase {
        let mut bound = Phase {
            passes: BTreeMap::new(),
            ..self.clone()
        };
        for (barrier, passes) in &self.passes {
            match rebind(barrier) {
                Some(barrier) => {
                    let known = bound.passes.entry(barrier).or_insert(Passes::NEVER);
                    *known = known.plus(*passes);
                }
                None => bound.any = true,
            }
        }
        bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Passes> {
        let mut all = vec![Passes::NEVER, Passes::ONCE, Passes::ANY];
        for _ in 0..2 {
            let more: Vec<Passes> = all
                .iter()
                .flat_map(|one| {
                    let one = *one;
                    [
                        one.plus(Passes::ONCE),
                        one.plus(one),
                        one.join(Passes::ONCE),
                    ]
                })
                .collect();
            all.extend(more);
        }
        all
    }

    #[test]
    fn joining_passes_obeys_the_laws_of_a_semilattice() {
        for left in samples() {
            assert_eq!(left.join(left), left);
            for right in samples() {
                assert_eq!(left.join(right), right.join(left));
                assert_eq!(left.join(right).join(right), left.join(right));
                for third in samples() {
                    assert_eq!(left.join(right).join(third), left.join(right.join(third)));
                }
            }
        }
    }

    #[test]
    fn what_differs_still_differs_after_the_same_passes() {
        for left in samples() {
            assert!(!left.differ(left));
            for right in samples() {
                assert!(!left.join(right).differ(right));
                assert_eq!(left.differ(right), right.differ(left));
            }
        }
    }

    #[test]
    fn two_passes_in_each_turn_of_a_loop_leave_two_phases() {
        let mut head = Passes::NEVER;
        for _ in 0..20 {
            head = head.join(head.plus(Passes::ONCE).plus(Passes::ONCE));
        }
        let middle = head.plus(Passes::ONCE);
        assert!(head.differ(middle));
        assert!(!head.differ(middle.plus(Passes::ONCE)));
    }
}
