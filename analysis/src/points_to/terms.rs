//! The terms of one function, each once.

use super::constraints::{Term, TermId};
use rustc_hash::FxHashMap;

#[derive(Default)]
pub(super) struct Terms {
    pub list: Vec<Term>,
    known: FxHashMap<Term, TermId>,
    unknowns: u32,
}

impl Terms {
    pub fn term(&mut self, term: Term) -> TermId {
        let next = TermId(self.list.len() as u32);
        let id = *self.known.entry(term).or_insert(next);
        if id == next {
            self.list.push(term);
        }
        id
    }

    pub fn content(&mut self, cell: TermId) -> TermId {
        self.term(Term::Content(cell))
    }

    /// The cell that a value points to.
    pub fn target(&mut self, value: TermId) -> TermId {
        match self.list[value.0 as usize] {
            Term::Address(cell) | Term::Pointer(cell, _) => cell,
            _ => self.term(Term::Target(value)),
        }
    }

    /// The value that points to a cell.
    pub fn address(&mut self, cell: TermId) -> TermId {
        match self.list[cell.0 as usize] {
            Term::Target(value) => value,
            _ => self.term(Term::Address(cell)),
        }
    }

    pub fn unknown(&mut self) -> TermId {
        self.unknowns += 1;
        self.term(Term::Unknown(self.unknowns))
    }
}
