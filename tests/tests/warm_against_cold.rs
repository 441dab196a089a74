//! Programs change at random between starts; what is recalled equals what is found from scratch, byte for byte.

use racelens::project::LoadOptions;
use racelens::race_options::RaceOptions;
use racelens::races::Check;
use racelens::recall::{Detail, recall, remember};
use racelens::report::{PathBase, Report, json};
use racelens::store::Store;
use racelens::workspace::{Loading, Opened, SyntaxNote, Workspace};
use racelens_tests::corpus::corpus;
use racelens_tests::edits::edited_file;
use racelens_tests::random::{Random, cases};
use racelens_tests::side_by_side::side_by_side;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How often each program changes; `RACELENS_WARM_EDITS` asks for another number.
const USUAL_EDITS: u64 = 6;

/// A program that changes, with a place where results are kept.
struct Stage {
    folder: PathBuf,
    store: Arc<Store>,
    files: Vec<PathBuf>,
}

/// What a start came to.
struct Answer {
    text: String,
    is_recalled: bool,
}

impl Stage {
    fn answer(&self, store: Option<Arc<Store>>, detail: Detail) -> Answer {
        let options = LoadOptions {
            paths: vec![self.folder.clone()],
            store,
            ..LoadOptions::default()
        };
        let opened = Opened::new(&options);
        let race_options = RaceOptions::for_project(Some(&opened.project), None);
        if let Some(recalled) = recall(&opened, &race_options, detail) {
            return Answer {
                text: self.written(recalled.report),
                is_recalled: true,
            };
        }
        let loading = Loading {
            options: &options,
            jobs: Some(1),
            watch: &|_| (),
            stop: &AtomicBool::new(false),
        };
        let workspace = Workspace::read(opened, &loading).expect("a program");
        let check = Check::new(&workspace, race_options.clone());
        let mut report = match detail {
            Detail::Full => check.report(&workspace),
            Detail::Brief => check.brief_report(&workspace),
        };
        report.notes.extend(workspace.notes.iter().cloned());
        let syntax = workspace.syntax_notes();
        report.notes.extend(syntax.iter().map(SyntaxNote::to_note));
        remember(&workspace, &race_options, detail, &report);
        Answer {
            text: self.written(report),
            is_recalled: false,
        }
    }

    fn written(&self, mut report: Report) -> String {
        report.stats.seconds = 0.0;
        json::json(&report, &PathBase::new(&self.folder))
    }

    /// Changes something of the program, or nothing.
    fn change(&self, random: &mut Random) {
        let file = &self.files[random.below(self.files.len())];
        match random.below(8) {
            0 => {
                let define = format!("[preprocessor]\nflags = [\"-DFLAG={}\"]\n", random.below(2));
                std::fs::write(self.folder.join("racelens.toml"), define).expect("written");
            }
            1 => {
                let text = std::fs::read(file).expect("read");
                std::fs::write(file, text).expect("written");
            }
            // One of two texts, so that a program comes back to what it was.
            2 => {
                let header = format!("static int added_{};\n", random.below(2));
                std::fs::write(self.folder.join("added.h"), header).expect("written");
                let text = std::fs::read_to_string(file).expect("read");
                if !text.starts_with("#include \"added.h\"") {
                    std::fs::write(file, format!("#include \"added.h\"\n{text}")).expect("written");
                }
            }
            3 => {}
            _ => {
                let text = std::fs::read_to_string(file).expect("read");
                std::fs::write(file, edited_file(&text, random)).expect("written");
            }
        }
    }
}

fn disagreement(name: &str, folder: &Path, files: Vec<PathBuf>, seed: u64) -> Result<u64, String> {
    let kept = tempfile::tempdir().expect("a folder");
    let stage = Stage {
        folder: folder.to_owned(),
        store: Arc::new(Store::open(kept.path(), 1 << 28).expect("a store")),
        files,
    };
    let mut random = Random::new(seed);
    let mut recalled = 0;
    for edit in 0..cases("RACELENS_WARM_EDITS", USUAL_EDITS) {
        let detail = if random.one_in(2) {
            Detail::Full
        } else {
            Detail::Brief
        };
        let cold = stage.answer(None, detail);
        // The first of these may compute, and the second one must not unless something is uncertain.
        for start in 0..2 {
            let warm = stage.answer(Some(stage.store.clone()), detail);
            recalled += u64::from(warm.is_recalled);
            if warm.text != cold.text {
                return Err(format!(
                    "{name}, edit {edit}, start {start}:\n{}\n{}",
                    warm.text, cold.text
                ));
            }
        }
        stage.change(&mut random);
    }
    Ok(recalled)
}

#[test]
fn what_is_recalled_is_what_would_be_found() {
    let corpus = corpus();
    let entries: Vec<_> = corpus.entries.iter().enumerate().step_by(9).collect();
    let results = side_by_side(&entries, &|(seed, entry)| {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        let files = entry.program.files.iter().map(|file| {
            let path = root.join(&file.path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(&path, &file.text).expect("written");
            path
        });
        let files = files.collect();
        disagreement(&entry.program.name, &root, files, *seed as u64)
    });
    let mut recalled = 0;
    for result in &results {
        match result {
            Ok(count) => recalled += count,
            Err(difference) => panic!("{difference}"),
        }
    }
    // Otherwise nothing was compared.
    let starts = results.len() as u64 * cases("RACELENS_WARM_EDITS", USUAL_EDITS);
    assert!(recalled * 2 > starts, "{recalled} of {starts}");
}
