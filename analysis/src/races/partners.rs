//! Which groups of a location are worth comparing, as far as that is seen at once. Most groups of a location touch the whole
//! object around it, and most of the others only read: what two of these do is no matter, and is not even asked. Of the rest, most
//! never run at the same time.

use super::pairing::MOST_GROUPS;

/// What is seen at once of a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub writes: bool,
    pub atomic: bool,
    /// All of it touches the whole object around the location.
    pub is_around: bool,
    /// The number of its moment among those of the location.
    pub moment: usize,
}

/// Goes through the groups, and knows for each with which of those that do not stand before it it may conflict.
pub(super) struct Partners {
    sides: Vec<Side>,
    /// All groups, those that write, those that are not around, and those of these that write.
    kinds: [Groups; 4],
    atomic: Groups,
    /// Those that do not stand before the next group.
    rest: Groups,
    next: usize,
    moments: Vec<Moment>,
}

/// What is known of the groups of one moment.
#[derive(Clone, Copy, Default)]
struct Moment {
    groups: Groups,
    /// Groups of moments of which it is known whether they can be at the same time as this one.
    asked: Groups,
    /// Those of them that can.
    meeting: Groups,
}

const WRITES: usize = 1;
const IS_INSIDE: usize = 2;

impl Partners {
    /// Of at most [`MOST_GROUPS`] groups.
    pub fn new(sides: impl Iterator<Item = Side>) -> Partners {
        let mut partners = Partners {
            sides: sides.collect(),
            kinds: Default::default(),
            atomic: Groups::default(),
            rest: Groups::default(),
            next: 0,
            moments: Vec::new(),
        };
        for (index, side) in partners.sides.iter().enumerate() {
            for (kind, groups) in partners.kinds.iter_mut().enumerate() {
                let is_wanted = (kind & WRITES == 0 || side.writes)
                    && (kind & IS_INSIDE == 0 || !side.is_around);
                if is_wanted {
                    groups.add(index);
                }
            }
            if side.atomic {
                partners.atomic.add(index);
            }
            if side.moment >= partners.moments.len() {
                let count = side.moment + 1;
                partners.moments.resize(count, Moment::default());
            }
            partners.moments[side.moment].groups.add(index);
        }
        partners.rest = partners.kinds[0];
        partners
    }

    /// The groups with which the next group may conflict, itself and those behind it, in their order. `can_meet` says whether two groups
    /// can be there at the same time, by their moments alone, and is asked once for each two moments.
    pub fn of_next(
        &mut self,
        can_meet: &dyn Fn(usize, usize) -> bool,
    ) -> impl Iterator<Item = usize> + use<> {
        let index = self.next;
        let side = self.sides[index];
        let mut kind = 0;
        // Two that read do not conflict.
        if !side.writes {
            kind |= WRITES;
        }
        // Two that touch the whole object meet there, and not once more in each part.
        if side.is_around {
            kind |= IS_INSIDE;
        }
        let mut others = self.kinds[kind].and(&self.rest);
        if side.atomic {
            others = others.without(&self.atomic);
        }
        let mut unknown = others.without(&self.moments[side.moment].asked);
        while let Some(other) = unknown.first() {
            let alike = self.moments[self.sides[other].moment].groups;
            unknown = unknown.without(&alike);
            let moment = &mut self.moments[side.moment];
            moment.asked = moment.asked.or(&alike);
            if can_meet(index, other) {
                moment.meeting = moment.meeting.or(&alike);
            }
        }
        self.rest.remove(index);
        self.next += 1;
        others.and(&self.moments[side.moment].meeting).iter()
    }
}

const WORDS: usize = MOST_GROUPS.div_ceil(u64::BITS as usize);

/// A set of groups, a bit for each.
#[derive(Clone, Copy, Default)]
struct Groups([u64; WORDS]);

impl Groups {
    fn add(&mut self, group: usize) {
        self.0[group / 64] |= 1 << (group % 64);
    }

    fn remove(&mut self, group: usize) {
        self.0[group / 64] &= !(1 << (group % 64));
    }

    fn first(&self) -> Option<usize> {
        let word = self.0.iter().position(|bits| *bits != 0)?;
        Some(word * 64 + self.0[word].trailing_zeros() as usize)
    }

    fn and(&self, other: &Groups) -> Groups {
        Groups(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    fn or(&self, other: &Groups) -> Groups {
        Groups(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    fn without(&self, other: &Groups) -> Groups {
        Groups(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// In their order.
    fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(word, bits)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                let lowest = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(word * 64 + lowest)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::races::random::Random;

    fn can_meet(one: Side, other: Side) -> bool {
        !(one.moment * 7 + other.moment).is_multiple_of(3)
    }

    /// Asks of each two.
    fn naive(sides: &[Side], index: usize) -> Vec<usize> {
        let conflicts = |other: &usize| {
            let (left, right) = (sides[index], sides[*other]);
            (left.writes || right.writes)
                && !(left.atomic && right.atomic)
                && !(left.is_around && right.is_around)
                && can_meet(left, right)
        };
        (index..sides.len()).filter(conflicts).collect()
    }

    #[test]
    fn the_partners_are_those_of_the_naive_twin() {
        let mut random = Random(1);
        for _ in 0..2_000 {
            let count = match random.below(20) {
                0 => random.below(MOST_GROUPS as u64 + 1),
                _ => random.below(20),
            };
            let count = count as usize;
            let moments = 1 + random.below(6);
            let sides: Vec<Side> = (0..count)
                .map(|_| Side {
                    writes: random.below(3) == 0,
                    atomic: random.below(4) == 0,
                    is_around: random.below(2) == 0,
                    moment: random.below(moments) as usize,
                })
                .collect();
            let mut partners = Partners::new(sides.iter().copied());
            for index in 0..count {
                let met = |one: usize, other: usize| can_meet(sides[one], sides[other]);
                let found: Vec<usize> = partners.of_next(&met).collect();
                assert_eq!(found, naive(&sides, index));
            }
        }
    }
}
