//! Keeps a program that was read up to date while its files change.

use super::{Opened, Past, ReadUnit, Workspace, read_unit};
use crate::project::{self, LoadOptions, Project, UnsavedTexts};
use racelens_analysis::host::{Change, UnitChange};
use rayon::prelude::*;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use ustr::Ustr;

/// Units that were preprocessed again and are not part of the program yet.
#[derive(Default)]
pub struct ReadAgain(Vec<(usize, UnitText)>);

type UnitText = (ReadUnit, Option<Arc<str>>);

impl Workspace {
    /// Takes an editor's text in place of a file's, or, with `None`, the file's own again. What depends on it
    /// changes with the next `reread`.
    pub fn set_unsaved(&mut self, file: &Path, text: Option<Arc<str>>) {
        self.texts.sources.set_unsaved(file, text);
    }

    /// Reads again every unit that is made from one of these files. Returns how many there are.
    pub fn reread(&mut self, changed: &BTreeSet<PathBuf>) -> usize {
        let read = self.preprocess_again(changed);
        self.take(read)
    }

    /// The first half of `reread`, in which the preprocessor runs.
    pub fn preprocess_again(&mut self, changed: &BTreeSet<PathBuf>) -> ReadAgain {
        for file in changed {
            self.texts.sources.forget(file);
        }
        let Some(project) = &self.project else {
            return ReadAgain::default();
        };
        let headers = changed.iter();
        let including: HashSet<Ustr> = headers
            .flat_map(|file| self.header_uses.units_of(file))
            .collect();
        project.look_again_for(changed);
        let new = self.new_headers(project, changed);
        if !new.is_empty() {
            project.forget_preprocessed();
        }
        let is_touched = |index: &usize| {
            let unit = &self.read_units[*index];
            including.contains(&unit.name)
                || changed.contains(&project.units[*index].file)
                || new.iter().any(|file| unit.may_find(file))
        };
        let touched = (0..project.units.len()).filter(is_touched);
        let touched: Vec<usize> = touched.collect();
        let unsaved = &self.texts.sources.unsaved;
        let results = self.pool.install(|| {
            let touched = touched.into_par_iter();
            touched
                .map(|index| {
                    let result = project.preprocess_one(index, unsaved);
                    (index, read_unit(&project.units, index, result))
                })
                .collect()
        });
        ReadAgain(results)
    }

    /// Of these files, those that nothing has included so far, and that something may include now.
    fn new_headers<'f>(
        &self,
        project: &Project,
        changed: &'f BTreeSet<PathBuf>,
    ) -> Vec<&'f PathBuf> {
        let is_new = |file: &&PathBuf| {
            !self.header_uses.contains(file)
                && project.units_of(file).is_empty()
                && self.read_units.iter().any(|unit| unit.may_find(file))
        };
        changed.iter().filter(is_new).collect()
    }

    /// The second half of `reread`. Nothing else may have changed the program in between.
    pub fn take(&mut self, read: ReadAgain) -> usize {
        let ReadAgain(results) = read;
        if self.project.is_none() {
            return 0;
        }
        let count = results.len();
        self.past.is_edited |= count > 0;
        let mut change = Change::default();
        for (index, (mut unit, text)) in results {
            let before = &self.read_units[index];
            match text {
                Some(text) => change.units.push(unit.change(text)),
                None => {
                    // The headers are what may make it readable again.
                    unit.headers.clone_from(&before.headers);
                    unit.missing.clone_from(&before.missing);
                    if before.is_read {
                        change.units.push(gone_unit(unit.name));
                    }
                }
            }
            unit.adoption.clone_from(&before.adoption);
            if !unit.includes_as(before) {
                self.header_uses.remove(before);
                self.header_uses.add(&unit);
            }
            self.read_units[index] = unit;
        }
        self.apply(change);
        count
    }

    /// The name by which the program knows a file, be it a unit or a header, also if it is named through a symbolic link.
    pub fn name_of(&self, file: &Path) -> Option<PathBuf> {
        // Asking the disk where a link leads takes longer than both.
        if self.header_uses.contains(file) {
            return Some(file.to_owned());
        }
        let project = self.project.as_ref()?;
        let units = project.units_of(file);
        match project.units[units].first() {
            Some(unit) => Some(unit.file.clone()),
            None => self.header_uses.name_of(file),
        }
    }

    /// The program's own files: its units, and the headers that lie in the project.
    pub fn own_files(&self) -> BTreeSet<PathBuf> {
        let Some(project) = &self.project else {
            return BTreeSet::new();
        };
        let units = project.units.iter().map(|unit| &unit.file);
        let headers = self.read_units.iter().flat_map(|unit| &unit.headers);
        let headers = headers.filter(|header| header.starts_with(&project.root));
        units.chain(headers).cloned().collect()
    }

    /// Takes a file that no compile command names into the program, with the flags of its neighbours.
    pub fn adopt(&mut self, file: &Path) {
        let Some(project) = &mut self.project else {
            return;
        };
        let (unit, note) = project.adopt(file);
        let index = project.add(unit);
        let result = project.preprocess_one(index, &self.texts.sources.unsaved);
        let (mut unit, text) = read_unit(&project.units, index, result);
        unit.adoption = Some(note);
        let change = Change {
            units: text.map(|text| unit.change(text)).into_iter().collect(),
        };
        self.header_uses.add(&unit);
        self.read_units.insert(index, unit);
        self.apply(change);
    }

    /// Gives up the files that were adopted, unless they are among these and nothing includes them.
    pub fn give_up_adopted(&mut self, but: &UnsavedTexts) {
        let Some(project) = &mut self.project else {
            return;
        };
        let mut change = Change::default();
        let mut included = BTreeSet::new();
        for index in (0..self.read_units.len()).rev() {
            if self.read_units[index].adoption.is_none() {
                continue;
            }
            let file = &project.units[index].file;
            if but.contains_key(file) {
                let Some(name) = self.header_uses.name_of(file) else {
                    continue;
                };
                included.insert((file.clone(), name));
            }
            project.units.remove(index);
            let unit = self.read_units.remove(index);
            self.header_uses.remove(&unit);
            change.units.push(gone_unit(unit.name));
        }
        if !change.units.is_empty() {
            self.apply(change);
        }
        if !included.is_empty() {
            // Whoever includes a file has of it what lies on the disk.
            for (file, _) in &included {
                self.set_unsaved(file, None);
            }
            let names = included.into_iter().map(|(_, name)| name);
            self.reread(&names.collect());
        }
    }

    /// Reads the project anew, because what describes it has changed, with the texts that an editor has open in the folder.
    /// Functions that are the same keep their results.
    pub fn reload(&mut self, options: &LoadOptions, open: &UnsavedTexts, folder: &Path) {
        let before: HashSet<Ustr> = self.read_units.iter().map(|unit| unit.name).collect();
        let Opened {
            project,
            notes,
            models,
            models_hash,
            ..
        } = Opened::new(options);
        // Not those of before: the program would be for a moment what nobody has written, and functions of that could stay known.
        self.texts.sources.unsaved = unsaved_units(&project, open);
        let unsaved = &self.texts.sources.unsaved;
        let numbers: Vec<usize> = (0..project.units.len()).collect();
        let results: Vec<_> = self.pool.install(|| {
            let numbers = numbers.into_par_iter();
            numbers
                .map(|index| project.preprocess_one(index, unsaved))
                .collect()
        });
        let mut change = Change::default();
        self.read_units.clear();
        self.header_uses.clear();
        for (index, result) in results.into_iter().enumerate() {
            let (unit, text) = read_unit(&project.units, index, result);
            change.units.extend(text.map(|text| unit.change(text)));
            self.header_uses.add(&unit);
            self.read_units.push(unit);
        }
        let after: HashSet<Ustr> = change.units.iter().map(|unit| unit.path).collect();
        let mut gone: Vec<Ustr> = before.difference(&after).copied().collect();
        gone.sort();
        change.units.extend(gone.into_iter().map(gone_unit));
        self.texts.sources.forget_all();
        self.project = Some(project);
        self.models = models;
        self.models_hash = models_hash;
        self.project_notes = notes;
        self.past = Past { is_edited: true };
        self.apply(change);
        self.adopt_open(open, folder);
    }
}

/// The open texts that are not those on the disk, of files that the project compiles.
fn unsaved_units(project: &Project, open: &UnsavedTexts) -> UnsavedTexts {
    let unsaved = open.iter().filter_map(|(path, text)| {
        let unit = project.units[project.units_of(path)].first()?;
        let is_saved = project::read_source(&unit.file).is_some_and(|saved| *saved == **text);
        (!is_saved).then(|| (unit.file.clone(), text.clone()))
    });
    unsaved.collect()
}

impl ReadUnit {
    /// Whether it is the same unit, with the same headers in their order.
    fn includes_as(&self, other: &ReadUnit) -> bool {
        // Paths are compared part by part, which takes long.
        let same = |(one, other): (&PathBuf, &PathBuf)| one.as_os_str() == other.as_os_str();
        self.name == other.name
            && self.headers.len() == other.headers.len()
            && self.headers.iter().zip(&other.headers).all(same)
    }

    /// Whether a file that has come or gone may be one that it includes: what was missing, or what stands in front of
    /// a header of the same name.
    fn may_find(&self, file: &Path) -> bool {
        let name = file.file_name();
        let asked = self.missing.iter().map(Path::new);
        let headers = self.headers.iter().map(PathBuf::as_path);
        asked
            .chain(headers)
            .any(|header| header.file_name() == name)
    }
}

fn gone_unit(path: Ustr) -> UnitChange {
    UnitChange {
        path,
        text: None,
        data_model: racelens_analysis::frontend::layout::DataModel::LP64,
    }
}
