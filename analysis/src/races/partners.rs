//! Which groups of a location are worth comparing, as far as that is seen at once. Most groups of a location touch the whole
//! object around it, and most of the others only read: what two of these do is no matter, and is not even asked.

/// What is seen at once of a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub writes: bool,
    pub atomic: bool,
    /// All of it touches the whole object around the location.
    pub is_around: bool,
}

/// Goes through the groups, and knows for each with which of those that do not stand before it it may conflict.
pub(super) struct Partners {
    sides: Vec<Side>,
    /// The groups in their order: all, those that write, those that are not around, and those of these that write.
    lists: [Vec<u32>; 4],
    /// Where in each list those begin that do not stand before the next group.
    starts: [usize; 4],
    next: usize,
}

const WRITES: usize = 1;
const IS_INSIDE: usize = 2;

impl Partners {
    pub fn new(sides: impl Iterator<Item = Side>) -> Partners {
        let sides: Vec<Side> = sides.collect();
        let mut lists: [Vec<u32>; 4] = Default::default();
        for (index, side) in sides.iter().enumerate() {
            for (kind, list) in lists.iter_mut().enumerate() {
                let is_wanted = (kind & WRITES == 0 || side.writes)
                    && (kind & IS_INSIDE == 0 || !side.is_around);
                if is_wanted {
                    list.push(index as u32);
                }
            }
        }
        Partners {
            sides,
            lists,
            starts: [0; 4],
            next: 0,
        }
    }

    /// The groups with which the next group may conflict, itself and those behind it, in their order.
    pub fn of_next(&mut self) -> impl Iterator<Item = usize> + '_ {
        let index = self.next;
        self.next += 1;
        for (list, start) in self.lists.iter().zip(&mut self.starts) {
            while list.get(*start).is_some_and(|at| (*at as usize) < index) {
                *start += 1;
            }
        }
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
        let others = self.lists[kind][self.starts[kind]..].iter();
        let others = others.map(|other| *other as usize);
        let sides = &self.sides;
        others.filter(move |other| !(side.atomic && sides[*other].atomic))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::races::random::Random;

    /// Asks of each two.
    fn naive(sides: &[Side], index: usize) -> Vec<usize> {
        let conflicts = |other: &usize| {
            let (left, right) = (sides[index], sides[*other]);
            (left.writes || right.writes)
                && !(left.atomic && right.atomic)
                && !(left.is_around && right.is_around)
        };
        (index..sides.len()).filter(conflicts).collect()
    }

    #[test]
    fn the_partners_are_those_of_the_naive_twin() {
        let mut random = Random(1);
        for _ in 0..2_000 {
            let count = random.below(20) as usize;
            let sides: Vec<Side> = (0..count)
                .map(|_| Side {
                    writes: random.below(3) == 0,
                    atomic: random.below(4) == 0,
                    is_around: random.below(2) == 0,
                })
                .collect();
            let mut partners = Partners::new(sides.iter().copied());
            for index in 0..count {
                let found: Vec<usize> = partners.of_next().collect();
                assert_eq!(found, naive(&sides, index));
            }
        }
    }
}
