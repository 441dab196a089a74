//! What is known about one line: its accesses, and the function around them.

use super::access::kind;
use super::checked::Checked;
use super::expression::{expression, name_of};
use super::held_locks::{HeldLocks, some_callers_hold};
use super::no_race;
use super::race;
use super::summary;
use super::suppressions::Suppressions;
use super::thread::threads;
use crate::report::{Explanation, FunctionSummary, LineFact};
use crate::workspace::Stretch;
use racelens_analysis::accesses::statement_locks;
use racelens_analysis::callgraph::{CallGraph, FunctionId};
use racelens_analysis::ir::{AccessMode, StatementId};
use racelens_analysis::races::Comparison;
use racelens_analysis::summaries::SyncObjects;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// A line, or one column of it.
#[derive(Clone, Copy)]
pub(super) struct AskedPlace<'p> {
    pub file: &'p Path,
    pub line: u32,
    pub column: Option<u32>,
}

pub(super) fn explain(
    checked: &Checked<'_>,
    suppressions: &Suppressions,
    asked: AskedPlace<'_>,
) -> Explanation {
    let Some(function) = function_around(checked, asked) else {
        return Explanation::default();
    };
    let program = checked.program();
    let graph = program.graph(checked.models());
    let objects = program.objects();
    let line = Line::new(checked, suppressions, &graph, objects, function);
    Explanation {
        lines: line.facts(asked),
        summary: summary::summary(checked, function, &line.held),
    }
}

/// What a function does for those who call it.
pub(super) fn explain_function(
    checked: &Checked<'_>,
    suppressions: &Suppressions,
    graph: &CallGraph<'_>,
    objects: &SyncObjects,
    function: FunctionId,
) -> Option<FunctionSummary> {
    let line = Line::new(checked, suppressions, graph, objects, function);
    summary::summary(checked, function, &line.held)
}

/// The innermost function whose text has the line.
pub(super) fn function_around(checked: &Checked<'_>, asked: AskedPlace<'_>) -> Option<FunctionId> {
    let functions = checked.functions_in(asked.file);
    let around = functions.filter_map(|function| {
        let locations = checked.places.locations(checked.entity(function))?;
        let whole = locations.whole()?;
        let lines = whole.line..=whole.end_line;
        lines
            .contains(&asked.line)
            .then_some((whole.line, function))
    });
    around.max().map(|(_, function)| function)
}

/// A function, of which lines are asked for.
pub(super) struct Line<'l, 'w> {
    checked: &'l Checked<'w>,
    pub function: FunctionId,
    pub held: HeldLocks<'l, 'w>,
    comparison: Comparison<'l>,
    suppressions: &'l Suppressions,
}

impl<'l, 'w> Line<'l, 'w> {
    pub fn new(
        checked: &'l Checked<'w>,
        suppressions: &'l Suppressions,
        graph: &'l CallGraph<'l>,
        objects: &SyncObjects,
        function: FunctionId,
    ) -> Line<'l, 'w> {
        let program = checked.program();
        let held = statement_locks(graph, &program.summaries, objects, function);
        Line {
            checked,
            function,
            held: HeldLocks::new(checked, function, held),
            comparison: Comparison::new(program, graph),
            suppressions,
        }
    }

    /// The accesses of the line from left to right. `x++` reads and writes, and is one to its reader.
    pub fn facts(&self, asked: AskedPlace<'_>) -> Vec<LineFact> {
        let mut facts: Vec<LineFact> = Vec::new();
        for statement in self.statements() {
            let entity = self.checked.entity(self.function);
            let Some(stretch) = self.checked.places.statement(entity, statement) else {
                continue;
            };
            if stretch.place.line != asked.line {
                continue;
            }
            for fact in self.statement_facts(statement, &stretch) {
                let known = facts
                    .iter_mut()
                    .find(|known| known.place == fact.place && known.expression == fact.expression);
                match known {
                    Some(known) if !known.kind.writes() && fact.kind.writes() => *known = fact,
                    Some(_) => {}
                    None => facts.push(fact),
                }
            }
        }
        facts.sort_by(|left, right| left.place.cmp(&right.place));
        if let Some(column) = asked.column {
            let is_there = |fact: &LineFact| {
                let start = fact.place.column;
                (start..start + fact.length.max(1)).contains(&column)
            };
            // A column between two accesses asks for the line.
            if facts.iter().any(is_there) {
                facts.retain(is_there);
            }
        }
        facts
    }

    /// The statements that access memory, those of library calls among them.
    pub fn statements(&self) -> BTreeSet<StatementId> {
        let program = self.checked.program();
        let body = program.functions.body(self.function);
        let own = body.statements();
        let own = own.filter(|(_, statement)| statement.access().is_some());
        let facts = &program.facts[self.function.0 as usize];
        let shared = facts.accesses.iter().map(|access| access.statement);
        own.map(|(id, _)| id).chain(shared).collect()
    }

    fn statement_facts(&self, statement: StatementId, stretch: &Stretch) -> Vec<LineFact> {
        let facts = &self.checked.program().facts[self.function.0 as usize];
        let numbers = 0..facts.accesses.len() as u32;
        let shared: Vec<LineFact> = numbers
            .filter(|number| facts.accesses[*number as usize].statement == statement)
            .map(|number| self.shared_fact(number, stretch))
            .collect();
        if shared.is_empty() {
            self.private_fact(statement, stretch).into_iter().collect()
        } else {
            shared
        }
    }

    /// An access to memory that other threads may reach.
    fn shared_fact(&self, number: u32, stretch: &Stretch) -> LineFact {
        let program = self.checked.program();
        let access = &program.facts[self.function.0 as usize].accesses[number as usize];
        let others = no_race::others(self.checked, &self.comparison, (self.function, number));
        let mut fact = LineFact {
            kind: kind(access.kind),
            atomic: access.atomic,
            expression: expression(self.checked, self.function, access, stretch),
            is_shared: others.by_several_threads,
            no_races: others.no_races,
            ..self.fact(access.statement, stretch)
        };
        let is_run = !fact.threads.is_empty();
        if is_run && fact.is_shared && !others.is_written {
            fact.remarks.push("no thread writes this memory".to_owned());
        }
        fact
    }

    /// An access to memory that only one thread can reach.
    fn private_fact(&self, statement: StatementId, stretch: &Stretch) -> Option<LineFact> {
        let body = self.checked.program().functions.body(self.function);
        let (access, place, mode) = body.statement(statement).access()?;
        let text = stretch.text.clone();
        Some(LineFact {
            kind: kind(access),
            atomic: mode == AccessMode::Atomic,
            expression: text.unwrap_or_else(|| name_of(body, place)),
            ..self.fact(statement, stretch)
        })
    }

    /// What holds for every access of a statement.
    fn fact(&self, statement: StatementId, stretch: &Stretch) -> LineFact {
        let program = self.checked.program();
        let contexts = program.contexts.of(self.function);
        let roots: BTreeSet<_> = contexts.flat_map(|(_, _, roots)| roots).copied().collect();
        let mut remarks = Vec::new();
        if roots.is_empty() {
            remarks.push("no known thread runs this function".to_owned());
        }
        remarks.extend(some_callers_hold(&self.held.in_some(statement)));
        let is_here = |race: &&Arc<racelens_analysis::races::Race>| {
            let pairs = race.pairs.iter();
            let mut sides = pairs.flat_map(|pair| [pair.first, pair.second]);
            sides.any(|side| {
                side.function == self.function && program.access(side).statement == statement
            })
        };
        let accepted = program.accepted_races.iter().filter(is_here);
        let accepted = accepted.flat_map(|race| self.suppressions.of(self.checked, race));
        let accepted: BTreeSet<String> = accepted
            .map(|comment| {
                let line = comment.place.line;
                format!(
                    "a race is marked as benign on line {line}: {}",
                    comment.reason
                )
            })
            .collect();
        remarks.extend(accepted);
        LineFact {
            place: stretch.place.clone(),
            length: stretch.length,
            kind: crate::report::AccessKind::Read,
            atomic: false,
            expression: String::new(),
            locks: self.held.in_all(statement),
            threads: threads(self.checked, roots),
            is_shared: false,
            races: program
                .races
                .iter()
                .filter(is_here)
                .map(|race| race::id(race))
                .collect(),
            no_races: Vec::new(),
            remarks,
        }
    }
}
