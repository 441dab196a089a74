//! The program in the form in which it can be run: everything that its functions mention, looked up once.

use super::Analysis;
use crate::db::{Function, FunctionKind, body, unit_environment};
use crate::frontend::layout::DataModel;
use crate::frontend::lower::Environment;
use crate::ir::{FunctionRef, GlobalScope, Ty};
use crate::kiss::mentioned::{Mentioned, records_in};
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
            look_up(Mentioned::of(&body), &environment, &mut program);
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

/// Asks the unit for the types of everything, and for the layouts of the records in them.
fn look_up(mut mentioned: Mentioned, environment: &dyn Environment, program: &mut Program) {
    for global in &mentioned.globals {
        if matches!(global.scope, GlobalScope::Function { .. }) {
            continue;
        }
        let binding = environment.bindings(global.name).value.as_ref();
        if binding.is_some_and(|binding| !binding.storage.is_extern) {
            program.define(*global);
        }
        if let Some(ty) = type_of(environment, global.name) {
            mentioned.types.push(ty.clone());
            program.add_global(*global, ty);
        }
    }
    for function in &mentioned.functions {
        if let Some(ty) = type_of(environment, function.name) {
            mentioned.types.push(ty.clone());
            program.declare(*function, ty);
        }
    }
    let mut records = mentioned.records;
    let mut seen = FxHashSet::default();
    for ty in &mentioned.types {
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

fn type_of(environment: &dyn Environment, name: Ustr) -> Option<Ty> {
    let binding = environment.bindings(name).value.clone()?;
    let types = environment.item_types(&binding.source);
    let (_, value) = types.values.iter().find(|(bound, _)| *bound == name)?;
    Some(value.ty.clone())
}
