//! What a project consists of at one moment: the files that edits touch, and the texts that an editor has of some.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub const DATABASE: &str = "compile_commands.json";
pub const CONFIGURATION: &str = "racelens.toml";

/// Edits make another one of it, so that going back to an earlier one is an edit like any other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub root: PathBuf,
    pub disk: BTreeMap<PathBuf, Arc<str>>,
    /// Of sources only, as the text of an open header does not count before it is saved.
    pub open: BTreeMap<PathBuf, Arc<str>>,
}

impl State {
    /// The text of a file as who edits it sees it.
    pub fn text(&self, file: &Path) -> &str {
        let text = self.open.get(file).or_else(|| self.disk.get(file));
        text.map_or("", |text| text)
    }

    /// Gives a file another text, in the editor if it is open there.
    pub fn set_text(&mut self, file: &Path, text: String) {
        let texts = match self.open.contains_key(file) {
            true => &mut self.open,
            false => &mut self.disk,
        };
        texts.insert(file.to_owned(), text.into());
    }

    pub fn remove(&mut self, file: &Path) {
        self.open.remove(file);
        self.disk.remove(file);
    }

    pub fn database(&self) -> PathBuf {
        self.root.join(DATABASE)
    }

    pub fn configuration(&self) -> PathBuf {
        self.root.join(CONFIGURATION)
    }

    /// Sources and headers.
    pub fn c_files(&self) -> Vec<&PathBuf> {
        let is_c = |file: &&PathBuf| ["c", "h"].map(Some).contains(&extension(file));
        self.disk.keys().filter(is_c).collect()
    }

    pub fn sources(&self) -> Vec<&PathBuf> {
        let files = self.disk.keys();
        files.filter(|file| extension(file) == Some("c")).collect()
    }

    pub fn headers(&self) -> Vec<&PathBuf> {
        let files = self.disk.keys();
        files.filter(|file| extension(file) == Some("h")).collect()
    }

    /// The files that are not what they are in another state, on the disk.
    pub fn changed_on_disk(&self, other: &State) -> BTreeSet<PathBuf> {
        changed(&self.disk, &other.disk)
    }

    /// The files that an editor has another text of, or has opened or closed.
    pub fn changed_in_editor(&self, other: &State) -> BTreeSet<PathBuf> {
        changed(&self.open, &other.open)
    }

    /// Writes to the disk what is not there as it was in an earlier state.
    pub fn write_after(&self, earlier: &State) -> io::Result<()> {
        for file in self.changed_on_disk(earlier) {
            match self.disk.get(&file) {
                Some(text) => std::fs::write(&file, &**text)?,
                None => std::fs::remove_file(&file)?,
            }
        }
        Ok(())
    }
}

fn extension(file: &Path) -> Option<&str> {
    file.extension().and_then(|extension| extension.to_str())
}

fn changed(
    one: &BTreeMap<PathBuf, Arc<str>>,
    other: &BTreeMap<PathBuf, Arc<str>>,
) -> BTreeSet<PathBuf> {
    let files = one.keys().chain(other.keys());
    let is_changed = |file: &&PathBuf| one.get(*file) != other.get(*file);
    files.filter(is_changed).cloned().collect()
}
