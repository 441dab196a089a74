//! Keeps preprocessing going when a header does not exist, and says where it could be.

use std::collections::HashMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::{paths, walk};

/// The name of the directories that give `..` in a header's name something to climb.
pub const FILLER: &str = "-";

/// How many `..` a missing header's name may begin with.
const MAX_CLIMB: usize = 16;

/// Empty files that stand in for missing headers, in a private directory of their own.
pub struct Stubs {
    directory: PathBuf,
    search: PathBuf,
}

impl Stubs {
    pub fn new(directory: PathBuf) -> io::Result<Stubs> {
        let mut search = directory.clone();
        search.extend(std::iter::repeat_n(FILLER, MAX_CLIMB));
        std::fs::create_dir_all(&search)?;
        Ok(Stubs { directory, search })
    }

    /// Where all stubs are.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The directory to search after all others.
    pub fn search(&self) -> &Path {
        &self.search
    }

    /// Makes `#include "name"` find an empty file. Fails for a name that no search can find there
    /// (an absolute one), and for one that was added before, since that did not help then.
    pub fn add(&self, name: &str) -> bool {
        self.try_add(Path::new(name)).is_ok()
    }

    fn try_add(&self, name: &Path) -> io::Result<()> {
        let mut path = self.search.clone();
        let mut depth = MAX_CLIMB;
        let mut components = name.components().peekable();
        while let Some(component) = components.next() {
            match component {
                Component::CurDir => {}
                Component::ParentDir if depth > 0 => {
                    depth -= 1;
                    path.push("..");
                }
                Component::Normal(part) => {
                    depth += 1;
                    path.push(part);
                    if components.peek().is_some() && !path.is_dir() {
                        std::fs::create_dir(&path)?;
                    }
                }
                _ => return Err(io::ErrorKind::InvalidInput.into()),
            }
        }
        std::fs::File::create_new(path).map(|_| ())
    }
}

impl Drop for Stubs {
    fn drop(&mut self) {
        // What cannot be removed now goes with the whole private directory.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// Where the project has headers of which name.
pub struct HeaderIndex {
    by_name: HashMap<String, Vec<PathBuf>>,
}

/// Of files that are meant to be included.
const EXTENSIONS: &[&str] = &["h", "inc", "def"];

/// A larger project is searched only in part; a header that is not found there is merely not suggested.
const MAX_VISITED: usize = 200_000;

impl HeaderIndex {
    pub fn new(root: &Path) -> HeaderIndex {
        let mut by_name: HashMap<String, Vec<PathBuf>> = HashMap::new();
        for path in walk::files(root, EXTENSIONS, MAX_VISITED).files {
            if let Some(name) = path.file_name() {
                let name = name.to_string_lossy().into_owned();
                by_name.entry(name).or_default().push(path);
            }
        }
        HeaderIndex { by_name }
    }

    /// Whether it says of a file that it is there. Of a file that is never suggested it says what is the case.
    pub fn knows(&self, file: &Path) -> bool {
        let extension = file.extension().and_then(|extension| extension.to_str());
        if !extension.is_some_and(|extension| EXTENSIONS.contains(&extension)) {
            return file.is_file();
        }
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let known = self.by_name.get(&*name);
        known.is_some_and(|known| known.iter().any(|path| path == file))
    }

    /// The directory to add to the include path so that `header` is found: of several, the one
    /// nearest to `includer`.
    pub fn directory_for(&self, header: &str, includer: &Path) -> Option<PathBuf> {
        let header = paths::absolute(Path::new("/"), Path::new(header));
        let header = header.strip_prefix("/").ok()?;
        let name = header.file_name()?.to_string_lossy().into_owned();
        let levels = header.components().count();
        self.by_name
            .get(&name)?
            .iter()
            .filter(|path| path.ends_with(header))
            .max_by_key(|path| {
                let shared = path
                    .components()
                    .zip(includer.components())
                    .take_while(|(a, b)| a == b)
                    .count();
                (
                    shared,
                    std::cmp::Reverse(path.components().count()),
                    std::cmp::Reverse(*path),
                )
            })
            .and_then(|path| path.ancestors().nth(levels))
            .map(Path::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_is_found_through_the_search_directory_and_never_leaves_its_own() {
        let scratch = tempfile::tempdir().unwrap();
        let stubs = Stubs::new(scratch.path().join("stubs")).unwrap();
        for name in ["a.h", "x/y/b.h", "../c.h", "new/../d.h", "../../x/e.h"] {
            assert!(stubs.add(name), "{name}");
            assert!(stubs.search().join(name).is_file(), "{name}");
        }
        let escape = format!("{}f.h", "../".repeat(MAX_CLIMB + 1));
        for name in ["a.h", "/abs/g.h", escape.as_str()] {
            assert!(!stubs.add(name), "{name}");
        }
        let directory = stubs.directory().to_owned();
        drop(stubs);
        assert!(!directory.exists());
    }

    #[test]
    fn the_nearest_directory_is_suggested() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        for file in [
            "one/include/lib/x.h",
            "two/include/lib/x.h",
            "two/other/x.h",
        ] {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::write(root.join(file), "").unwrap();
        }
        let index = HeaderIndex::new(root);
        let includer = root.join("two/src/a.c");
        assert_eq!(
            index.directory_for("lib/x.h", &includer),
            Some(root.join("two/include"))
        );
        assert_eq!(
            index.directory_for("../x.h", &includer),
            Some(root.join("two/other"))
        );
        assert_eq!(index.directory_for("y.h", &includer), None);
    }
}
