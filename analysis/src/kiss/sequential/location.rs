//! The accesses that may touch the same memory as given ones: KISS prunes its checks by an alias analysis.

use crate::ir::{FunctionRef, Statement, StatementId};
use crate::kiss::program::{Meaning, Program};
use crate::points_to::{Class, PointsTo};
use rustc_hash::FxHashSet;

/// Every access and library call of the program that may touch memory that one of these statements touches.
pub fn touching(
    program: &Program,
    points_to: &PointsTo,
    statements: impl IntoIterator<Item = (FunctionRef, StatementId)>,
) -> FxHashSet<(FunctionRef, StatementId)> {
    let mut wanted: FxHashSet<Class> = FxHashSet::default();
    for (function, statement) in statements {
        if let Meaning::Body(body) = program.function(function) {
            wanted.extend(touched(body.function, body.statement(statement), points_to));
        }
    }
    let mut found = FxHashSet::default();
    for body in program.bodies() {
        for (id, statement) in body.statements() {
            let touched = touched(body.function, statement, points_to);
            if touched.iter().any(|class| wanted.contains(class)) {
                found.insert((body.function, id));
            }
        }
    }
    found
}

/// The classes of memory that a statement may touch; a call touches what its arguments point to.
fn touched(function: FunctionRef, statement: &Statement, points_to: &PointsTo) -> Vec<Class> {
    let mut classes = Vec::new();
    match statement {
        Statement::Load { place, .. }
        | Statement::Store { place, .. }
        | Statement::Update { place, .. } => {
            classes.extend(points_to.place(function, place));
        }
        Statement::Call { arguments, .. } => {
            let pointees = arguments.iter();
            classes.extend(pointees.filter_map(|pointer| points_to.pointee(function, pointer)));
        }
        Statement::Assign { .. } | Statement::Assembly { .. } => {}
    }
    let parts = classes.iter().flat_map(|class| points_to.parts(*class));
    parts.copied().collect()
}
