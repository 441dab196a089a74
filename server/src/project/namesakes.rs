//! Headers that a compiler might find in place of those that it has found.
//!
//! A header of the same name that appears in a directory which is searched earlier takes the place of the one that was
//! read. Which directories are searched in which order for which header is the compiler's business; so every
//! name is looked up in every directory that takes part, and if the answer is another one than before, the compiler
//! is asked again.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::TranslationUnit;
use crate::store::{ContentHash, PartsHasher};

/// `#include <a/b/c.h>` has three parts; more are hardly ever written.
const MOST_PARTS: usize = 3;

/// Flags whose next argument is a directory with headers.
const SEARCH_FLAGS: &[&str] = &["-I", "-iquote", "-isystem", "-idirafter"];

/// Which files there are that are called as one of `headers` is, in the directories that the units search and in those
/// of the project that they have headers from.
pub fn namesakes<'p>(
    units: impl IntoIterator<Item = &'p TranslationUnit>,
    headers: impl IntoIterator<Item = &'p Path>,
    root: &Path,
) -> ContentHash {
    let headers: BTreeSet<&Path> = headers.into_iter().collect();
    let mut directories: BTreeSet<&Path> = BTreeSet::new();
    for unit in units {
        directories.extend(unit.file.parent());
        let pairs = unit.arguments.windows(2);
        let searched = pairs.filter(|pair| SEARCH_FLAGS.contains(&pair[0].as_str()));
        directories.extend(searched.map(|pair| Path::new(&pair[1])));
    }
    let own = headers.iter().filter(|header| header.starts_with(root));
    directories.extend(own.filter_map(|header| header.parent()));
    let names: BTreeSet<PathBuf> = headers.iter().flat_map(|header| names(header)).collect();
    let mut listings = Listings::default();
    let mut hasher = PartsHasher::new("namesakes");
    for directory in directories {
        for name in &names {
            if listings.has(directory, name) {
                let path = directory.join(name);
                if !headers.contains(path.as_path()) {
                    hasher.path(&path);
                }
            }
        }
    }
    hasher.finish()
}

/// The names by which a header can be asked for.
fn names(header: &Path) -> impl Iterator<Item = PathBuf> {
    let parts: Vec<&OsStr> = header.iter().collect();
    let most = MOST_PARTS.min(parts.len().saturating_sub(1));
    (1..=most).map(move |count| parts[parts.len() - count..].iter().collect())
}

/// What is in directories. Reading a directory costs less than asking for each name.
#[derive(Default)]
struct Listings(HashMap<PathBuf, HashSet<OsString>>);

impl Listings {
    fn has(&mut self, directory: &Path, name: &Path) -> bool {
        let mut parts = name.components();
        let Some(first) = parts.next() else {
            return true;
        };
        let rest = parts.as_path();
        if !self.of(directory).contains(first.as_os_str()) {
            return false;
        }
        rest.as_os_str().is_empty() || self.has(&directory.join(first), rest)
    }

    fn of(&mut self, directory: &Path) -> &HashSet<OsString> {
        if !self.0.contains_key(directory) {
            let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
            let names = entries.map(|entry| entry.file_name()).collect();
            self.0.insert(directory.to_owned(), names);
        }
        &self.0[directory]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_of_the_same_name_is_noticed_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let write = |path: &str| {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), "").unwrap();
        };
        write("late/sys/a.h");
        write("early/b.h");
        write("src/main.c");
        let unit = TranslationUnit {
            file: root.join("src/main.c"),
            directory: root.to_owned(),
            spelling: "src/main.c".to_owned(),
            arguments: vec![
                "-I".to_owned(),
                root.join("early").to_string_lossy().into_owned(),
                "-I".to_owned(),
                root.join("late").to_string_lossy().into_owned(),
            ],
            has_command: true,
            compiler: None,
        };
        let headers = [root.join("late/sys/a.h")];
        let now = || namesakes([&unit], headers.iter().map(PathBuf::as_path), root);
        let before = now();
        for other in ["early/c.h", "elsewhere/a.h", "src/other.c", "early/sys/b.h"] {
            write(other);
            assert_eq!(now(), before, "{other}");
        }
        for shadow in ["early/sys/a.h", "src/a.h", "late/a.h", "src/sys/a.h"] {
            write(shadow);
            assert_ne!(now(), before, "{shadow}");
            std::fs::remove_file(root.join(shadow)).unwrap();
            assert_eq!(now(), before, "{shadow}");
        }
    }
}
