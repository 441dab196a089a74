//! The program in the form in which it can be run: everything that its functions mention, looked up once.

use super::Analysis;
use crate::db::{Function, FunctionKind, body, unit_environment};
use crate::frontend::layout::DataModel;
use crate::frontend::lower::Environment;
use crate::ir::{
    Base, Body, Callee, FunctionRef, GlobalRef, GlobalScope, Operand, Place, Projection, RecordRef,
    Rvalue, Statement, Ty, TyKind,
};
use crate::kiss::program::Program;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use ustr::Ustr;

impl Analysis {
    /// The whole program, to be run from the function `entry`.
    pub fn runnable(&self, entry: &str) -> Program {
        let db = self.database();
        let first_unit = self.program().units.values().next();
        let data_model = first_unit.map_or(DataModel::LP64, |table| table.unit.data_model(db));
        let entry = FunctionRef {
            name: Ustr::from(entry),
            scope: GlobalScope::External,
        };
        let mut program = Program::new(data_model, entry);
        let mut added: FxHashMap<Function, FunctionRef> = FxHashMap::default();
        for function in self.functions() {
            let Some(body) = body(db, function) else {
                continue;
            };
            let environment = unit_environment(db, function.unit(db));
            Mentioned::of(&body).look_up(&environment, &mut program);
            match function.kind(db) {
                FunctionKind::Function => {
                    added.insert(function, body.function);
                    program.add_function(body);
                }
                FunctionKind::Initialiser => program.add_initialiser(body),
            }
        }
        self.name_in_every_unit(&added, &mut program);
        program
    }

    /// A static function of a header has a name of its own in each unit that includes it.
    fn name_in_every_unit(&self, added: &FxHashMap<Function, FunctionRef>, program: &mut Program) {
        for (path, table) in &self.program().units {
            for placed in &table.functions {
                let Some(&name) = added.get(&placed.function) else {
                    continue;
                };
                let GlobalScope::Unit(home) = name.scope else {
                    continue;
                };
                if home == *path {
                    continue;
                }
                let alias = FunctionRef {
                    scope: GlobalScope::Unit(*path),
                    ..name
                };
                if self.depends_on_unit(placed.function) {
                    program.make_ambiguous(alias);
                } else {
                    program.add_alias(alias, name);
                }
            }
        }
    }

    /// Whether the function has or uses variables of which each unit has its own.
    fn depends_on_unit(&self, function: Function) -> bool {
        let Some(body) = body(self.database(), function) else {
            return false;
        };
        let mentioned = Mentioned::of(&body);
        let mut globals = mentioned.globals.iter();
        !body.static_locals.is_empty()
            || globals.any(|global| global.scope != GlobalScope::External)
    }
}

/// What a body names.
#[derive(Default)]
struct Mentioned {
    globals: FxHashSet<GlobalRef>,
    functions: FxHashSet<FunctionRef>,
    types: Vec<Ty>,
    records: Vec<RecordRef>,
}

impl Mentioned {
    fn of(body: &Body) -> Mentioned {
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

    /// Asks the unit for the types of everything, and for the layouts of the records in them.
    fn look_up(mut self, environment: &dyn Environment, program: &mut Program) {
        for global in &self.globals {
            if matches!(global.scope, GlobalScope::Function { .. }) {
                continue;
            }
            let binding = environment.bindings(global.name).value.as_ref();
            if binding.is_some_and(|binding| !binding.storage.is_extern) {
                program.define(*global);
            }
            if let Some(ty) = type_of(environment, global.name) {
                self.types.push(ty.clone());
                program.add_global(*global, ty);
            }
        }
        for function in &self.functions {
            if let Some(ty) = type_of(environment, function.name) {
                self.types.push(ty.clone());
                program.declare(*function, ty);
            }
        }
        let mut records = self.records;
        let mut seen = FxHashSet::default();
        for ty in &self.types {
            records_in(ty, &mut records);
        }
        while let Some(record) = records.pop() {
            if !seen.insert(record) || program.layout(record).is_some() {
                continue;
            }
            if let Some(layout) = environment.record_layout(record) {
                for field in &layout.fields {
                    records_in(&field.ty, &mut records);
                }
                program.add_layout(record, Arc::clone(&layout));
            }
        }
    }
}

fn type_of(environment: &dyn Environment, name: Ustr) -> Option<Ty> {
    let binding = environment.bindings(name).value.clone()?;
    let types = environment.item_types(&binding.source);
    let (_, value) = types.values.iter().find(|(bound, _)| *bound == name)?;
    Some(value.ty.clone())
}

/// The records that a type names, pointers followed.
fn records_in(ty: &Ty, found: &mut Vec<RecordRef>) {
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
