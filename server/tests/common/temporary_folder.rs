//! Files in a temporary directory, for the tests of this crate.

use std::path::PathBuf;

pub struct TemporaryFolder(tempfile::TempDir);

impl TemporaryFolder {
    /// A folder with these files, given as (path, content).
    pub fn new(files: &[(&str, &str)]) -> TemporaryFolder {
        let folder = TemporaryFolder(tempfile::tempdir().unwrap());
        for (path, content) in files {
            folder.write(path, content.as_bytes());
        }
        folder
    }

    /// Absolute, without symbolic links.
    pub fn root(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// Writes a file, and the directories on the way to it.
    pub fn write(&self, path: &str, content: &[u8]) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
}
