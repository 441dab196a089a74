//! Finds files below a directory, always in the same order.

use std::path::{Path, PathBuf};

/// Directories that hold no sources of the project itself.
const SKIPPED: &[&str] = &["node_modules", "target"];

/// What a walk found.
pub struct Found {
    /// Sorted.
    pub files: Vec<PathBuf>,
    /// Whether everything was looked at, rather than as much as was allowed.
    pub is_complete: bool,
    /// Directories that could not be read. Sorted.
    pub unreadable: Vec<PathBuf>,
}

/// The files below `directory` whose extension is one of `extensions`, among the first `max_visited`
/// files and directories of any kind.
///
/// Links to directories are not followed: what lies inside the project is found under its own name,
/// and a link can neither lead out of the project nor in a circle.
pub fn files(directory: &Path, extensions: &[&str], max_visited: usize) -> Found {
    let mut files = Vec::new();
    let mut unreadable = Vec::new();
    let mut pending = vec![directory.to_owned()];
    let mut visited = 0;
    while let Some(directory) = pending.pop() {
        let Ok(entries) = std::fs::read_dir(&directory) else {
            unreadable.push(directory);
            continue;
        };
        let mut entries: Vec<_> = entries.flatten().collect();
        visited += entries.len();
        entries.sort_by_key(|entry| entry.file_name());
        for entry in entries {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() {
                if !is_skipped(&entry.file_name().to_string_lossy()) {
                    pending.push(path);
                }
            } else if has_extension(&path, extensions) && path.is_file() {
                files.push(path);
            }
        }
        if visited >= max_visited {
            break;
        }
    }
    files.sort();
    unreadable.sort();
    Found {
        files,
        is_complete: pending.is_empty(),
        unreadable,
    }
}

pub fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| extensions.contains(&extension))
}

fn is_skipped(name: &str) -> bool {
    name.starts_with('.') || SKIPPED.contains(&name)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn hidden_and_foreign_directories_and_link_loops_are_skipped() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        for file in [
            "b.c",
            "a/x.c",
            "a/x.h",
            ".git/g.c",
            "node_modules/n.c",
            "target/t.c",
        ] {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::write(root.join(file), "").unwrap();
        }
        std::os::unix::fs::symlink(root, root.join("a/loop")).unwrap();
        let found = files(root, &["c"], 100);
        assert_eq!(found.files, [root.join("a/x.c"), root.join("b.c")]);
        assert!(found.is_complete);
        let found = files(root, &["c"], 1);
        assert_eq!(found.files, [root.join("b.c")]);
        assert!(!found.is_complete);
    }
}
