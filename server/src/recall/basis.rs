//! The files that a result was made from, beside the sources that it is named by.

use crate::project::{Project, UnsavedTexts, content, content_and_text, namesakes};
use crate::store::ContentHash;
use crate::suppression::may_have_comments;
use crate::workspace::{AskedText, UnitBasis, Workspace, outcome};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

#[derive(Serialize, Deserialize)]
pub struct Basis {
    /// What was in them; `None` for a file that could not be read.
    files: Vec<(PathBuf, Option<ContentHash>)>,
    headers: Vec<PathBuf>,
    /// Of the headers, where compilers would have looked.
    namesakes: ContentHash,
    /// Units of which only preprocessing again tells whether they are the same, by number, and what they came to.
    uncertain: Vec<(usize, ContentHash)>,
}

impl Basis {
    /// What a program was made from, if the files still are what it was made from.
    pub fn of(
        workspace: &Workspace,
        project: &Project,
        sources: &[Option<ContentHash>],
    ) -> Option<Basis> {
        let mut known: BTreeMap<PathBuf, ContentHash> = BTreeMap::new();
        let mut headers: BTreeSet<PathBuf> = BTreeSet::new();
        let mut uncertain = Vec::new();
        let mut is_same = |path: &Path, hash: ContentHash| match known.get(path) {
            Some(before) => *before == hash,
            None => {
                known.insert(path.to_owned(), hash);
                true
            }
        };
        for (number, basis) in workspace.unit_bases().enumerate() {
            match basis {
                UnitBasis::Files(inputs) => {
                    let file = &project.units.get(number)?.file;
                    let is_unchanged = *sources.get(number)? == Some(inputs.source)
                        && is_same(file, inputs.source)
                        && inputs
                            .headers
                            .iter()
                            .all(|(path, hash)| is_same(path, *hash));
                    if !is_unchanged {
                        return None;
                    }
                    headers.extend(inputs.headers.iter().map(|(path, _)| path.clone()));
                }
                UnitBasis::Outcome(hash) => uncertain.push((number, *hash)),
            }
        }
        let asked: HashMap<PathBuf, AskedText> = workspace
            .texts()
            .asked_for()
            .into_iter()
            .map(|(file, text)| (PathBuf::from(file.as_str()), text))
            .collect();
        let files: BTreeSet<&PathBuf> = known.keys().chain(asked.keys()).collect();
        let files: Vec<&PathBuf> = files.into_iter().collect();
        let files: Option<Vec<(PathBuf, Option<ContentHash>)>> = files
            .into_par_iter()
            .map(|file| {
                let (hash, text) = content_and_text(file);
                let is_read = known.get(file).is_none_or(|known| Some(*known) == hash);
                let is_asked = asked
                    .get(file)
                    .is_none_or(|asked| is_what_was_asked(asked, text.as_deref()));
                (is_read && is_asked).then(|| (file.clone(), hash))
            })
            .collect();
        let headers: Vec<PathBuf> = headers.into_iter().collect();
        Some(Basis {
            files: files?,
            namesakes: all_namesakes(project, &headers),
            headers,
            uncertain,
        })
    }

    /// Whether a program that was made now would be made from the same.
    pub fn holds(&self, project: &Project, sources: &[Option<ContentHash>]) -> bool {
        let units = project.units.iter().map(|unit| unit.file.as_path());
        let sources: HashMap<&Path, Option<ContentHash>> =
            units.zip(sources.iter().copied()).collect();
        let files = self.files.par_iter();
        let is_same = files.all(|(path, hash)| {
            let now = sources.get(path.as_path()).copied();
            now.unwrap_or_else(|| content(path)) == *hash
        });
        is_same
            && all_namesakes(project, &self.headers) == self.namesakes
            && self.uncertain.par_iter().all(|(number, before)| {
                *number < project.units.len()
                    && outcome(&project.preprocess_one(*number, &UnsavedTexts::new())) == *before
            })
    }

    pub fn into_files(self) -> BTreeSet<PathBuf> {
        self.files.into_iter().map(|(path, _)| path).collect()
    }
}

/// Whether who asked for a text would get the same now.
fn is_what_was_asked(asked: &AskedText, now: Option<&str>) -> bool {
    match asked {
        AskedText::Text(text) => now == Some(&**text),
        AskedText::Unreadable => now.is_none(),
        AskedText::NotNeeded => now.is_none_or(|now| !may_have_comments(now)),
    }
}

fn all_namesakes(project: &Project, headers: &[PathBuf]) -> ContentHash {
    let headers = headers.iter().map(PathBuf::as_path);
    namesakes(&project.units, headers, &project.root)
}
