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
        let makes_no_difference = |at: usize| {
            let one = &glanced[at];
            let is_same = |other: &Glanced| one.glance.is_some() && other.glance == one.glance;
            glanced[..at].iter().any(is_same)
                || glanced.iter().any(|other| self.is_within(seen, one, other))
        };
        let wanted = (0..glanced.len()).filter(|at| !makes_no_difference(*at));
        wanted.map(|at| glanced[at].id).collect()
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

/// An access at a glance in a context.
struct Glanced {
    id: ContextId,
    is_timeless: bool,
    glance: Option<Glance>,
}
