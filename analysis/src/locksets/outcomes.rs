//! What a call does, told apart by the sign of its result: `trylock` holds the lock only where it returned
//! zero.

use super::domain::Lockset;
use crate::dataflow::Domain;
use crate::models::Test;

/// The sign of a result. A pointer that is not null counts as positive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Sign {
    Negative,
    Zero,
    Positive,
}

impl Sign {
    pub const ALL: [Sign; 3] = [Sign::Negative, Sign::Zero, Sign::Positive];

    pub fn of(value: i128) -> Sign {
        match value {
            ..0 => Sign::Negative,
            0 => Sign::Zero,
            1.. => Sign::Positive,
        }
    }
}

/// A set of signs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Signs(u8);

impl Signs {
    pub const ALL: Signs = Signs(0b111);
    pub const ZERO: Signs = Signs(0b010);
    pub const NONZERO: Signs = Signs(0b101);
    pub const NEGATIVE: Signs = Signs(0b001);
    pub const POSITIVE: Signs = Signs(0b100);

    pub fn one(sign: Sign) -> Signs {
        Signs(1 << sign as u8)
    }

    pub fn contains(self, sign: Sign) -> bool {
        self.0 & (1 << sign as u8) != 0
    }

    pub fn with(self, other: Signs) -> Signs {
        Signs(self.0 | other.0)
    }

    pub fn without(self, other: Signs) -> Signs {
        Signs(self.0 & !other.0)
    }

    /// The signs that pass a model's test.
    pub fn passing(test: Test) -> Signs {
        match test {
            Test::Zero => Signs::ZERO,
            Test::NonZero => Signs::NONZERO,
            Test::NonNegative => Signs::ZERO.with(Signs::POSITIVE),
            Test::Negative => Signs::NEGATIVE,
            Test::Positive => Signs::POSITIVE,
        }
    }
}

/// What happens along a path, relative to where the path begins. The default is that nothing happens.
pub trait Effect: Domain + Eq + Default {
    /// First this, then that.
    fn then(&self, next: &Self) -> Self;

    /// Makes it say what both say of the same point.
    fn meet(&mut self, other: &Self);

    /// Whether both are copies of one: a quick way to know that they are equal.
    fn is_copy_of(&self, other: &Self) -> bool;
}

/// An effect for each sign that a result may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcomes<E = Lockset>([Option<E>; 3]);

impl<E> Default for Outcomes<E> {
    fn default() -> Outcomes<E> {
        Outcomes([None, None, None])
    }
}

impl<E: Effect> Outcomes<E> {
    /// The same whatever the result is.
    pub fn always(effect: E) -> Outcomes<E> {
        Outcomes([Some(effect.clone()), Some(effect.clone()), Some(effect)])
    }

    pub fn get(&self, sign: Sign) -> Option<&E> {
        self.0[sign as usize].as_ref()
    }

    pub fn possible(&self) -> impl Iterator<Item = &E> {
        self.0.iter().flatten()
    }

    /// Whether the result tells nothing.
    pub fn is_uniform(&self) -> bool {
        let mut possible = self.possible();
        let Some(first) = possible.next() else {
            return true;
        };
        possible.all(|other| other == first)
    }

    /// What holds for any of these signs; `None` if the result has none of them.
    pub fn joined(&self, signs: Signs) -> Option<E> {
        let mut joined: Option<E> = None;
        for sign in Sign::ALL {
            if let Some(effect) = self.get(sign).filter(|_| signs.contains(sign)) {
                match &mut joined {
                    Some(joined) => {
                        joined.join(effect);
                    }
                    None => joined = Some(effect.clone()),
                }
            }
        }
        joined
    }

    /// Adds that the result may have these signs with this effect; returns whether that is new.
    pub fn add(&mut self, signs: Signs, effect: &E) -> bool {
        let mut has_changed = false;
        for sign in Sign::ALL {
            if !signs.contains(sign) {
                continue;
            }
            has_changed |= match &mut self.0[sign as usize] {
                Some(known) => known.join(effect),
                slot => {
                    *slot = Some(effect.clone());
                    true
                }
            };
        }
        has_changed
    }

    /// Makes it hold for both; returns whether it changed.
    pub fn join(&mut self, other: &Outcomes<E>) -> bool {
        let mut has_changed = false;
        for sign in Sign::ALL {
            if let Some(effect) = other.get(sign) {
                has_changed |= self.add(Signs::one(sign), effect);
            }
        }
        has_changed
    }

    /// Changes each effect by what another has for the same sign.
    pub fn change_by(&mut self, other: &Outcomes<E>, change: impl Fn(&mut E, &E)) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            if let (Some(mine), Some(theirs)) = (mine, theirs) {
                change(mine, theirs);
            }
        }
    }

    pub fn retain(&mut self, signs: Signs) {
        for sign in Sign::ALL {
            if !signs.contains(sign) {
                self.0[sign as usize] = None;
            }
        }
    }

    pub fn map(&self, change: impl Fn(&E) -> E) -> Outcomes<E> {
        let mut changed = Outcomes::default();
        for (index, effect) in self.0.iter().enumerate() {
            let Some(effect) = effect else { continue };
            // Most calls do the same whatever their result is.
            let same = (0..index).find(|&earlier| {
                let earlier = self.0[earlier].as_ref();
                earlier.is_some_and(|earlier| earlier.is_copy_of(effect))
            });
            changed.0[index] = match same {
                Some(earlier) => changed.0[earlier].clone(),
                None => Some(change(effect)),
            };
        }
        changed
    }
}
