//! Locks, threads and calls in words.

use super::super::{Access, AccessKind, Call, Lock, PathBase, Stats, Thread};
use crate::project::Place;

/// `write`, `atomic read`.
pub fn kind(kind: AccessKind, atomic: bool) -> String {
    let word = match kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::Update => "update",
    };
    if atomic {
        format!("atomic {word}")
    } else {
        word.to_owned()
    }
}

/// What happens at an access: ``write in thread `worker`, holding `m` ``.
pub fn access(access: &Access) -> String {
    let several = if access.thread.many {
        " (one of several)"
    } else {
        ""
    };
    format!(
        "{} in thread `{}`{several}, {}",
        kind(access.kind, access.atomic),
        access.thread.name,
        holding(&access.locks)
    )
}

pub fn holding(locks: &[Lock]) -> String {
    if locks.is_empty() {
        "holding no lock".to_owned()
    } else {
        format!("holding {}", lock_names(locks))
    }
}

pub fn lock_names(locks: &[Lock]) -> String {
    list(locks.iter().map(|lock| lock_name(&lock.name, lock.shared)))
}

pub fn lock_name(name: &str, shared: bool) -> String {
    if shared {
        format!("`{name}` for reading")
    } else {
        format!("`{name}`")
    }
}

pub fn lock_taken(name: &str, shared: bool) -> String {
    let purpose = if shared { " for reading" } else { "" };
    format!("`{name}` is taken here{purpose}")
}

/// ``thread `worker`, started at a.c:3:5, several at once``.
pub fn thread(thread: &Thread, base: &PathBase) -> String {
    thread_with(thread, ", started at ", base)
}

/// ``thread `worker` at a.c:3:5, several at once``, behind a word that says what happens there.
pub fn thread_there(thread: &Thread, base: &PathBase) -> String {
    thread_with(thread, " at ", base)
}

fn thread_with(thread: &Thread, before_place: &str, base: &PathBase) -> String {
    let mut text = format!("thread `{}`", thread.name);
    if let Some(started) = &thread.started {
        text.push_str(&format!("{before_place}{}", place(started, base)));
    }
    if thread.many {
        text.push_str(", several at once");
    }
    text
}

/// The way from the thread's entry: `worker → handle (a.c:3:5) → bump (b.c:7:1)`. Longer paths than
/// `most` lose calls in their middle.
pub fn path(entry: &str, calls: &[Call], most: usize, base: &PathBase) -> String {
    let shown = |call: &Call| format!("{} ({})", call.function, place(&call.place, base));
    let mut steps = vec![entry.to_owned()];
    if calls.len() <= most {
        steps.extend(calls.iter().map(shown));
    } else {
        // The calls near the access say more than those near the entry.
        let first = most / 3;
        let last = calls.len() - (most - first);
        steps.extend(calls[..first].iter().map(shown));
        steps.push(format!("… {} calls …", last - first));
        steps.extend(calls[last..].iter().map(shown));
    }
    steps.join(" → ")
}

pub fn place(place: &Place, base: &PathBase) -> String {
    format!(
        "{}:{}:{}",
        base.shown(&place.path),
        place.line,
        place.column
    )
}

pub fn places(places: &[Place], base: &PathBase) -> String {
    list(places.iter().map(|at| place(at, base)))
}

/// `a`, `a and b`, `a, b and c`.
pub fn list(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<String> = items.into_iter().collect();
    match items.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A number with its noun: `1 access`, `2 accesses`.
pub fn counted(count: usize, one: &str, several: &str) -> String {
    let noun = if count == 1 { one } else { several };
    format!("{count} {noun}")
}

/// Breaks lines between words so that none is longer than `width`. A longer word stays whole.
pub fn wrapped(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut current = String::new();
        for word in line.split(' ') {
            let length =
                console::measure_text_width(&current) + 1 + console::measure_text_width(word);
            if !current.is_empty() && length > width {
                lines.push(std::mem::take(&mut current));
            } else if !current.is_empty() {
                current.push(' ');
            }
            current.push_str(word);
        }
        lines.push(current);
    }
    lines.join("\n")
}

/// How large the program is: `2 translation units, 8 functions, …`.
pub fn size(stats: &Stats) -> String {
    let counts = [
        counted(stats.units, "translation unit", "translation units"),
        counted(stats.functions, "function", "functions"),
        counted(stats.threads, "thread", "threads"),
        counted(
            stats.shared_locations,
            "shared location",
            "shared locations",
        ),
        counted(stats.accesses, "access", "accesses"),
    ];
    counts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_sentences_do() {
        let names = |names: &[&str]| list(names.iter().map(|name| (*name).to_owned()));
        assert_eq!(names(&["a"]), "a");
        assert_eq!(names(&["a", "b"]), "a and b");
        assert_eq!(names(&["a", "b", "c"]), "a, b and c");
    }

    #[test]
    fn long_paths_lose_their_middle() {
        let calls: Vec<Call> = (1..=7)
            .map(|line| Call {
                function: format!("f{line}"),
                place: Place::new("a.c", line, 1),
            })
            .collect();
        let base = PathBase::new("/");
        assert_eq!(
            path("main", &calls, 3, &base),
            "main → f1 (a.c:1:1) → … 4 calls … → f6 (a.c:6:1) → f7 (a.c:7:1)"
        );
        assert_eq!(
            path("main", &calls[..2], 2, &base),
            "main → f1 (a.c:1:1) → f2 (a.c:2:1)"
        );
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two three\nfour", 7), "one two\nthree\nfour");
        assert_eq!(wrapped("a incomprehensible b", 6), "a\nincomprehensible\nb");
        assert_eq!(wrapped("über äöü", 8), "über äöü");
    }
}
