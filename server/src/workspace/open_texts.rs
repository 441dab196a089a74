//! Keeps a program up to date for an editor, whose texts take the place of what lies on the disk.

use super::Workspace;
use crate::project::UnsavedTexts;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

impl Workspace {
    /// Takes in what has changed, on the disk or among the editor's texts. Only saved text of headers counts, because a
    /// compiler reads it. What is open in the folder belongs to the program as long as it is, even if no compile command names it.
    pub fn update(&mut self, changed: &BTreeSet<PathBuf>, open: &UnsavedTexts, folder: &Path) {
        let mut touched = BTreeSet::new();
        for path in changed {
            let name = self.name_of(path).unwrap_or_else(|| path.clone());
            let text = open.get(path);
            let project = self.project.as_ref();
            let is_unit = project.is_some_and(|project| !project.units_of(&name).is_empty());
            // A file that is no unit any more may become one again, with another text.
            if is_unit || text.is_none() {
                self.set_unsaved(&name, text.cloned());
            }
            touched.insert(name);
        }
        // First what is read again: each reading takes the lines that have moved, and only they know where theirs went.
        self.reread(&touched);
        self.give_up_adopted(open);
        self.adopt_open(open, folder);
    }

    /// Takes in the sources that are open in the folder and that no compile command names.
    pub(super) fn adopt_open(&mut self, open: &UnsavedTexts, folder: &Path) {
        let is_source = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "c");
        let mut new: Vec<&PathBuf> = open
            .keys()
            .filter(|path| path.starts_with(folder) && is_source(path))
            .filter(|path| self.name_of(path).is_none())
            .collect();
        new.sort();
        for path in new {
            self.set_unsaved(path, Some(open[path].clone()));
            self.adopt(path);
        }
    }
}
