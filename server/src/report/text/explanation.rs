//! What is known about a line, in words.

use super::super::source_excerpt::{Mark, harmless};
use super::super::{
    Explanation, FunctionSummary, HeldLock, LineFact, Lock, LockOrigin, NoRace, Thread,
};
use super::{TextWriter, words};
use annotate_snippets::{Element, Level};

/// Accesses that are listed with their places for one reason not to race.
const MOST_OTHERS: usize = 4;

impl TextWriter {
    /// The accesses of the line, one message each, and the function around them.
    pub fn explanation(&self, explanation: &Explanation) -> String {
        let mut text = String::new();
        for fact in &explanation.lines {
            text.push_str(&self.line_fact(fact));
            text.push_str("\n\n");
        }
        if let Some(summary) = &explanation.summary {
            text.push_str(&self.summary_in_words(summary));
        }
        text
    }

    fn line_fact(&self, fact: &LineFact) -> String {
        let kind = words::kind(fact.kind, fact.atomic);
        let locks = if fact.locks.is_empty() {
            "holding no lock".to_owned()
        } else {
            let names = fact.locks.iter();
            let names = words::list(names.map(|lock| words::lock_name(&lock.name, lock.shared)));
            format!("holding {names}")
        };
        let mut marks = vec![Mark {
            place: fact.place.clone(),
            length: fact.length,
            expression: Some(fact.expression.clone()),
            label: format!("{kind}, {locks}"),
            is_primary: true,
        }];
        for lock in &fact.locks {
            marks.extend(lock_marks(lock));
        }
        let mut elements = self.sources.excerpts(&marks, &self.base);
        elements.extend(self.fact_remarks(fact));
        let title = format!("{kind} of `{}`", harmless(&fact.expression));
        let title = Level::INFO.with_name("access").primary_title(title);
        self.renderer.render(&[title.elements(elements)])
    }

    fn fact_remarks(&self, fact: &LineFact) -> Vec<Element<'static>> {
        let mut texts = Vec::new();
        for lock in &fact.locks {
            if let LockOrigin::EveryCaller(calls) = &lock.origin {
                let name = words::lock_name(&lock.name, lock.shared);
                texts.push(if calls.is_empty() {
                    format!("{name} is held by every caller")
                } else {
                    let calls = words::places(calls, &self.base);
                    format!("{name} is held by every caller: {calls}")
                });
            }
        }
        if !fact.is_shared {
            texts.push("only one thread can reach this memory".to_owned());
        }
        texts.extend(self.runs_in(&fact.threads));
        texts.extend(fact.no_races.iter().map(|apart| self.no_race(apart)));
        texts.extend(fact.remarks.iter().cloned());
        let mut elements: Vec<Element<'static>> = texts
            .iter()
            .map(|text| self.remark(Level::NOTE, text).into())
            .collect();
        elements.extend(fact.races.iter().map(|id| {
            let text = format!("it is part of race {id}: racelens check --explain {id}");
            Element::from(self.remark(Level::WARNING, &text))
        }));
        elements
    }

    fn no_race(&self, apart: &NoRace) -> String {
        if apart.with.is_empty() {
            return format!("no race with itself in another thread: {}", apart.reason);
        }
        let mut others: Vec<String> = apart.with[..apart.with.len().min(MOST_OTHERS)]
            .iter()
            .map(|other| {
                let kind = words::kind(other.kind, other.atomic);
                format!("the {kind} at {}", words::place(&other.place, &self.base))
            })
            .collect();
        let rest = apart.with.len() - others.len();
        if rest > 0 {
            others.push(format!("{rest} more"));
        }
        format!("no race with {}: {}", words::list(others), apart.reason)
    }

    fn runs_in(&self, threads: &[Thread]) -> Option<String> {
        let threads = threads
            .iter()
            .map(|thread| words::thread(thread, &self.base));
        let threads: Vec<String> = threads.collect();
        (!threads.is_empty()).then(|| format!("runs in {}", threads.join("; ")))
    }

    fn summary_in_words(&self, summary: &FunctionSummary) -> String {
        let mut lines = Vec::new();
        let threads = self.runs_in(&summary.threads);
        lines.push(threads.unwrap_or_else(|| "no known thread runs it".to_owned()));
        lines.extend(self.locks("takes", &summary.takes));
        lines.extend(self.locks("may release what it did not take:", &summary.releases));
        let threads = |threads: &[Thread]| {
            words::list(
                threads
                    .iter()
                    .map(|thread| words::thread_there(thread, &self.base)),
            )
        };
        if !summary.starts.is_empty() {
            lines.push(format!("may start {}", threads(&summary.starts)));
        }
        if !summary.joins.is_empty() {
            lines.push(format!("waits for {}", threads(&summary.joins)));
        }
        if !summary.joined_handles.is_empty() {
            let handles = summary.joined_handles.iter();
            let handles = words::list(handles.map(|handle| format!("`{handle}`")));
            lines.push(format!("waits for what was started as {handles}"));
        }
        let outcomes = summary.outcomes.iter().map(|outcome| {
            let holding = words::holding(&outcome.holding);
            format!("if it returns {}: {holding}", outcome.result)
        });
        if summary.outcomes.is_empty() && !summary.returns_holding.is_empty() {
            lines.push(format!(
                "returns {}",
                words::holding(&summary.returns_holding)
            ));
        } else if summary.outcomes.is_empty() {
            lines.push("returns with the locks that it was called with".to_owned());
        }
        lines.extend(outcomes);
        let heading = self.emphasised(&format!("function `{}`", summary.name));
        let mut text = format!("{heading} ({})\n", words::place(&summary.place, &self.base));
        for line in lines {
            let line = harmless(&line);
            let line = match self.width {
                Some(width) => words::wrapped(&line, width - 4).replace('\n', "\n    "),
                None => line,
            };
            text.push_str(&format!("  {line}\n"));
        }
        text
    }

    fn locks(&self, verb: &str, locks: &[Lock]) -> Option<String> {
        let shown = |lock: &Lock| {
            let name = words::lock_name(&lock.name, lock.shared);
            match &lock.acquired {
                Some(place) => format!("{name} ({})", words::place(place, &self.base)),
                None => name,
            }
        };
        (!locks.is_empty()).then(|| format!("{verb} {}", words::list(locks.iter().map(shown))))
    }
}

/// Where the function itself took the lock.
fn lock_marks(lock: &HeldLock) -> Vec<Mark> {
    let LockOrigin::Here(places) = &lock.origin else {
        return Vec::new();
    };
    places
        .iter()
        .map(|place| Mark {
            place: place.clone(),
            length: 0,
            expression: None,
            label: words::lock_taken(&lock.name, lock.shared),
            is_primary: false,
        })
        .collect()
}
