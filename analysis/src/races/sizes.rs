//! How large the locations of a program are: what the pairing of accesses may have been spent on.

use super::access_index::AccessNumber;
use super::naming::{UNNAMED, location_name, naming_quality};
use super::search::Found;
use super::whole_program::WholeProgram;
use crate::callgraph::FunctionId;
use crate::points_to::Class;
use crate::symexec::Targets;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// A class of memory, which is one location to the analysis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocationSize {
    pub name: String,
    pub accesses: usize,
    /// In how many functions these are.
    pub functions: usize,
    /// How many pairs of them race, as far as they are listed.
    pub pairs: usize,
}

impl WholeProgram {
    /// The shared locations with the most accesses, the largest first.
    pub fn largest_locations(&self, most: usize) -> Vec<LocationSize> {
        let mut classes: Vec<(Class, &[AccessNumber])> = self.kept.index.iter().collect();
        classes.sort_by_key(|(class, accesses)| {
            // Numbers of classes mean little; the first access tells apart what is of one size.
            (Reverse(accesses.len()), accesses.first().copied(), *class)
        });
        classes.truncate(most);
        let classes = classes.into_iter();
        classes
            .map(|(class, accesses)| self.location_size(class, accesses))
            .collect()
    }

    fn location_size(&self, class: Class, accesses: &[AccessNumber]) -> LocationSize {
        let kept = &self.kept;
        let functions: BTreeSet<FunctionId> =
            accesses.iter().map(|(function, _)| *function).collect();
        let found = kept.found_unordered.get(&class);
        let found = found.or_else(|| kept.found.get(&class));
        let races = found.into_iter().flat_map(Found::races);
        let pairs = races.clone().map(|race| race.pairs.len()).sum();
        // A location that races is called as in its report.
        let reported = races.map(|race| race.location.clone()).next();
        LocationSize {
            name: reported.unwrap_or_else(|| self.name_of(class)),
            accesses: accesses.len(),
            functions: functions.len(),
            pairs,
        }
    }

    /// What a class of memory is called by the access that names it best.
    pub(super) fn name_of(&self, class: Class) -> String {
        let path = |(function, number): AccessNumber| {
            let access = &self.facts[function.0 as usize].accesses[number as usize];
            match &access.place {
                Targets::Exactly(path) => Some((access.cell.whole, path)),
                _ => None,
            }
        };
        let best = self.kept.index.naming(class, |accesses| {
            let named = accesses.iter().filter_map(|key| Some((*key, path(*key)?)));
            // One that touches the whole object around the location names too much.
            let best = named.min_by_key(|(_, (whole, path))| (*whole, naming_quality(path)));
            best.map(|(key, _)| key)
        });
        match best.and_then(|key| Some((key.0, path(key)?.1))) {
            Some((function, path)) => location_name(path, self.names(function)),
            None => UNNAMED.to_string(),
        }
    }
}
