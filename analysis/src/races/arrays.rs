//! Variables that are arrays.

use crate::callgraph::Functions;
use crate::ir::{Base, GlobalRef, Place, Projection, Rvalue, Statement};
use rustc_hash::FxHashSet;

/// The variables of which some function uses elements.
pub(super) fn arrays(functions: &Functions) -> FxHashSet<GlobalRef> {
    let mut found = FxHashSet::default();
    let mut note = |place: &Place| {
        if let (Base::Global(global), Some(Projection::Index(_))) =
            (&place.base, place.path.first())
        {
            found.insert(*global);
        }
    };
    for function in functions.ids() {
        let body = functions.body(function);
        for (_, statement) in body.statements() {
            match statement {
                Statement::Load { place, .. }
                | Statement::Store { place, .. }
                | Statement::Update { place, .. }
                | Statement::Assign {
                    value: Rvalue::AddressOf(place),
                    ..
                } => note(place),
                _ => {}
            }
        }
    }
    found
}
