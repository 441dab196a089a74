//! How each access looks in the contexts that make a difference. That depends on the access alone, and not on the location
//! that it is compared at: whoever touches a whole object touches hundreds of them.

use super::access_index::AccessNumber;
use super::moments::KnownMoments;
use super::points::{FunctionPoints, Points};
use super::sighting::{Character, Surroundings};
use crate::accesses::Access;
use crate::callgraph::FunctionId;
use crate::stop;
use crate::threads::ContextId;
use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How the accesses of a program look, for the next analysis after an edit that leaves contexts and orders as they are.
pub(super) struct KnownLooks {
    pub moments: Arc<KnownMoments>,
    pub points: Points,
    pub characters: Arc<KnownCharacters>,
    /// How many looks were forgotten, whose characters and moments nobody may use any more.
    forgotten: usize,
}

/// What nobody uses any more is kept until there is as much of it as of the rest, and so much more.
const MOST_UNUSED: usize = 1_000;

impl KnownLooks {
    pub fn new(functions: usize) -> KnownLooks {
        KnownLooks {
            moments: Arc::default(),
            points: Points::new(functions),
            characters: Arc::default(),
            forgotten: 0,
        }
    }

    /// The same, so that what is found from now on is kept here alone.
    pub fn unshared(&self) -> KnownLooks {
        KnownLooks {
            moments: self.moments.clone(),
            points: self.points.unshared(),
            characters: self.characters.clone(),
            forgotten: self.forgotten,
        }
    }

    /// What still holds after an edit of these functions.
    pub fn again(&self, edited: &[FunctionId]) -> KnownLooks {
        let mut forgotten = self.forgotten + self.points.look_count(edited);
        if forgotten > self.characters.by_content.len() / 2 + MOST_UNUSED {
            self.characters.forget_unused();
            self.moments.forget_unused();
            forgotten = 0;
        }
        KnownLooks {
            moments: self.moments.clone(),
            points: self.points.without(edited),
            characters: self.characters.clone(),
            forgotten,
        }
    }
}

/// An access in a context.
#[derive(Clone)]
pub struct Look {
    pub context: ContextId,
    /// That of the character: different ones have different numbers, which mean nothing else.
    pub number: u32,
    pub character: Arc<Character>,
}

/// All characters that were asked for, with their numbers.
#[derive(Default)]
pub struct KnownCharacters {
    next: AtomicU32,
    by_content: DashMap<Arc<Character>, u32, FxBuildHasher>,
}

/// By what tells most of them apart.
impl Hash for Character {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.when.hash(state);
        self.absolute.hash(state);
        self.relative.hash(state);
        self.writes.hash(state);
    }
}

impl KnownCharacters {
    /// Forgets those that no access has.
    fn forget_unused(&self) {
        self.by_content
            .retain(|character, _| Arc::strong_count(character) > 1);
    }

    /// The one that is equal to this, and its number.
    fn one(&self, character: Character) -> (Arc<Character>, u32) {
        // Most are known, and need not be kept once more.
        if let Some(known) = self.by_content.get(&character) {
            return (known.key().clone(), *known);
        }
        let known = self.by_content.entry(Arc::new(character));
        let known = known.or_insert_with(|| self.next.fetch_add(1, Ordering::Relaxed));
        (known.key().clone(), *known)
    }
}

impl Surroundings<'_> {
    /// How an access looks, in the order of its contexts.
    pub fn looks(&self, (function, number): AccessNumber) -> &[Look] {
        let facts = &self.facts[function.0 as usize];
        let points = self.known.points.of(function, facts, self.contexts);
        let access = &facts.accesses[number as usize];
        self.looks_at(points, (function, number), access)
    }

    /// How the accesses of a location look, each in the order of its contexts. Those of a function stand together.
    pub fn looks_of<'s>(
        &'s self,
        accesses: &[AccessNumber],
        mut each: impl FnMut(AccessNumber, &'s Access),
    ) -> Vec<&'s [Look]> {
        let mut all = Vec::with_capacity(accesses.len());
        for accesses in accesses.chunk_by(|one, other| one.0 == other.0) {
            let function = accesses[0].0;
            let facts = &self.facts[function.0 as usize];
            let points = self.known.points.of(function, facts, self.contexts);
            for number in accesses {
                let access = &facts.accesses[number.1 as usize];
                each(*number, access);
                all.push(self.looks_at(points, *number, access));
            }
        }
        all
    }

    fn looks_at<'s>(
        &'s self,
        points: &'s FunctionPoints,
        (function, number): AccessNumber,
        access: &Access,
    ) -> &'s [Look] {
        let is_unordered = self.unordered.contains(&access.cell.class);
        points.looks(number, is_unordered, || {
            stop::ask();
            let seen = self.seen(access, function);
            let views = self.views(&seen);
            let contexts = views.iter().filter_map(|id| {
                let context = self.contexts.nth(function, id.0 as usize)?;
                let character = self.described(&seen.kind, self.circumstances(&seen, context));
                let (character, number) = self.known.characters.one(character);
                Some(Look {
                    context: *id,
                    number,
                    character,
                })
            });
            contexts.collect()
        })
    }
}
