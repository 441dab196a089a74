//! Where statements stand in the source, as it was found before.

use super::Stretch;
use super::line_change::LineChange;
use dashmap::DashMap;
use racelens_analysis::db::Function;
use racelens_analysis::ir::StatementId;
use std::collections::HashMap;
use ustr::Ustr;

/// Stretches by unit and function: an edit changes one function and moves others of its unit, and reports ask for places
/// in all of them.
#[derive(Default)]
pub(super) struct KnownPlaces(DashMap<Ustr, DashMap<Function, FunctionPlaces>>);

/// What tells one text of a function from another one.
pub type TextMark = (u64, u64);

struct FunctionPlaces {
    /// Of the text that the statements are those of.
    mark: TextMark,
    /// `None` where the function is not in the text.
    statements: HashMap<StatementId, Option<Stretch>>,
}

impl KnownPlaces {
    /// `unit` is the one whose text the function is found in.
    pub fn get_or_find(
        &self,
        unit: Ustr,
        mark: TextMark,
        (function, statement): (Function, StatementId),
        find: impl FnOnce() -> Option<Stretch>,
    ) -> Option<Stretch> {
        let functions = self.0.get(&unit);
        let known = functions.and_then(|functions| {
            let known = functions.get(&function)?;
            let is_current = known.mark == mark;
            is_current.then(|| known.statements.get(&statement).cloned())?
        });
        known.unwrap_or_else(|| {
            let found = find();
            let functions = self.0.entry(unit).or_default();
            let mut known = functions.entry(function).or_insert_with(|| FunctionPlaces {
                mark,
                statements: HashMap::new(),
            });
            if known.mark != mark {
                known.mark = mark;
                known.statements.clear();
            }
            known.statements.insert(statement, found.clone());
            found
        })
    }

    /// The unit is read again, after these files have changed: what is known of functions that the changes do not touch
    /// moves with their text.
    pub fn read_again(&self, unit: Ustr, changes: &HashMap<Ustr, Option<LineChange>>) {
        if let Some(functions) = self.0.get(&unit) {
            functions.retain(|_, known| known.move_with(changes));
        }
    }
}

impl FunctionPlaces {
    /// Says whether that is possible.
    fn move_with(&mut self, changes: &HashMap<Ustr, Option<LineChange>>) -> bool {
        let mut ranges: HashMap<Ustr, (u32, u32)> = HashMap::new();
        for stretch in self.statements.values() {
            let Some(place) = stretch.as_ref().map(|stretch| &stretch.place) else {
                return false;
            };
            let file = super::path_name(&place.path);
            let range = ranges.entry(file).or_insert((place.line, place.line));
            *range = (range.0.min(place.line), range.1.max(place.line));
        }
        let is_apart = |(file, (first, last)): (&Ustr, &(u32, u32))| match changes.get(file) {
            None => true,
            // Nobody knows what has changed.
            Some(None) => false,
            Some(Some(change)) => !change.touches(*first, *last),
        };
        if !ranges.iter().all(is_apart) {
            return false;
        }
        for stretch in self.statements.values_mut().flatten() {
            let change = changes.get(&super::path_name(&stretch.place.path));
            if let Some(line) = change
                .copied()
                .flatten()
                .and_then(|change| change.line_now(stretch.place.line))
            {
                stretch.place.line = line;
            }
        }
        true
    }
}
