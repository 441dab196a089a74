//! Decides which compiler preprocesses a file.
//!
//! Opening a workspace must never run a program that the workspace chose. So only names that are
//! compilers' are looked up, only in those directories of `PATH` that lie outside the workspace, and a
//! program elsewhere runs only if the user named it on the command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::paths;

/// A program that may be run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Compiler {
    /// Absolute, but not resolved further: a compiler may depend on the name it is called by.
    pub path: PathBuf,
}

impl Compiler {
    /// A run of the compiler in an environment that nobody else has set: variables such as `GCC_EXEC_PREFIX`
    /// choose programs, and others write files.
    pub fn command(&self, search_path: &[PathBuf]) -> Command {
        let mut command = Command::new(&self.path);
        command
            .env_clear()
            .env("LC_ALL", "C")
            // `__DATE__` and `__TIME__` must not make every run differ from the last.
            .env("SOURCE_DATE_EPOCH", "0");
        if let Ok(search_path) = std::env::join_paths(search_path) {
            command.env("PATH", search_path);
        }
        // Compiler caches that are installed under a compiler's name want it.
        if let Some(home) = std::env::var_os("HOME") {
            command.env("HOME", home);
        }
        command
    }
}

/// Finds compilers for one project.
#[derive(Debug)]
pub struct CompilerFinder {
    root: PathBuf,
    search: Vec<PathBuf>,
    /// Absolute paths that the user, not the workspace, allowed.
    trusted: Vec<PathBuf>,
}

/// Names that are tried when a command names no usable compiler.
const FALLBACKS: &[&str] = &["cc", "gcc", "clang"];

/// Programs that only start the compiler which is their first argument.
const WRAPPERS: &[&str] = &["ccache", "sccache", "distcc", "icecc", "gomacc"];

impl CompilerFinder {
    /// Searches the directories of `path_variable`, leaving out those that are empty, relative or
    /// inside `root`: the workspace could have put a program there.
    pub fn new(
        root: &Path,
        path_variable: Option<OsString>,
        trusted: &[PathBuf],
    ) -> CompilerFinder {
        let search = path_variable
            .map(|value| std::env::split_paths(&value).collect::<Vec<_>>())
            .unwrap_or_default()
            .into_iter()
            .filter(|directory| {
                directory.is_absolute() && !paths::is_really_inside(directory, root)
            })
            .collect();
        CompilerFinder {
            root: root.to_owned(),
            search,
            trusted: trusted.to_vec(),
        }
    }

    /// The directories that are searched; also the `PATH` that a compiler gets to see.
    pub fn search_path(&self) -> &[PathBuf] {
        &self.search
    }

    /// The compiler of that name, or at that path if the user trusts it.
    pub fn find(&self, name: &str) -> Option<Compiler> {
        let path = Path::new(name);
        if path.is_absolute()
            && let Some(trusted) = self
                .trusted
                .iter()
                .find(|trusted| is_same_file(trusted, path))
        {
            return Some(Compiler {
                path: trusted.clone(),
            });
        }
        let base = path.file_name()?.to_str()?;
        if !is_compiler_name(base) {
            return None;
        }
        self.search
            .iter()
            .map(|directory| directory.join(base))
            .find(|candidate| {
                is_executable(candidate) && !paths::is_really_inside(candidate, &self.root)
            })
            .map(|path| Compiler { path })
    }

    /// The compiler that the user names, which may be any program: a path, or a name in `PATH`.
    pub fn find_for_user(&self, program: &Path) -> Option<Compiler> {
        if program.is_absolute() {
            return is_executable(program).then(|| Compiler {
                path: program.to_owned(),
            });
        }
        self.search
            .iter()
            .map(|directory| directory.join(program))
            .find(|candidate| is_executable(candidate))
            .map(|path| Compiler { path })
    }

    /// The compiler for files of which no command is known.
    pub fn fallback(&self) -> Option<Compiler> {
        FALLBACKS.iter().find_map(|name| self.find(name))
    }

    /// Whether the user allowed this very program.
    pub fn trusts(&self, path: &Path) -> bool {
        self.trusted
            .iter()
            .any(|trusted| is_same_file(trusted, path))
    }
}

/// The compiler that a command names, and the arguments after it.
pub fn compiler_of(command: &[String]) -> Option<(&str, &[String])> {
    let (first, rest) = command.split_first()?;
    let is_wrapper = WRAPPERS.contains(&base_name(first));
    // `ccache -c a.c` has no compiler of its own after the wrapper; only a further word is one.
    match rest.first() {
        Some(next) if is_wrapper && !next.starts_with('-') => compiler_of(rest),
        _ => Some((first, rest)),
    }
}

/// Whether `name` is `cc`, `gcc`, `clang`, perhaps with a version (`gcc-12`, `clang-18.1`) and
/// perhaps for another machine (`arm-linux-gnueabihf-gcc`).
pub fn is_compiler_name(name: &str) -> bool {
    let without_version = match name.rsplit_once('-') {
        Some((front, version)) if is_version(version) => front,
        _ => name,
    };
    let (machine, driver) = match without_version.rsplit_once('-') {
        Some((machine, driver)) => (Some(machine), driver),
        None => (None, without_version),
    };
    matches!(driver, "cc" | "gcc" | "clang") && machine.is_none_or(is_machine)
}

/// Whether a command that starts this program compiles C++ whatever the file is called.
pub fn is_cplusplus_driver(program: &str) -> bool {
    base_name(program).contains("++")
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

fn is_version(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

fn is_machine(text: &str) -> bool {
    text.split('-').all(|part| {
        !part.is_empty()
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
    })
}

fn is_same_file(left: &Path, right: &Path) -> bool {
    left == right
        || match (left.canonicalize(), right.canonicalize()) {
            (Ok(left), Ok(right)) => left == right,
            _ => false,
        }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_names_of_c_compilers_are_allowed() {
        for name in [
            "cc",
            "gcc",
            "clang",
            "gcc-12",
            "clang-18.1",
            "arm-linux-gnueabihf-gcc",
            "x86_64-linux-gnu-gcc-12",
        ] {
            assert!(is_compiler_name(name), "{name}");
        }
        for name in [
            "sh", "gcc.sh", "gccx", "g++", "clang++", "evil", "-gcc", "../gcc", "a/gcc", "gcc-",
            "gcc-x", "",
        ] {
            assert!(!is_compiler_name(name), "{name}");
        }
    }

    #[test]
    fn wrappers_are_skipped() {
        for (command, expected) in [
            ("gcc -c a.c", "gcc"),
            ("ccache gcc -c a.c", "gcc"),
            ("/usr/bin/ccache distcc clang -c a.c", "clang"),
            ("ccache -c a.c", "ccache"),
        ] {
            let command = shlex::split(command).unwrap();
            assert_eq!(compiler_of(&command).unwrap().0, expected);
        }
        assert!(compiler_of(&[]).is_none());
    }

    #[cfg(unix)]
    #[test]
    fn programs_of_the_workspace_are_never_found() {
        use std::os::unix::fs::PermissionsExt;
        let outside = tempfile::tempdir().unwrap();
        let workspace = tempfile::tempdir().unwrap();
        let program = |directory: &Path| {
            let path = directory.join("gcc");
            std::fs::write(&path, "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            path
        };
        let inside = program(workspace.path());
        let search = |directories: &[&Path]| Some(std::env::join_paths(directories).unwrap());

        let finder = CompilerFinder::new(
            workspace.path(),
            search(&[workspace.path(), Path::new("."), Path::new("")]),
            &[],
        );
        assert_eq!(finder.find("gcc"), None);
        assert_eq!(finder.search_path(), Vec::<PathBuf>::new());

        // A link outside that leads inside is the workspace's program all the same.
        std::os::unix::fs::symlink(&inside, outside.path().join("gcc")).unwrap();
        let finder = CompilerFinder::new(workspace.path(), search(&[outside.path()]), &[]);
        assert_eq!(finder.find("gcc"), None);
        assert_eq!(finder.find(inside.to_str().unwrap()), None);

        std::fs::remove_file(outside.path().join("gcc")).unwrap();
        let found = program(outside.path());
        let finder = CompilerFinder::new(
            workspace.path(),
            search(&[workspace.path(), outside.path()]),
            &[],
        );
        assert_eq!(
            finder.find("/elsewhere/gcc").map(|compiler| compiler.path),
            Some(found)
        );

        // The user's own word is enough.
        let finder = CompilerFinder::new(workspace.path(), None, std::slice::from_ref(&inside));
        assert_eq!(
            finder
                .find(inside.to_str().unwrap())
                .map(|compiler| compiler.path),
            Some(inside)
        );
    }
}
