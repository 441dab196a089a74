//! What a body names: variables, functions, types and records.

use crate::ir::{
    Base, Body, Callee, FunctionRef, GlobalRef, Operand, Place, Projection, RecordRef, Rvalue,
    Statement, Ty, TyKind,
};
use rustc_hash::FxHashSet;

/// What a body names.
#[derive(Default)]
pub struct Mentioned {
    pub globals: FxHashSet<GlobalRef>,
    pub functions: FxHashSet<FunctionRef>,
    pub types: Vec<Ty>,
    pub records: Vec<RecordRef>,
}

impl Mentioned {
    pub fn of(body: &Body) -> Mentioned {
        let mut mentioned = Mentioned::default();
        mentioned.types.push(body.result.clone());
        let locals = body.locals.iter().map(|local| local.ty.clone());
        mentioned.types.extend(locals);
        let statics = body.static_locals.iter().map(|(_, ty)| ty.clone());
        mentioned.types.extend(statics);
        for (_, layout) in &body.records {
            let fields = layout.fields.iter().map(|field| field.ty.clone());
            mentioned.types.extend(fields);
        }
        let statements = body.statements().map(|(_, statement)| statement);
        for statement in statements.chain(&body.statics) {
            mentioned.statement(statement);
        }
        for block in &body.blocks {
            block
                .terminator
                .operands(&mut |operand| mentioned.operand(operand));
        }
        mentioned
    }

    fn statement(&mut self, statement: &Statement) {
        statement.operands(&mut |operand| self.operand(operand));
        match statement {
            Statement::Load { place, ty, .. }
            | Statement::Store { place, ty, .. }
            | Statement::Update { place, ty, .. } => {
                self.types.push(ty.clone());
                self.place(place);
            }
            Statement::Assign { value, .. } => match value {
                Rvalue::AddressOf(place) => self.place(place),
                Rvalue::Convert { from: ty, .. } | Rvalue::Binary { ty, .. } => {
                    self.types.push(ty.clone());
                }
                _ => {}
            },
            Statement::Call {
                callee: Callee::Direct(function),
                ..
            } => {
                self.functions.insert(*function);
            }
            Statement::Call { .. } | Statement::Assembly { .. } => {}
        }
    }

    fn operand(&mut self, operand: &Operand) {
        if let Operand::Function(function) = operand {
            self.functions.insert(*function);
        }
    }

    fn place(&mut self, place: &Place) {
        if let Base::Global(global) = place.base {
            self.globals.insert(global);
        }
        for projection in &place.path {
            if let Projection::Field { record, .. } = projection {
                self.records.push(*record);
            }
        }
    }
}

/// The records that a type names, pointers followed.
pub fn records_in(ty: &Ty, found: &mut Vec<RecordRef>) {
    match ty.kind() {
        TyKind::Record(record) => found.push(*record),
        TyKind::Pointer(inner)
        | TyKind::Array { element: inner, .. }
        | TyKind::Vector { element: inner, .. } => records_in(inner, found),
        TyKind::Function(function) => {
            records_in(&function.result, found);
            for parameter in &function.parameters {
                records_in(parameter, found);
            }
        }
        _ => {}
    }
}
