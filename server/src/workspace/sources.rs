//! The program's source files as the user wrote them: from disk, or as an editor has them.

use super::line_change::LineChange;
use super::line_moves::LineMoves;
use crate::project::{self, UnsavedTexts};
use racelens_analysis::host::SourceFile;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use ustr::Ustr;

/// Source files by path, read when they are asked for.
pub(super) struct Sources {
    files: Mutex<HashMap<Ustr, Option<Arc<SourceFile>>>>,
    /// Texts that somebody looks through at every check, if there is something for him in them.
    relevant: Mutex<HashMap<Ustr, Option<Arc<str>>>>,
    /// What changed files were when the program was last read.
    replaced: Mutex<HashMap<Ustr, Option<Arc<SourceFile>>>>,
    /// What an editor has not written to disk yet.
    pub unsaved: UnsavedTexts,
}

/// What somebody who asked for a file's text has got.
pub enum AskedText {
    Text(Arc<str>),
    Unreadable,
    /// It could not be read, or was not relevant.
    NotNeeded,
}

impl Sources {
    pub fn new() -> Sources {
        Sources {
            files: Mutex::default(),
            relevant: Mutex::default(),
            replaced: Mutex::default(),
            unsaved: UnsavedTexts::new(),
        }
    }

    pub fn get(&self, file: Ustr) -> Option<Arc<SourceFile>> {
        let mut files = locked(&self.files);
        files
            .entry(file)
            .or_insert_with(|| Some(Arc::new(SourceFile::new(self.read(file)?))))
            .clone()
    }

    /// Of these files, the texts that somebody has found relevant, and the files in which nobody has looked yet.
    pub fn known_to_be_relevant(&self, files: HashSet<Ustr>) -> (Vec<(Ustr, Arc<str>)>, Vec<Ustr>) {
        let relevant = locked(&self.relevant);
        let mut texts = Vec::new();
        let mut unknown = Vec::new();
        for file in files {
            match relevant.get(&file) {
                Some(text) => texts.extend(text.clone().map(|text| (file, text))),
                None => unknown.push(file),
            }
        }
        (texts, unknown)
    }

    /// The text of a file if it is relevant, which must mean the same at every call.
    pub fn text_if(&self, file: Ustr, is_relevant: fn(&str) -> bool) -> Option<Arc<str>> {
        if let Some(known) = locked(&self.relevant).get(&file) {
            return known.clone();
        }
        let text = self.read(file).filter(|text| is_relevant(text));
        locked(&self.relevant).insert(file, text.clone());
        text
    }

    pub fn set_unsaved(&mut self, file: &Path, text: Option<Arc<str>>) {
        match text {
            Some(text) => self.unsaved.insert(file.to_owned(), text),
            None => self.unsaved.remove(file),
        };
        self.forget(file);
    }

    /// The file may have other text now.
    pub fn forget(&mut self, file: &Path) {
        let file = super::path_name(file);
        let before = locked(&self.files).remove(&file).flatten();
        locked(&self.replaced).entry(file).or_insert(before);
        locked(&self.relevant).remove(&file);
    }

    /// Any file may have other text now.
    pub fn forget_all(&mut self) {
        let mut replaced = locked(&self.replaced);
        for (file, before) in locked(&self.files).drain() {
            replaced.entry(file).or_insert(before);
        }
        locked(&self.relevant).clear();
    }

    /// Every file that somebody has asked for.
    pub fn asked_for(&self) -> BTreeMap<Ustr, AskedText> {
        let relevant = locked(&self.relevant);
        let relevant = relevant.iter().map(|(file, text)| {
            let text = text.clone();
            (*file, text.map_or(AskedText::NotNeeded, AskedText::Text))
        });
        let mut asked: BTreeMap<Ustr, AskedText> = relevant.collect();
        for (file, source) in locked(&self.files).iter() {
            let text = source.as_ref().map(|source| source.text().into());
            asked.insert(*file, text.map_or(AskedText::Unreadable, AskedText::Text));
        }
        asked
    }

    /// What has changed in files since the last call; `None` for a file of which that is not known.
    pub fn take_changes(&self) -> LineMoves {
        let replaced = std::mem::take(&mut *locked(&self.replaced));
        let changes = replaced.into_iter().filter_map(|(file, before)| {
            let Some((before, now)) = before.zip(self.get(file)) else {
                return Some((file, None));
            };
            let change = LineChange::between(before.text(), now.text())?;
            Some((file, Some(change)))
        });
        LineMoves::new(changes.collect())
    }

    /// The same text as the preprocessor got, also where it is not UTF-8.
    fn read(&self, file: Ustr) -> Option<Arc<str>> {
        let path = Path::new(file.as_str());
        match self.unsaved.get(path) {
            Some(text) => Some(text.clone()),
            None => project::read_source(path).map(Into::into),
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}
