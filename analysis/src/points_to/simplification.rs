//! Says the same about pointers in fewer words: a register that certainly is another value of its function is called by
//! that value's name, so that whoever puts all functions together has less to unite.
//!
//! What is left out are equations of the function itself that hold whatever the rest of the program says, and nothing else is
//! concluded than what uniting two nodes unites anyway: their targets and their members.

use super::constraints::{Argument, CalleeTerm, Constraints, Effects, Term, TermId};
use super::terms::Terms;
use crate::ir::LocalId;

/// The same with fewer terms and equations.
pub(super) fn simplified(mut said: Constraints) -> Constraints {
    let mut simplifier = Simplifier::new(&said);
    for index in 0..said.terms.len() {
        simplifier.term(index);
    }
    let places: Vec<TermId> = simplifier.places();
    let (terms, equal) = (simplifier.terms.list, simplifier.equal);
    let called = said.terms.iter().zip(&places);
    let called_otherwise = called.filter_map(|(term, place)| match term {
        Term::Register(local) if terms[place.0 as usize] != *term => Some((*local, *place)),
        _ => None,
    });
    let called_otherwise: Vec<(LocalId, TermId)> = called_otherwise.collect();
    let renaming = Renaming(&places);
    renaming.rename(&mut said);
    renaming.each(said.aliases.iter_mut().map(|(_, term)| term));
    renaming.pairs(&mut said.equal_if_pointer);
    said.aliases.extend(called_otherwise);
    said.terms = terms;
    // Those that are left; they have new names.
    said.equal = equal;
    said
}

/// How far a name for a register is looked for in terms behind it.
const DEEPEST_LOOK: usize = 32;

struct Simplifier<'c> {
    said: &'c Constraints,
    /// The class of each term, as far as the equations say, by its first term.
    classes: Vec<u32>,
    /// Of each class the terms that say what they are, in their order.
    defined: Vec<Vec<u32>>,
    /// Of each class the terms for what it points to.
    targets: Vec<Vec<u32>>,
    /// What stands for a class.
    placed: Vec<Option<TermId>>,
    /// What each term that says what it is has become.
    words: Vec<Option<TermId>>,
    /// Classes for which a name is being looked for.
    pending: Vec<bool>,
    terms: Terms,
    equal: Vec<(TermId, TermId)>,
    pointers: u32,
}

impl<'c> Simplifier<'c> {
    fn new(said: &'c Constraints) -> Simplifier<'c> {
        let count = said.terms.len();
        let mut classes: Vec<u32> = (0..count as u32).collect();
        for (left, right) in &said.equal {
            let (left, right) = (root(&mut classes, left.0), root(&mut classes, right.0));
            classes[left.max(right) as usize] = left.min(right);
        }
        for term in 0..count as u32 {
            classes[term as usize] = root(&mut classes, term);
        }
        let mut defined = vec![Vec::new(); count];
        let mut targets = vec![Vec::new(); count];
        for (term, number) in said.terms.iter().zip(0..) {
            let class = classes[number as usize] as usize;
            if !is_free(term) {
                defined[class].push(number);
            }
            if let Term::Target(value) = term {
                targets[classes[value.0 as usize] as usize].push(number);
            }
        }
        Simplifier {
            said,
            classes,
            defined,
            targets,
            placed: vec![None; count],
            words: vec![None; count],
            pending: vec![false; count],
            terms: Terms::default(),
            equal: Vec::new(),
            pointers: 0,
        }
    }

    /// What stands for each term.
    fn places(&self) -> Vec<TermId> {
        let places = self.classes.iter();
        // Every class has a place when all its terms were looked at.
        places
            .map(|class| self.placed[*class as usize].unwrap_or(TermId(0)))
            .collect()
    }

    /// Finds a place for a term; those in front of it have one.
    fn term(&mut self, index: usize) {
        let term = self.said.terms[index];
        let class = self.classes[index];
        if !is_free(&term) {
            if let Some(id) = self.said_as(index as u32, 0) {
                let known = *self.placed[class as usize].get_or_insert(id);
                if known != id {
                    self.equal.push((known, id));
                }
            }
            return;
        }
        if self.place(class, 0).is_none() {
            self.placed[class as usize] = Some(self.terms.term(term));
        }
    }

    /// What stands for a class, if that need not be a register.
    fn place(&mut self, class: u32, depth: usize) -> Option<TermId> {
        let at = class as usize;
        if self.placed[at].is_some() {
            return self.placed[at];
        }
        if depth > DEEPEST_LOOK || std::mem::replace(&mut self.pending[at], true) {
            return None;
        }
        let found = match self.defined[at].first() {
            Some(&definition) => self.said_as(definition, depth + 1),
            None => self.pointer(class, depth + 1),
        };
        self.pending[at] = false;
        self.placed[at] = self.placed[at].or(found);
        self.placed[at]
    }

    /// A value of which nothing is known but what it points to.
    fn pointer(&mut self, class: u32, depth: usize) -> Option<TermId> {
        for index in 0..self.targets[class as usize].len() {
            let target = self.targets[class as usize][index];
            let pointed = self.classes[target as usize];
            let cells = self.defined[pointed as usize].clone();
            let cell = cells.into_iter().find(|cell| {
                !matches!(self.said.terms[*cell as usize], Term::Target(value)
                    if self.classes[value.0 as usize] == class)
            });
            let Some(cell) = cell else {
                continue;
            };
            let Some(cell) = self.said_as(cell, depth) else {
                continue;
            };
            let known = *self.placed[pointed as usize].get_or_insert(cell);
            if known != cell {
                self.equal.push((known, cell));
            }
            self.pointers += 1;
            return Some(self.terms.term(Term::Pointer(known, self.pointers)));
        }
        None
    }

    /// A term that says what it is, in the new words.
    fn said_as(&mut self, index: u32, depth: usize) -> Option<TermId> {
        if let Some(known) = self.words[index as usize] {
            return Some(known);
        }
        let term = self.said.terms[index as usize];
        let mut of = |inner: TermId| self.place(self.classes[inner.0 as usize], depth);
        let term = match term {
            Term::Content(cell) => Term::Content(of(cell)?),
            Term::Address(cell) | Term::Pointer(cell, _) => {
                // Two values that point to one cell need not be one.
                let cell = of(cell)?;
                self.pointers += 1;
                Term::Pointer(cell, self.pointers)
            }
            Term::Target(value) => {
                let value = of(value)?;
                let cell = self.terms.target(value);
                self.words[index as usize] = Some(cell);
                return Some(cell);
            }
            Term::Field(term, label) => Term::Field(of(term)?, label),
            other => other,
        };
        let found = self.terms.term(term);
        self.words[index as usize] = Some(found);
        Some(found)
    }
}

fn root(classes: &mut [u32], mut term: u32) -> u32 {
    while classes[term as usize] != term {
        classes[term as usize] = classes[classes[term as usize] as usize];
        term = classes[term as usize];
    }
    term
}

/// Whether a term is a mere name.
fn is_free(term: &Term) -> bool {
    matches!(term, Term::Register(_) | Term::Unknown(_) | Term::Result)
}

/// What stands for each term.
pub(super) struct Renaming<'p>(pub &'p [TermId]);

impl Renaming<'_> {
    /// Renames all that is said of terms, but for what is equal if one is a pointer and for what registers are.
    pub fn rename(&self, said: &mut Constraints) {
        self.pairs(&mut said.equal);
        for container in &mut said.containers {
            self.each([&mut container.inner, &mut container.outer]);
        }
        self.each(&mut said.shifted);
        self.each(said.collapsed.iter_mut().map(|(cell, _)| cell));
        self.each(&mut said.spread);
        self.each(said.union_leaves.iter_mut().map(|(cell, ..)| cell));
        self.each(&mut said.taken);
        self.each(said.first_words.iter_mut().map(|(cell, _)| cell));
        for call in &mut said.calls {
            if let CalleeTerm::Indirect(value) = &mut call.callee {
                self.each([value]);
            }
            self.arguments(call.arguments.iter_mut().chain(&mut call.result));
            if let Some(model) = &mut call.model {
                self.effects(&mut model.effects);
            }
        }
        self.arguments(said.formals.iter_mut().chain(&mut said.result));
        self.effects(&mut said.effects);
    }

    pub fn each<'t>(&self, terms: impl IntoIterator<Item = &'t mut TermId>) {
        for term in terms {
            *term = self.0[term.0 as usize];
        }
    }

    /// Nothing need be said of pairs that become one.
    pub fn pairs(&self, pairs: &mut Vec<(TermId, TermId)>) {
        for (left, right) in &mut *pairs {
            self.each([left, right]);
        }
        pairs.retain(|(left, right)| left != right);
    }

    fn arguments<'a>(&self, arguments: impl Iterator<Item = &'a mut Argument>) {
        self.each(arguments.filter_map(|argument| argument.value.as_mut()));
    }

    fn effects(&self, effects: &mut Effects) {
        self.pairs(&mut effects.equal);
        self.pairs(&mut effects.equal_if_pointer);
        for (function, arguments) in &mut effects.callbacks {
            self.each([function]);
            self.arguments(arguments.iter_mut());
        }
        self.each(&mut effects.shared);
    }
}
