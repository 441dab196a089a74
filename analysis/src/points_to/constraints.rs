//! What one function says about pointers, as equations between terms.

use super::handling::Handling;
use crate::ir::{FunctionRef, GlobalRef, LocalId, RecordLayout, RecordRef, StatementId, StringId};
use std::sync::Arc;
use ustr::Ustr;

/// What one function, or the initialisers of a declaration, adds to the points-to relation.
/// It holds no position, so that an equal set means that nothing has to be solved again.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Constraints {
    /// A term refers only to terms in front of it.
    pub(super) terms: Vec<Term>,
    /// Registers that are other terms.
    pub(super) aliases: Vec<(LocalId, TermId)>,
    /// Values that are equal, or cells that are one.
    pub(super) equal: Vec<(TermId, TermId)>,
    /// Integers that are equal, which matters only if they turn out to hold a pointer.
    pub(super) equal_if_pointer: Vec<(TermId, TermId)>,
    pub(super) containers: Vec<Container>,
    /// Cells to some byte of which a pointer was moved.
    pub(super) shifted: Vec<TermId>,
    /// Cells of a record whose members cannot be told apart.
    pub(super) collapsed: Vec<(TermId, RecordRef)>,
    /// Cells that cannot be told apart from what contains them.
    pub(super) spread: Vec<TermId>,
    /// Cells of a union of which so many bytes are accessed as something that is no record.
    pub(super) union_leaves: Vec<(TermId, RecordRef, u64)>,
    /// Values of variable arguments that somebody takes.
    pub(super) taken: Vec<TermId>,
    /// Cells of a record whose first word is accessed without naming the member.
    pub(super) first_words: Vec<(TermId, RecordRef)>,
    /// Records between which the function converts pointers.
    pub(super) casts: Vec<(RecordRef, RecordRef)>,
    pub(super) records: Vec<(RecordRef, Arc<RecordLayout>)>,
    pub(super) calls: Vec<Call>,
    pub(super) formals: Vec<Argument>,
    pub(super) variadic: bool,
    pub(super) result: Option<Argument>,
    /// Library functions that the function names as values, as if they had a body.
    pub(super) library: Vec<(FunctionRef, Arc<Constraints>)>,
    pub(super) handling: Handling,
    /// Library functions' own doing: only in constraints that stand for a model.
    pub(super) effects: Effects,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(pub(super) u32);

/// A value or a memory cell of a function. Cells hold values, and values point to cells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Term {
    /// The value of a register.
    Register(LocalId),
    /// The value that the function returns.
    Result,
    /// A value that nothing is known of.
    Unknown(u32),
    /// The value that a cell holds.
    Content(TermId),
    /// The address of a cell, as a value.
    Address(TermId),
    /// A value that points to a cell, by a number of its own.
    Pointer(TermId, u32),
    /// The cell of a local variable.
    Memory(LocalId),
    Global(GlobalRef),
    Function(FunctionRef),
    String(StringId),
    /// What a statement allocates.
    Heap(StatementId),
    /// The cell of the variable arguments.
    Variadic,
    /// An object inside a library, by the name that models give it.
    Library(Ustr),
    /// The cell that a value points to.
    Target(TermId),
    /// A member of a cell, or of a value that is a record.
    Field(TermId, Label),
}

/// A member of a record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Label {
    pub record: RecordRef,
    pub name: Ustr,
}

/// `inner` is the member of `outer` to which the path leads, as `container_of` says.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Container {
    pub inner: TermId,
    pub outer: TermId,
    pub path: Vec<Label>,
}

/// How far a value of some type can carry a pointer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Flow {
    Never,
    /// An integer that is wide enough.
    Perhaps,
    Always,
}

/// A value that goes into or comes out of a call.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Argument {
    /// `None` for constants.
    pub value: Option<TermId>,
    pub flow: Flow,
    /// The record that the value's type points to.
    pub record: Option<RecordRef>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Call {
    pub site: StatementId,
    pub callee: CalleeTerm,
    pub arguments: Vec<Argument>,
    pub result: Option<Argument>,
    /// What the call does according to a model, if there is one.
    pub model: Option<ModelUse>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum CalleeTerm {
    Direct(FunctionRef),
    /// The value that is called.
    Indirect(TermId),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct ModelUse {
    pub priority: Priority,
    pub effects: Effects,
}

/// When a model counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Priority {
    /// Only if the program has no body for the function.
    Fallback,
    /// In place of a body.
    Replaces,
    /// Together with the body.
    Wraps,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Effects {
    pub equal: Vec<(TermId, TermId)>,
    pub equal_if_pointer: Vec<(TermId, TermId)>,
    /// Functions that the library calls back, by the value that names them.
    pub callbacks: Vec<(TermId, Vec<Argument>)>,
    /// Values that other threads get.
    pub shared: Vec<TermId>,
}

impl Constraints {
    /// The variable of the function that is the object with this number.
    pub fn local(&self, number: u32) -> Option<LocalId> {
        let mut variables = self.terms.iter().filter_map(|term| match term {
            Term::Memory(local) => Some(*local),
            _ => None,
        });
        variables.nth(number as usize)
    }

    /// The functions that it names, some of them more than once.
    pub(super) fn named_functions(&self) -> impl Iterator<Item = FunctionRef> + '_ {
        let called = self.calls.iter().filter_map(|call| match call.callee {
            CalleeTerm::Direct(function) => Some(function),
            CalleeTerm::Indirect(_) => None,
        });
        let addressed = self.terms.iter().filter_map(|term| match term {
            Term::Function(function) => Some(*function),
            _ => None,
        });
        let library = self.library.iter().map(|(function, _)| *function);
        let handled = self.handling.callees();
        called.chain(addressed).chain(library).chain(handled)
    }

    /// The records between which it converts pointers, one of them as an argument for whoever expects the other.
    pub(super) fn conversions<'c>(
        &self,
        formals: &dyn Fn(FunctionRef) -> Vec<&'c [Argument]>,
    ) -> Vec<(RecordRef, RecordRef)> {
        let mut found = self.casts.clone();
        for call in &self.calls {
            let CalleeTerm::Direct(function) = call.callee else {
                continue;
            };
            let mut arguments = call.arguments.iter();
            if arguments.all(|argument| argument.record.is_none()) {
                continue;
            }
            for formals in formals(function) {
                for (argument, formal) in call.arguments.iter().zip(formals) {
                    if let (Some(one), Some(other)) = (argument.record, formal.record) {
                        found.push((one.min(other), one.max(other)));
                    }
                }
            }
        }
        found
    }

    /// Whether both say the same, but for what a function's own registers, variables, strings and statements are called.
    /// Whoever solves the one has then solved the other.
    pub(super) fn is_renaming_of(&self, other: &Constraints) -> bool {
        let Constraints {
            terms,
            aliases,
            equal,
            equal_if_pointer,
            containers,
            shifted,
            collapsed,
            spread,
            union_leaves,
            taken,
            first_words,
            casts,
            records,
            calls,
            formals,
            variadic,
            result,
            library,
            handling,
            effects,
        } = self;
        let are_terms_alike = terms.len() == other.terms.len() && {
            let mut pairs = terms.iter().zip(&other.terms);
            pairs.all(|(one, other)| one.is_renaming_of(other))
        };
        let are_calls_alike = calls.len() == other.calls.len() && {
            let mut pairs = calls.iter().zip(&other.calls);
            pairs.all(|(one, other)| one.is_moving_of(other))
        };
        let are_aliases_alike = aliases.len() == other.aliases.len() && {
            let mut pairs = aliases.iter().zip(&other.aliases);
            pairs.all(|(one, other)| one.1 == other.1)
        };
        are_terms_alike
            && are_aliases_alike
            && are_calls_alike
            && *equal == other.equal
            && *equal_if_pointer == other.equal_if_pointer
            && *containers == other.containers
            && *shifted == other.shifted
            && *collapsed == other.collapsed
            && *spread == other.spread
            && *union_leaves == other.union_leaves
            && *taken == other.taken
            && *first_words == other.first_words
            && *casts == other.casts
            && *records == other.records
            && *formals == other.formals
            && *variadic == other.variadic
            && *result == other.result
            && *library == other.library
            && *handling == other.handling
            && *effects == other.effects
    }
}

impl Term {
    /// A term stands in a list without doubles, so that different names there stay different.
    fn is_renaming_of(&self, other: &Term) -> bool {
        match (self, other) {
            (Term::Register(_), Term::Register(_))
            | (Term::Unknown(_), Term::Unknown(_))
            | (Term::Memory(_), Term::Memory(_))
            | (Term::String(_), Term::String(_))
            | (Term::Heap(_), Term::Heap(_)) => true,
            (one, other) => one == other,
        }
    }
}

impl Call {
    fn is_moving_of(&self, other: &Call) -> bool {
        self.callee == other.callee
            && self.arguments == other.arguments
            && self.result == other.result
            && self.model == other.model
    }
}
