//! Which contexts of a function make a difference to an access. A function has many, and most accesses look the same in
//! several of them: one of these is enough.

use super::points::Viewpoint;
use super::sighting::{Glance, Seen, Surroundings};
use crate::threads::ContextId;
use std::sync::Arc;

impl Surroundings<'_> {
    /// The contexts in which an access is to be looked at, in their order. In each of the others it looks as in one of
    /// these, or races with less.
    pub fn views<'a>(&self, seen: &Seen<'a>, access: u32) -> &'a [ContextId] {
        seen.points.views(access, || match self.viewpoint(seen) {
            Some(viewpoint) => seen
                .points
                .shared_views(viewpoint, || self.find_views(seen)),
            None => self.find_views(seen),
        })
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
        let contexts = self.contexts.of(seen.function);
        let reaching =
            contexts.filter(|(id, ..)| self.contexts.reaches(seen.function, *id, seen.statement()));
        let looks: Vec<Look> = reaching
            .map(|context| Look {
                id: context.0,
                is_timeless: self.contexts.is_timeless(seen.function, context.0),
                glance: self.glance(seen, 0, context),
            })
            .collect();
        let makes_no_difference = |at: usize| {
            let look = &looks[at];
            let is_earlier_one =
                |other: &Look| look.glance.is_some() && other.glance == look.glance;
            looks[..at].iter().any(is_earlier_one)
                || looks.iter().any(|other| self.is_within(seen, look, other))
        };
        let wanted = (0..looks.len()).filter(|at| !makes_no_difference(*at));
        wanted.map(|at| looks[at].id).collect()
    }

    /// Whether whatever an access races with in one context, it races with in another: there it comes at any moment of
    /// the same threads, and everything else is the same.
    fn is_within(&self, seen: &Seen<'_>, one: &Look, other: &Look) -> bool {
        let (Some(mine), Some(theirs)) = (&one.glance, &other.glance) else {
            return false;
        };
        if one.is_timeless || !other.is_timeless || !mine.differs_in_time_only(theirs) {
            return false;
        }
        let of = |look: &Look| self.contexts.nth(seen.function, look.id.0 as usize);
        of(one).zip(of(other)).is_some_and(|(mine, theirs)| {
            mine.1.once == theirs.1.once && mine.2.is_subset(theirs.2)
        })
    }
}

/// An access in a context.
struct Look {
    id: ContextId,
    is_timeless: bool,
    glance: Option<Glance>,
}
