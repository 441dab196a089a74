//! Reads the equations off the statements of a body.

use super::builder::{Builder, element_record, flow, pointed_record};
use super::byte_offsets::UsedAs;
use super::constraints::{Argument, Call, CalleeTerm, Constraints, Flow, Label, Term, TermId};
use super::handling::handling;
use super::layouts::Layouts;
use crate::ir::*;
use crate::models::Models;
use std::sync::Arc;
use ustr::Ustr;

/// The constraints of a body, without the layouts of file-scope records. Where a layout is needed
/// and missing, parts of objects are not told apart.
pub fn constraints(body: &Body, models: &Models) -> Constraints {
    constraints_with_layouts(body, models, &|_| None)
}

/// The constraints of a body, whose unit knows the layouts of the records of its file scope.
pub fn constraints_with_layouts(
    body: &Body,
    models: &Models,
    layouts: &dyn Fn(RecordRef) -> Option<Arc<RecordLayout>>,
) -> Constraints {
    let mut builder = Builder::new(body, models, Layouts::new(body, layouts));
    builder.signature();
    let used_as = UsedAs::new(body);
    let at_start = StatementId {
        block: BlockId(u32::MAX),
        index: 0,
    };
    for statement in &body.statics {
        builder.statement(at_start, statement, &used_as);
    }
    for (id, statement) in body.statements() {
        builder.statement(id, statement, &used_as);
    }
    for block in &body.blocks {
        if let Terminator::Return(Some(operand)) = &block.terminator {
            builder.returned(operand);
        }
    }
    builder.constraints.handling = handling(body, models);
    builder.finish()
}

impl Builder<'_> {
    fn signature(&mut self) {
        for index in 0..self.body.parameters {
            let formal = self.argument(&Operand::Local(LocalId(index as u32)));
            self.constraints.formals.push(formal);
        }
        self.constraints.variadic = self.body.variadic;
        let flow = flow(&self.body.result);
        if flow != Flow::Never {
            let value = Some(self.term(Term::Result));
            self.constraints.result = Some(Argument {
                value,
                flow,
                record: pointed_record(&self.body.result),
            });
        }
    }

    fn returned(&mut self, operand: &Operand) {
        let flow = flow(&self.body.result).min(self.flow_of(operand));
        if flow == Flow::Never {
            return;
        }
        if let Some(value) = self.value(operand) {
            let result = self.term(Term::Result);
            self.flows(result, value, flow);
        }
        let result = self.body.result.clone();
        self.convert_pointer(operand, &result);
    }

    fn statement(&mut self, id: StatementId, statement: &Statement, used_as: &UsedAs) {
        match statement {
            Statement::Load {
                target, place, ty, ..
            } => {
                let cell = self.accessed(place, ty);
                if flow(ty) != Flow::Never {
                    let (content, register) = (self.content(cell), self.register(*target));
                    self.flows(register, content, flow(ty));
                }
            }
            Statement::Store {
                place, value, ty, ..
            } => {
                let cell = self.accessed(place, ty);
                self.stored(cell, value, ty);
            }
            Statement::Update {
                target,
                place,
                value,
                ty,
                ..
            } => {
                let cell = self.accessed(place, ty);
                self.stored(cell, value, ty);
                if flow(ty) != Flow::Never {
                    let (content, register) = (self.content(cell), self.register(*target));
                    self.flows(register, content, flow(ty));
                }
            }
            Statement::Assign { target, value } => self.assigned(id, *target, value, used_as),
            Statement::Call {
                target,
                callee,
                arguments,
            } => self.call(id, *target, callee, arguments),
            // UNSOUND: Pointers that inline assembly moves are not followed.
            Statement::Assembly { .. } => {}
        }
    }

    fn stored(&mut self, cell: TermId, value: &Operand, ty: &Ty) {
        // UNSOUND: Pointers that are copied as characters are not followed.
        let flow = flow(ty).min(self.flow_of(value));
        if flow == Flow::Never {
            return;
        }
        if let Some(value) = self.value(value) {
            let content = self.content(cell);
            self.flows(content, value, flow);
        }
        self.convert_pointer(value, ty);
    }

    /// The cell of an access, with what its type says about the record there.
    fn accessed(&mut self, place: &Place, ty: &Ty) -> TermId {
        let cell = self.place(place);
        let accessed = element_record(ty);
        let last_field = place
            .path
            .iter()
            .rev()
            .find_map(|projection| match projection {
                Projection::Field { record, .. } => Some(*record),
                Projection::Index(_) => None,
            });
        match last_field {
            Some(record) if record.is_union() && accessed.is_none() => {
                let whole = matches!(place.path.last(), Some(Projection::Index(_)));
                let bytes = if whole { u64::MAX } else { scalar_bytes(ty) };
                self.constraints.union_leaves.push((cell, record, bytes));
            }
            None if place.path.is_empty() => {
                if let Base::Deref(pointer) = &place.base
                    && let Some(pointed) = self.operand_type(pointer).and_then(pointed_record)
                {
                    match accessed {
                        Some(accessed) => self.mention_cast(pointed, accessed),
                        None if !ty.is_unknown() => {
                            self.mention_record(pointed);
                            self.constraints.first_words.push((cell, pointed));
                        }
                        None => {}
                    }
                }
            }
            _ => {}
        }
        cell
    }

    /// A pointer to one record becomes a pointer to another.
    fn convert_pointer(&mut self, value: &Operand, to: &Ty) {
        if let Some(from) = self.operand_type(value).and_then(pointed_record)
            && let Some(to) = pointed_record(to)
        {
            self.mention_cast(from, to);
        }
    }

    fn assigned(&mut self, id: StatementId, target: LocalId, value: &Rvalue, used_as: &UsedAs) {
        let target_type = &self.body.local(target).ty;
        match value {
            Rvalue::Use(operand) | Rvalue::Convert { value: operand, .. } => {
                let flow = flow(target_type).min(self.flow_of(operand));
                if flow != Flow::Never
                    && let Some(value) = self.value(operand)
                {
                    let register = self.register(target);
                    self.flows(register, value, flow);
                    self.convert_pointer(operand, target_type);
                }
            }
            Rvalue::Binary {
                operator:
                    BinaryOperator::Add
                    | BinaryOperator::Subtract
                    | BinaryOperator::And
                    | BinaryOperator::Or
                    | BinaryOperator::Xor,
                left,
                right,
                ..
            } if flow(target_type) != Flow::Never => {
                for operand in [left, right] {
                    if self.flow_of(operand) != Flow::Never
                        && let Some(value) = self.value(operand)
                    {
                        let register = self.register(target);
                        self.flows(register, value, Flow::Perhaps);
                    }
                }
            }
            Rvalue::AddressOf(place) => {
                let cell = self.place(place);
                let register = self.register(target);
                let pointed = self.target(register);
                self.constraints.equal.push((pointed, cell));
            }
            Rvalue::PointerAdd { base, index, size } => {
                self.moved_pointer(target, base, index, *size, used_as);
            }
            Rvalue::StackAllocate { .. } => {
                let cell = self.term(Term::Heap(id));
                let register = self.register(target);
                let pointed = self.target(register);
                self.constraints.equal.push((pointed, cell));
            }
            Rvalue::VariableArgument(list) => {
                let flow = flow(target_type);
                if flow != Flow::Never
                    && let Some(list) = self.value(list)
                {
                    let arguments = self.variable_arguments(list);
                    let (content, register) = (self.content(arguments), self.register(target));
                    self.constraints.taken.push(content);
                    self.flows(register, content, flow);
                }
            }
            Rvalue::Binary { .. }
            | Rvalue::Unary(..)
            | Rvalue::PointerDifference { .. }
            | Rvalue::LabelAddress(_) => {}
        }
    }

    /// The cell of the arguments behind a pointer to a `va_list`. A list points to the list that
    /// was started, and that one to itself, so that it does not matter how often it is handed on.
    fn variable_arguments(&mut self, list: TermId) -> TermId {
        let cell = self.target(list);
        let content = self.content(cell);
        let started = self.target(content);
        self.term(Term::Field(started, variable_arguments_label()))
    }

    fn call(
        &mut self,
        site: StatementId,
        target: Option<LocalId>,
        callee: &Callee,
        operands: &[Operand],
    ) {
        if let Callee::Direct(function) = callee
            && self.variable_argument_call(function.name, operands)
        {
            return;
        }
        let arguments: Vec<Argument> = operands.iter().map(|op| self.argument(op)).collect();
        let result = target.map(|target| self.argument(&Operand::Local(target)));
        let (callee, model) = match callee {
            Callee::Direct(function) => (
                CalleeTerm::Direct(*function),
                self.model_use(site, function.name, operands, &arguments, &result),
            ),
            Callee::Indirect(operand) => match self.value(operand) {
                Some(value) => (CalleeTerm::Indirect(value), None),
                None => return,
            },
        };
        self.constraints.calls.push(Call {
            site,
            callee,
            arguments,
            result,
            model,
        });
    }

    /// `va_start` and its like are part of the language, not of a library.
    fn variable_argument_call(&mut self, name: Ustr, operands: &[Operand]) -> bool {
        match (name.as_str(), operands) {
            (
                "__builtin_va_start" | "__builtin_c23_va_start" | "__builtin_stdarg_start",
                [list, ..],
            ) => {
                if let Some(list) = self.value(list) {
                    let cell = self.target(list);
                    let content = self.content(cell);
                    let started = self.target(content);
                    let arguments = self.variable_arguments(list);
                    let own = self.term(Term::Variadic);
                    self.constraints.equal.push((started, cell));
                    self.constraints.equal.push((arguments, own));
                }
                true
            }
            ("__builtin_va_copy", [to, from]) => {
                if let (Some(to), Some(from)) = (self.value(to), self.value(from)) {
                    let (to, from) = (self.target(to), self.target(from));
                    let (to, from) = (self.content(to), self.content(from));
                    self.constraints.equal.push((to, from));
                }
                true
            }
            ("__builtin_va_end", _) => true,
            _ => false,
        }
    }
}

/// How many bytes a value that is no record takes at most.
fn scalar_bytes(ty: &Ty) -> u64 {
    match ty.kind() {
        TyKind::Bool => 1,
        TyKind::Int(int) => match int.rank {
            IntRank::PlainChar | IntRank::Char => 1,
            IntRank::Short => 2,
            IntRank::Int => 4,
            IntRank::Long | IntRank::LongLong => 8,
            IntRank::Int128 | IntRank::BitInt(_) => 16,
        },
        TyKind::Float(FloatTy::Half) => 2,
        TyKind::Float(FloatTy::Single) => 4,
        TyKind::Float(FloatTy::Double) | TyKind::Pointer(_) => 8,
        _ => u64::MAX,
    }
}

fn variable_arguments_label() -> Label {
    Label {
        record: RecordRef::opaque("struct va_list"),
        name: Ustr::from("<arguments>"),
    }
}
