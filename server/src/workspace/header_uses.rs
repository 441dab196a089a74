//! Which units include which headers, so that a change of a header finds its units without asking all.

use super::ReadUnit;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use ustr::Ustr;

/// Units by the headers that they include.
#[derive(Default)]
pub(super) struct HeaderUses(HashMap<PathBuf, HashSet<Ustr>>);

impl HeaderUses {
    pub fn add(&mut self, unit: &ReadUnit) {
        for header in &unit.headers {
            // A path is copied only if it is new.
            match self.0.get_mut(header) {
                Some(units) => {
                    units.insert(unit.name);
                }
                None => {
                    self.0.insert(header.clone(), HashSet::from([unit.name]));
                }
            }
        }
    }

    pub fn remove(&mut self, unit: &ReadUnit) {
        for header in &unit.headers {
            if let Some(units) = self.0.get_mut(header) {
                units.remove(&unit.name);
                if units.is_empty() {
                    self.0.remove(header);
                }
            }
        }
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn contains(&self, header: &Path) -> bool {
        self.0.contains_key(header)
    }

    /// The name of a file that is included, also if it is asked for through a symbolic link.
    pub fn name_of(&self, file: &Path) -> Option<PathBuf> {
        if self.contains(file) {
            return Some(file.to_owned());
        }
        let real = file.canonicalize().ok()?;
        self.contains(&real).then_some(real)
    }

    pub fn units_of(&self, header: &Path) -> impl Iterator<Item = Ustr> {
        self.0.get(header).into_iter().flatten().copied()
    }
}
