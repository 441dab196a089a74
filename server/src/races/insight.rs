//! What is known about one position: the access, the lock, the function or the thread start there.

use super::checked::Checked;
use super::explanation::{AskedPlace, Line, explain_function, function_around};
use super::guards::Guards;
use super::suppressions::Suppressions;
use crate::report::{Guard, HeldLock, Insight, LineFact, Thread};
use racelens_analysis::callgraph::FunctionId;

/// `word` is the identifier at the position, if there is one.
pub(super) fn insight(
    checked: &Checked<'_>,
    suppressions: &Suppressions,
    guards: &Guards,
    asked: AskedPlace<'_>,
    word: Option<&str>,
) -> Insight {
    let program = checked.program();
    let graph = program.graph(checked.models());
    let objects = program.objects();
    let mut insight = Insight::default();
    if let Some(function) = function_around(checked, asked) {
        let line = Line::new(checked, suppressions, &graph, objects, function);
        let is_there = |fact: &LineFact| {
            let start = fact.place.column;
            let columns = start..start + fact.length.max(1);
            asked.column.is_some_and(|column| columns.contains(&column))
        };
        insight.accesses = line.facts(asked).into_iter().filter(is_there).collect();
        insight.guard = guard(checked, guards, &line, &insight.accesses);
        insight.held = held(checked, &line, asked);
        insight.starts = starts(checked, function, asked);
    }
    if let Some(word) = word {
        let named = named_function(checked, asked, word);
        insight.function = named.and_then(|function| {
            explain_function(checked, suppressions, &graph, objects, function)
        });
        if insight.accesses.is_empty() {
            insight.protects = guards.of_lock(word);
        }
    }
    insight
}

fn guard(
    checked: &Checked<'_>,
    guards: &Guards,
    line: &Line<'_, '_>,
    accesses: &[LineFact],
) -> Option<Guard> {
    let first = accesses.first()?;
    let entity = checked.entity(line.function);
    let mut statements = line.statements().into_iter().filter(|statement| {
        let place = checked.places.statement_place(entity, *statement);
        place.as_ref() == Some(&first.place)
    });
    statements.find_map(|statement| guards.of_access(checked, line.function, statement))
}

/// What is held at the statement nearest to the position on its line.
fn held(
    checked: &Checked<'_>,
    line: &Line<'_, '_>,
    asked: AskedPlace<'_>,
) -> Option<Vec<HeldLock>> {
    let entity = checked.entity(line.function);
    let body = checked.program().functions.body(line.function);
    let column = asked.column.unwrap_or(1);
    let places = body.statements().filter_map(|(statement, _)| {
        let place = checked.places.statement_place(entity, statement)?;
        let is_here = place.line == asked.line && line.held.knows(statement);
        is_here.then(|| (place.column.abs_diff(column), statement))
    });
    let (_, nearest) = places.min()?;
    Some(line.held.in_all(nearest))
}

fn starts(checked: &Checked<'_>, function: FunctionId, asked: AskedPlace<'_>) -> Vec<Thread> {
    let roots = super::summary::started_by(checked, function);
    let threads = super::thread::threads(checked, roots).into_iter();
    threads
        .filter(|thread| {
            let started = thread.started.as_ref();
            started.is_some_and(|place| place.line == asked.line && place.path == asked.file)
        })
        .collect()
}

/// The function with a name, the one of the same file if there are several.
fn named_function(checked: &Checked<'_>, asked: AskedPlace<'_>, word: &str) -> Option<FunctionId> {
    let functions = &checked.program().functions;
    let is_named = |function: &FunctionId| functions.body(*function).function.name.as_str() == word;
    let own = checked.functions_in(asked.file).find(is_named);
    own.or_else(|| functions.ids().find(is_named))
}
