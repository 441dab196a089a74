//! Functions whose accesses have only moved: statements stand elsewhere, and nothing else is different about them. Their
//! races are what they were.

use super::read_modify_write::write_of;
use crate::accesses::{Access, FunctionFacts};
use crate::callgraph::FunctionId;
use crate::ir::{Body, Statement, StatementId};
use crate::threads::Contexts;

/// A function before or after an edit.
pub(super) struct Version<'v> {
    pub function: FunctionId,
    pub body: &'v Body,
    pub facts: &'v FunctionFacts,
    pub contexts: &'v Contexts,
}

impl Version<'_> {
    /// Whether it has the accesses that it had, under the same numbers, in the same contexts. The contexts of the function
    /// must be the same.
    pub fn has_only_moved_since(&self, before: &Version<'_>) -> bool {
        let (new, old) = (&self.facts.accesses, &before.facts.accesses);
        new.len() == old.len()
            && self.facts.names == before.facts.names
            && self.facts.drops == before.facts.drops
            && (0..new.len() as u32).all(|number| self.is_access_of(before, number))
    }

    fn is_access_of(&self, before: &Version<'_>, number: u32) -> bool {
        let [new, old] = [self, before].map(|version| &version.facts.accesses[number as usize]);
        let moved = Access {
            statement: new.statement,
            ..old.clone()
        };
        moved == *new
            && self.stores_pointer(new.statement) == before.stores_pointer(old.statement)
            && write_of(self.body, self.facts, number)
                == write_of(before.body, before.facts, number)
            && self.contexts.of(self.function).all(|(id, ..)| {
                self.contexts.reaches(self.function, id, new.statement)
                    == before.contexts.reaches(self.function, id, old.statement)
            })
    }

    fn stores_pointer(&self, at: StatementId) -> bool {
        let statement = self.body.statement(at);
        matches!(statement, Statement::Store { ty, .. } if ty.pointee().is_some())
    }
}
