//! Pointers that are moved by bytes: to a member, or from a member to what contains it.

use super::builder::{Builder, pointed_record};
use super::constraints::{Container, Flow, Term, TermId};
use crate::ir::*;
use rustc_hash::FxHashMap;

/// As which record the pointer in a register is used. Casts leave no trace but this.
#[derive(Default)]
pub(super) struct UsedAs {
    records: FxHashMap<LocalId, RecordRef>,
    copies: FxHashMap<LocalId, Vec<LocalId>>,
}

impl UsedAs {
    pub fn new(body: &Body) -> UsedAs {
        let mut used = UsedAs::default();
        let moves = body.statements().any(|(_, statement)| {
            matches!(
                statement,
                Statement::Assign {
                    value: Rvalue::PointerAdd { size: 1, .. },
                    ..
                }
            )
        });
        if !moves {
            return used;
        }
        for (_, statement) in body.statements() {
            used.statement(body, statement);
        }
        for block in &body.blocks {
            if let Terminator::Return(Some(Operand::Local(local))) = &block.terminator {
                used.note(*local, pointed_record(&body.result));
            }
        }
        used
    }

    /// The record that a register's pointer is used as, through copies of it.
    pub fn record(&self, body: &Body, register: LocalId) -> Option<RecordRef> {
        let mut seen = vec![register];
        let mut next = 0;
        while let Some(&register) = seen.get(next) {
            next += 1;
            let own = pointed_record(&body.local(register).ty);
            if let Some(record) = own.or_else(|| self.records.get(&register).copied()) {
                return Some(record);
            }
            for copy in self.copies.get(&register).into_iter().flatten() {
                if !seen.contains(copy) {
                    seen.push(*copy);
                }
            }
        }
        None
    }

    fn statement(&mut self, body: &Body, statement: &Statement) {
        if let Some((_, place, _)) = statement.access() {
            self.place(place);
        }
        match statement {
            Statement::Assign {
                target,
                value:
                    Rvalue::Use(Operand::Local(source))
                    | Rvalue::Convert {
                        value: Operand::Local(source),
                        ..
                    },
            } => {
                self.note(*source, pointed_record(&body.local(*target).ty));
                self.copies.entry(*source).or_default().push(*target);
            }
            Statement::Assign {
                value: Rvalue::AddressOf(place),
                ..
            } => self.place(place),
            Statement::Store {
                value: Operand::Local(value),
                ty,
                ..
            } => self.note(*value, pointed_record(ty)),
            _ => {}
        }
    }

    fn place(&mut self, place: &Place) {
        if let Base::Deref(Operand::Local(pointer)) = &place.base
            && let Some(Projection::Field { record, .. }) = place.path.first()
        {
            self.note(*pointer, Some(*record));
        }
    }

    fn note(&mut self, register: LocalId, record: Option<RecordRef>) {
        if let Some(record) = record {
            self.records.entry(register).or_insert(record);
        }
    }
}

impl Builder<'_> {
    /// `target = base + index * size`.
    pub fn moved_pointer(
        &mut self,
        target: LocalId,
        base: &Operand,
        index: &Operand,
        size: u64,
        used_as: &UsedAs,
    ) {
        let Some(value) = self.value(base) else {
            return;
        };
        let register = self.register(target);
        if size == 1 && self.moved_by_bytes(target, value, base, index, used_as) {
            return;
        }
        self.flows(register, value, Flow::Always);
    }

    /// Whether the move goes from or to a member of a record, so that all is said.
    fn moved_by_bytes(
        &mut self,
        target: LocalId,
        value: TermId,
        base: &Operand,
        index: &Operand,
        used_as: &UsedAs,
    ) -> bool {
        let from = self.operand_type(base).and_then(pointed_record);
        let register = self.register(target);
        let constant = match index {
            Operand::Integer(bytes) => i64::try_from(*bytes).ok(),
            _ => None,
        };
        match constant {
            Some(0) => false,
            Some(bytes) if bytes < 0 => {
                let Some(outer) = used_as.record(self.body, target) else {
                    return self.moved_somewhere(register, value, from);
                };
                let distance = bytes.unsigned_abs();
                let Some(layout) = self.layouts.get(outer) else {
                    return self.moved_out(register, value, outer);
                };
                if distance >= layout.size {
                    // A header in front of the object that it describes: one piece of memory.
                    return false;
                }
                let Some(path) = self.layouts.path_to(outer, distance, from) else {
                    return self.moved_out(register, value, outer);
                };
                for label in &path {
                    self.mention_record(label.record);
                }
                let (inner, outer) = (self.target(value), self.target(register));
                self.constraints
                    .containers
                    .push(Container { inner, outer, path });
                true
            }
            Some(bytes) => {
                let Some(record) = from else {
                    let cell = self.target(value);
                    self.constraints.shifted.push(cell);
                    return false;
                };
                let Some(layout) = self.layouts.get(record) else {
                    return self.moved_somewhere(register, value, from);
                };
                if bytes.unsigned_abs() >= layout.size {
                    return false;
                }
                let wanted = used_as.record(self.body, target);
                let Some(path) = self.layouts.path_to(record, bytes.unsigned_abs(), wanted) else {
                    return self.moved_somewhere(register, value, from);
                };
                let mut cell = self.target(value);
                for label in path {
                    self.mention_record(label.record);
                    cell = self.term(Term::Field(cell, label));
                }
                let pointed = self.target(register);
                self.constraints.equal.push((pointed, cell));
                true
            }
            // UNSOUND: A pointer to a record that is moved by an unknown number of bytes and used
            // as the same record is assumed to point to another element of an array.
            None if from.is_some() && from == used_as.record(self.body, target) => false,
            None => self.moved_somewhere(register, value, from),
        }
    }

    /// The pointer now points to some object that contains what it pointed to.
    fn moved_out(&mut self, register: TermId, value: TermId, outer: RecordRef) -> bool {
        let cell = self.target(value);
        self.constraints.spread.push(cell);
        self.constraints.collapsed.push((cell, outer));
        self.flows(register, value, Flow::Always);
        true
    }

    /// Nobody knows where a pointer to `record` now points to, within its object.
    fn moved_somewhere(
        &mut self,
        register: TermId,
        value: TermId,
        record: Option<RecordRef>,
    ) -> bool {
        let cell = self.target(value);
        self.constraints.shifted.push(cell);
        // UNSOUND: Arithmetic on a `char *` or `void *` is assumed not to lead from one member of a
        // record to another.
        if let Some(record) = record.filter(|record| !record.is_union()) {
            self.constraints.collapsed.push((cell, record));
        }
        self.flows(register, value, Flow::Always);
        true
    }
}
