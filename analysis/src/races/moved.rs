//! Functions whose accesses have only moved: their statements stand elsewhere, and all that pairs of accesses, and what is
//! said about them, are made from is the same. Their races are what they were.

use super::naming::Names;
use super::read_modify_write::write_of;
use crate::accesses::{Access, Facts};
use crate::callgraph::{FunctionId, Functions};
use crate::ir::{Statement, StatementId};
use crate::symexec::Targets;
use crate::threads::Contexts;
use std::cmp::Ordering;

/// A program before or after an edit.
#[derive(Clone, Copy)]
pub(super) struct Version<'v> {
    pub functions: &'v Functions,
    pub facts: &'v Facts,
    pub contexts: &'v Contexts,
}

impl Version<'_> {
    /// Whether a function has the accesses that it had, under the same numbers and names, in the same contexts. The contexts
    /// of the function must be the same, and no race at its statements may be accepted.
    pub fn has_only_moved_since(&self, before: &Version<'_>, function: FunctionId) -> bool {
        let [new, old] = [self, before].map(|version| &version.facts[function.0 as usize]);
        new.accesses.len() == old.accesses.len()
            && new.names == old.names
            && new.drops == old.drops
            && self.formals(function) == before.formals(function)
            && self
                .statement_order(function)
                .eq(before.statement_order(function))
            && (0..new.accesses.len() as u32)
                .all(|number| self.is_access_of(before, function, number))
    }

    /// Which accesses belong to one statement, and how the others follow each other: there is one pair for each two statements.
    fn statement_order(&self, function: FunctionId) -> impl Iterator<Item = Ordering> + '_ {
        let accesses = &self.facts[function.0 as usize].accesses;
        let pairs = accesses.iter().zip(accesses.iter().skip(1));
        pairs.map(|(one, next)| one.statement.cmp(&next.statement))
    }

    fn is_access_of(&self, before: &Version<'_>, function: FunctionId, number: u32) -> bool {
        let [new, old] = [self, before]
            .map(|version| &version.facts[function.0 as usize].accesses[number as usize]);
        let moved = Access {
            statement: new.statement,
            ..old.clone()
        };
        moved == *new
            && self.stores_pointer(function, new.statement)
                == before.stores_pointer(function, old.statement)
            && self.write_of(function, number) == before.write_of(function, number)
            && self.names_in(function, new) == before.names_in(function, old)
            && self.contexts.of(function).all(|(id, ..)| {
                self.contexts.reaches(function, id, new.statement)
                    == before.contexts.reaches(function, id, old.statement)
            })
    }

    pub fn stores_pointer(&self, function: FunctionId, at: StatementId) -> bool {
        let statement = self.functions.body(function).statement(at);
        matches!(statement, Statement::Store { ty, .. } if ty.pointee().is_some())
    }

    /// The access that is counted in place of one that only serves it.
    pub fn write_of(&self, function: FunctionId, number: u32) -> Option<u32> {
        let facts = &self.facts[function.0 as usize];
        write_of(self.functions.body(function), facts, number)
    }

    /// What a reader is told that the place and the locks of an access are called.
    fn names_in(&self, function: FunctionId, access: &Access) -> Vec<String> {
        let names = Names::new(self.functions, self.facts, function);
        let place = match &access.place {
            Targets::Exactly(path) => Some(path),
            Targets::OneOf(_) | Targets::Unknown => None,
        };
        let locks = access.locks.held().map(|(path, _)| path);
        place
            .into_iter()
            .chain(locks)
            .map(|path| names.path(path))
            .collect()
    }

    /// What locks that callers hold are called by.
    fn formals(&self, function: FunctionId) -> Vec<Option<String>> {
        let body = self.functions.body(function);
        let formals = body.locals.iter().take(body.parameters);
        formals
            .map(|local| local.name.map(|name| name.to_string()))
            .collect()
    }
}
