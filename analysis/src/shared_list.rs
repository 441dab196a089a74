//! Lists that share with the list before an edit what the edit has left alone.
//!
//! Most lists of the analysis have one entry for each function. To copy such a list entry by entry, or to look through two of
//! them for what is different, takes longer than all else that a small edit costs. So entries stand in chunks: a copy shares
//! all chunks, an entry that is set costs a copy of its chunk, and two lists differ only where their chunks are not the same.

use std::ops::Index;
use std::sync::Arc;

/// How many entries share their fate. Many make a change dear, few a copy.
const CHUNK: usize = 64;

pub struct SharedList<T> {
    /// All full but the last one.
    chunks: Arc<Vec<Arc<Vec<T>>>>,
    length: usize,
}

impl<T> SharedList<T> {
    pub fn len(&self) -> usize {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub fn get(&self, index: usize) -> Option<&T> {
        self.chunks.get(index / CHUNK)?.get(index % CHUNK)
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    /// Whether both are one list: none was changed since one was made from the other.
    pub fn is(&self, other: &SharedList<T>) -> bool {
        Arc::ptr_eq(&self.chunks, &other.chunks)
    }

    /// The positions at which this list may have something else than the other one, in their order. Positions that only one
    /// of them has are among them.
    pub fn unshared_with<'l>(
        &'l self,
        other: &'l SharedList<T>,
    ) -> impl Iterator<Item = usize> + 'l {
        let chunks = match self.is(other) {
            true => 0,
            false => self.chunks.len().max(other.chunks.len()),
        };
        let is_shared = |number: usize| {
            let both = self.chunks.get(number).zip(other.chunks.get(number));
            both.is_some_and(|(one, other)| Arc::ptr_eq(one, other))
        };
        let length = self.length.max(other.length);
        (0..chunks)
            .filter(move |number| !is_shared(*number))
            .flat_map(move |number| number * CHUNK..length.min((number + 1) * CHUNK))
    }
}

impl<T: Clone> SharedList<T> {
    pub fn set(&mut self, index: usize, value: T) {
        *self.entry(index) = value;
    }

    /// The entry, which is no longer shared.
    pub fn entry(&mut self, index: usize) -> &mut T {
        let chunk = &mut Arc::make_mut(&mut self.chunks)[index / CHUNK];
        &mut Arc::make_mut(chunk)[index % CHUNK]
    }

    pub fn push(&mut self, value: T) {
        let chunks = Arc::make_mut(&mut self.chunks);
        if self.length.is_multiple_of(CHUNK) {
            chunks.push(Arc::default());
        }
        if let Some(last) = chunks.last_mut() {
            Arc::make_mut(last).push(value);
            self.length += 1;
        }
    }
}

impl<T> Clone for SharedList<T> {
    fn clone(&self) -> SharedList<T> {
        SharedList {
            chunks: self.chunks.clone(),
            length: self.length,
        }
    }
}

impl<T> Default for SharedList<T> {
    fn default() -> SharedList<T> {
        SharedList {
            chunks: Arc::default(),
            length: 0,
        }
    }
}

impl<T> Index<usize> for SharedList<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        &self.chunks[index / CHUNK][index % CHUNK]
    }
}

impl<T> FromIterator<T> for SharedList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> SharedList<T> {
        let mut chunks: Vec<Arc<Vec<T>>> = Vec::new();
        let mut length = 0;
        let mut all = all.into_iter().peekable();
        while all.peek().is_some() {
            let chunk: Vec<T> = all.by_ref().take(CHUNK).collect();
            length += chunk.len();
            chunks.push(Arc::new(chunk));
        }
        SharedList {
            chunks: Arc::new(chunks),
            length,
        }
    }
}

impl<T: PartialEq> PartialEq for SharedList<T> {
    fn eq(&self, other: &SharedList<T>) -> bool {
        let mut unshared = self.unshared_with(other);
        self.length == other.length && unshared.all(|index| self[index] == other[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A generator that is good enough for tests.
    fn random(state: &mut u64, bound: usize) -> usize {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state % bound as u64) as usize
    }

    #[test]
    fn a_list_is_what_a_vector_is_and_copies_stay_as_they_were() {
        let mut state = 0x2545_f491_4f6c_dd1d;
        for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 7] {
            let mut twin: Vec<usize> = (0..length).collect();
            let mut list: SharedList<usize> = twin.iter().copied().collect();
            for _ in 0..100 {
                let (old, old_twin) = (list.clone(), twin.clone());
                for _ in 0..random(&mut state, 4) {
                    let value = random(&mut state, 1_000);
                    if twin.is_empty() || random(&mut state, 5) == 0 {
                        twin.push(value);
                        list.push(value);
                    } else {
                        let index = random(&mut state, twin.len());
                        twin[index] = value;
                        list.set(index, value);
                    }
                }
                assert!(list.iter().eq(&twin) && old.iter().eq(&old_twin));
                assert_eq!((list.len(), list.is_empty()), (twin.len(), twin.is_empty()));
                assert_eq!(list == old, twin == old_twin);
                let unshared: Vec<usize> = list.unshared_with(&old).collect();
                let longest = twin.len().max(old_twin.len());
                for index in 0..longest {
                    let is_same = twin.get(index) == old_twin.get(index);
                    assert_eq!(list.get(index), twin.get(index));
                    assert!(is_same || unshared.contains(&index));
                }
                assert!(unshared.len() <= 4 * CHUNK && unshared.is_sorted());
            }
        }
    }
}
