//! Gives different races different ids.

use super::identity::fingerprint;
use super::pairing::Race;
use super::sighting::Sighting;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Races that got another id, by their address and their number among those that were called the same. The race keeps its address
/// from being used again.
pub(super) type Renamed = FxHashMap<(usize, usize), (Arc<Race>, Arc<Race>)>;

/// The ids that are in use, and the best pairs that have them.
pub(super) struct DistinctIds<'b> {
    in_use: FxHashMap<u64, Vec<(Sighting, Sighting)>>,
    before: Option<&'b Renamed>,
    renamed: Renamed,
}

impl DistinctIds<'_> {
    /// `before` are those of the program before an edit: a race that has not changed stays the same also if it gets another id.
    pub fn new(before: Option<&Renamed>) -> DistinctIds<'_> {
        DistinctIds {
            in_use: FxHashMap::default(),
            before,
            renamed: Renamed::default(),
        }
    }

    /// Sorts races by rank, drops those that are there twice, and tells apart different ones that happen to be
    /// called the same.
    pub fn assign(&mut self, mut races: Vec<Arc<Race>>) -> Vec<Arc<Race>> {
        let best = |race: &Race| race.pairs.first().map(|pair| (pair.first, pair.second));
        races.sort_by(|left, right| {
            let by_rank = right.rank.cmp(&left.rank).then(left.id.cmp(&right.id));
            by_rank.then_with(|| best(left).cmp(&best(right)))
        });
        let mut kept = Vec::with_capacity(races.len());
        for race in races {
            let Some(best) = race.pairs.first() else {
                continue;
            };
            let same_id = self.in_use.entry(race.id).or_default();
            if same_id.contains(&(best.first, best.second)) {
                continue;
            }
            same_id.push((best.first, best.second));
            kept.push(match same_id.len() {
                1 => race,
                ordinal => self.renamed_race(race, ordinal),
            });
        }
        kept
    }

    fn renamed_race(&mut self, race: Arc<Race>, ordinal: usize) -> Arc<Race> {
        let key = (Arc::as_ptr(&race).addr(), ordinal);
        let before = self.before.and_then(|before| before.get(&key));
        let (_, renamed) = before.cloned().unwrap_or_else(|| {
            let (id, number) = (race.id.to_string(), ordinal.to_string());
            let mut renamed = Race::clone(&race);
            renamed.id = fingerprint([id.as_str(), number.as_str()]);
            (race.clone(), Arc::new(renamed))
        });
        self.renamed.insert(key, (race, renamed.clone()));
        renamed
    }

    /// Those that got another id.
    pub fn renamed(self) -> Renamed {
        self.renamed
    }
}
