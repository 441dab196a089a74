//! What a check found in a program, kept on disk, for as long as the program is the same.
//!
//! A result is named by everything that is known before a file is read: the build of Racelens, how each unit is
//! preprocessed and by which compiler, the options, the models, what was to say about the project; and by the content of
//! every source file. The entry says which other files took part (headers, files that `#line` names) and what was in them. So
//! a result is recalled by reading each file once, without preprocessing or parsing any.
//!
//! Content is compared, not times of files: reading all files of a program takes some milliseconds, and no clock can
//! make a result look newer than it is.

mod basis;

use crate::project::{self, Note, Project};
use crate::race_options::RaceOptions;
use crate::report::Report;
use crate::store::{ContentHash, Kind, PartsHasher};
use crate::workspace::{Opened, Workspace};
use basis::Basis;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A report that an earlier run has made of the same program.
pub struct Recalled {
    pub report: Report,
    /// All files that the program consists of.
    pub files: BTreeSet<PathBuf>,
}

/// How much a report says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Full,
    Brief,
}

#[derive(Deserialize)]
struct Kept {
    basis: Basis,
    report: Report,
}

#[derive(Serialize)]
struct Keeping<'k> {
    basis: &'k Basis,
    report: &'k Report,
}

/// The report of an earlier run, with what was to say about reading the program, if nothing that it depends on
/// has changed.
pub fn recall(opened: &Opened, options: &RaceOptions, detail: Detail) -> Option<Recalled> {
    let store = opened.project.store.as_ref()?;
    let program = Program {
        project: &opened.project,
        notes: &opened.notes,
        models: opened.models_hash,
    };
    let sources = program.sources();
    let name = program.name(&sources, options, detail)?;
    let bytes = store.get(Kind::Report, &name)?;
    let kept: Kept = postcard::from_bytes(&bytes).ok()?;
    if !kept.basis.holds(&opened.project, &sources) {
        return None;
    }
    let mut report = kept.report;
    report.stats.seconds = opened.started.elapsed().as_secs_f64();
    Some(Recalled {
        report,
        files: kept.basis.into_files(),
    })
}

/// Keeps the report of a program for the next run. It must say all that is to say about the program, and nothing that
/// depends on anything else, such as what the user wants to see of it.
pub fn remember(workspace: &Workspace, options: &RaceOptions, detail: Detail, report: &Report) {
    let Some(project) = &workspace.project else {
        return;
    };
    let Some(store) = &project.store else {
        return;
    };
    if !workspace.is_as_on_disk() {
        return;
    }
    let program = Program {
        project,
        notes: workspace.project_notes(),
        models: workspace.models_hash(),
    };
    let sources = program.sources();
    let Some(name) = program.name(&sources, options, detail) else {
        return;
    };
    let Some(basis) = Basis::of(workspace, project, &sources) else {
        return;
    };
    let keeping = Keeping {
        basis: &basis,
        report,
    };
    // Only a path that is no UTF-8 cannot be written down.
    if let Ok(bytes) = postcard::to_stdvec(&keeping) {
        store.put(Kind::Report, &name, &bytes);
    }
}

/// What is known of a program before its files are read.
struct Program<'p> {
    project: &'p Project,
    notes: &'p [Note],
    models: ContentHash,
}

impl Program<'_> {
    /// What is in the units' files, in the order of the units.
    fn sources(&self) -> Vec<Option<ContentHash>> {
        let units = self.project.units.par_iter();
        units.map(|unit| project::content(&unit.file)).collect()
    }

    fn name(
        &self,
        sources: &[Option<ContentHash>],
        options: &RaceOptions,
        detail: Detail,
    ) -> Option<ContentHash> {
        let mut hasher = PartsHasher::new("report");
        let units = self.project.units.iter().zip(sources);
        for (unit, source) in units {
            let circumstances = self.project.preprocessor.circumstances(unit)?;
            hasher.hash(&circumstances);
            hasher.all(source.iter(), |hasher, hash| {
                hasher.hash(hash);
            });
        }
        hasher.hash(&self.models);
        hasher.all(self.notes.iter(), |hasher, note| note.add_to(hasher));
        // Whatever options there are.
        hasher.bytes(&postcard::to_stdvec(options).ok()?);
        hasher.number(match detail {
            Detail::Full => 0,
            Detail::Brief => 1,
        });
        Some(hasher.finish())
    }
}
