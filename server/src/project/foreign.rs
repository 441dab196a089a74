//! Which files outside of a workspace may become part of what is analysed and shown.
//!
//! A stranger's program can include `~/.ssh/id_rsa`, name it with `#line`, or link to it. Such a file
//! must not end up in a report that is then given to others. Code lies elsewhere too, though: headers of
//! libraries, sources that a build system links to. So outside of the workspace the name decides.

use std::path::{Path, PathBuf};

use super::{paths, walk};

/// How files with C, or with parts of C, are called.
const CODE: &[&str] = &[
    "c", "h", "i", "inc", "inl", "def", "tbl", "gen", "x", "y", "l", "yy", "ll", "re", "rl", "cc",
    "cpp", "cxx", "hh", "hpp", "hxx", "m", "tcc", "ipp", "in", "cu", "cl", "S", "pc", "peg",
    "gperf", "tmpl",
];

/// Where programs are installed: nobody keeps secrets there, and some headers have no extension.
const INSTALLED: &[&str] = &["/usr/", "/opt/", "/nix/store/", "/Library/Developer/"];

/// Whether a file may be read as a part of the program in `root`: it lies there, or is called as code is. So
/// may one that does not exist, of which generated code tells.
pub fn may_be_read(path: &Path, root: &Path) -> bool {
    let real = if path.is_symlink() {
        path.canonicalize().unwrap_or_else(|_| path.to_owned())
    } else {
        path.to_owned()
    };
    is_code(&real) || is_installed(&real) || paths::is_really_inside(&real, root) || !real.exists()
}

/// Whether a file outside of `root` that has to have this name does have it.
pub fn is_inside_or_called(path: &Path, root: &Path, name: &str) -> bool {
    let real: PathBuf = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real.file_name().is_some_and(|own| own == name) || paths::is_really_inside(&real, root)
}

fn is_code(path: &Path) -> bool {
    walk::has_extension(path, CODE)
}

fn is_installed(path: &Path) -> bool {
    INSTALLED.iter().any(|folder| path.starts_with(folder))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_is_private_is_told_by_its_name_and_not_by_that_of_a_link() {
        let outside = tempfile::tempdir().unwrap();
        let workspace = tempfile::tempdir().unwrap();
        let (outside, root) = (outside.path(), workspace.path());
        for name in ["key", "library.h"] {
            std::fs::write(outside.join(name), "").unwrap();
            std::os::unix::fs::symlink(outside.join(name), root.join(format!("to_{name}.c")))
                .unwrap();
        }
        std::fs::write(root.join("README"), "").unwrap();
        let may = |path: &Path| may_be_read(path, root);
        assert!(!may(&outside.join("key")));
        assert!(may(&outside.join("library.h")));
        assert!(!may(&root.join("to_key.c")));
        assert!(may(&root.join("to_library.h.c")));
        assert!(may(&root.join("README")));
        assert!(may(Path::new("/usr/include/without_extension")));
        assert!(!may(Path::new("/etc/passwd")));
        assert!(may(Path::new("/elsewhere/grammar.unknown")));
    }
}
