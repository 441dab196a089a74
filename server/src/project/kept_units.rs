//! Preprocessed units that an earlier start has kept on disk.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};

use dashmap::DashMap;
use serde::{Deserialize, Serialize};

use super::TranslationUnit;
use super::cache::Cache;
use super::compiler::Compiler;
use super::namesakes::namesakes;
use super::note::Note;
use super::preprocess::{Inputs, Preprocessed, PreprocessorOptions};
use super::process::{self, ProcessLimits};
use crate::store::{ContentHash, Kind, PartsHasher, Store};

/// Units by everything that they depend on, except headers. Which headers those are is known only from the
/// entry, which also says what was in them.
// UNSOUND: `__has_include` of a header that is not there leaves no trace in the output, and so nothing tells that such a
// header has appeared since.
pub struct KeptUnits {
    store: Arc<Store>,
    root: PathBuf,
    search_path: Vec<PathBuf>,
    /// Each is asked once.
    compilers: DashMap<PathBuf, Option<ContentHash>>,
    found: AtomicUsize,
    missed: AtomicUsize,
}

/// How much of a program did not have to be preprocessed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptCounters {
    /// Units that an earlier run has preprocessed.
    pub found: usize,
    /// Units that were looked for in vain.
    pub missed: usize,
}

/// An entry.
#[derive(Serialize, Deserialize)]
struct KeptUnit<'k> {
    source: ContentHash,
    headers: Vec<(PathBuf, ContentHash)>,
    /// Of the headers, where the compiler would have looked.
    namesakes: ContentHash,
    notes: Vec<Note>,
    #[serde(borrow)]
    text: Cow<'k, str>,
}

/// Compilers answer at once.
const PATIENCE: Duration = Duration::from_secs(5);
const MOST_OF_AN_ANSWER: usize = 1 << 16;

impl KeptUnits {
    pub fn new(options: &PreprocessorOptions) -> Option<KeptUnits> {
        Some(KeptUnits {
            store: options.store.clone()?,
            root: options.root.clone(),
            search_path: options.search_path.clone(),
            compilers: DashMap::new(),
            found: AtomicUsize::new(0),
            missed: AtomicUsize::new(0),
        })
    }

    /// Everything that decides what preprocessing gives, except the content of files.
    pub fn circumstances(
        &self,
        unit: &TranslationUnit,
        compiler: &Compiler,
    ) -> Option<ContentHash> {
        let mut hasher = PartsHasher::new("circumstances");
        hasher.hash(&self.identity(compiler)?);
        // What lies outside of the project may be left out.
        hasher.path(&self.root);
        hasher.all(self.search_path.iter(), |hasher, path| {
            hasher.path(path);
        });
        let home = std::env::var_os("HOME").unwrap_or_default();
        hasher.path(Path::new(&home));
        hasher.path(&unit.file).path(&unit.directory);
        hasher.text(&unit.spelling);
        hasher.number(unit.has_command.into());
        hasher.all(unit.arguments.iter(), |hasher, argument| {
            hasher.text(argument);
        });
        Some(hasher.finish())
    }

    /// The name of a unit's entry.
    pub fn name(
        &self,
        unit: &TranslationUnit,
        compiler: &Compiler,
        source: ContentHash,
    ) -> Option<ContentHash> {
        let circumstances = self.circumstances(unit, compiler)?;
        let mut hasher = PartsHasher::new("unit");
        Some(hasher.hash(&circumstances).hash(&source).finish())
    }

    pub fn counters(&self) -> KeptCounters {
        KeptCounters {
            found: self.found.load(Ordering::Relaxed),
            missed: self.missed.load(Ordering::Relaxed),
        }
    }

    /// The output of an earlier run, if every header is what it was then.
    pub fn get(
        &self,
        name: &ContentHash,
        unit: &TranslationUnit,
        contents: &Cache,
    ) -> Option<Preprocessed> {
        let found = self.find(name, unit, contents);
        let counter = match found {
            Some(_) => &self.found,
            None => &self.missed,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        found
    }

    fn find(
        &self,
        name: &ContentHash,
        unit: &TranslationUnit,
        contents: &Cache,
    ) -> Option<Preprocessed> {
        let bytes = self.store.get(Kind::Unit, name)?;
        let kept: KeptUnit<'_> = postcard::from_bytes(&bytes).ok()?;
        let is_current = contents.are_current(&kept.headers)
            && self.namesakes(unit, &kept.headers) == kept.namesakes;
        is_current.then(|| Preprocessed {
            // Nothing is kept of what was incomplete.
            missing: Vec::new(),
            text: kept.text.into(),
            headers: kept.headers.iter().map(|(path, _)| path.clone()).collect(),
            notes: kept.notes,
            inputs: Some(Arc::new(Inputs {
                source: kept.source,
                headers: kept.headers.into(),
            })),
        })
    }

    pub fn put(&self, name: &ContentHash, unit: &TranslationUnit, output: &Preprocessed) {
        let Some(inputs) = &output.inputs else {
            return;
        };
        let kept = KeptUnit {
            source: inputs.source,
            headers: inputs.headers.to_vec(),
            namesakes: self.namesakes(unit, &inputs.headers),
            notes: output.notes.clone(),
            text: Cow::Borrowed(&output.text),
        };
        // Only a path that is no UTF-8 cannot be written down.
        if let Ok(bytes) = postcard::to_stdvec(&kept) {
            self.store.put(Kind::Unit, name, &bytes);
        }
    }

    fn namesakes(&self, unit: &TranslationUnit, headers: &[(PathBuf, ContentHash)]) -> ContentHash {
        let headers = headers.iter().map(|(path, _)| path.as_path());
        namesakes([unit], headers, &self.root)
    }

    /// What tells one compiler, and one version of it, from another. `None` if it does not say what it consists of.
    fn identity(&self, compiler: &Compiler) -> Option<ContentHash> {
        let known = self.compilers.entry(compiler.path.clone());
        *known.or_insert_with(|| self.ask(compiler))
    }

    /// `gcc` is a small program that starts others; the one that preprocesses is `cc1`.
    fn ask(&self, compiler: &Compiler) -> Option<ContentHash> {
        let mut command = compiler.command(&self.search_path);
        command.arg("-print-prog-name=cc1").current_dir("/");
        let limits = ProcessLimits {
            deadline: Instant::now() + PATIENCE,
            output_bytes: MOST_OF_AN_ANSWER,
        };
        let finished = process::run(command, Arc::default(), limits).ok()?;
        if !finished.status.success() {
            return None;
        }
        let answer = finished.output.trim_ascii_end();
        let mut hasher = PartsHasher::new("compiler");
        hasher.path(&compiler.path);
        hasher.bytes(&file_identity(&compiler.path)?);
        hasher.bytes(answer);
        // clang has no such program, and only repeats the question.
        let part = String::from_utf8_lossy(answer);
        hasher.bytes(&file_identity(Path::new(&*part)).unwrap_or_default());
        Some(hasher.finish())
    }
}

/// What changes when a program is installed anew.
fn file_identity(path: &Path) -> Option<Vec<u8>> {
    let real: OsString = path.canonicalize().ok()?.into();
    let metadata = path.metadata().ok()?;
    let modified = metadata.modified().ok()?;
    let modified = modified.duration_since(UNIX_EPOCH).ok()?;
    let mut identity = real.as_encoded_bytes().to_vec();
    identity.extend(metadata.len().to_le_bytes());
    identity.extend(modified.as_nanos().to_le_bytes());
    identity.extend(number(&metadata).to_le_bytes());
    Some(identity)
}

#[cfg(unix)]
fn number(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn number(_metadata: &std::fs::Metadata) -> u64 {
    0
}
