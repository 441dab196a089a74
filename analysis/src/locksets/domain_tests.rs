//! The laws of locksets.

use super::domain::Lockset;
use super::happened::Mode;
use super::outcomes::Effect;
use crate::dataflow::Domain;
use crate::ir::Landmark;
use crate::symexec::{Path, Root, Step};
use std::collections::BTreeSet;

fn lock(index: u32) -> Path {
    Path::new(Root::Formal(index)).then(Step::Deref)
}

/// Locksets of random histories over three locks with fixed names.
fn samples() -> Vec<Lockset> {
    let mut random = 0x853c_49e6_748f_ea9bu64;
    let mut next = move |bound: u32| {
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (random >> 40) as u32 % bound
    };
    (0..24)
        .map(|_| {
            let mut set = Lockset::default();
            for _ in 0..next(5) {
                match next(5) {
                    0 | 1 => set.acquire(
                        lock(next(3)),
                        if next(2) == 0 {
                            Mode::Shared
                        } else {
                            Mode::Exclusive
                        },
                        Landmark::for_tests(0),
                    ),
                    2 | 3 => set.release(lock(next(3))),
                    _ if next(4) == 0 => set.release_unknown(),
                    _ => set.release_one_of(BTreeSet::from([lock(0), lock(1)])),
                }
            }
            set
        })
        .collect()
}

fn joined(left: &Lockset, right: &Lockset) -> Lockset {
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
fn a_call_that_does_nothing_changes_nothing() {
    for set in samples() {
        assert_eq!(set.then(&Lockset::default()), set);
        assert_eq!(Lockset::default().then(&set), set);
    }
}
