//! Where functions and their statements stand in the source, as it was found before.

use super::line_change::LineChange;
use super::line_moves::{LineMoves, is_in};
use super::{Reading, Since, Stretch};
use dashmap::DashMap;
use racelens_analysis::db::Function;
use racelens_analysis::host::{Analysis, TextMark};
use racelens_analysis::ir::StatementId;
use rustc_hash::{FxBuildHasher, FxHashMap};
use ustr::Ustr;

/// Stretches by the unit whose text the function is found in, and by function: an edit changes one function and moves others of its
/// unit, and reports ask for places in all of them.
#[derive(Default)]
pub(super) struct KnownPlaces(DashMap<Ustr, UnitPlaces, FxBuildHasher>);

type UnitPlaces = DashMap<Function, FunctionPlaces, FxBuildHasher>;

/// When a unit was read.
#[derive(Clone, Copy)]
pub(super) struct UnitTimes {
    pub now: Reading,
    /// When its text was last read.
    pub read: Reading,
}

/// What of a function stands somewhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Spot {
    /// Its name, where it is defined.
    Name,
    Statement(StatementId),
}

struct FunctionPlaces {
    /// Of the text that the spots are those of.
    mark: TextMark,
    /// `None` where the function is not in the text.
    spots: FxHashMap<Spot, Option<Stretch>>,
    /// Since when they stand there, but for moving with their lines.
    since: Reading,
    /// When they last moved with their lines.
    moved: Reading,
    /// When the function was last seen to have the text that they are those of.
    seen: Reading,
    /// An edit has touched their lines: until somebody has looked, nobody knows whether they still stand there.
    is_doubtful: bool,
}

impl KnownPlaces {
    pub fn get_or_find(
        &self,
        analysis: &Analysis,
        (function, spot): (Function, Spot),
        times: UnitTimes,
        find: impl FnOnce() -> Option<Stretch>,
    ) -> Option<Stretch> {
        let unit = analysis.unit_of(function);
        if let Some(known) = self.since_read(unit, function, spot, times.read) {
            return known;
        }
        // Where statements of an earlier text stand in the present one is a guess, which is made anew each time.
        if !analysis.stands_in_text(function) {
            self.forget(unit, function);
            return find();
        }
        let is_current =
            |known: &FunctionPlaces| !known.is_doubtful && analysis.has_text(function, &known.mark);
        let functions = self.0.get(&unit);
        let known = functions.and_then(|functions| {
            let mut known = functions.get_mut(&function)?;
            is_current(&known).then(|| {
                known.seen = times.now;
                known.spots.get(&spot).cloned()
            })?
        });
        known.unwrap_or_else(|| {
            let found = find();
            let functions = self.0.entry(unit).or_default();
            let nothing = || FunctionPlaces::new(analysis.text_mark(function), times.now);
            let mut known = functions.entry(function).or_insert_with(nothing);
            if !is_current(&known) {
                // In a unit that was not read again the text is the same, whatever else is known of the function now.
                match !known.is_doubtful && known.seen >= times.read {
                    true => known.mark = analysis.text_mark(function),
                    false => *known = nothing(),
                }
            }
            known.spots.insert(spot, found.clone());
            found
        })
    }

    /// What is known of a function that somebody has looked at since its unit was read: then it has the same text.
    fn since_read(
        &self,
        unit: Ustr,
        function: Function,
        spot: Spot,
        read: Reading,
    ) -> Option<Option<Stretch>> {
        let functions = self.0.get(&unit)?;
        let known = functions.get(&function)?;
        let is_current = !known.is_doubtful && known.seen >= read;
        is_current.then(|| known.spots.get(&spot).cloned())?
    }

    /// What has become of the spots of a function that were asked for, since then and until now. What is in doubt is looked
    /// at, by `find`.
    pub fn since(
        &self,
        analysis: &Analysis,
        function: Function,
        (then, now): (Reading, Reading),
        find: impl Fn(Spot) -> Option<Stretch>,
    ) -> Since {
        let unit = analysis.unit_of(function);
        if !analysis.stands_in_text(function) {
            self.forget(unit, function);
            return Since::Changed;
        }
        let Some(functions) = self.0.get(&unit) else {
            return Since::Changed;
        };
        let Some(mut known) = functions.get_mut(&function) else {
            return Since::Changed;
        };
        if !analysis.has_text(function, &known.mark) {
            return Since::Changed;
        }
        if known.is_doubtful {
            known.look_again(now, find);
        }
        match (known.since <= then, known.moved <= then) {
            (true, true) => Since::Stayed,
            (true, false) => Since::Moved,
            (false, _) => Since::Changed,
        }
    }

    /// Once its text says again what it does, somebody has to look.
    fn forget(&self, unit: Ustr, function: Function) {
        if let Some(functions) = self.0.get(&unit) {
            functions.remove(&function);
        }
    }

    /// The unit is read again, and lines have moved: what is known of functions that the changes do not touch moves with their text.
    pub fn read_again(&self, unit: Ustr, moves: &LineMoves, now: Reading) {
        if let Some(functions) = self.0.get(&unit) {
            for mut known in functions.iter_mut() {
                known.move_with(moves, now);
            }
        }
    }
}

impl FunctionPlaces {
    fn new(mark: TextMark, now: Reading) -> FunctionPlaces {
        FunctionPlaces {
            mark,
            spots: FxHashMap::default(),
            since: now,
            moved: now,
            seen: now,
            is_doubtful: false,
        }
    }

    fn move_with(&mut self, moves: &LineMoves, now: Reading) {
        let mut changes = moves.changes();
        if self.is_doubtful || !changes.all(|(file, change)| self.is_apart_from(file, change)) {
            self.is_doubtful = true;
            return;
        }
        for Stretch { place, .. } in self.spots.values_mut().flatten() {
            let line = moves.line_now(place);
            if let Some(line) = line.filter(|line| *line != place.line) {
                place.line = line;
                self.moved = now;
            }
        }
    }

    /// Whether the spots stand where a change cannot be about them.
    fn is_apart_from(&self, file: Ustr, change: Option<LineChange>) -> bool {
        let mut range: Option<(u32, u32)> = None;
        for stretch in self.spots.values() {
            // What is not in the text may be there now.
            let Some(Stretch { place, .. }) = stretch else {
                return false;
            };
            if is_in(place, file) {
                let (first, last) = range.unwrap_or((place.line, place.line));
                range = Some((first.min(place.line), last.max(place.line)));
            }
        }
        match (range, change) {
            (None, _) => true,
            // Nobody knows what has changed.
            (Some(_), None) => false,
            (Some((first, last)), Some(change)) => !change.touches(first, last),
        }
    }

    fn look_again(&mut self, now: Reading, find: impl Fn(Spot) -> Option<Stretch>) {
        self.is_doubtful = false;
        for (spot, known) in &mut self.spots {
            let found = find(*spot);
            if *known != found {
                *known = found;
                self.since = now;
            }
        }
    }
}
