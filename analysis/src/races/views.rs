//! Which contexts of a function make a difference to an access. A function has many, and most accesses look the same in
//! several of them: one of these is enough.

use super::points::Viewpoint;
use super::sighting::{Glance, Seen, Surroundings};
use crate::threads::ContextId;
use std::sync::Arc;

impl Surroundings<'_> {
    /// The contexts in which an access is to be looked at, in their order. In each of the others it looks as in one of
    /// these, or races with less.
    pub(super) fn views(&self, seen: &Seen<'_>) -> Arc<[ContextId]> {
        let views = match self.viewpoint(seen) {
            Some(viewpoint) => seen.points.views(viewpoint, || self.find_views(seen)),
            None => self.find_views(seen),
        };
        // Tests compare it with a look at everything.
        debug_assert!(self.misses_nothing(seen, &views));
        views
    }

    /// Accesses with the same one are looked at in the same contexts; `None` if that depends on more.
    fn viewpoint(&self, seen: &Seen<'_>) -> Option<Viewpoint> {
        let formal = seen.formal()?;
        let leaves_out = self.contexts.leaves_out(seen.function);
        Some(Viewpoint {
            formal,
            block: leaves_out.then_some(seen.statement().block),
        })
    }

    fn find_views(&self, seen: &Seen<'_>) -> Arc<[ContextId]> {
        let glanced: Vec<Glanced> = self
            .reaching(seen)
            .map(|id| Glanced {
                id,
                is_timeless: self.contexts.is_timeless(seen.function, id),
                glance: self.glance(seen, id),
            })
            .collect();
        let is_same = |one: usize, other: usize| {
            let (one, other) = (&glanced[one], &glanced[other]);
            one.glance.is_some() && other.glance == one.glance
        };
        let is_within =
            |one: usize, other: usize| self.is_within(seen, &glanced[one], &glanced[other]);
        let wanted = enough(glanced.len(), is_same, is_within);
        wanted.into_iter().map(|at| glanced[at].id).collect()
    }

    /// The contexts in which control gets to an access.
    fn reaching(&self, seen: &Seen<'_>) -> impl Iterator<Item = ContextId> {
        let contexts = self.contexts.of(seen.function).map(|(id, ..)| id);
        contexts.filter(|id| self.contexts.reaches(seen.function, *id, seen.statement()))
    }

    /// Whether whatever an access races with in one context, it races with in another: there it comes at any moment of
    /// the same threads, and everything else is the same.
    fn is_within(&self, seen: &Seen<'_>, one: &Glanced, other: &Glanced) -> bool {
        let (Some(mine), Some(theirs)) = (&one.glance, &other.glance) else {
            return false;
        };
        if one.is_timeless || !other.is_timeless || !mine.differs_in_time_only(theirs) {
            return false;
        }
        let of = |glanced: &Glanced| self.contexts.nth(seen.function, glanced.id.0 as usize);
        of(one).zip(of(other)).is_some_and(|(mine, theirs)| {
            mine.1.once == theirs.1.once && mine.2.is_subset(theirs.2)
        })
    }

    /// Whether in each context the access looks as in one of these, at whatever moment.
    fn misses_nothing(&self, seen: &Seen<'_>, views: &[ContextId]) -> bool {
        let at_any_moment = |id: ContextId| {
            let context = self.contexts.nth(seen.function, id.0 as usize)?;
            let character = self.described(&seen.kind, self.circumstances(seen, context));
            Some((
                character.protection,
                character.absolute,
                character.owned,
                character.held_somewhere,
                (character.had_last, character.others, character.given_up),
            ))
        };
        let seen_so: Vec<_> = views.iter().map(|id| at_any_moment(*id)).collect();
        self.reaching(seen)
            .all(|id| seen_so.contains(&at_any_moment(id)))
    }
}

/// Those of so many that stand for all: the first of those that are the same, without those that are within others. Whatever others are within
/// must not itself be within something.
fn enough(
    count: usize,
    is_same: impl Fn(usize, usize) -> bool,
    is_within: impl Fn(usize, usize) -> bool,
) -> Vec<usize> {
    // First all that are within others, and only then those that are the same as one that is left: of two that are the same and
    // of which one is within the other, both would be gone otherwise.
    let is_left = |one: &usize| !(0..count).any(|other| is_within(*one, other));
    let mut wanted: Vec<usize> = Vec::new();
    for one in (0..count).filter(is_left) {
        if !wanted.iter().any(|other| is_same(one, *other)) {
            wanted.push(one);
        }
    }
    wanted
}

/// An access at a glance in a context.
struct Glanced {
    id: ContextId,
    is_timeless: bool,
    glance: Option<Glance>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contexts by a number that tells how they look, and whether they stand for any moment.
    fn check(contexts: &[(u32, bool)], expected: &[usize]) {
        let is_same = |one: usize, other: usize| contexts[one].0 == contexts[other].0;
        let is_within = |one: usize, other: usize| !contexts[one].1 && contexts[other].1;
        assert_eq!(enough(contexts.len(), is_same, is_within), expected);
    }

    #[test]
    fn the_first_of_those_that_are_the_same_is_enough() {
        check(&[(1, false), (2, false), (1, false), (2, false)], &[0, 1]);
    }

    #[test]
    fn what_stands_for_any_moment_is_enough() {
        check(&[(1, false), (2, true), (3, false)], &[1]);
    }

    #[test]
    fn one_of_two_is_left_that_are_the_same_and_within_each_other() {
        check(&[(1, false), (1, true)], &[1]);
        check(&[(1, true), (1, false)], &[0]);
        check(&[(1, false), (1, true), (2, false), (2, true)], &[1, 3]);
    }
}
