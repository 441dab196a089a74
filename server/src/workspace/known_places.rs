//! Where statements stand in the source, as it was found before.

use super::Stretch;
use dashmap::DashMap;
use racelens_analysis::db::Function;
use racelens_analysis::ir::StatementId;
use ustr::Ustr;

/// Stretches by unit, because they hold until that is read again: an edit changes one unit, and reports ask for
/// places in all of them.
#[derive(Default)]
pub(super) struct KnownPlaces(DashMap<Ustr, StatementPlaces>);

/// `None` where the function is not in the text.
type StatementPlaces = DashMap<(Function, StatementId), Option<Stretch>>;

impl KnownPlaces {
    /// `unit` is the one whose text the function is found in.
    pub fn get_or_find(
        &self,
        unit: Ustr,
        at: (Function, StatementId),
        find: impl FnOnce() -> Option<Stretch>,
    ) -> Option<Stretch> {
        let known = self.0.get(&unit);
        let known = known.and_then(|known| known.get(&at).map(|found| found.clone()));
        known.unwrap_or_else(|| {
            let found = find();
            let known = self.0.entry(unit).or_default();
            known.insert(at, found.clone());
            found
        })
    }

    /// The unit is read again.
    pub fn forget(&self, unit: Ustr) {
        self.0.remove(&unit);
    }
}
