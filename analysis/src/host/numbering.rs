//! Who has which place in the program: functions and initialisers in the order of files and lines. Between them places are free for
//! those that come by an edit, so that all others keep theirs, and the order is that of the text all the same.

use crate::callgraph::FunctionId;
use crate::db::{Function, FunctionKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// How many places are free in front of and behind each entity. With two, a function that comes can get another name time and again: it
/// leaves its place and takes the other one.
pub(super) const ROOM: usize = 2;

#[derive(Clone, Default)]
pub(super) struct Numbering {
    places: Vec<Place>,
    positions: FxHashMap<Function, u32>,
    /// Where the functions are, by number.
    functions: Vec<u32>,
}

#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Nothing if it is free.
    pub entity: Option<Function>,
    pub part: Part,
}

/// What an entity is to the analysis, with its number among those of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Function(FunctionId),
    Initialiser(u32),
}

impl Part {
    fn kind(self) -> FunctionKind {
        match self {
            Part::Function(_) => FunctionKind::Function,
            Part::Initialiser(_) => FunctionKind::Initialiser,
        }
    }
}

impl Numbering {
    /// Of these entities with so many free places around each.
    pub fn new(all: &[(Function, FunctionKind)], room: usize) -> Numbering {
        let mut numbering = Numbering::default();
        let mut initialisers = 0..;
        let mut give = |entity: Option<Function>, kind: FunctionKind| {
            let position = numbering.places.len() as u32;
            let part = match kind {
                FunctionKind::Function => {
                    numbering.functions.push(position);
                    Part::Function(FunctionId(numbering.functions.len() as u32 - 1))
                }
                FunctionKind::Initialiser => {
                    Part::Initialiser(initialisers.next().unwrap_or_default())
                }
            };
            numbering.places.push(Place { entity, part });
            if let Some(entity) = entity {
                numbering.positions.insert(entity, position);
            }
        };
        for kind in [FunctionKind::Function, FunctionKind::Initialiser] {
            (0..room).for_each(|_| give(None, kind));
        }
        for (entity, kind) in all {
            give(Some(*entity), *kind);
            (0..room).for_each(|_| give(None, *kind));
        }
        numbering
    }

    /// The same with these entities: those that are gone leave their places, those that come get places that were free, and all others stay
    /// where they are. `None` if there is no room, or if some changed places.
    pub fn with(&self, all: &[(Function, FunctionKind)]) -> Option<Numbering> {
        let mut with = self.clone();
        let there: FxHashSet<Function> = all.iter().map(|(entity, _)| *entity).collect();
        for place in &mut with.places {
            if let Some(gone) = place.entity.filter(|entity| !there.contains(entity)) {
                with.positions.remove(&gone);
                place.entity = None;
            }
        }
        for kind in [FunctionKind::Function, FunctionKind::Initialiser] {
            let mut coming = Vec::new();
            let mut from = 0;
            for (entity, _) in all.iter().filter(|(_, other)| *other == kind) {
                let Some(position) = self.position(*entity) else {
                    coming.push(*entity);
                    continue;
                };
                // An entity that is gone can come again as something else.
                if position < from || self.places[position].part.kind() != kind {
                    return None;
                }
                self.settle(&mut with, &mut coming, kind, from..position)?;
                from = position + 1;
            }
            self.settle(&mut with, &mut coming, kind, from..self.places.len())?;
        }
        Some(with)
    }

    /// Gives entities free places among these, spread evenly. What somebody leaves at the same time is not free.
    fn settle(
        &self,
        with: &mut Numbering,
        coming: &mut Vec<Function>,
        kind: FunctionKind,
        among: Range<usize>,
    ) -> Option<()> {
        if coming.is_empty() {
            return Some(());
        }
        let is_free = |place: &Place| place.entity.is_none() && place.part.kind() == kind;
        let free: Vec<usize> = among.filter(|at| is_free(&self.places[*at])).collect();
        if free.len() < coming.len() {
            return None;
        }
        let parts = coming.len() + 1;
        for (number, entity) in coming.drain(..).enumerate() {
            let position = free[(number + 1) * free.len() / parts];
            with.places[position].entity = Some(entity);
            with.positions.insert(entity, position as u32);
        }
        Some(())
    }

    pub fn places(&self) -> &[Place] {
        &self.places
    }

    pub fn position(&self, entity: Function) -> Option<usize> {
        self.positions.get(&entity).map(|at| *at as usize)
    }

    pub fn part(&self, entity: Function) -> Option<Part> {
        Some(self.places[self.position(entity)?].part)
    }

    /// The function with this number, if there is one.
    pub fn function(&self, number: FunctionId) -> Option<Function> {
        let position = *self.functions.get(number.0 as usize)?;
        self.places[position as usize].entity
    }

    /// The positions that somebody has left since an earlier time, and did not have before that.
    pub fn left_since<'n>(&'n self, before: &'n Numbering) -> impl Iterator<Item = usize> + 'n {
        let both = self.places.iter().zip(&before.places).enumerate();
        both.filter(|(_, (now, before))| now.entity.is_none() && before.entity.is_some())
            .map(|(position, _)| position)
    }

    /// Whether each place has the entity that it had, unless it was free or is.
    pub fn goes_on_from(&self, before: &Numbering) -> bool {
        let mut both = self.places.iter().zip(&before.places);
        self.places.len() == before.places.len()
            && both.all(|(now, before)| match now.entity.zip(before.entity) {
                Some((now_there, there)) => now_there == there && now.part == before.part,
                None => now.part == before.part,
            })
    }

    /// How many entities there are.
    pub fn count(&self) -> usize {
        self.positions.len()
    }
}
