//! How states of signals follow each other, and what holds where paths meet.

use super::barriers::Phase;
use super::domain::{MOST_PASSED, SignalState, Signals, Way, may_be_same};
use crate::dataflow::{Domain, Shared};
use crate::locksets::Effect;

impl Effect for SignalState {
    fn is_copy_of(&self, other: &SignalState) -> bool {
        self.is_shared_with(other)
    }

    fn then(&self, next: &SignalState) -> SignalState {
        if self.is_same_after(next) {
            return self.clone();
        }
        if self.is_idle() && next.phase == Phase::default() {
            return next.clone();
        }
        Shared::new(self.after(next))
    }

    fn meet(&mut self, other: &SignalState) {
        if !self.says_no_less_than(other) {
            self.meet_all(other);
        }
    }
}

impl Domain for SignalState {
    fn join(&mut self, other: &SignalState) -> bool {
        if self == other || self.says_all_of(other) {
            return false;
        }
        if other.says_all_of(self) {
            *self = other.clone();
            return true;
        }
        let before = self.clone();
        self.join_all(other);
        *self != before
    }
}

impl Signals {
    /// Whether it is known to stay as it is if that happens next: most calls do what was done before.
    fn is_same_after(&self, next: &Signals) -> bool {
        let mut seen = next.seen.iter();
        let mut unset = next.unset.iter();
        let mut tokens = self.tokens.iter();
        let has_posted = next.posted_any || !next.posted.is_empty();
        (self.posted_any || (!next.posted_any && next.posted.is_subset(&self.posted)))
            && (self.fenced || !next.fenced)
            && (self.certainly_fenced || !next.certainly_fenced)
            && (self.slept || !next.slept)
            && (self.unset.is_empty() || !(next.slept || has_posted))
            && unset.all(|(signal, locks)| self.unset.get(signal) == Some(locks))
            && self.has_also_passed(next)
            && seen.all(|(signal, class)| self.seen.get(signal) == Some(class))
            && next.phase == Phase::default()
            && tokens.all(|token| !next.given.contains(token) || next.tokens.contains(token))
            && next.tokens.is_subset(&self.tokens)
            && next.given.is_subset(&self.given)
            && next.won.is_subset(&self.won)
    }

    /// First this, then that.
    pub(super) fn after(&self, next: &Signals) -> Signals {
        let mut after = self.clone();
        after.also_passed(&next.passed);
        after.seen.extend(next.seen.clone());
        if next.slept || next.posted_any {
            after.unset.clear();
        }
        for posted in &next.posted {
            let path = posted.path.as_ref();
            after
                .unset
                .retain(|signal, _| path.is_some_and(|path| !may_be_same(path, signal)));
        }
        after.unset.extend(next.unset.clone());
        after.posted.extend(next.posted.iter().cloned());
        after.posted_any |= next.posted_any;
        after.limit_posted();
        after.fenced |= next.fenced;
        after.certainly_fenced |= next.certainly_fenced;
        after.slept |= next.slept;
        after.phase = self.phase.then(&next.phase);
        after.tokens.retain(|token| !next.given.contains(token));
        after.tokens.extend(&next.tokens);
        after.given.extend(&next.given);
        after.won.extend(next.won.iter().cloned());
        after
    }

    /// Whether joining another one is known to change nothing.
    fn says_all_of(&self, other: &Signals) -> bool {
        let mut passed = self.passed.iter();
        let mut seen = self.seen.iter();
        let mut unset = self.unset.iter();
        let has_posted = match self.posted_any {
            true => self.posted.is_empty(),
            false => !other.posted_any && other.posted.is_subset(&self.posted),
        };
        has_posted
            && (self.fenced || !other.fenced)
            && (!self.certainly_fenced || other.certainly_fenced)
            && (self.slept || !other.slept)
            && passed.all(|(signal, mine)| {
                let theirs = other.passed.get(signal);
                theirs.is_some_and(|theirs| {
                    mine.class == theirs.class && theirs.ways.is_subset(&mine.ways)
                })
            })
            && seen.all(|(signal, class)| other.seen.get(signal) == Some(class))
            && unset.all(|(signal, mine)| {
                let theirs = other.unset.get(signal);
                theirs.is_some_and(|theirs| {
                    (theirs.at_entry || !mine.at_entry)
                        && mine.held.is_subset(&theirs.held)
                        && (mine.at_entry || !mine.held.is_empty())
                })
            })
            && self.phase == other.phase
            && self.tokens.is_subset(&other.tokens)
            && other.given.is_subset(&self.given)
            && self.won.is_subset(&other.won)
    }

    pub(super) fn join_all(&mut self, other: &Signals) {
        self.passed.retain(|signal, mine| {
            let Some(theirs) = other.passed.get(signal) else {
                return false;
            };
            mine.ways.extend(theirs.ways.iter().cloned());
            mine.class == theirs.class
        });
        self.seen
            .retain(|signal, _| other.seen.contains_key(signal));
        self.unset.retain(|signal, mine| {
            let Some(theirs) = other.unset.get(signal) else {
                return false;
            };
            mine.held.retain(|lock| theirs.held.contains(lock));
            mine.at_entry &= theirs.at_entry;
            mine.at_entry || !mine.held.is_empty()
        });
        self.posted.extend(other.posted.iter().cloned());
        self.posted_any |= other.posted_any;
        self.limit_posted();
        self.fenced |= other.fenced;
        self.certainly_fenced &= other.certainly_fenced;
        self.slept |= other.slept;
        self.phase.join(&other.phase);
        self.tokens.retain(|token| other.tokens.contains(token));
        self.given.extend(&other.given);
        self.won.retain(|signal| other.won.contains(signal));
    }

    /// Whether it is known that this one says all that another one says of the same point.
    fn says_no_less_than(&self, other: &Signals) -> bool {
        let mut unset = other.unset.iter();
        let mut seen = other.seen.iter();
        (other.posted_any || (!self.posted_any && self.posted.is_subset(&other.posted)))
            && (!self.fenced || other.fenced)
            && (self.certainly_fenced || !other.certainly_fenced)
            && (!self.slept || other.slept)
            && self.has_also_passed(other)
            && seen.all(|(signal, class)| self.seen.get(signal) == Some(class))
            && unset.all(|(signal, locks)| self.unset.get(signal) == Some(locks))
            && other.tokens.is_subset(&self.tokens)
            && self.given.is_subset(&other.given)
            && other.won.is_subset(&self.won)
    }

    pub(super) fn meet_all(&mut self, other: &Signals) {
        self.also_passed(&other.passed);
        self.seen.extend(other.seen.clone());
        self.unset.extend(other.unset.clone());
        if !other.posted_any {
            if self.posted_any {
                self.posted = other.posted.clone();
                self.posted_any = false;
            } else {
                self.posted.retain(|posted| other.posted.contains(posted));
            }
        }
        self.fenced &= other.fenced;
        self.certainly_fenced |= other.certainly_fenced;
        self.slept &= other.slept;
        self.tokens.extend(&other.tokens);
        self.given.retain(|token| other.given.contains(token));
        self.won.extend(other.won.iter().cloned());
    }

    /// Whether what another one has passed makes no difference.
    fn has_also_passed(&self, other: &Signals) -> bool {
        let is_locked = |way: &Way| matches!(way, Way::Locked(_));
        let mut passed = other.passed.iter();
        passed.all(|(signal, passed)| match self.passed.get(signal) {
            Some(known) => known == passed || !known.ways.iter().any(is_locked),
            None => self.passed.len() >= MOST_PASSED,
        })
    }
}
