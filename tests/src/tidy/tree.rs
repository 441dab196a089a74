//! Walks the repository: every text file that belongs to it, without what `.gitignore` names.

use std::fs;
use std::path::{Path, PathBuf};

/// A text file of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryFile {
    /// Relative to the root, with `/` between folders.
    pub path: String,
    pub text: String,
}

/// The folder of the workspace that holds this crate.
pub fn workspace_root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = manifest.parent().unwrap_or(manifest);
    root.to_path_buf()
}

/// All text files below `root`, sorted by path.
pub fn repository_files(root: &Path) -> Vec<RepositoryFile> {
    let mut ignored = vec![".git".to_owned()];
    let gitignore = fs::read_to_string(root.join(".gitignore")).unwrap_or_default();
    let entries = gitignore
        .lines()
        .map(|line| line.trim().trim_end_matches('/'));
    ignored.extend(entries.filter(|line| !line.is_empty()).map(str::to_owned));
    let mut files = Vec::new();
    collect(root, "", &ignored, &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn collect(folder: &Path, prefix: &str, ignored: &[String], files: &mut Vec<RepositoryFile>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if ignored
            .iter()
            .any(|pattern| matches_pattern(pattern, &path, &name))
        {
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => {
                collect(&entry.path(), &format!("{path}/"), ignored, files);
            }
            Ok(kind) if kind.is_file() => {
                // What is not text (an image, an archive) has no lines to check.
                if let Ok(text) = fs::read_to_string(entry.path()) {
                    files.push(RepositoryFile { path, text });
                }
            }
            _ => {}
        }
    }
}

/// The forms that a small `.gitignore` needs: `/from/the/root`, `any_name` and `*.extension`.
fn matches_pattern(pattern: &str, path: &str, name: &str) -> bool {
    if let Some(rooted) = pattern.strip_prefix('/') {
        rooted == path
    } else if let Some(ending) = pattern.strip_prefix('*') {
        name.ends_with(ending)
    } else {
        pattern == name || pattern == path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_folders_and_binary_files_are_left_out() {
        let root = tempfile::tempdir().unwrap();
        for folder in [".git", "target", "src/target", "node_modules"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        fs::write(
            root.path().join(".gitignore"),
            "/target\nnode_modules/\n*.log\n",
        )
        .unwrap();
        for file in [
            ".git/a",
            "target/a",
            "node_modules/a",
            "a.log",
            "src/target/kept.rs",
        ] {
            fs::write(root.path().join(file), "text").unwrap();
        }
        fs::write(root.path().join("image"), [0xff, 0xfe]).unwrap();
        let paths: Vec<String> = repository_files(root.path())
            .into_iter()
            .map(|file| file.path)
            .collect();
        assert_eq!(paths, [".gitignore", "src/target/kept.rs"]);
    }

    #[test]
    fn this_file_is_part_of_the_repository() {
        let files = repository_files(&workspace_root());
        assert!(
            files
                .iter()
                .any(|file| file.path == "tests/src/tidy/tree.rs")
        );
    }
}
