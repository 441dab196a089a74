//! What was computed before, kept on disk for the next start.
//!
//! A directory of files, one for each entry, named by key. An entry is written beside its place and gets its name
//! when it is whole, so that two programs can use one store at the same time and either can be killed at any moment. What is
//! read is checked (`entry.rs`); what does not fit is removed. Nothing depends on an entry being there, so that
//! anybody may delete the directory, or files in it, at any time.

mod content_hash;
mod entry;
mod place;
mod room;

pub use content_hash::{ContentHash, PartsHasher};
pub use place::{StoreOptions, default_directory};
pub use room::Usage;

use room::Room;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// Can be used from many threads and processes at once.
#[derive(Debug)]
pub struct Store {
    directory: PathBuf,
    limit_bytes: u64,
    room: Mutex<Room>,
    /// Why nothing is written any more.
    problem: Mutex<Option<String>>,
    hits: AtomicU64,
    misses: AtomicU64,
    written: AtomicU64,
}

/// What one process had of its store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreCounters {
    pub hits: u64,
    pub misses: u64,
    pub written: u64,
}

/// What an entry is about. Different kinds never answer for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A translation unit after preprocessing.
    Unit,
    /// What a check found in a whole program.
    Report,
}

/// No entry is larger. A program that needs more is computed each time.
const MOST_BYTES: u64 = 1 << 30;

impl Store {
    /// Opens the store in a directory, which is made if need be, and keeps it below `limit_bytes`.
    /// The directory must be the user's alone: what lies in it is believed.
    pub fn open(directory: &Path, limit_bytes: u64) -> io::Result<Store> {
        place::make_private(directory)?;
        Ok(Store {
            directory: directory.to_owned(),
            limit_bytes,
            room: Mutex::new(Room::new(limit_bytes)),
            problem: Mutex::default(),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            written: AtomicU64::new(0),
        })
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The content that was put there under this key, if it is still there and whole.
    pub fn get(&self, kind: Kind, name: &ContentHash) -> Option<Vec<u8>> {
        let key = kind.key(name);
        let content = self.read(&key);
        let counter = match content {
            Some(_) => &self.hits,
            None => &self.misses,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        content
    }

    /// Keeps `content`. What goes wrong is remembered as the store's problem, and is nobody else's.
    pub fn put(&self, kind: Kind, name: &ContentHash, content: &[u8]) {
        if locked(&self.problem).is_some() {
            return;
        }
        let key = kind.key(name);
        let bytes = entry::written(&key, content);
        // What would throw out everything else is not worth it.
        if bytes.len() as u64 > MOST_BYTES.min(self.limit_bytes / 2) {
            return;
        }
        match self.write(&key, &bytes) {
            Ok(()) => {
                self.written.fetch_add(1, Ordering::Relaxed);
                locked(&self.room).make(&self.directory, bytes.len() as u64);
            }
            Err(error) => *locked(&self.problem) = Some(error.to_string()),
        }
    }

    /// Forgets an entry that turned out to be of no use.
    pub fn remove(&self, kind: Kind, name: &ContentHash) {
        let _ = std::fs::remove_file(self.file(&kind.key(name)));
    }

    /// Why nothing could be written, if that was so.
    pub fn problem(&self) -> Option<String> {
        locked(&self.problem).clone()
    }

    pub fn counters(&self) -> StoreCounters {
        StoreCounters {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            written: self.written.load(Ordering::Relaxed),
        }
    }

    /// What all programs together have in the store.
    pub fn usage(&self) -> Usage {
        room::usage(&self.directory)
    }

    /// Removes every entry, of whichever build.
    pub fn clear(&self) -> io::Result<Usage> {
        room::clear(&self.directory)
    }

    fn read(&self, key: &ContentHash) -> Option<Vec<u8>> {
        let path = self.file(key);
        let file = File::open(&path).ok()?;
        let mut bytes = Vec::new();
        let read = (&file).take(MOST_BYTES).read_to_end(&mut bytes);
        let content = read.ok().and_then(|_| entry::read(key, &bytes));
        match &content {
            // The time of the last use decides what goes first. Where it cannot be set, that of the writing does.
            Some(_) => {
                let _ = file.set_modified(SystemTime::now());
            }
            None => {
                let _ = std::fs::remove_file(&path);
            }
        }
        content
    }

    fn write(&self, key: &ContentHash, bytes: &[u8]) -> io::Result<()> {
        let path = self.file(key);
        let folder = path.parent().unwrap_or(&self.directory);
        let mut file = match new_file(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                // It may be gone as a whole, because somebody has deleted it.
                place::make_private(&self.directory)?;
                place::make_private(folder)?;
                new_file(folder)?
            }
            file => file?,
        };
        // Nothing is flushed to the disk: what a loss of power spoils is no entry when it is read.
        file.write_all(bytes)?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    fn file(&self, key: &ContentHash) -> PathBuf {
        let digits = key.digits();
        let (folder, rest) = digits.split_at(2);
        self.directory.join(folder).join(rest)
    }
}

impl Kind {
    fn key(self, name: &ContentHash) -> ContentHash {
        let word = match self {
            Kind::Unit => "unit",
            Kind::Report => "report",
        };
        PartsHasher::new(word)
            .text(entry::BUILD)
            .hash(name)
            .finish()
    }
}

fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new()
        .prefix(room::UNFINISHED)
        .tempfile_in(folder)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(number: usize) -> ContentHash {
        ContentHash::of(&number.to_le_bytes())
    }

    /// Content that cannot be compressed.
    fn content(number: usize, bytes: usize) -> Vec<u8> {
        let hashes = (0..bytes.div_ceil(32)).map(|part| name(number * 1_000_003 + part));
        let content: Vec<u8> = hashes.flat_map(|hash| *hash.bytes()).collect();
        content[..bytes].to_vec()
    }

    #[test]
    fn what_is_put_is_found_by_its_kind_and_name() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("kept"), 1 << 20).unwrap();
        store.put(Kind::Unit, &name(1), b"one");
        assert_eq!(store.get(Kind::Unit, &name(1)).unwrap(), b"one");
        assert_eq!(store.get(Kind::Report, &name(1)), None);
        assert_eq!(store.get(Kind::Unit, &name(2)), None);
        store.put(Kind::Unit, &name(1), b"another");
        assert_eq!(store.get(Kind::Unit, &name(1)).unwrap(), b"another");
        let counters = store.counters();
        assert_eq!(
            (counters.hits, counters.misses, counters.written),
            (2, 2, 2)
        );
        assert_eq!(store.usage().entries, 1);
        store.remove(Kind::Unit, &name(1));
        assert_eq!(store.usage(), Usage::default());
    }

    #[test]
    fn the_limit_is_kept_and_what_is_used_stays() {
        let folder = tempfile::tempdir().unwrap();
        let limit = 100_000;
        // Two programs at once.
        let stores = [0, 1].map(|_| Store::open(folder.path(), limit).unwrap());
        for number in 0..200 {
            stores[number % 2].put(Kind::Unit, &name(number), &content(number, 1_000));
            // Times of files are told apart by seconds on some file systems.
            let key = Kind::Unit.key(&name(number));
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(number as u64);
            let file = File::options().append(true).open(stores[0].file(&key));
            file.unwrap().set_modified(time).unwrap();
            // The first entry is used all the time.
            assert!(stores[0].get(Kind::Unit, &name(0)).is_some(), "{number}");
            let bytes = stores[0].usage().bytes;
            assert!(bytes <= limit + 2 * (limit / 32 + 1_200), "{bytes}");
        }
        assert!(stores[0].get(Kind::Unit, &name(1)).is_none());
        assert!(stores[0].get(Kind::Unit, &name(199)).is_some());
        // What would need more than half of the room is not kept.
        stores[0].put(Kind::Unit, &name(200), &content(200, 60_000));
        assert!(stores[0].get(Kind::Unit, &name(200)).is_none());
    }

    #[test]
    fn what_killed_programs_leave_goes_away() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), 1 << 20).unwrap();
        store.put(Kind::Unit, &name(1), b"one");
        let beside = store.file(&Kind::Unit.key(&name(1)));
        let left = beside.with_file_name(format!("{}x", room::UNFINISHED));
        let new = beside.with_file_name(format!("{}y", room::UNFINISHED));
        for path in [&left, &new] {
            std::fs::write(path, "half").unwrap();
        }
        let old = SystemTime::now() - std::time::Duration::from_secs(7200);
        let file = File::options().append(true).open(&left).unwrap();
        file.set_modified(old).unwrap();
        assert_eq!(store.usage().entries, 1);
        assert!(!left.exists() && new.exists());
    }
}
