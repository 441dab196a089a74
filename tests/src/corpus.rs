//! Finds the fixtures of the corpus on disk.

use std::fs;
use std::path::{Path, PathBuf};

use crate::fixture::{Program, SourceFile};

/// A fixture together with the folder that its file names are relative to.
#[derive(Debug, Clone)]
pub struct CorpusEntry {
    pub program: Program,
    pub folder: PathBuf,
}

/// Everything in a corpus that parses, and in words everything that does not.
#[derive(Debug, Default)]
pub struct Corpus {
    pub entries: Vec<CorpusEntry>,
    pub errors: Vec<String>,
}

/// The annotated programs that come with this crate.
pub fn corpus() -> Corpus {
    read_corpus(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"))
}

/// Reads `family/idiom.c` and `family/idiom/*.{c,h}` below `root`, sorted by name.
pub fn read_corpus(root: &Path) -> Corpus {
    let mut corpus = Corpus::default();
    for family in sorted_entries(root) {
        if !family.is_dir() {
            corpus.errors.push(format!(
                "{}: only family folders belong here",
                file_name(&family)
            ));
            continue;
        }
        for idiom in sorted_entries(&family) {
            let name = format!("{}/{}", file_name(&family), file_stem(&idiom));
            let (folder, paths) = if idiom.is_dir() {
                (idiom.clone(), sorted_entries(&idiom))
            } else {
                (family.clone(), vec![idiom])
            };
            corpus.read_program(&name, folder, &paths);
        }
    }
    corpus
}

impl Corpus {
    fn read_program(&mut self, name: &str, folder: PathBuf, paths: &[PathBuf]) {
        let mut files = Vec::new();
        for path in paths {
            let is_c = path
                .extension()
                .is_some_and(|extension| extension == "c" || extension == "h");
            match fs::read_to_string(path) {
                Ok(text) if is_c => files.push(SourceFile {
                    path: file_name(path),
                    text,
                }),
                Ok(_) => self
                    .errors
                    .push(format!("{name}: {} is no C file", file_name(path))),
                Err(error) => self
                    .errors
                    .push(format!("{name}: {}: {error}", file_name(path))),
            }
        }
        match Program::parse(name, files) {
            Ok(program) => self.entries.push(CorpusEntry { program, folder }),
            Err(errors) => {
                let described = errors.iter().map(|error| format!("{name}: {error}"));
                self.errors.extend(described);
            }
        }
    }
}

fn sorted_entries(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn file_stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_a_folder_are_one_program_each() {
        let root = tempfile::tempdir().unwrap();
        let family = root.path().join("family");
        fs::create_dir_all(family.join("split")).unwrap();
        fs::write(family.join("alone.c"), "// Stands alone.\n").unwrap();
        fs::write(
            family.join("split/a.c"),
            "// One half.\nx++; //~ w: race(r)\n",
        )
        .unwrap();
        fs::write(family.join("split/b.h"), "// Other half.\ny = x; //~ r:\n").unwrap();
        let corpus = read_corpus(root.path());
        let names: Vec<&str> = corpus
            .entries
            .iter()
            .map(|entry| entry.program.name.as_str())
            .collect();
        assert_eq!(names, ["family/alone", "family/split"]);
        assert_eq!(corpus.entries[1].program.files.len(), 2);
        assert!(corpus.errors.is_empty(), "{:?}", corpus.errors);
    }

    #[test]
    fn stray_files_and_mistakes_are_errors() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("family")).unwrap();
        fs::write(root.path().join("stray.c"), "").unwrap();
        fs::write(root.path().join("family/notes.md"), "notes").unwrap();
        fs::write(
            root.path().join("family/bad.c"),
            "// Bad one.\n//~ race(nowhere)\n",
        )
        .unwrap();
        let errors = read_corpus(root.path()).errors.join("\n");
        assert!(errors.contains("stray.c: only family folders"), "{errors}");
        assert!(errors.contains("notes.md is no C file"), "{errors}");
        assert!(
            errors.contains("family/bad: bad.c:2: unknown label `nowhere`"),
            "{errors}"
        );
    }
}
