//! Where the store lies: with the user, never in a workspace, and closed to others.

use super::Store;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// What the user says about the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    pub is_wanted: bool,
    /// If it is not to lie where it usually does.
    pub directory: Option<PathBuf>,
    pub limit_bytes: u64,
}

impl Default for StoreOptions {
    fn default() -> StoreOptions {
        StoreOptions {
            is_wanted: true,
            directory: None,
            limit_bytes: 1 << 30,
        }
    }
}

impl StoreOptions {
    /// The store that the user wants, if he wants one. What is wrong with it is no reason not to work without.
    pub fn open(&self) -> Result<Option<Store>, String> {
        let directory = match &self.directory {
            _ if !self.is_wanted => None,
            Some(directory) => Some(directory.clone()),
            None => default_directory(&|name| std::env::var_os(name)),
        };
        let Some(directory) = directory else {
            return Ok(None);
        };
        let directory = std::path::absolute(&directory).unwrap_or(directory);
        let store = Store::open(&directory, self.limit_bytes);
        store.map(Some).map_err(|error| {
            format!(
                "the cache in {} cannot be used, so that nothing is kept for the next start: {error}",
                directory.display()
            )
        })
    }
}

/// `RACELENS_CACHE_DIR`, or else where programs of the user keep such things. `None` if there is no such place, and
/// if the variable is empty, which means that nothing is to be kept.
pub fn default_directory(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(own) = variable("RACELENS_CACHE_DIR") {
        return (!own.is_empty()).then(|| own.into());
    }
    // As the specification says, relative paths there are to be ignored.
    let absolute = |name| {
        variable(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Some(caches?.join("racelens"))
}

/// Makes a directory that nobody else can read or write, or sees that it is one.
#[cfg(unix)]
pub(super) fn make_private(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(directory)?;
    let metadata = directory.metadata()?;
    let problem = if metadata.uid() != rustix::process::geteuid().as_raw() {
        "it belongs to another user"
    } else if metadata.mode() & 0o022 != 0 {
        "other users can write to it"
    } else {
        return Ok(());
    };
    Err(io::Error::new(io::ErrorKind::PermissionDenied, problem))
}

#[cfg(not(unix))]
pub(super) fn make_private(directory: &Path) -> io::Result<()> {
    std::fs::create_dir_all(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_says_where_it_lies() {
        let place = |variables: &[(&str, &str)]| {
            default_directory(&|name| {
                let mut variables = variables.iter();
                variables
                    .find(|(known, _)| *known == name)
                    .map(|(_, value)| value.into())
            })
        };
        let home = ("HOME", "/u");
        assert_eq!(place(&[]), None);
        assert_eq!(place(&[home]), Some("/u/.cache/racelens".into()));
        assert_eq!(
            place(&[home, ("XDG_CACHE_HOME", "/c")]),
            Some("/c/racelens".into())
        );
        assert_eq!(
            place(&[home, ("XDG_CACHE_HOME", "c")]),
            Some("/u/.cache/racelens".into())
        );
        assert_eq!(
            place(&[home, ("RACELENS_CACHE_DIR", "/r")]),
            Some("/r".into())
        );
        assert_eq!(place(&[home, ("RACELENS_CACHE_DIR", "")]), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_that_others_can_write_to_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a/b");
        make_private(&place).unwrap();
        let mode = |mode| std::fs::Permissions::from_mode(mode);
        assert_eq!(
            place.metadata().unwrap().permissions().mode() & 0o777,
            0o700
        );
        make_private(&place).unwrap();
        std::fs::set_permissions(&place, mode(0o777)).unwrap();
        let error = make_private(&place).unwrap_err();
        assert_eq!(error.to_string(), "other users can write to it");
        std::fs::write(folder.path().join("file"), "").unwrap();
        assert!(make_private(&folder.path().join("file")).is_err());
    }
}
