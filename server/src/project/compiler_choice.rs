//! Chooses the compiler of each file among the user's, the configuration's and the database's.

use std::collections::BTreeMap;
use std::path::Path;

use super::compiler::{Compiler, CompilerFinder};
use super::config::Config;
use super::note::Note;

/// Chooses compilers, and says once per name when one is replaced.
pub struct CompilerChooser<'f> {
    finder: &'f CompilerFinder,
    /// The one for all files, if the user or the configuration names one.
    fixed: Option<Compiler>,
    pub default: Option<Compiler>,
    by_name: BTreeMap<String, Option<Compiler>>,
}

impl<'f> CompilerChooser<'f> {
    pub fn new(
        finder: &'f CompilerFinder,
        user: Option<&Path>,
        config: &Config,
        notes: &mut Vec<Note>,
    ) -> CompilerChooser<'f> {
        let fixed = match (user, &config.preprocessor.compiler) {
            (Some(path), _) => {
                let found = finder.find_for_user(path);
                if found.is_none() {
                    notes.push(
                        Note::error(format!("the compiler `{}` was not found; another one is used", path.display()))
                            .with_help("pass --compiler with the name or the path of a program that can be run"),
                    );
                }
                found
            }
            (None, Some(name)) => {
                let found = finder.find(name);
                if found.is_none() {
                    notes.push(
                        Note::warning(format!("the compiler `{name}` of racelens.toml is not in PATH; another one is used"))
                            .with_help("install it, or pass --compiler with its path"),
                    );
                }
                found
            }
            (None, None) => None,
        };
        CompilerChooser {
            default: fixed.clone().or_else(|| finder.fallback()),
            fixed,
            finder,
            by_name: BTreeMap::new(),
        }
    }

    pub fn choose(&mut self, program: &str, notes: &mut Vec<Note>) -> Option<Compiler> {
        if self.fixed.is_some() {
            return self.fixed.clone();
        }
        if let Some(known) = self.by_name.get(program) {
            return known.clone();
        }
        let found = self.finder.find(program);
        if let (None, Some(default)) = (&found, &self.default) {
            notes.push(
                Note::information(format!(
                    "the compiler `{program}` of the compilation database is not run; {} preprocesses instead",
                    default.path.display()
                ))
                .with_help("if it is the right compiler, pass --compiler with its path"),
            );
        }
        let compiler = found.or_else(|| self.default.clone());
        self.by_name.insert(program.to_owned(), compiler.clone());
        compiler
    }
}
