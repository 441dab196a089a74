//! Small sorted maps that are copied often and changed seldom.

use std::sync::Arc;

/// A map as a sorted list that copies share until one of them is changed.
#[derive(Clone, Debug)]
pub struct SharedMap<K, V>(Arc<Vec<(K, V)>>);

impl<K, V> Default for SharedMap<K, V> {
    fn default() -> SharedMap<K, V> {
        SharedMap(Arc::new(Vec::new()))
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for SharedMap<K, V> {
    fn eq(&self, other: &SharedMap<K, V>) -> bool {
        self.is_shared_with(other) || self.0 == other.0
    }
}

impl<K: Eq, V: Eq> Eq for SharedMap<K, V> {}

impl<K, V> SharedMap<K, V> {
    /// Whether both are copies of one map, so that they are equal.
    pub fn is_shared_with(&self, other: &SharedMap<K, V>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.0.iter()
    }

    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }
}

impl<K: Ord + Clone, V: Clone> SharedMap<K, V> {
    /// From entries that are sorted already.
    pub fn from_sorted(entries: Vec<(K, V)>) -> SharedMap<K, V> {
        debug_assert!(entries.is_sorted_by(|left, right| left.0 < right.0));
        SharedMap(Arc::new(entries))
    }

    fn position(&self, key: &K) -> Result<usize, usize> {
        // Registers are mostly assigned in the order of their numbers.
        match self.0.last() {
            Some((last, _)) if last < key => Err(self.0.len()),
            _ => self.0.binary_search_by(|(known, _)| known.cmp(key)),
        }
    }

    pub fn get(&self, key: &K) -> Option<&V> {
        let position = self.position(key).ok()?;
        Some(&self.0[position].1)
    }

    pub fn insert(&mut self, key: K, value: V) {
        let position = self.position(&key);
        let entries = Arc::make_mut(&mut self.0);
        match position {
            Ok(position) => entries[position].1 = value,
            Err(position) => entries.insert(position, (key, value)),
        }
    }

    /// The entries from this key on.
    pub fn starting_at(&self, key: &K) -> &[(K, V)] {
        let (Ok(position) | Err(position)) = self.position(key);
        &self.0[position..]
    }

    /// The entries in front of this key.
    pub fn before_key(&self, key: &K) -> &[(K, V)] {
        let (Ok(position) | Err(position)) = self.position(key);
        &self.0[..position]
    }

    /// Keeps what passes the test; touches nothing if that is all.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &V) -> bool) {
        let Some(first) = self.0.iter().position(|(key, value)| !keep(key, value)) else {
            return;
        };
        match Arc::get_mut(&mut self.0) {
            Some(entries) => {
                let mut index = 0;
                entries.retain(|(key, value)| {
                    index += 1;
                    index <= first || (index > first + 1 && keep(key, value))
                });
            }
            None => {
                let (front, rest) = self.0.split_at(first);
                let kept = rest[1..].iter().filter(|(key, value)| keep(key, value));
                self.0 = Arc::new(front.iter().chain(kept).cloned().collect());
            }
        }
    }

    /// Gives entries another value, where `change` has one.
    pub fn change(&mut self, mut change: impl FnMut(&K, &V) -> Option<V>) {
        for index in 0..self.0.len() {
            let (key, value) = &self.0[index];
            if let Some(new) = change(key, value) {
                Arc::make_mut(&mut self.0)[index].1 = new;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Random operations on the map and on one of the standard library give the same.
    #[test]
    fn it_is_a_map() {
        let mut random = 1u64;
        let mut next = move |bound: u64| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (random >> 33) % bound
        };
        for _ in 0..300 {
            let mut map: SharedMap<u64, u64> = SharedMap::default();
            let mut model: BTreeMap<u64, u64> = BTreeMap::new();
            let mut copies = Vec::new();
            for _ in 0..60 {
                match next(6) {
                    0 => {
                        let rest = next(3);
                        map.retain(|key, _| key % 3 != rest);
                        model.retain(|key, _| key % 3 != rest);
                    }
                    1 => {
                        let rest = next(4);
                        map.change(|key, value| (key % 4 == rest).then_some(value + 1));
                        for (key, value) in &mut model {
                            if key % 4 == rest {
                                *value += 1;
                            }
                        }
                    }
                    2 => copies.push((map.clone(), model.clone())),
                    _ => {
                        let (key, value) = (next(40), next(100));
                        map.insert(key, value);
                        model.insert(key, value);
                    }
                }
                let key = next(40);
                assert_eq!(map.get(&key), model.get(&key));
                let from: Vec<_> = model.range(key..).map(|(k, v)| (*k, *v)).collect();
                assert_eq!(map.starting_at(&key), from);
                assert_eq!(map.before_key(&key).len(), model.range(..key).count());
            }
            copies.push((map, model));
            for (map, model) in copies {
                assert!(map.iter().copied().eq(model));
            }
        }
    }
}
