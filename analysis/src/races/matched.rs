//! Which entries of a list are those of the list before an edit, in the same order.

use std::cell::Cell;

/// So many comparisons are worth it to match what lies between two edits.
const MOST_COMPARED: usize = 100_000;

/// By its number before the edit, the number that each entry has now, if it is the same. Numbers that are given only grow. The more entries are matched the
/// better, but not all have to be that could.
pub(super) fn matched(
    before: usize,
    now: usize,
    is_same: impl Fn(usize, usize) -> bool,
) -> Vec<Option<u32>> {
    let both = before.min(now);
    let in_front = (0..both).take_while(|at| is_same(*at, *at)).count();
    let behind = (1..=both - in_front).take_while(|at| is_same(before - at, now - at));
    let behind = behind.count();
    let (rows, columns) = (before - in_front - behind, now - in_front - behind);
    let mut matched: Vec<Option<u32>> = (0..in_front as u32).map(Some).collect();
    match rows * columns > MOST_COMPARED {
        true => matched.extend((0..rows).map(|_| None)),
        false => {
            let is_same = |row: usize, column: usize| is_same(in_front + row, in_front + column);
            let between = longest(rows, columns, is_same).into_iter();
            matched.extend(between.map(|at| at.map(|at| (in_front + at) as u32)));
        }
    }
    matched.extend((now - behind..now).map(|at| Some(at as u32)));
    matched
}

/// A longest common subsequence.
fn longest(
    rows: usize,
    columns: usize,
    is_same: impl Fn(usize, usize) -> bool,
) -> Vec<Option<usize>> {
    // How many can be matched from each row and column on.
    let lengths = vec![Cell::new(0_u32); (rows + 1) * (columns + 1)];
    let length = |row: usize, column: usize| &lengths[row * (columns + 1) + column];
    let mut same = vec![false; rows * columns];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let is_same = is_same(row, column);
            same[row * columns + column] = is_same;
            let skipping = length(row + 1, column).max(length(row, column + 1)).get();
            let matching = length(row + 1, column + 1).get() + u32::from(is_same);
            length(row, column).set(skipping.max(matching));
        }
    }
    let mut matched = vec![None; rows];
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        let here = length(row, column).get();
        if same[row * columns + column] && length(row + 1, column + 1).get() + 1 == here {
            matched[row] = Some(column);
            (row, column) = (row + 1, column + 1);
        } else if length(row + 1, column).get() == here {
            row += 1;
        } else {
            column += 1;
        }
    }
    matched
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::races::random::Random;

    /// The most that can be matched, by trying everything.
    fn naive(before: &[u64], now: &[u64]) -> usize {
        match (before.split_first(), now.split_first()) {
            (Some((one, others)), Some((first, rest))) => {
                let matching = match one == first {
                    true => 1 + naive(others, rest),
                    false => 0,
                };
                matching.max(naive(others, now)).max(naive(before, rest))
            }
            _ => 0,
        }
    }

    #[test]
    fn as_many_are_matched_as_can_be_in_their_order() {
        let mut random = Random(1);
        let mut shifted = 0;
        for _ in 0..3_000 {
            let before: Vec<u64> = (0..random.below(7)).map(|_| random.below(4)).collect();
            let mut now = before.clone();
            for _ in 0..random.below(4) {
                let at = random.below(now.len() as u64 + 1) as usize;
                match random.below(2) {
                    0 => now.insert(at, random.below(4)),
                    _ if at < now.len() => {
                        now.remove(at);
                    }
                    _ => {}
                }
            }
            let found = matched(before.len(), now.len(), |old, new| before[old] == now[new]);
            assert_eq!(found.len(), before.len());
            let pairs = found.iter().enumerate();
            let pairs: Vec<(usize, u32)> =
                pairs.filter_map(|(at, to)| Some((at, (*to)?))).collect();
            assert!(pairs.windows(2).all(|pair| pair[0].1 < pair[1].1));
            assert!(
                pairs
                    .iter()
                    .all(|(old, new)| before[*old] == now[*new as usize])
            );
            assert_eq!(pairs.len(), naive(&before, &now));
            shifted += usize::from(pairs.iter().any(|(old, new)| *old != *new as usize));
        }
        assert!(shifted > 500, "{shifted}");
    }
}
