//! Names for content: two contents with the same name are the same, also if somebody tries to find others.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// 256 bits of BLAKE3.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentHash([u8; 32]);

/// Puts a hash together from parts, whose borders count.
pub struct PartsHasher(blake3::Hasher);

impl ContentHash {
    pub fn of(bytes: &[u8]) -> ContentHash {
        blake3::hash(bytes).into()
    }

    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// 64 hexadecimal digits.
    pub fn digits(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl From<blake3::Hash> for ContentHash {
    fn from(hash: blake3::Hash) -> ContentHash {
        ContentHash(*hash.as_bytes())
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.digits())
    }
}

impl PartsHasher {
    /// `purpose` keeps apart what is made from the same parts.
    pub fn new(purpose: &str) -> PartsHasher {
        let mut hasher = PartsHasher(blake3::Hasher::new());
        hasher.text(purpose);
        hasher
    }

    pub fn bytes(&mut self, part: &[u8]) -> &mut PartsHasher {
        self.number(part.len() as u64);
        self.0.update(part);
        self
    }

    pub fn text(&mut self, part: &str) -> &mut PartsHasher {
        self.bytes(part.as_bytes())
    }

    pub fn path(&mut self, part: &Path) -> &mut PartsHasher {
        self.bytes(part.as_os_str().as_encoded_bytes())
    }

    pub fn number(&mut self, part: u64) -> &mut PartsHasher {
        self.0.update(&part.to_le_bytes());
        self
    }

    pub fn hash(&mut self, part: &ContentHash) -> &mut PartsHasher {
        self.bytes(&part.0)
    }

    /// Parts of which there may be any number.
    pub fn all<T>(
        &mut self,
        parts: impl ExactSizeIterator<Item = T>,
        add: impl Fn(&mut PartsHasher, T),
    ) -> &mut PartsHasher {
        self.number(parts.len() as u64);
        for part in parts {
            add(self, part);
        }
        self
    }

    pub fn finish(&self) -> ContentHash {
        self.0.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_and_purposes_count() {
        let hash = |purpose: &str, parts: &[&str]| {
            let mut hasher = PartsHasher::new(purpose);
            hasher.all(parts.iter(), |hasher, part| {
                hasher.text(part);
            });
            hasher.finish()
        };
        assert_eq!(hash("a", &["b", "c"]), hash("a", &["b", "c"]));
        assert_ne!(hash("a", &["b", "c"]), hash("a", &["bc"]));
        assert_ne!(hash("a", &["b", "c"]), hash("a", &["bc", ""]));
        assert_ne!(hash("a", &["b"]), hash("b", &["b"]));
        assert_eq!(ContentHash::of(b"").digits().len(), 64);
    }
}
