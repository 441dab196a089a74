//! What reading a body needs at every statement: its terms, its types, the records it mentions.

use super::constraints::{Argument, Constraints, Flow, Label, Term, TermId};
use super::go_betweens::without_go_betweens;
use super::layouts::Layouts;
use super::simplification::simplified;
use super::terms::Terms;
use crate::ir::*;
use crate::models::Models;
use rustc_hash::FxHashSet;
use std::sync::Arc;

pub(super) struct Builder<'a> {
    pub body: &'a Body,
    pub models: &'a Models,
    pub layouts: Layouts<'a>,
    pub constraints: Constraints,
    pub terms: Terms,
    known_casts: FxHashSet<(RecordRef, RecordRef)>,
    known_records: FxHashSet<RecordRef>,
    known_library: FxHashSet<FunctionRef>,
}

impl<'a> Builder<'a> {
    pub fn new(body: &'a Body, models: &'a Models, layouts: Layouts<'a>) -> Builder<'a> {
        Builder {
            body,
            models,
            layouts,
            constraints: Constraints::default(),
            terms: Terms::default(),
            known_casts: FxHashSet::default(),
            known_records: FxHashSet::default(),
            known_library: FxHashSet::default(),
        }
    }

    pub fn term(&mut self, term: Term) -> TermId {
        self.terms.term(term)
    }

    pub fn content(&mut self, cell: TermId) -> TermId {
        self.terms.content(cell)
    }

    pub fn target(&mut self, value: TermId) -> TermId {
        self.terms.target(value)
    }

    pub fn finish(mut self) -> Constraints {
        self.constraints.terms = self.terms.list;
        without_go_betweens(simplified(self.constraints))
    }

    pub fn operand_type(&self, operand: &Operand) -> Option<&'a Ty> {
        match operand {
            Operand::Local(local) => Some(&self.body.local(*local).ty),
            _ => None,
        }
    }

    /// The value of an operand; `None` for constants.
    pub fn value(&mut self, operand: &Operand) -> Option<TermId> {
        match operand {
            Operand::Local(local) => Some(self.register(*local)),
            Operand::String(string) => {
                let cell = self.term(Term::String(*string));
                Some(self.terms.address(cell))
            }
            Operand::Function(function) => {
                self.mention_library(*function);
                let cell = self.term(Term::Function(*function));
                Some(self.terms.address(cell))
            }
            Operand::Integer(_) | Operand::Float(_) | Operand::Unknown => None,
        }
    }

    /// A formal or temporary that is a record is a register, too; its members are values.
    pub fn register(&mut self, local: LocalId) -> TermId {
        self.term(Term::Register(local))
    }

    pub fn flow_of(&self, operand: &Operand) -> Flow {
        match operand {
            Operand::Local(local) => flow(&self.body.local(*local).ty),
            Operand::String(_) | Operand::Function(_) => Flow::Always,
            Operand::Integer(_) | Operand::Float(_) | Operand::Unknown => Flow::Never,
        }
    }

    pub fn argument(&mut self, operand: &Operand) -> Argument {
        let flow = self.flow_of(operand);
        let record = self.operand_type(operand).and_then(pointed_record);
        if let Some(record) = record {
            self.mention_record(record);
        }
        Argument {
            value: self.value(operand).filter(|_| flow != Flow::Never),
            flow,
            record,
        }
    }

    /// Both values are the same, as far as values of that kind carry pointers.
    pub fn flows(&mut self, left: TermId, right: TermId, flow: Flow) {
        if left == right {
            return;
        }
        match flow {
            Flow::Always => self.constraints.equal.push((left, right)),
            Flow::Perhaps => self.constraints.equal_if_pointer.push((left, right)),
            Flow::Never => {}
        }
    }

    /// The cell that a place names.
    pub fn place(&mut self, place: &Place) -> TermId {
        let mut cell = match &place.base {
            Base::Local(local) => self.term(Term::Memory(*local)),
            Base::Global(global) => self.term(Term::Global(*global)),
            Base::Deref(pointer) => {
                if let Some(Projection::Field { record, .. }) = place.path.first()
                    && let Some(pointed) = self.operand_type(pointer).and_then(pointed_record)
                {
                    self.mention_cast(pointed, *record);
                }
                let value = match self.value(pointer) {
                    Some(value) => value,
                    None => self.terms.unknown(),
                };
                self.target(value)
            }
        };
        for projection in &place.path {
            if let Projection::Field { record, name } = projection {
                self.mention_record(*record);
                let label = Label {
                    record: *record,
                    name: *name,
                };
                cell = self.term(Term::Field(cell, label));
            }
        }
        cell
    }

    /// The function looks at one record as if it were the other.
    pub fn mention_cast(&mut self, from: RecordRef, to: RecordRef) {
        if from == to {
            return;
        }
        self.mention_record(from);
        self.mention_record(to);
        let pair = (from.min(to), from.max(to));
        if self.known_casts.insert(pair) {
            self.constraints.casts.push(pair);
        }
    }

    /// Keeps the layout of a record and of those that it begins with.
    pub fn mention_record(&mut self, record: RecordRef) {
        let mut pending = vec![record];
        while let Some(record) = pending.pop() {
            if !self.known_records.insert(record) {
                continue;
            }
            let Some(layout) = self.layouts.get(record) else {
                continue;
            };
            let first = layout.fields.iter().filter(|field| field.offset == 0);
            pending.extend(first.filter_map(|field| element_record(&field.ty)));
            self.constraints.records.push((record, layout));
        }
    }

    fn mention_library(&mut self, function: FunctionRef) {
        if !self.known_library.insert(function) {
            return;
        }
        if let Some(model) = self.models.lookup(&function.name) {
            let constraints = super::model_effects::library_constraints(model);
            self.constraints
                .library
                .push((function, Arc::new(constraints)));
        }
    }
}

/// Whether values of a type can carry pointers.
pub(super) fn flow(ty: &Ty) -> Flow {
    match ty.kind() {
        TyKind::Pointer(_)
        | TyKind::Record(_)
        | TyKind::VaList
        | TyKind::Unknown
        | TyKind::Function(_) => Flow::Always,
        TyKind::Array { element, .. } => flow(element),
        // UNSOUND: A pointer that is kept in an integer narrower than `long` is not followed.
        TyKind::Int(int) => match int.rank {
            IntRank::Long | IntRank::LongLong | IntRank::Int128 => Flow::Perhaps,
            _ => Flow::Never,
        },
        TyKind::Void
        | TyKind::Bool
        | TyKind::Float(_)
        | TyKind::Complex(_)
        | TyKind::Vector { .. } => Flow::Never,
    }
}

/// The record that a pointer type leads to.
pub(super) fn pointed_record(ty: &Ty) -> Option<RecordRef> {
    element_record(ty.pointee()?)
}

/// The record that a type is, or of which it is an array.
pub(super) fn element_record(ty: &Ty) -> Option<RecordRef> {
    let mut ty = ty;
    while let TyKind::Array { element, .. } = ty.kind() {
        ty = element;
    }
    ty.record()
}
