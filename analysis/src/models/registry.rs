//! All models by the names of their functions.

use super::error::ModelError;
use super::model_reader::{self, FileModels};
use super::vocabulary::FunctionModel;
use rustc_hash::FxHashMap;
use std::sync::{Arc, LazyLock};
use ustr::Ustr;

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!($name))),*]
    };
}

/// The built-in models. Each function is in one file only.
pub(super) const FILES: &[(&str, &str)] = embedded![
    "pthread.toml",
    "semaphore.toml",
    "c11.toml",
    "gcc_atomics.toml",
    "libc.toml",
    "glib.toml",
    "libuv.toml",
    "apr.toml",
    "sdl.toml",
    "linux_kernel.toml",
    "freertos.toml",
    "zephyr.toml",
    "win32.toml",
    "zlib.toml",
    "lzma.toml",
    "verifier.toml",
];

/// What is known about library functions. Copies share it, and are seen to be equal at once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Models {
    exact: Arc<FxHashMap<Box<str>, Arc<FunctionModel>>>,
    /// Patterns without their `*`.
    prefixes: Arc<FxHashMap<Box<str>, Arc<FunctionModel>>>,
    /// The different lengths of the prefixes, the longest first.
    prefix_lengths: Vec<usize>,
}

impl Models {
    /// The models that come with Racelens.
    pub fn builtin() -> &'static Models {
        static BUILTIN: LazyLock<Models> = LazyLock::new(|| {
            let mut models = Models::default();
            for (name, text) in FILES {
                // A test reads every embedded file; one that is broken all the same counts as empty.
                models.insert(model_reader::read(name, text).unwrap_or_default());
            }
            models
        });
        &BUILTIN
    }

    /// These models and those of the user's files, given as pairs of name and text. A function
    /// that several files describe gets the description of the last; a user's comes after all
    /// built-in ones. The errors are in the order of the files and of the lines in them.
    pub fn extended<N: AsRef<str>, T: AsRef<str>>(
        &self,
        user_files: &[(N, T)],
    ) -> Result<Models, Vec<ModelError>> {
        let mut models = self.clone();
        let mut errors = Vec::new();
        for (name, text) in user_files {
            match model_reader::read(name.as_ref(), text.as_ref()) {
                Ok(read) => models.insert(read),
                Err(found) => errors.extend(found),
            }
        }
        if errors.is_empty() {
            Ok(models)
        } else {
            Err(errors)
        }
    }

    /// These models, and those of functions that they do not know.
    pub fn with_more(&self, functions: impl IntoIterator<Item = (Ustr, FunctionModel)>) -> Models {
        let mut models = self.clone();
        for (name, model) in functions {
            if self.lookup(name.as_str()).is_none() {
                let exact = Arc::make_mut(&mut models.exact);
                exact.insert(name.as_str().into(), Arc::new(model));
            }
        }
        models
    }

    /// What the function does: its own model, or else that of the longest pattern that fits.
    pub fn lookup(&self, name: &str) -> Option<&FunctionModel> {
        if let Some(model) = self.exact.get(name) {
            return Some(model);
        }
        let prefixes = self.prefix_lengths.iter();
        let mut fitting = prefixes.filter_map(|&length| self.prefixes.get(name.get(..length)?));
        fitting.next().map(|model| &**model)
    }

    /// All names and patterns with their models, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (String, &FunctionModel)> {
        let exact = self
            .exact
            .iter()
            .map(|(name, model)| (name.to_string(), &**model));
        let patterns = self
            .prefixes
            .iter()
            .map(|(prefix, model)| (format!("{prefix}*"), &**model));
        let mut all: Vec<(String, &FunctionModel)> = exact.chain(patterns).collect();
        all.sort_by(|left, right| left.0.cmp(&right.0));
        all.into_iter()
    }

    fn insert(&mut self, models: FileModels) {
        for (name, model) in models {
            match name.strip_suffix('*') {
                Some(prefix) => Arc::make_mut(&mut self.prefixes).insert(prefix.into(), model),
                None => Arc::make_mut(&mut self.exact).insert(name.into(), model),
            };
        }
        self.prefix_lengths = self.prefixes.keys().map(|prefix| prefix.len()).collect();
        self.prefix_lengths
            .sort_unstable_by_key(|&length| std::cmp::Reverse(length));
        self.prefix_lengths.dedup();
    }
}
