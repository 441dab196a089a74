//! One race as a message with the excerpts of its accesses.

use super::super::source_excerpt::{Mark, harmless};
use super::super::{Access, Race, SuppressedRace, Tier};
use super::verification::verified_remark;
use super::{TextWriter, words};
use annotate_snippets::{Element, Level};

/// Accesses behind the pair that are listed with their places, when not all are shown.
const MORE_ACCESSES: usize = 3;
/// Calls of a path that are shown, when not all are.
const CALLS: usize = 5;

impl TextWriter {
    pub(super) fn race(&self, race: &Race, in_full: bool) -> String {
        let comments = in_full.then(|| self.benign_comments(race)).flatten();
        self.race_with(race, in_full, comments)
    }

    /// A race that the user accepts, with all its accesses and why it is accepted.
    pub(super) fn suppressed(&self, suppressed: &SuppressedRace) -> String {
        let comments = suppressed.suppressions.iter().map(|comment| {
            let place = words::place(&comment.place, &self.base);
            let text = format!("marked as benign at {place}: {}", comment.reason);
            Element::from(self.remark(Level::NOTE, &text))
        });
        self.race_with(&suppressed.race, true, comments)
    }

    fn race_with(
        &self,
        race: &Race,
        in_full: bool,
        last: impl IntoIterator<Item = Element<'static>>,
    ) -> String {
        let shown = if in_full {
            race.accesses.len()
        } else {
            race.accesses.len().min(2)
        };
        let accesses = &race.accesses[..shown];
        let mut elements = self.sources.excerpts(&marks(accesses), &self.base);
        let most_calls = if in_full { usize::MAX } else { CALLS };
        elements.extend(self.ways(accesses, most_calls));
        elements.extend(self.more_accesses(&race.accesses[shown..], race.unlisted.count));
        elements.extend(self.reasons(race));
        elements.extend(race.verified.as_ref().map(|verified| {
            let text = verified_remark(verified, &self.base);
            Element::from(self.remark(Level::NOTE, &text))
        }));
        elements.extend(last);
        let (level, verdict) = match race.tier {
            Tier::Possible => (Level::WARNING, "possible data race"),
            Tier::Witnessed => (Level::ERROR, "data race"),
            Tier::ProvenSafe => (Level::INFO, "proven safe: no data race"),
        };
        let title = format!(
            "{verdict} on `{}` [{}] (rank {})",
            harmless(&race.location),
            race.id,
            race.rank
        );
        let title = level.primary_title(title).id("race");
        self.renderer.render(&[title.elements(elements)])
    }

    /// How each thread gets to its access.
    fn ways(&self, accesses: &[Access], most_calls: usize) -> Vec<Element<'static>> {
        let mut ways: Vec<(String, Vec<usize>)> = Vec::new();
        for (index, access) in accesses.iter().enumerate() {
            let Some(way) = self.way(access, most_calls) else {
                continue;
            };
            match ways.iter_mut().find(|(known, _)| *known == way) {
                Some((_, numbers)) => numbers.push(index + 1),
                None => ways.push((way, vec![index + 1])),
            }
        }
        ways.into_iter()
            .map(|(way, numbers)| {
                let verb = if numbers.len() == 1 { "runs" } else { "run" };
                let text = format!("{} {verb} in {way}", numbered(&numbers));
                self.remark(Level::NOTE, &text).into()
            })
            .collect()
    }

    /// None if there is nothing to say: the access stands in the main function.
    fn way(&self, access: &Access, most_calls: usize) -> Option<String> {
        let thread = &access.thread;
        if access.path.is_empty() && thread.started.is_none() {
            return None;
        }
        let mut text = words::thread(thread, &self.base);
        if !access.path.is_empty() {
            text.push('\n');
            text.push_str(&words::path(
                &thread.name,
                &access.path,
                most_calls,
                &self.base,
            ));
        }
        Some(text)
    }

    /// `unlisted`: how many there are besides.
    fn more_accesses(&self, accesses: &[Access], unlisted: usize) -> Option<Element<'static>> {
        let count = accesses.len() + unlisted;
        if count == 0 {
            return None;
        }
        let listed = &accesses[..accesses.len().min(MORE_ACCESSES)];
        let mut items: Vec<String> = listed
            .iter()
            .map(|access| {
                format!(
                    "{} at {}",
                    words::kind(access.kind, access.atomic),
                    words::place(&access.place, &self.base)
                )
            })
            .collect();
        let rest = count - listed.len();
        if rest > 0 {
            items.push(format!("{rest} more"));
        }
        let text = format!(
            "{} the same cause: {}",
            words::counted(count, "other access has", "other accesses have"),
            words::list(items)
        );
        Some(self.remark(Level::NOTE, &text).into())
    }

    /// What to write into the source if the race does no harm.
    fn benign_comments(&self, race: &Race) -> Option<Element<'static>> {
        let comments = race.benign_comments.iter().map(|comment| {
            let path = self.base.shown(&comment.place.path);
            format!("above {path}:{}: {}", comment.place.line, comment.text)
        });
        let comments: Vec<String> = comments.collect();
        let text = match comments.as_slice() {
            [] => return None,
            [only] => format!("if this race is benign, write {only}"),
            several => format!("if this race is benign, write\n{}", several.join("\n")),
        };
        Some(self.remark(Level::HELP, &text).into())
    }

    /// What speaks for a race, then what speaks against it.
    fn reasons(&self, race: &Race) -> Vec<Element<'static>> {
        let (against, for_it): (Vec<_>, Vec<_>) =
            race.reasons.iter().partition(|reason| reason.doubt);
        let for_it = for_it.into_iter().map(|reason| (Level::NOTE, reason));
        let against = against
            .into_iter()
            .map(|reason| (Level::HELP.with_name("doubt"), reason));
        for_it
            .chain(against)
            .map(|(level, reason)| self.remark(level, &reason.text).into())
            .collect()
    }
}

/// The accesses, and behind them where their locks were taken.
fn marks(accesses: &[Access]) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    for (numbers, access) in distinct(accesses) {
        marks.push(Mark {
            place: access.place.clone(),
            length: access.length,
            expression: Some(access.expression.clone()),
            label: format!("{} {}", numbered(&numbers), words::access(access)),
            is_primary: true,
        });
    }
    for lock in accesses.iter().flat_map(|access| &access.locks) {
        let Some(place) = &lock.acquired else {
            continue;
        };
        let label = words::lock_taken(&lock.name, lock.shared);
        // Two accesses in one critical section have their lock from one place.
        if !marks
            .iter()
            .any(|mark| mark.place == *place && mark.label == label)
        {
            marks.push(Mark {
                place: place.clone(),
                length: 0,
                expression: None,
                label,
                is_primary: false,
            });
        }
    }
    marks
}

/// The accesses with their numbers. One that races with itself, in another thread or by another
/// way, is there once with both.
fn distinct(accesses: &[Access]) -> Vec<(Vec<usize>, &Access)> {
    let mut distinct: Vec<(Vec<usize>, &Access)> = Vec::new();
    for (index, access) in accesses.iter().enumerate() {
        let same = distinct.iter_mut().find(|(_, known)| {
            known.place == access.place && words::access(known) == words::access(access)
        });
        match same {
            Some((numbers, _)) => numbers.push(index + 1),
            None => distinct.push((vec![index + 1], access)),
        }
    }
    distinct
}

/// `#1 and #2`.
fn numbered(numbers: &[usize]) -> String {
    words::list(numbers.iter().map(|number| format!("#{number}")))
}
