//! Which functions have their turn otherwise after an edit: a call that comes or goes puts functions into other levels.

use super::contexts::Contexts;
use super::flow::turn;
use crate::callgraph::{Components, FunctionId};
use std::collections::BTreeSet;

/// The functions whose contexts are visited before or behind others than earlier, as few as possible. `None` if other functions call each other.
pub(super) fn out_of_turn(
    known: &Contexts,
    now: &Components,
    before: &Components,
) -> Option<BTreeSet<FunctionId>> {
    if std::ptr::eq(now, before) {
        return Some(BTreeSet::new());
    }
    let groups = |components: &Components| -> BTreeSet<Vec<u32>> {
        components.groups().map(<[u32]>::to_vec).collect()
    };
    if groups(now) != groups(before) {
        return None;
    }
    let functions = (0..known.functions.len() as u32).map(FunctionId);
    let visited = functions.filter(|function| known.count(*function) > 0);
    let mut visited: Vec<FunctionId> = visited.collect();
    visited.sort_by_key(|function| turn(before, *function));
    let turns: Vec<_> = { visited.iter() }
        .map(|function| turn(now, *function))
        .collect();
    if turns.is_sorted() || known.are_visited_in_turn(|function| turn(now, function)) {
        return Some(BTreeSet::new());
    }
    let stays = longest_ascent(&turns);
    let places = visited.iter().zip(stays);
    Some(
        { places }
            .filter(|(_, stays)| !stays)
            .map(|(function, _)| *function)
            .collect(),
    )
}

/// For each of these different keys whether it is one of the most that ascend.
fn longest_ascent<K: Ord>(keys: &[K]) -> Vec<bool> {
    // By length: the place of the lowest key at which so many that ascend can end.
    let mut ends: Vec<usize> = Vec::new();
    let mut in_front: Vec<Option<usize>> = Vec::with_capacity(keys.len());
    for (place, key) in keys.iter().enumerate() {
        let length = ends.partition_point(|end| keys[*end] < *key);
        in_front.push(length.checked_sub(1).map(|length| ends[length]));
        match ends.get_mut(length) {
            Some(end) => *end = place,
            None => ends.push(place),
        }
    }
    let mut stays = vec![false; keys.len()];
    let mut next = ends.last().copied();
    while let Some(place) = next {
        stays[place] = true;
        next = in_front[place];
    }
    stays
}

#[cfg(test)]
mod tests {
    use super::longest_ascent;

    /// The same by trying every choice.
    fn most(keys: &[usize], above: Option<usize>) -> usize {
        let Some((first, rest)) = keys.split_first() else {
            return 0;
        };
        let without = most(rest, above);
        match above.is_none_or(|above| *first > above) {
            true => without.max(1 + most(rest, Some(*first))),
            false => without,
        }
    }

    /// Every order of the numbers below a limit.
    fn orders(limit: usize) -> Vec<Vec<usize>> {
        let Some(last) = limit.checked_sub(1) else {
            return vec![Vec::new()];
        };
        let shorter = orders(last).into_iter();
        let longer = shorter.flat_map(|order| {
            (0..limit).map(move |place| {
                let mut order = order.clone();
                order.insert(place, last);
                order
            })
        });
        longer.collect()
    }

    #[test]
    fn as_many_stay_as_can() {
        for keys in (0..=7).flat_map(orders) {
            let stays = longest_ascent(&keys);
            let chosen = keys.iter().zip(stays).filter(|(_, stays)| *stays);
            let chosen: Vec<usize> = chosen.map(|(key, _)| *key).collect();
            assert!(chosen.is_sorted(), "{keys:?}: {chosen:?}");
            assert_eq!(chosen.len(), most(&keys, None), "{keys:?}: {chosen:?}");
        }
    }
}
