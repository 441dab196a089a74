//! What places and locks are called in messages.

use crate::accesses::{Facts, VariableNames};
use crate::callgraph::{FunctionId, Functions};
use crate::ir::{Body, Callee, LocalId, Statement};
use crate::symexec::{Definition, Name, Path, Root, Step};

/// Names in terms of one function's source text.
#[derive(Clone, Copy)]
pub struct Names<'n> {
    functions: &'n Functions,
    body: &'n Body,
    /// Variables of the function that hold values without a better name.
    variables: &'n VariableNames,
}

impl<'n> Names<'n> {
    pub fn new(functions: &'n Functions, facts: &'n Facts, function: FunctionId) -> Names<'n> {
        Names {
            functions,
            body: functions.body(function),
            variables: &facts[function.0 as usize].names,
        }
    }

    /// A place or a lock as the function's author would write it.
    pub fn path(&self, path: &Path) -> String {
        path.render(&|beginning| {
            if let Some(name) = self.variables.pointers.get(beginning) {
                return Some(Name::Pointer(name.to_string()));
            }
            let value = match self.variables.values.get(beginning) {
                Some(name) => Some(name.to_string()),
                None => beginning
                    .steps
                    .is_empty()
                    .then(|| self.root(beginning.root)),
            };
            value.map(Name::Value)
        })
    }

    fn root(&self, root: Root) -> String {
        match root {
            Root::Formal(index) => local_name(self.body, LocalId(index)),
            Root::Local(local) | Root::Value(Definition::Merge(_, local)) => {
                local_name(self.body, local)
            }
            Root::Global(global) => global.name.to_string(),
            Root::Value(Definition::Statement(id)) => {
                let statement = self.body.statement(id);
                let target = statement.target().map(|local| self.body.local(local));
                match target.and_then(|local| local.name) {
                    Some(name) => name.to_string(),
                    None => described(statement),
                }
            }
            Root::Heap(site) | Root::PerThread(site) => {
                let by = self.functions.resolve(site.function).first();
                let maker = by.map(|function| self.functions.body(*function));
                let statement =
                    maker.and_then(|body| Some(body.statement(body.position(site.statement)?)));
                statement.map_or_else(|| "new object".to_string(), described)
            }
            Root::Frame(_, variable) | Root::ForeignFrame(_, variable) => match variable.name {
                Some(name) => name.to_string(),
                None => "value".to_string(),
            },
            Root::Result => "the result".to_string(),
            Root::Ticket(_) | Root::Given(_) | Root::Somewhere => "…".to_string(),
        }
    }
}

/// What a location is called that no access has a name for.
pub(super) const UNNAMED: &str = "memory behind a pointer";

/// How well a path names what it leads to: a variable before a member before a pointer. Smaller is better.
pub(super) fn naming_quality(path: &Path) -> (usize, usize) {
    let kind = match path.root {
        Root::Global(_) => 0,
        Root::Formal(_) => 1,
        Root::Local(_) => 2,
        _ => 3,
    };
    (kind, path.steps.len())
}

/// The member or variable that a path ends with, without the object that it was reached through.
pub(super) fn location_name(path: &Path, names: Names<'_>) -> String {
    let is_variable = matches!(path.root, Root::Global(_)) && !path.steps.contains(&Step::Deref);
    match path.last_field() {
        Some((record, name)) if !is_variable => {
            let shown = record.display();
            let words = shown.strip_prefix("struct ").unwrap_or(shown);
            // A record without a tag is named by what it is declared in.
            let shown = words.strip_prefix("in ").unwrap_or(words);
            format!("{shown}.{name}")
        }
        _ => names.path(path),
    }
}

fn local_name(body: &Body, local: LocalId) -> String {
    let name = body
        .locals
        .get(local.0 as usize)
        .and_then(|local| local.name);
    name.map_or_else(|| "value".to_string(), |name| name.to_string())
}

fn described(statement: &Statement) -> String {
    match statement {
        Statement::Call {
            callee: Callee::Direct(function),
            ..
        } => format!("{}()", function.name),
        _ => "value".to_string(),
    }
}
