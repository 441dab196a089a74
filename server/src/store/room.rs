//! Keeps the store below its limit: what was not used for the longest time goes first.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How much of the store is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub entries: usize,
    pub bytes: u64,
}

/// What the files that are being written are called.
pub(super) const UNFINISHED: &str = ".unfinished-";
/// Writing takes less time than this: what is older was left by a program that was killed.
const ABANDONED: Duration = Duration::from_secs(3600);

/// What one process knows of the store's size. Others write too, so that it is counted anew every now and then: with `n`
/// programs at a time the store can exceed its limit by `n` shares.
#[derive(Debug)]
pub(super) struct Room {
    limit: u64,
    /// As it was counted, and what was written since.
    used: Option<u64>,
    /// Since it was counted.
    written: u64,
}

/// The part of the limit that a process writes between two counts.
const SHARE: u64 = 32;

struct Found {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

impl Room {
    pub fn new(limit: u64) -> Room {
        Room {
            limit,
            used: None,
            written: 0,
        }
    }

    /// Some bytes were written; makes room if that was too much.
    pub fn make(&mut self, directory: &Path, bytes: u64) {
        self.written += bytes;
        self.used = self.used.map(|used| used + bytes);
        let is_current = self.written <= self.limit / SHARE;
        if is_current && self.used.is_some_and(|used| used <= self.limit) {
            return;
        }
        self.written = 0;
        self.used = Some(shrink(directory, self.limit));
    }
}

/// Counts, and removes what is too much. Returns what is left.
fn shrink(directory: &Path, limit: u64) -> u64 {
    let mut entries = entries(directory, SystemTime::now());
    let mut used: u64 = entries.iter().map(|entry| entry.bytes).sum();
    if used <= limit {
        return used;
    }
    // Some more goes than has to, so that the next entry does not count again.
    let wanted = limit - limit / 8;
    entries.sort_by(|left, right| (left.used, &left.path).cmp(&(right.used, &right.path)));
    for entry in entries {
        if used <= wanted {
            break;
        }
        // Another program may have removed it.
        let _ = std::fs::remove_file(&entry.path);
        used = used.saturating_sub(entry.bytes);
    }
    used
}

pub(super) fn usage(directory: &Path) -> Usage {
    let entries = entries(directory, SystemTime::now());
    Usage {
        entries: entries.len(),
        bytes: entries.iter().map(|entry| entry.bytes).sum(),
    }
}

/// Returns what was removed.
pub(super) fn clear(directory: &Path) -> io::Result<Usage> {
    let mut removed = Usage::default();
    for entry in entries(directory, SystemTime::now()) {
        match std::fs::remove_file(&entry.path) {
            Ok(()) => {
                removed.entries += 1;
                removed.bytes += entry.bytes;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    for folder in folders(directory) {
        // Another program may write there just now; then it stays.
        let _ = std::fs::remove_dir(folder);
    }
    Ok(removed)
}

/// All entries. What killed programs have left is removed on the way.
fn entries(directory: &Path, now: SystemTime) -> Vec<Found> {
    let mut entries = Vec::new();
    let files = folders(directory);
    let files = files.filter_map(|folder| std::fs::read_dir(folder).ok());
    for file in files.flatten().flatten() {
        let Ok(metadata) = file.metadata() else {
            continue;
        };
        let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        if file
            .file_name()
            .as_encoded_bytes()
            .starts_with(UNFINISHED.as_bytes())
        {
            // The clock may have jumped either way since.
            let age = now
                .duration_since(used)
                .unwrap_or_else(|error| error.duration());
            if age > ABANDONED {
                let _ = std::fs::remove_file(file.path());
            }
            continue;
        }
        if metadata.is_file() {
            entries.push(Found {
                path: file.path(),
                bytes: metadata.len(),
                used,
            });
        }
    }
    entries
}

/// Only folders that are called as ours are: the user may have named a directory with other things in it.
fn folders(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let is_ours = |name: &[u8]| name.len() == 2 && name.iter().all(u8::is_ascii_hexdigit);
    entries
        .filter(move |entry| is_ours(entry.file_name().as_encoded_bytes()))
        .map(|entry| entry.path())
}
