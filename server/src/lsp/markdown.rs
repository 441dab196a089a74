//! What is known, in words that an editor renders. Lists, because few editors render tables.

use super::driver::Program;
use crate::project::{Place, visible_in_line};
use crate::report::text::{verified_in_words, words};
use crate::report::{
    Access, FunctionSummary, Guard, HeldLock, Insight, LineFact, Lock, LockOrigin, NoRace, Race,
    Thread, Tier, Verified, Violation,
};

pub struct Markdown<'p> {
    pub program: &'p Program<'p>,
}

/// Accesses that are listed with their places for one reason not to race.
const MOST_OTHERS: usize = 4;
/// Pieces of memory that are listed for one lock.
const MOST_PROTECTED: usize = 12;
/// Calls that are listed on the way to an access.
const MOST_CALLS: usize = 8;
/// Steps of an interleaving that are listed, counted from its end.
const MOST_STEPS: usize = 60;

impl Markdown<'_> {
    /// Empty if nothing is known.
    pub fn insight(&self, insight: &Insight) -> String {
        let mut parts: Vec<String> = Vec::new();
        for access in &insight.accesses {
            parts.push(self.access_fact(access, insight.guard.as_ref()));
        }
        if !insight.protects.is_empty() {
            parts.push(protects(&insight.protects));
        }
        if !insight.starts.is_empty() {
            let threads = insight.starts.iter().map(|thread| {
                let several = if thread.many { ", several at once" } else { "" };
                format!("- starts thread `{}`{several}", thread.name)
            });
            parts.push(threads.collect::<Vec<String>>().join("\n"));
        }
        if let Some(summary) = &insight.function {
            parts.push(self.summary(summary));
        }
        // Locks alone are no news on every brace of the program.
        let is_about_something = !parts.is_empty();
        if let Some(held) = &insight.held
            && insight.accesses.is_empty()
            && (is_about_something || !held.is_empty())
        {
            let items: Vec<String> = held.iter().map(|lock| self.held_lock(lock)).collect();
            parts.push(if items.is_empty() {
                "No lock is held here.".to_owned()
            } else {
                format!("Held here:\n{}", list(&items))
            });
        }
        parts.join("\n\n")
    }

    fn access_fact(&self, fact: &LineFact, guard: Option<&Guard>) -> String {
        let kind = words::kind(fact.kind, fact.atomic);
        let mut items = Vec::new();
        if fact.locks.is_empty() {
            items.push("no lock is held".to_owned());
        }
        items.extend(fact.locks.iter().map(|lock| self.held_lock(lock)));
        if let Some(guard) = guard.filter(|_| fact.is_shared) {
            items.push(guard_in_words(guard));
        }
        if !fact.is_shared {
            items.push("only one thread can reach this memory".to_owned());
        }
        items.extend(self.runs_in(&fact.threads));
        items.extend(fact.no_races.iter().map(|apart| self.no_race(apart)));
        items.extend(fact.remarks.iter().cloned());
        let races = fact.races.iter();
        items.extend(races.map(|id| {
            let race = self.program.race(id);
            let tier = match race.map(|race| race.tier) {
                Some(Tier::Witnessed) => "witnessed",
                _ => "possible",
            };
            format!("**part of the {tier} race `{id}`**")
        }));
        format!("**{kind} of `{}`**\n{}", fact.expression, list(&items))
    }

    fn held_lock(&self, lock: &HeldLock) -> String {
        let name = words::lock_name(&lock.name, lock.shared);
        match &lock.origin {
            LockOrigin::Here(places) if places.is_empty() => format!("holds {name}"),
            LockOrigin::Here(places) => format!("holds {name}, taken at {}", self.places(places)),
            LockOrigin::EveryCaller(calls) if calls.is_empty() => {
                format!("holds {name}: every caller does")
            }
            LockOrigin::EveryCaller(calls) => {
                format!("holds {name}: every caller does, at {}", self.places(calls))
            }
        }
    }

    fn no_race(&self, apart: &NoRace) -> String {
        if apart.with.is_empty() {
            return format!("no race with itself in another thread: {}", apart.reason);
        }
        let mut others: Vec<String> = apart.with[..apart.with.len().min(MOST_OTHERS)]
            .iter()
            .map(|other| {
                let kind = words::kind(other.kind, other.atomic);
                format!("the {kind} at {}", self.place(&other.place))
            })
            .collect();
        let rest = apart.with.len() - others.len();
        if rest > 0 {
            others.push(format!("{rest} more"));
        }
        format!("no race with {}: {}", words::list(others), apart.reason)
    }

    fn runs_in(&self, threads: &[Thread]) -> Option<String> {
        let threads: Vec<String> = threads.iter().map(|thread| self.thread(thread)).collect();
        (!threads.is_empty()).then(|| format!("runs in {}", threads.join("; ")))
    }

    fn thread(&self, thread: &Thread) -> String {
        let started = match &thread.started {
            Some(place) => format!(", started at {}", self.place(place)),
            None => String::new(),
        };
        let several = if thread.many { ", several at once" } else { "" };
        format!("thread `{}`{started}{several}", thread.name)
    }

    /// What a function does with locks and threads.
    pub fn summary(&self, summary: &FunctionSummary) -> String {
        let mut items = Vec::new();
        let threads = self.runs_in(&summary.threads);
        items.push(threads.unwrap_or_else(|| "no known thread runs it".to_owned()));
        items.extend(self.locks("takes", &summary.takes));
        items.extend(self.locks("may release what it did not take:", &summary.releases));
        for (verb, threads) in [
            ("may start", &summary.starts),
            ("waits for", &summary.joins),
        ] {
            if !threads.is_empty() {
                let threads = words::list(threads.iter().map(|thread| self.thread(thread)));
                items.push(format!("{verb} {threads}"));
            }
        }
        if !summary.joined_handles.is_empty() {
            let handles = summary.joined_handles.iter();
            let handles = words::list(handles.map(|handle| format!("`{handle}`")));
            items.push(format!("waits for what was started as {handles}"));
        }
        for outcome in &summary.outcomes {
            let holding = words::holding(&outcome.holding);
            items.push(format!("if it returns {}: {holding}", outcome.result));
        }
        if summary.outcomes.is_empty() && !summary.returns_holding.is_empty() {
            let holding = words::holding(&summary.returns_holding);
            items.push(format!("returns {holding}"));
        } else if summary.outcomes.is_empty() {
            items.push("returns with the locks that it was called with".to_owned());
        }
        let place = self.place(&summary.place);
        format!(
            "**function `{}`** ({place})\n{}",
            summary.name,
            list(&items)
        )
    }

    fn locks(&self, verb: &str, locks: &[Lock]) -> Option<String> {
        let shown = |lock: &Lock| {
            let name = words::lock_name(&lock.name, lock.shared);
            match &lock.acquired {
                Some(place) => format!("{name} ({})", self.place(place)),
                None => name,
            }
        };
        (!locks.is_empty()).then(|| format!("{verb} {}", words::list(locks.iter().map(shown))))
    }

    /// A race with everything that is known about it.
    pub fn race(&self, race: &Race) -> String {
        let verdict = match race.tier {
            Tier::Witnessed => "Data race",
            Tier::Possible | Tier::ProvenSafe => "Possible data race",
        };
        let mut text = format!(
            "### {verdict} on `{}`\n\nRace `{}`, rank {} of 100.\n",
            race.location, race.id, race.rank
        );
        if let Some(verified) = &race.verified {
            text.push_str(&self.verified(verified));
        }
        for (index, access) in race.accesses.iter().enumerate() {
            let heading = match index {
                0 => "One access",
                1 => "The other access",
                _ => "Also",
            };
            text.push_str(&format!("\n**{heading}**: {}\n", self.access(access)));
        }
        let reasons: Vec<String> = race
            .reasons
            .iter()
            .map(|reason| {
                let but = if reason.doubt { "but: " } else { "" };
                format!("{but}{}", reason.text)
            })
            .collect();
        if !reasons.is_empty() {
            text.push_str(&format!("\n**Why it is shown**\n{}\n", list(&reasons)));
        }
        let comments: Vec<String> = race
            .benign_comments
            .iter()
            .map(|comment| format!("above {}: `{}`", self.place(&comment.place), comment.text))
            .collect();
        if !comments.is_empty() {
            text.push_str(&format!(
                "\n**If it is benign, write**\n{}\n",
                list(&comments)
            ));
        }
        text
    }

    /// What looking for an interleaving came to.
    fn verified(&self, verified: &Verified) -> String {
        let mut text = format!("\n**Verified**: {}\n", verified_in_words(verified));
        let Some(trace) = verified.trace() else {
            return text;
        };
        let count = trace.steps.len() + trace.ends.len();
        let skipped = count.saturating_sub(MOST_STEPS);
        for (index, step) in trace.all_steps().enumerate().skip(skipped) {
            let place = step.place.as_ref().map(|place| self.place(place));
            let place = place.map_or_else(String::new, |place| format!(" ({place})"));
            let thread = trace.thread_name(step.thread);
            let together = if index >= trace.steps.len() && trace.ends.len() > 1 {
                ", at the same time"
            } else {
                ""
            };
            let number = index + 1;
            text.push_str(&format!(
                "{number}. thread `{thread}` {}{together}{place}\n",
                step.text
            ));
        }
        if !trace.assumptions.is_empty() {
            let assumed = list(&trace.assumptions);
            text.push_str(&format!("\n**Assumed**\n{assumed}\n"));
        }
        text
    }

    fn access(&self, access: &Access) -> String {
        let kind = words::kind(access.kind, access.atomic);
        let mut items = vec![self.thread(&access.thread)];
        if access.locks.is_empty() {
            items.push("holding no lock".to_owned());
        }
        items.extend(self.locks("holding", &access.locks));
        let calls = access.path.iter().take(MOST_CALLS);
        items.extend(calls.map(|call| {
            format!(
                "`{}` is called at {}",
                call.function,
                self.place(&call.place)
            )
        }));
        format!(
            "{kind} of `{}` in `{}` at {}\n{}",
            access.expression,
            access.function,
            self.place(&access.place),
            list(&items)
        )
    }

    pub fn violation(&self, violation: &Violation) -> String {
        let mut items = vec![format!(
            "in `{}` at {}",
            violation.function,
            self.place(&violation.place)
        )];
        items.extend(violation.thread.iter().map(|thread| self.thread(thread)));
        items.extend(self.locks("holding", &violation.locks));
        let comment = violation.benign_comment.iter();
        items.extend(comment.map(|comment| format!("if it is benign, write `{}`", comment.text)));
        format!("### {}\n\n{}\n", violation.message, list(&items))
    }

    fn places(&self, places: &[Place]) -> String {
        words::list(places.iter().map(|place| self.place(place)))
    }

    /// A link that leads there.
    fn place(&self, place: &Place) -> String {
        let name = place.path.file_name().unwrap_or_default().to_string_lossy();
        let shown = format!("{}:{}", plain(&name), place.line);
        match self.program.view().uri(&place.path) {
            Some(uri) => format!("[{shown}]({}#L{})", uri.as_str(), place.line),
            None => shown,
        }
    }
}

fn protects(guards: &[Guard]) -> String {
    let lock = guards.first().map_or("", |guard| guard.lock.as_str());
    let shown = guards.iter().take(MOST_PROTECTED);
    let mut items: Vec<String> = shown
        .map(|guard| {
            let (held, all) = (guard.held, guard.accesses);
            format!("`{}`: held at {held} of {all} accesses", guard.location)
        })
        .collect();
    if guards.len() > MOST_PROTECTED {
        items.push(format!("{} more", guards.len() - MOST_PROTECTED));
    }
    format!("**lock `{lock}`** is held for\n{}", list(&items))
}

fn guard_in_words(guard: &Guard) -> String {
    let (held, all) = (guard.held, guard.accesses);
    if held == all {
        format!("guarded by `{}` at all {all} accesses", guard.lock)
    } else {
        format!("guarded by `{}` at {held} of {all} accesses", guard.lock)
    }
}

/// Text outside of backquotes that is a stranger's, such as the name of a file: no link, no emphasis, no HTML.
fn plain(text: &str) -> String {
    let mut shown = String::new();
    for character in visible_in_line(text).chars() {
        if character.is_ascii_punctuation() && !matches!(character, '.' | '-' | '_' | '/') {
            shown.push('\\');
        }
        shown.push(character);
    }
    shown
}

fn list(items: &[String]) -> String {
    let lines: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
    lines.join("\n")
}
