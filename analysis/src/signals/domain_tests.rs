//! The laws of the lattice of signals.

use super::domain::{Locks, SignalState, Signals, Way};
use crate::dataflow::Domain;
use crate::locksets::Effect;
use crate::points_to::Class;
use crate::symexec::{Path, Root, Step, Targets};
use std::collections::BTreeSet;

fn signal(index: u32) -> Path {
    Path::new(Root::Formal(index)).then(Step::Deref)
}

/// States of random histories over three signals.
fn samples() -> Vec<SignalState> {
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut next = move |bound: u32| {
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (random >> 40) as u32 % bound
    };
    let class = Class::for_tests(1);
    (0..24)
        .map(|_| {
            let mut state = SignalState::default();
            for _ in 0..next(6) {
                let path = signal(next(3));
                let locks = Locks {
                    held: BTreeSet::from([signal(3 + next(2))]),
                    at_entry: next(2) == 0,
                };
                match next(10) {
                    9 => state.win(path),
                    7 => state.take(next(2)),
                    8 => state.give(next(2)),
                    0 => state.pass(path, class, Way::Waited),
                    1 => state.pass(path, class, Way::Locked(locks)),
                    2 => state.see(path, class),
                    3 => state.find_unset(path, locks),
                    4 => state = state.then(&SignalState::release_fence()),
                    5 => state.acquire_fence(),
                    _ => state.post(&Targets::Exactly(path), class),
                }
            }
            state
        })
        .collect()
}

fn joined(left: &SignalState, right: &SignalState) -> SignalState {
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
    for state in samples() {
        assert_eq!(state.then(&SignalState::default()), state);
        assert_eq!(SignalState::default().then(&state), state);
    }
}

#[test]
fn what_a_thread_has_posted_it_does_not_find_unset() {
    let mut looked = SignalState::default();
    looked.find_unset(signal(0), Locks::default());
    let mut posted = SignalState::default();
    posted.post(&Targets::Unknown, Class::for_tests(1));
    assert_eq!(looked.then(&posted).unset().count(), 0);
}

#[test]
fn the_quick_ways_find_what_the_slow_ones_find() {
    let mut same = 0;
    for left in samples() {
        for right in samples() {
            let quick = left.then(&right);
            assert_eq!(*quick, left.after(&right));
            same += usize::from(quick.is_shared_with(&left));
            let mut slow = Signals::clone(&left);
            slow.join_all(&right);
            let mut quick = left.clone();
            assert_eq!(quick.join(&right), slow != *left);
            assert_eq!(*quick, slow);
            let mut slow = Signals::clone(&left);
            slow.meet_all(&right);
            let mut quick = left.clone();
            quick.meet(&right);
            assert_eq!(*quick, slow);
        }
    }
    assert!(same > 24);
}
