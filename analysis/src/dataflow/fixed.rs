//! Values that never change, and are compared and looked up all the time.

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A value that its copies share. Its hash is found once, and comparing two copies of one is free.
#[derive(Debug)]
pub struct Fixed<T>(Arc<Content<T>>);

impl<T> Clone for Fixed<T> {
    fn clone(&self) -> Fixed<T> {
        Fixed(self.0.clone())
    }
}

#[derive(Debug)]
struct Content<T> {
    hash: u64,
    hash_of_part: OnceLock<u64>,
    value: T,
}

impl<T: Hash> Fixed<T> {
    pub fn new(value: T) -> Fixed<T> {
        let mut hasher = FxHasher::default();
        value.hash(&mut hasher);
        let hash = hasher.finish();
        Fixed(Arc::new(Content {
            hash,
            hash_of_part: OnceLock::new(),
            value,
        }))
    }
}

impl<T> Fixed<T> {
    /// The hash of a part of it, which is found once and has to be the same part each time.
    pub fn hash_of_part(&self, hash: impl FnOnce(&T, &mut FxHasher)) -> u64 {
        *self.0.hash_of_part.get_or_init(|| {
            let mut hasher = FxHasher::default();
            hash(&self.0.value, &mut hasher);
            hasher.finish()
        })
    }

    /// Stands for the value as long as a copy of it is kept.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }
}

impl<T> Deref for Fixed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T: Hash + Default> Default for Fixed<T> {
    fn default() -> Fixed<T> {
        Fixed::new(T::default())
    }
}

impl<T: PartialEq> PartialEq for Fixed<T> {
    fn eq(&self, other: &Fixed<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.0.hash == other.0.hash && self.0.value == other.0.value)
    }
}

impl<T: Eq> Eq for Fixed<T> {}

impl<T> Hash for Fixed<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}
