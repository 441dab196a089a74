//! How a file is named in a report: relative to a directory where it lies below it.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

/// The directory that names are relative to.
#[derive(Clone, Debug)]
pub struct PathBase {
    directory: PathBuf,
    /// Without symbolic links, since compilers may name files that way.
    real: Option<PathBuf>,
}

impl PathBase {
    pub fn new(directory: impl Into<PathBuf>) -> PathBase {
        let directory = directory.into();
        PathBase {
            real: directory.canonicalize().ok(),
            directory,
        }
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Where the user works.
    pub fn current_directory() -> PathBase {
        PathBase::new(std::env::current_dir().unwrap_or_default())
    }

    /// The top of the repository that the directory is in, or else the directory itself.
    pub fn repository(&self) -> PathBase {
        let mut above = self.directory.ancestors();
        match above.find(|directory| directory.join(".git").exists()) {
            Some(top) => PathBase::new(top),
            None => self.clone(),
        }
    }

    /// The part of `path` below the directory. None if it lies elsewhere.
    pub fn relative<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        if path.is_relative() {
            return Some(path);
        }
        let bases = [Some(&self.directory), self.real.as_ref()];
        bases
            .into_iter()
            .flatten()
            .filter(|base| !base.as_os_str().is_empty())
            .find_map(|base| path.strip_prefix(base).ok())
            .filter(|inside| !inside.as_os_str().is_empty())
    }

    /// For people, and for JSON.
    pub fn shown<'p>(&self, path: &'p Path) -> Cow<'p, str> {
        self.relative(path).unwrap_or(path).to_string_lossy()
    }

    /// A URI (RFC 3986): relative below the directory, absolute elsewhere.
    pub fn uri(&self, path: &Path) -> String {
        match self.relative(path) {
            Some(inside) => percent_encoded(inside),
            None => format!("file://{}", percent_encoded(path)),
        }
    }
}

fn percent_encoded(path: &Path) -> String {
    let mut encoded = String::new();
    for component in path.components() {
        if !encoded.is_empty() && !encoded.ends_with('/') {
            encoded.push('/');
        }
        if component == Component::RootDir {
            encoded.push('/');
            continue;
        }
        for byte in component.as_os_str().as_encoded_bytes() {
            // RFC 3986 §2.3: these mean the same whether encoded or not.
            if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
                encoded.push(char::from(*byte));
            } else {
                encoded.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_the_directory_lose_it() {
        let base = PathBase::new("/w/project");
        for (path, shown, uri) in [
            ("/w/project/src/a.c", "src/a.c", "src/a.c"),
            (
                "/w/project2/a.c",
                "/w/project2/a.c",
                "file:///w/project2/a.c",
            ),
            ("/w/project", "/w/project", "file:///w/project"),
            ("src/a b.c", "src/a b.c", "src/a%20b.c"),
            ("/w/project/ü#1.c", "ü#1.c", "%C3%BC%231.c"),
            ("/x y/a.c", "/x y/a.c", "file:///x%20y/a.c"),
        ] {
            assert_eq!(base.shown(Path::new(path)), shown);
            assert_eq!(base.uri(Path::new(path)), uri);
        }
    }

    #[test]
    fn the_repository_is_found_above() {
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("a/b")).unwrap();
        let base = PathBase::new(top.join("a/b"));
        let file = top.join("a/b/c.c");
        std::fs::create_dir(top.join(".git")).unwrap();
        assert_eq!(base.repository().shown(&file), "a/b/c.c");
        assert_eq!(base.shown(&file), "c.c");
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_behind_a_link_is_recognised() {
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path().canonicalize().unwrap();
        std::fs::create_dir(top.join("real")).unwrap();
        std::os::unix::fs::symlink(top.join("real"), top.join("link")).unwrap();
        let base = PathBase::new(top.join("link"));
        assert_eq!(base.shown(&top.join("real/a.c")), "a.c");
        assert_eq!(base.shown(&top.join("link/a.c")), "a.c");
    }
}
