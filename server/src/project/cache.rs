//! Remembers preprocessed text for as long as nothing that it was made from has changed.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use dashmap::DashMap;
use rapidhash::v3::{RapidSecrets, rapidhash_v3_seeded};

use super::moment::Moment;
use super::preprocess::Preprocessed;
use super::regular_file;
use super::source_text::MAX_SOURCE_BYTES;
use crate::store::ContentHash;

/// A cache bounded in bytes; the least recently used entry goes first.
// UNSOUND: a new header that appears earlier on the include path than the one that was read is not
// noticed, because only the headers that were read are watched.
// Watching every place where a header was looked for and not found would cost more than
// preprocessing again.
pub struct Cache {
    limit_bytes: usize,
    entries: Mutex<Entries>,
    stamps: DashMap<PathBuf, Stamp>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// Identifies everything that goes into preprocessing except the headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CacheKey(Hash);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounters {
    pub hits: u64,
    pub misses: u64,
    pub bytes: usize,
    pub entries: usize,
}

/// Two independent hashes of 64 bits and the length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Hash(u64, u64, u64);

#[derive(Default)]
struct Entries {
    by_key: HashMap<CacheKey, Entry>,
    by_use: BTreeMap<u64, CacheKey>,
    next_use: u64,
    bytes: usize,
}

/// The headers that an output was made from, with their content at that time.
pub type HeaderHashes = Arc<[(PathBuf, ContentHash)]>;

struct Entry {
    value: Preprocessed,
    headers: HeaderHashes,
    last_use: u64,
    bytes: usize,
}

/// What a file was when its content was hashed.
#[derive(Clone, Copy)]
struct Stamp {
    length: u64,
    times: Times,
    hash: ContentHash,
    /// Whether the file was old enough by then that a later change must change its times.
    is_settled: bool,
}

/// When the content of a file was last changed, and when anything about it was.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Times {
    modified: SystemTime,
    /// Unlike the other one, it cannot be set back.
    changed: SystemTime,
}

/// A file written within this time may be written again without a visible change of its times.
const SETTLING: Duration = Duration::from_secs(2);

impl CacheKey {
    /// `parts` must be everything that decides the output; their borders count.
    pub fn new<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> CacheKey {
        let mut total = Hash(0, 0, 0);
        for part in parts {
            let hash = Hash::of(part);
            let chained = [total.0, total.1, total.2, hash.0, hash.1, hash.2];
            let bytes: Vec<u8> = chained.iter().flat_map(|word| word.to_le_bytes()).collect();
            total = Hash::of(&bytes);
        }
        CacheKey(total)
    }
}

impl Cache {
    pub fn new(limit_bytes: usize) -> Cache {
        Cache {
            limit_bytes,
            entries: Mutex::default(),
            stamps: DashMap::new(),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// The output for `key`, if every header it was made from still has the same content.
    pub fn get(&self, key: CacheKey) -> Option<Preprocessed> {
        let found = self.entries().touch(key);
        // The headers are looked at without the lock, since that reads the disk.
        let value = found.and_then(|(value, headers)| self.are_current(&headers).then_some(value));
        let counter = if value.is_some() {
            &self.hits
        } else {
            &self.misses
        };
        counter.fetch_add(1, Ordering::Relaxed);
        value
    }

    /// Whether every header still has the same content.
    pub fn are_current(&self, headers: &[(PathBuf, ContentHash)]) -> bool {
        let mut headers = headers.iter();
        headers.all(|(path, hash)| self.stamp(path).is_some_and(|stamp| stamp.hash == *hash))
    }

    /// Forgets all output.
    pub fn clear(&self) {
        *self.entries() = Entries::default();
    }

    /// What the headers are that a run which began at `started` has read. `None` if one may have changed during
    /// the run, since then nobody knows which content was read.
    pub fn hashes(&self, headers: &[PathBuf], started: &Moment) -> Option<HeaderHashes> {
        let hashes = headers.iter().map(|path| {
            let stamp = self.stamp(path)?;
            let is_older = started.is_after(stamp.times.latest());
            is_older.then(|| (path.clone(), stamp.hash))
        });
        let hashes: Option<HeaderHashes> = hashes.collect();
        hashes.filter(|_| !started.has_clock_jumped())
    }

    /// Remembers `value`, which was made from these headers.
    pub fn insert(&self, key: CacheKey, value: &Preprocessed, headers: HeaderHashes) {
        let bytes = value.text.len()
            + headers
                .iter()
                .map(|(path, _)| 2 * path.as_os_str().len() + 64)
                .sum::<usize>()
            + value
                .notes
                .iter()
                .map(|note| note.message.len() + 128)
                .sum::<usize>();
        if bytes <= self.limit_bytes {
            self.entries()
                .insert(key, value.clone(), headers, bytes, self.limit_bytes);
        }
    }

    pub fn counters(&self) -> CacheCounters {
        let entries = self.entries();
        CacheCounters {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            bytes: entries.bytes,
            entries: entries.by_key.len(),
        }
    }

    /// The present state of a file; its content is read only if its size or time says so.
    fn stamp(&self, path: &Path) -> Option<Stamp> {
        let metadata = std::fs::metadata(path).ok()?;
        let (length, times) = (metadata.len(), Times::of(&metadata)?);
        if let Some(known) = self.stamps.get(path)
            && known.is_settled
            && known.length == length
            && known.times == times
        {
            return Some(*known);
        }
        let before = SystemTime::now();
        let stamp = Stamp {
            length,
            times,
            hash: ContentHash::of(&regular_file::read(path, MAX_SOURCE_BYTES).ok()?),
            is_settled: times.latest() + SETTLING < before,
        };
        self.stamps.insert(path.to_owned(), stamp);
        Some(stamp)
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        // The entries are consistent between any two statements that can panic.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn touch(&mut self, key: CacheKey) -> Option<(Preprocessed, HeaderHashes)> {
        let now = self.next_use;
        let entry = self.by_key.get_mut(&key)?;
        self.by_use.remove(&entry.last_use);
        self.by_use.insert(now, key);
        entry.last_use = now;
        self.next_use += 1;
        Some((entry.value.clone(), entry.headers.clone()))
    }

    fn insert(
        &mut self,
        key: CacheKey,
        value: Preprocessed,
        headers: HeaderHashes,
        bytes: usize,
        limit: usize,
    ) {
        self.remove(key);
        while self.bytes + bytes > limit {
            let Some((_, oldest)) = self.by_use.first_key_value() else {
                break;
            };
            self.remove(*oldest);
        }
        let last_use = self.next_use;
        self.next_use += 1;
        self.bytes += bytes;
        self.by_use.insert(last_use, key);
        self.by_key.insert(
            key,
            Entry {
                value,
                headers,
                last_use,
                bytes,
            },
        );
    }

    fn remove(&mut self, key: CacheKey) {
        if let Some(entry) = self.by_key.remove(&key) {
            self.by_use.remove(&entry.last_use);
            self.bytes -= entry.bytes;
        }
    }
}

impl Times {
    fn of(metadata: &std::fs::Metadata) -> Option<Times> {
        let modified = metadata.modified().ok()?;
        Some(Times {
            modified,
            changed: changed(metadata).unwrap_or(modified),
        })
    }

    fn latest(&self) -> SystemTime {
        self.modified.max(self.changed)
    }
}

#[cfg(unix)]
fn changed(metadata: &std::fs::Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt;
    let seconds = Duration::from_secs(u64::try_from(metadata.ctime()).ok()?);
    let rest = Duration::from_nanos(u64::try_from(metadata.ctime_nsec()).ok()?);
    SystemTime::UNIX_EPOCH.checked_add(seconds + rest)
}

#[cfg(not(unix))]
fn changed(_metadata: &std::fs::Metadata) -> Option<SystemTime> {
    None
}

impl Hash {
    fn of(bytes: &[u8]) -> Hash {
        const FIRST: RapidSecrets = RapidSecrets::seed(0x7261_6365);
        const SECOND: RapidSecrets = RapidSecrets::seed(0x6c65_6e73);
        Hash(
            rapidhash_v3_seeded(bytes, &FIRST),
            rapidhash_v3_seeded(bytes, &SECOND),
            bytes.len() as u64,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> CacheKey {
        CacheKey::new([name.as_bytes()])
    }

    fn output(text: &str, headers: &[&Path]) -> Preprocessed {
        Preprocessed {
            missing: Vec::new(),
            text: text.into(),
            headers: headers.iter().map(|path| path.to_path_buf()).collect(),
            notes: Vec::new(),
            inputs: None,
        }
    }

    fn insert(cache: &Cache, name: &str, value: &Preprocessed, started: &Moment) {
        if let Some(headers) = cache.hashes(&value.headers, started) {
            cache.insert(key(name), value, headers);
        }
    }

    fn after_a_while() -> Moment {
        Moment::in_the_future(Duration::from_secs(1))
    }

    #[test]
    fn borders_between_the_parts_of_a_key_count() {
        assert_ne!(
            CacheKey::new([b"ab".as_slice(), b"c"]),
            CacheKey::new([b"a".as_slice(), b"bc"])
        );
    }

    #[test]
    fn an_entry_lives_until_a_header_changes() {
        let directory = tempfile::tempdir().unwrap();
        let header = directory.path().join("a.h");
        std::fs::write(&header, "int a;").unwrap();
        let cache = Cache::new(1 << 20);
        insert(&cache, "k", &output("text", &[&header]), &after_a_while());
        assert_eq!(&*cache.get(key("k")).unwrap().text, "text");

        // The same length, and perhaps even the same time: only the content tells.
        std::fs::write(&header, "int b;").unwrap();
        assert!(cache.get(key("k")).is_none());
        std::fs::write(&header, "int a;").unwrap();
        assert!(cache.get(key("k")).is_some());
        std::fs::remove_file(&header).unwrap();
        assert!(cache.get(key("k")).is_none());
        let counters = cache.counters();
        assert_eq!((counters.hits, counters.misses), (2, 2));
    }

    #[test]
    fn a_header_that_changed_during_the_run_prevents_caching() {
        let directory = tempfile::tempdir().unwrap();
        let header = directory.path().join("a.h");
        std::fs::write(&header, "int a;").unwrap();
        let cache = Cache::new(1 << 20);
        let value = output("text", &[&header]);
        let before = Moment::in_the_past(Duration::from_secs(60));
        insert(&cache, "k", &value, &before);
        assert!(cache.get(key("k")).is_none());
    }

    #[test]
    fn the_least_recently_used_entry_goes_first() {
        let cache = Cache::new(250);
        let text = "x".repeat(100);
        insert(&cache, "a", &output(&text, &[]), &after_a_while());
        insert(&cache, "b", &output(&text, &[]), &after_a_while());
        assert!(cache.get(key("a")).is_some());
        insert(&cache, "c", &output(&text, &[]), &after_a_while());
        assert!(cache.get(key("b")).is_none());
        assert!(cache.get(key("a")).is_some());
        assert!(cache.get(key("c")).is_some());
        assert_eq!(cache.counters().bytes, 200);
        insert(
            &cache,
            "d",
            &output(&"x".repeat(300), &[]),
            &after_a_while(),
        );
        assert_eq!(cache.counters().entries, 2);
    }
}
