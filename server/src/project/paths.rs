//! Absolute, normalised paths: one file, one name.

use std::path::{Component, Path, PathBuf};

/// Makes `path` absolute (relative to `base`) and removes `.` and `..`.
///
/// Symbolic links stay as the user named them, since editors use those names too. Only where `..`
/// follows a link is the link resolved, because the plain removal would name another file.
pub fn absolute(base: &Path, path: &Path) -> PathBuf {
    let joined = base.join(path);
    let mut result = PathBuf::new();
    for component in joined.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if result.is_symlink()
                    && let Ok(real) = result.canonicalize()
                {
                    result = real;
                }
                // At the root `..` is the root itself, and so `pop` may do nothing.
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}

/// Whether `path` lies in `directory` once every symbolic link is resolved. What cannot be
/// resolved (it does not exist) is compared as it is spelt.
pub fn is_really_inside(path: &Path, directory: &Path) -> bool {
    let real_path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let real_directory = directory
        .canonicalize()
        .unwrap_or_else(|_| directory.to_owned());
    real_path.starts_with(real_directory)
}

/// `path` as it is shown to the user: relative to `root` where it lies inside.
pub fn shown<'p>(path: &'p Path, root: &Path) -> std::path::Display<'p> {
    match path.strip_prefix(root) {
        Ok(inside) if !inside.as_os_str().is_empty() => inside.display(),
        _ => path.display(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_removed_lexically() {
        for (path, expected) in [
            ("a.c", "/w/p/a.c"),
            ("./s/../a.c", "/w/p/a.c"),
            ("../../../../a.c", "/a.c"),
            ("/x//y/./z.c", "/x/y/z.c"),
        ] {
            assert_eq!(
                absolute(Path::new("/w/p"), Path::new(path)),
                Path::new(expected),
                "{path}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_parent_of_a_link_is_the_parent_of_its_target() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("deep/inner")).unwrap();
        std::os::unix::fs::symlink(root.join("deep/inner"), root.join("link")).unwrap();
        assert_eq!(
            absolute(&root, Path::new("link/../a.c")),
            root.join("deep/a.c")
        );
        assert_eq!(
            absolute(&root, Path::new("link/a.c")),
            root.join("link/a.c")
        );
    }
}
