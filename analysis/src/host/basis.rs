//! Whether a program is still the one that was run, as far as the run went.

use super::{Analysis, CheckedProgram, Start};
use crate::frontend::scope::Scope;
use crate::ir::Body;
use crate::kiss::part::Part;
use crate::kiss::sequential::{is_harness, started_by};
use crate::models::Models;
use crate::shared_list::SharedList;
use std::collections::BTreeMap;
use std::sync::Arc;
use ustr::Ustr;

/// What all runs of a program depend on beside its functions, at one moment.
#[derive(Clone)]
pub struct Basis {
    scopes: BTreeMap<Ustr, Arc<Scope>>,
    initialisers: SharedList<Arc<Body>>,
    models: Models,
}

impl Basis {
    /// Whether declarations and first values are the very same. If not, they may still mean the same.
    fn is_of(&self, analysis: &Analysis, checked: &CheckedProgram) -> bool {
        let db = analysis.database();
        let units = &analysis.program().units;
        let mut scopes = self.scopes.iter();
        let now = &checked.program.functions.initialisers;
        let mut initialisers = self.initialisers.iter().zip(now.iter());
        self.scopes.len() == units.len()
            && scopes.all(|(path, scope)| {
                let there = units.get(path).map(|table| table.unit.scope(db));
                there.is_some_and(|there| Arc::ptr_eq(there, scope))
            })
            && self.initialisers.len() == now.len()
            && initialisers.all(|(one, other)| Arc::ptr_eq(one, other))
    }
}

impl Analysis {
    pub fn basis(&self, checked: &CheckedProgram) -> Basis {
        let db = self.database();
        let units = self.program().units.iter();
        Basis {
            scopes: units
                .map(|(path, table)| (*path, table.unit.scope(db).clone()))
                .collect(),
            initialisers: checked.program.functions.initialisers.clone(),
            models: checked.models.clone(),
        }
    }

    /// Whether a part of the program is as it was when it was run from there. The basis becomes that of today if so,
    /// because what is the very same is seen at once.
    pub fn is_unchanged(
        &self,
        checked: &CheckedProgram,
        start: &Start,
        part: &Part,
        basis: &mut Basis,
    ) -> bool {
        let functions = &checked.program.functions;
        let is_same = |body: &Arc<Body>| {
            let [only] = functions.resolve(body.function) else {
                return false;
            };
            let now = functions.body(*only);
            // A text that does not parse is an edit, though its last good body still counts elsewhere.
            let is_broken = || self.lowered(checked.function(*only)).error.is_some();
            (Arc::ptr_eq(now, body) || now == body) && !is_broken()
        };
        let mut written = part
            .functions()
            .filter(|body| !is_harness(body.function) && started_by(body.function).is_none());
        if !written.all(is_same) {
            return false;
        }
        if checked.models != basis.models {
            return false;
        }
        if basis.is_of(self, checked) {
            return true;
        }
        let program = self.executable_from(start);
        let unchanged = program.is_ok_and(|program| part.again(&program) == *part);
        if unchanged {
            *basis = self.basis(checked);
        }
        unchanged
    }
}
