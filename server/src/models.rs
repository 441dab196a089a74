//! Reads the model files that a project names.

use crate::project::regular_file::{self, MOST_OF_A_SETTING};
use crate::project::{Note, Place};
use crate::store::{ContentHash, PartsHasher};
use racelens_analysis::models::Models;
use std::path::{Path, PathBuf};

/// What library functions do, as the program's analysis gets to know it.
pub struct LoadedModels {
    pub models: Models,
    pub notes: Vec<Note>,
    /// Of the files, as far as they could be read.
    pub hash: ContentHash,
}

/// The built-in models and those of the files. A file with a mistake is left out, and each mistake
/// is a note with its place.
pub fn load(files: &[PathBuf]) -> LoadedModels {
    let mut models = Models::builtin().clone();
    let mut notes = Vec::new();
    let mut hasher = PartsHasher::new("models");
    for file in files {
        let text = match regular_file::read_text(file, MOST_OF_A_SETTING) {
            Ok(text) => text,
            Err(error) => {
                notes.push(
                    Note::error(format!("the model file cannot be read: {error}"))
                        .at(Place::start_of(file))
                        .with_help("check `files` under [models] in racelens.toml"),
                );
                continue;
            }
        };
        hasher.path(file).text(&text);
        match models.extended(&[(file.to_string_lossy(), text)]) {
            Ok(extended) => models = extended,
            Err(errors) => notes.extend(errors.into_iter().map(|error| {
                Note::error(error.message)
                    .at(Place::new(Path::new(&error.file), error.line, error.column))
                    .with_help(error.help)
            })),
        }
    }
    LoadedModels {
        models,
        notes,
        hash: hasher.finish(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_adds_to_the_built_in_models_and_a_wrong_one_is_named() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let good = folder.path().join("good.toml");
        let bad = folder.path().join("bad.toml");
        let model =
            "[[model]]\nfunctions = [\"os_lock\"]\neffects = [{ acquire = { lock = \"arg0\" } }]\n";
        std::fs::write(&good, model).expect("written");
        std::fs::write(&bad, model.replace("acquire", "aquire")).expect("written");
        let LoadedModels { models, notes, .. } =
            load(&[good, bad.clone(), folder.path().join("gone.toml")]);
        assert!(
            models.lookup("os_lock").is_some() && models.lookup("pthread_mutex_lock").is_some()
        );
        let shown: Vec<String> = notes.iter().map(|note| note.to_string()).collect();
        assert_eq!(notes.len(), 2, "{shown:?}");
        assert!(
            shown[0].starts_with(&format!("{}:3:", bad.display())),
            "{}",
            shown[0]
        );
        assert!(shown[0].contains("acquire"), "{}", shown[0]);
    }
}
