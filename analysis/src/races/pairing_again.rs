//! Locations that are paired again after an edit although all accesses there are what they were, because the answer to a question is another
//! one that pairing asks about some of them.

use super::access_index::AccessNumber;
use super::kept::LocationsAgain;
use super::looks::Look;
use super::moments::MeetingOtherwise;
use super::pairing::is_reached_by_several;
use super::sighting::Surroundings;
use crate::callgraph::FunctionId;
use crate::points_to::Class;
use crate::stop::Stop;
use crate::symexec::{Path, Root};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::sync::OnceLock;

/// What is asked about accesses.
struct Question<'q> {
    /// What an access is asked about where it looks so, by a number.
    about: &'q (dyn Fn(&Look) -> Option<u32> + Sync),
    /// Whether the answer is another one at a location where these numbers come together.
    is_answered_otherwise: &'q (dyn Fn(&FxHashSet<u32>) -> bool + Sync),
}

/// For each function, whether some access of it is asked about; `None` if that is not known of all of them.
type AskedAbout = Vec<OnceLock<Option<bool>>>;

impl LocationsAgain<'_> {
    /// Has the locations paired again at which there are accesses of two moments that meet otherwise.
    pub fn pair_again_where_moments_meet(
        &mut self,
        others: &MeetingOtherwise,
        surroundings: &Surroundings<'_>,
    ) {
        if others.is_empty() {
            return;
        }
        let question = Question {
            about: &|look| {
                let moment = look.character.when.number();
                others.concern(moment).then_some(moment)
            },
            is_answered_otherwise: &|moments| others.are_among(moments),
        };
        self.pair_again(&question, surroundings);
    }

    /// Has the locations paired again at which accesses are told apart by numbers of counters that give each number to one taker now and did
    /// not, or the other way round.
    pub fn pair_again_where_numbers_count(
        &mut self,
        counters: &FxHashSet<Class>,
        surroundings: &Surroundings<'_>,
    ) {
        if counters.is_empty() {
            return;
        }
        let is_other = |root: Root| match root {
            Root::Ticket(counter) => counters.contains(&counter),
            _ => false,
        };
        let mentions = |path: &Option<Path>| {
            let path = path.as_ref();
            path.is_some_and(|path| !path.all_roots(&|root| !is_other(root)))
        };
        let question = Question {
            about: &|look| {
                let character = &look.character;
                (mentions(&character.absolute) || mentions(&character.relative)).then_some(0)
            },
            is_answered_otherwise: &|numbers| !numbers.is_empty(),
        };
        self.pair_again(&question, surroundings);
    }

    fn pair_again(&mut self, question: &Question<'_>, surroundings: &Surroundings<'_>) {
        let locations: Vec<(Class, &[AccessNumber])> = self.index.iter().collect();
        let asked: AskedAbout = surroundings.facts.iter().map(|_| OnceLock::new()).collect();
        let changed: FxHashSet<FunctionId> = self.changed.iter().copied().collect();
        let stop = Stop::of_this_thread();
        let others = locations.par_iter().filter(|(_, accesses)| {
            stop.heard(|| {
                // At others nobody has asked.
                is_reached_by_several(surroundings.contexts, accesses)
                    && self.is_answered_otherwise(
                        question,
                        accesses,
                        &asked,
                        &changed,
                        surroundings,
                    )
            })
        });
        let others: Vec<Class> = others.map(|(class, _)| *class).collect();
        // Also those that functions access which have changed: their accesses may turn out to be what they were.
        self.touched_otherwise.extend(others.iter().copied());
        self.affected.extend(others.iter().copied());
        self.accessed.extend(others);
    }

    fn is_answered_otherwise(
        &self,
        question: &Question<'_>,
        accesses: &[AccessNumber],
        asked: &AskedAbout,
        changed: &FxHashSet<FunctionId>,
        surroundings: &Surroundings<'_>,
    ) -> bool {
        let known = &self.before.kept.looks.points;
        let mut found: FxHashSet<u32> = FxHashSet::default();
        for of_function in accesses.chunk_by(|one, other| one.0 == other.0) {
            let function = of_function[0].0;
            let is_asked_about = asked[function.0 as usize].get_or_init(|| {
                let is_known = !changed.contains(&function);
                let is_such = |look: &Look| (question.about)(look).is_some();
                is_known
                    .then(|| known.has_look(function, &is_such))
                    .flatten()
            });
            if *is_asked_about == Some(false) {
                continue;
            }
            for access in of_function {
                let looks = surroundings.looks(*access).iter();
                found.extend(looks.filter_map(question.about));
            }
        }
        (question.is_answered_otherwise)(&found)
    }
}
