//! What speaks for and against a race, and the rank that follows.

use super::guards::Guard;
use super::overlap::Likeness;
use super::pairing::Pair;

/// One thing that speaks for or against a race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    pub kind: ReasonKind,
    pub text: String,
    /// What it adds to the rank.
    pub weight: i32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum ReasonKind {
    InferredGuard,
    WriteWrite,
    SameVariable,
    SamePath,
    SameMember,
    PointsToOnly,
    DifferentThreads,
    AtomicElsewhere,
    WithoutReference,
    /// RELAY's idioms, and ours: reasons for doubt.
    SameKindOfLock,
    Unsharing,
    NonParallelThreads,
    ConditionalLocking,
}

impl ReasonKind {
    /// A word for machines.
    pub fn word(self) -> &'static str {
        match self {
            ReasonKind::InferredGuard => "inferred_guard",
            ReasonKind::WriteWrite => "write_write",
            ReasonKind::SameVariable => "same_variable",
            ReasonKind::SamePath => "same_path",
            ReasonKind::SameMember => "same_member",
            ReasonKind::PointsToOnly => "points_to_only",
            ReasonKind::DifferentThreads => "different_threads",
            ReasonKind::AtomicElsewhere => "atomic_elsewhere",
            ReasonKind::WithoutReference => "without_reference",
            ReasonKind::SameKindOfLock => "doubt_same_kind_of_lock",
            ReasonKind::Unsharing => "doubt_unsharing",
            ReasonKind::NonParallelThreads => "doubt_same_entry",
            ReasonKind::ConditionalLocking => "doubt_conditional_locking",
        }
    }

    /// Whether it speaks against a race.
    pub fn is_doubt(self) -> bool {
        self.word().starts_with("doubt_") || self == ReasonKind::PointsToOnly
    }
}

/// What is known of the best pair of a race.
pub(super) struct Evidence<'e> {
    pub pair: Pair,
    pub location: &'e str,
    /// The guard, and what its lock is called.
    pub guard: Option<(Guard, String)>,
    pub frees: bool,
    pub atomic_on_one_side: bool,
    pub same_entry: bool,
    pub locks_sometimes: bool,
}

/// Where a pair of which nothing else is known stands.
const MIDDLE: i32 = 50;

impl Evidence<'_> {
    pub fn reasons(&self) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let mut add = |kind, weight, text: String| {
            reasons.push(Reason { kind, text, weight });
        };
        if let Some((guard, lock)) = &self.guard
            && guard.held >= 2
        {
            let share = guard.held as f64 / guard.accesses as f64;
            let weight = (25.0 * (2.0 * share - 1.0)).clamp(0.0, 25.0).round() as i32;
            let text = format!(
                "`{}` is guarded by `{lock}` in {} of {} accesses",
                self.location, guard.held, guard.accesses
            );
            add(ReasonKind::InferredGuard, weight, text);
        }
        if self.pair.both_write {
            add(ReasonKind::WriteWrite, 10, "both threads write".into());
        }
        let (kind, weight, text) = match self.pair.likeness {
            Likeness::SameVariable => (
                ReasonKind::SameVariable,
                15,
                "both access the same variable",
            ),
            Likeness::SamePath => (
                ReasonKind::SamePath,
                8,
                "both reach the object in the same way",
            ),
            Likeness::SameMember => (
                ReasonKind::SameMember,
                0,
                "both access the same member, of objects that may be the same",
            ),
            Likeness::PointsTo => (
                ReasonKind::PointsToOnly,
                -15,
                "only the points-to analysis says that both may access the same memory",
            ),
        };
        add(kind, weight, text.into());
        if self.atomic_on_one_side {
            let text = "one side is atomic, so the location is meant to be shared";
            add(ReasonKind::AtomicElsewhere, 5, text.into());
        }
        if self.pair.same_kind_of_lock {
            let text = "both hold a lock of the same kind, which may be the same lock";
            add(ReasonKind::SameKindOfLock, -45, text.into());
        }
        if self.pair.taken_out {
            let text = "one thread has taken the object out of where others find it, and the other holds a lock";
            add(ReasonKind::Unsharing, -45, text.into());
        } else if self.pair.without_reference {
            let text = "one thread uses the object when it has given up its reference to it";
            add(ReasonKind::WithoutReference, 15, text.into());
        } else if self.frees {
            let text = "one side frees the object: no other thread should know it any more";
            add(ReasonKind::Unsharing, -20, text.into());
        }
        if self.same_entry && self.pair.likeness != Likeness::SameVariable {
            let text = "both sides are the same thread function: each thread may have an object of its own";
            add(ReasonKind::NonParallelThreads, -5, text.into());
        } else if !self.same_entry {
            let text = "two different thread functions reach it";
            add(ReasonKind::DifferentThreads, 5, text.into());
        }
        if self.locks_sometimes {
            let text = "the function takes that lock on some of its paths";
            add(ReasonKind::ConditionalLocking, -5, text.into());
        }
        reasons
    }
}

/// The rank that reasons give.
pub(super) fn rank(reasons: &[Reason]) -> u8 {
    let sum: i32 = reasons.iter().map(|reason| reason.weight).sum();
    u8::try_from((MIDDLE + sum).clamp(0, 100)).unwrap_or(0)
}
