//! Takes the lock that the other end of a race holds: of the right object, and released on every way out.

use super::Fix;
use super::edit::{Edits, indentation, line_start};
use super::statement::{self, Kind, Statement};
use crate::lsp::driver::Program;
use crate::project::Place;
use crate::report::{Access, Lock, Race};

/// How a lock is taken and released where somebody else does it.
struct Calls {
    take: String,
    release: String,
    /// What stands in front of the lock: `&` or nothing.
    prefix: &'static str,
}

pub fn fix(program: &Program<'_>, race: &Race, end: &Access) -> Option<Fix> {
    let others = race
        .accesses
        .iter()
        .filter(|other| other.place != end.place);
    let mut candidates = others.flat_map(|other| other.locks.iter().map(move |lock| (other, lock)));
    candidates.find_map(|(other, lock)| {
        let is_held = end.locks.iter().any(|held| held.name == lock.name);
        // A lock that is shared with other readers does not protect a write.
        if is_held || (lock.shared && end.kind.writes()) {
            return None;
        }
        let name = lock_here(other, lock, end)?;
        let calls = calls(program, lock)?;
        wrapped(program, end, &name, &calls)
    })
}

/// The lock as it is called where the access stands: that of the accessed object.
fn lock_here(other: &Access, lock: &Lock, end: &Access) -> Option<String> {
    let Some((lock_object, member)) = split(&lock.name) else {
        // A variable is the same for everybody who sees it.
        return (other.place.path == end.place.path).then(|| lock.name.clone());
    };
    let (other_object, _) = split(&other.expression)?;
    let (object, _) = split(&end.expression)?;
    (other_object.trim_end_matches(['-', '>', '.'])
        == lock_object.trim_end_matches(['-', '>', '.']))
    .then(|| format!("{object}{member}"))
}

/// `cache->` and `misses`. `None` if there is no object in front.
fn split(expression: &str) -> Option<(&str, &str)> {
    let is_simple = |character: char| {
        character.is_alphanumeric() || matches!(character, '_' | '-' | '>' | '.' | '[' | ']')
    };
    let arrow = expression.rfind("->").map(|at| at + 2);
    let dot = expression.rfind('.').map(|at| at + 1);
    let start = arrow.max(dot)?;
    let (object, member) = expression.split_at(start);
    (expression.chars().all(is_simple) && !member.contains(['[', ']'])).then_some((object, member))
}

/// From the place where the other end takes the lock.
fn calls(program: &Program<'_>, lock: &Lock) -> Option<Calls> {
    let acquired = lock.acquired.as_ref()?;
    let source = program.workspace.source(&acquired.path)?;
    let line = source.line(acquired.line)?;
    let rest: String = line.chars().skip(acquired.column as usize - 1).collect();
    let open = rest.find('(')?;
    let take = rest[..open].trim();
    let release = release_of(take)?;
    let argument = rest[open + 1..].split(')').next()?.trim();
    let prefix = match argument.strip_prefix('&') {
        Some(name) if name.trim() == lock.name => "&",
        None if argument == lock.name => "",
        _ => return None,
    };
    // A name that nobody uses is a guess too many.
    source.text().contains(&release).then(|| Calls {
        take: take.to_owned(),
        release,
        prefix,
    })
}

/// The function that gives back what this one takes, by the names that libraries use.
fn release_of(take: &str) -> Option<String> {
    let is_name = |character: char| character.is_alphanumeric() || character == '_';
    if take.is_empty() || !take.chars().all(is_name) {
        return None;
    }
    for (end, release) in [("wrlock", "unlock"), ("rdlock", "unlock")] {
        if let Some(start) = take.strip_suffix(end) {
            return Some(format!("{start}{release}"));
        }
    }
    let is_other = take.ends_with("trylock") || take.ends_with("unlock");
    if let Some(start) = take.strip_suffix("lock").filter(|_| !is_other) {
        return Some(format!("{start}unlock"));
    }
    let rest = take.strip_prefix("lock_")?;
    Some(format!("unlock_{rest}"))
}

fn wrapped(program: &Program<'_>, end: &Access, lock: &str, calls: &Calls) -> Option<Fix> {
    let file = &end.place.path;
    let source = program.workspace.source(file)?;
    let text = source.text();
    let statement = statement::around(text, byte(text, &end.place)?)?;
    let argument = format!("{}{lock}", calls.prefix);
    let take = format!("{}({argument});", calls.take);
    let release = format!("{}({argument});", calls.release);
    let new = match &statement.kind {
        Kind::Plain => plain(text, &statement, &take, &release),
        Kind::Return(value) => {
            let result = result_type(text, &statement, &end.function)?;
            let value = text[value.clone()].trim();
            returning(text, &statement, (&take, &release), &result, value)
        }
    };
    let mut edits = Edits::default();
    edits.replace(program, file, text, replaced(text, &statement)?, &new);
    Some(Fix {
        title: format!("Take `{lock}` here"),
        edits,
        is_preferred: true,
    })
}

fn byte(text: &str, place: &Place) -> Option<usize> {
    let start = line_start(text, place.line)?;
    let mut characters = text[start..].char_indices();
    let (offset, _) = characters.nth(place.column as usize - 1)?;
    Some(start + offset)
}

fn plain(text: &str, statement: &Statement, take: &str, release: &str) -> String {
    let body = &text[statement.bytes.clone()];
    let lines = [take, body, release];
    joined(text, statement, &lines)
}

/// The value is computed under the lock, and returned without it.
fn returning(
    text: &str,
    statement: &Statement,
    (take, release): (&str, &str),
    result: &str,
    value: &str,
) -> String {
    let space = if result.ends_with('*') { "" } else { " " };
    let compute = format!("{result}{space}result = {value};");
    joined(
        text,
        statement,
        &[take, &compute, release, "return result;"],
    )
}

fn joined(text: &str, statement: &Statement, lines: &[&str]) -> String {
    let indent = indentation(text, statement.bytes.start);
    if !statement.needs_braces {
        return lines.join(&format!("\n{indent}"));
    }
    // The braces belong to the line of the `if`, even if the statement stands on one of its own.
    let outer = indentation(text, statement.before);
    let step = if indent.contains('\t') { "\t" } else { "    " };
    let inner: Vec<String> = lines
        .iter()
        .map(|line| format!("{outer}{step}{line}\n"))
        .collect();
    format!(" {{\n{}{outer}}}", inner.concat())
}

/// What is replaced: with braces, also the line end in front of the statement.
fn replaced(text: &str, statement: &Statement) -> Option<std::ops::Range<usize>> {
    let gap = &text[statement.before..statement.bytes.start];
    if !statement.needs_braces {
        return Some(statement.bytes.clone());
    }
    // A comment in between would be lost.
    gap.trim()
        .is_empty()
        .then_some(statement.before..statement.bytes.end)
}

/// The type that a function returns, as its definition spells it. `None` if it has a value of that name already.
fn result_type(text: &str, statement: &Statement, function: &str) -> Option<String> {
    let before = &text[..statement.bytes.start];
    let header = before.rfind(&format!("{function}("))?;
    if before[header..].contains("result") || text[statement.bytes.clone()].contains("result") {
        return None;
    }
    let line = before[..header]
        .rfind([';', '}', '\n'])
        .map_or(0, |at| at + 1);
    let specifiers = before[line..header].split_whitespace();
    let words = specifiers.filter(|word| !matches!(*word, "static" | "inline" | "extern"));
    let words: Vec<&str> = words.collect();
    let is_type = |word: &&str| {
        word.chars()
            .all(|it| it.is_alphanumeric() || it == '_' || it == '*')
    };
    (!words.is_empty() && words.iter().all(is_type)).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_name_their_functions_in_pairs() {
        for (take, release) in [
            ("pthread_mutex_lock", Some("pthread_mutex_unlock")),
            ("pthread_rwlock_wrlock", Some("pthread_rwlock_unlock")),
            ("pthread_rwlock_rdlock", Some("pthread_rwlock_unlock")),
            ("spin_lock", Some("spin_unlock")),
            ("mtx_lock", Some("mtx_unlock")),
            ("lock_cache", Some("unlock_cache")),
            ("pthread_mutex_trylock", None),
            ("pthread_mutex_unlock", None),
            ("WITH_BUCKET", None),
            ("", None),
        ] {
            assert_eq!(release_of(take).as_deref(), release, "{take}");
        }
    }

    #[test]
    fn objects_are_what_stands_in_front_of_the_last_member() {
        assert_eq!(split("cache->misses"), Some(("cache->", "misses")));
        assert_eq!(split("a.b->c.d"), Some(("a.b->c.", "d")));
        assert_eq!(split("counter"), None);
        assert_eq!(split("f(x)->y"), None);
    }
}
