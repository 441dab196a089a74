//! Accesses that differ in nothing but what a function calls its own values and variables. Whether two of them race does not depend on such names, and how
//! many situations are told apart at a location only on which names are the same.

use super::looks::Look;
use super::sighting::Character;
use crate::symexec::{Index, Path, Root, Step, Targets};
use rustc_hash::FxHashMap;

/// The numbers that characters had and have now, for accesses that stay the same but for names.
#[derive(Default)]
pub(super) struct OtherNames {
    now: FxHashMap<u32, u32>,
    before: FxHashMap<u32, u32>,
    /// Two that were the same are not any more, or the other way round.
    is_ambiguous: bool,
}

impl OtherNames {
    /// Notes how an access looked and looks now. Whether that is the same but for names.
    pub fn note(&mut self, before: &[Look], now: &[Look]) -> bool {
        let is_same = |(old, new): (&Look, &Look)| {
            old.context == new.context
                && (old.number == new.number || are_alike(&old.character, &new.character))
        };
        if before.len() != now.len() || !before.iter().zip(now).all(is_same) {
            return false;
        }
        for (old, new) in before.iter().zip(now) {
            self.pair(old.number, new.number);
        }
        true
    }

    fn pair(&mut self, old: u32, new: u32) {
        let is_known = *self.now.entry(old).or_insert(new) == new
            && *self.before.entry(new).or_insert(old) == old;
        self.is_ambiguous |= !is_known;
    }

    /// Whether each number stands for one of before.
    pub fn are_one_to_one(&self) -> bool {
        !self.is_ambiguous
    }

    pub fn are_the_same(&self) -> bool {
        !self.is_ambiguous && self.now.iter().all(|(old, new)| old == new)
    }

    /// Whether an access that looks as it did has the name of one that does not, before or now.
    pub fn concern(&self, look: &Look) -> bool {
        let number = look.number;
        let is_other = |other: Option<&u32>| other.is_some_and(|other| *other != number);
        is_other(self.now.get(&number)) || is_other(self.before.get(&number))
    }
}

fn are_alike(one: &Character, other: &Character) -> bool {
    let (Some(place), Some(there)) = (&one.relative, &other.relative) else {
        return false;
    };
    is_place_alike(place, there)
        && *other
            == Character {
                relative: other.relative.clone(),
                ..one.clone()
            }
}

/// Whether two places have the same name, but for values and variables of the function that it starts from.
pub(super) fn are_places_alike(one: &Targets, other: &Targets) -> bool {
    match (one, other) {
        (Targets::Exactly(one), Targets::Exactly(other)) => is_place_alike(one, other),
        _ => one == other,
    }
}

fn is_place_alike(one: &Path, other: &Path) -> bool {
    let is_root_alike = match (one.root, other.root) {
        (Root::Value(_), Root::Value(_)) | (Root::Local(_), Root::Local(_)) => true,
        (one, other) => one == other,
    };
    let is_step_alike = |(one, other): (&Step, &Step)| match (one, other) {
        (Step::Index(Index::Entry(one)), Step::Index(Index::Entry(other))) => {
            is_place_alike(one, other)
        }
        (one, other) => one == other,
    };
    one == other
        || (is_root_alike
            && one.steps.len() == other.steps.len()
            && one.steps.iter().zip(&other.steps).all(is_step_alike))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callgraph::FunctionId;
    use crate::races::location::Location;
    use crate::races::moments::When;
    use crate::races::protection::Protection;
    use crate::races::random::Random;
    use crate::symexec::Definition;
    use crate::threads::ContextId;
    use std::collections::BTreeSet;
    use std::sync::Arc;

    fn character(number: u32) -> Character {
        let value = Definition::Merge(crate::ir::BlockId(0), crate::ir::LocalId(number / 2));
        Character {
            writes: number.is_multiple_of(2),
            atomic: false,
            absolute: None,
            relative: Some(Path::new(Root::Value(value)).then(Step::Deref)),
            protection: Protection::default(),
            held_somewhere: BTreeSet::new(),
            when: Arc::new(When::for_tests()),
            owned: None,
            unordered: false,
            had_last: false,
            others: None,
            given_up: false,
        }
    }

    /// The accesses of an edited function and those of another one, at one location.
    #[test]
    fn the_same_situations_are_told_apart_whatever_values_are_called() {
        let mut random = Random(1);
        let characters: Vec<Arc<Character>> = (0..12).map(|at| Arc::new(character(at))).collect();
        let look = |number: u64| Look {
            context: ContextId(0),
            number: number as u32,
            character: characters[number as usize].clone(),
        };
        let (mut kept, mut with_others) = (0, 0);
        for _ in 0..5_000 {
            let count = 1 + random.below(4);
            let before: Vec<Vec<Look>> = (0..count).map(|_| vec![look(random.below(12))]).collect();
            let now = before.iter().map(|looks| match random.below(4) {
                0 => vec![look(random.below(12))],
                _ => vec![look((u64::from(looks[0].number) + 2) % 12)],
            });
            let now: Vec<Vec<Look>> = now.collect();
            let others: Vec<Vec<Look>> = (0..random.below(3))
                .map(|_| vec![look(random.below(12))])
                .collect();
            let mut names = OtherNames::default();
            let both = before.iter().zip(&now);
            let is_same = both.fold(true, |is_same, (old, new)| names.note(old, new) && is_same);
            let is_apart = !others.iter().flatten().any(|look| names.concern(look));
            if !is_same || !names.are_one_to_one() || !is_apart {
                continue;
            }
            kept += 1;
            with_others += usize::from(!others.is_empty() && !names.are_the_same());
            let told = |own: &[Vec<Look>]| {
                let all: Vec<&[Look]> = own.iter().chain(&others).map(|looks| &looks[..]).collect();
                let accesses = (0..all.len() as u32).map(|at| (FunctionId(0), at));
                let accesses: Vec<_> = accesses.collect();
                let mut location = Location::default();
                location.group(&accesses, &all);
                let groups = location.groups.iter();
                let told =
                    groups.map(|(character, sightings)| (character.writes, sightings.clone()));
                told.collect::<Vec<_>>()
            };
            assert_eq!(told(&before), told(&now));
        }
        assert!(kept > 500 && with_others > 100, "{kept} {with_others}");
    }
}
