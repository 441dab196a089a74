//! How each access looks in the contexts that make a difference. That depends on the access alone, and not on the location
//! that it is compared at: whoever touches a whole object touches hundreds of them.

use super::access_index::AccessNumber;
use super::moments::KnownMoments;
use super::points::Points;
use super::sighting::{Character, Surroundings};
use crate::callgraph::FunctionId;
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

    /// What still holds after an edit of these functions.
    pub fn again(&self, edited: &[FunctionId]) -> KnownLooks {
        let forgotten = self.forgotten + self.points.look_count(edited);
        if forgotten > self.characters.by_content.len() / 2 + MOST_UNUSED {
            return KnownLooks::new(self.points.function_count());
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
    pub character: Arc<KnownCharacter>,
}

/// A character that accesses share. Different ones have different numbers, which mean nothing else.
#[derive(Debug)]
pub struct KnownCharacter {
    pub number: u32,
    pub character: Arc<Character>,
}

/// All characters that were asked for.
#[derive(Default)]
pub struct KnownCharacters {
    next: AtomicU32,
    by_content: DashMap<Content, Arc<KnownCharacter>, FxBuildHasher>,
}

/// Compared as a whole, and hashed by what tells most of them apart.
struct Content(Arc<Character>);

impl PartialEq for Content {
    fn eq(&self, other: &Content) -> bool {
        self.0 == other.0
    }
}

impl Eq for Content {}

impl Hash for Content {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.when.hash(state);
        self.0.absolute.hash(state);
        self.0.relative.hash(state);
        self.0.writes.hash(state);
    }
}

impl KnownCharacters {
    fn one(&self, character: Character) -> Arc<KnownCharacter> {
        let character = Arc::new(character);
        let known = self.by_content.entry(Content(character.clone()));
        let known = known.or_insert_with(|| {
            Arc::new(KnownCharacter {
                number: self.next.fetch_add(1, Ordering::Relaxed),
                character,
            })
        });
        known.clone()
    }
}

impl Surroundings<'_> {
    /// How an access looks, in the order of its contexts.
    pub fn looks(&self, (function, number): AccessNumber) -> &[Look] {
        let facts = &self.facts[function.0 as usize];
        let points = self.known.points.of(function, facts, self.contexts);
        let access = &facts.accesses[number as usize];
        let is_unordered = self.unordered.contains(&access.cell.class);
        points.looks(number, is_unordered, || {
            let seen = self.seen(access, function);
            let views = self.views(&seen);
            let contexts = views.iter().filter_map(|id| {
                let context = self.contexts.nth(function, id.0 as usize)?;
                let character = self.described(&seen.kind, self.circumstances(&seen, context));
                Some(Look {
                    context: *id,
                    character: self.known.characters.one(character),
                })
            });
            contexts.collect()
        })
    }
}
