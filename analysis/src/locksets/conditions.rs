//! Values that a function finds at its entry and tests more than once: `if (shared) lock(); … if (shared) unlock();`.
//! Both tests come out the same, so that what is held is told apart by the value.

use crate::dataflow::Solution;
use crate::ir::{
    AccessMode, Body, IntRank, LocalId, Operand, Place, Rvalue, Statement, StatementId, Terminator,
    Ty, TyKind,
};
use crate::symexec::{Execution, Path, Root, State, Targets, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The values by which a function's locksets are told apart.
#[derive(Default)]
pub(super) struct Conditions {
    /// Their places at the entry. A formal stands for itself.
    pub values: Vec<Path>,
    /// Statements that load one of them.
    loads: FxHashMap<StatementId, usize>,
}

/// More values than this are not told apart.
const MOST_CONDITIONS: usize = 3;

/// Longer ways from a value to the branch are not followed.
const LONGEST_WAY: usize = 6;

impl Conditions {
    pub fn new(body: &Body, states: &Solution<State>, execution: &Execution<'_>) -> Conditions {
        let definitions = definitions(body);
        let tested: Vec<Tested> = body
            .blocks
            .iter()
            .filter_map(|block| match &block.terminator {
                Terminator::Branch { condition, .. } => Some(condition),
                Terminator::Switch { value, .. } => Some(value),
                _ => None,
            })
            .filter_map(|operand| tested(body, &definitions, operand))
            .collect();
        if tested.len() < 2 {
            return Conditions::default();
        }
        let mut found: FxHashMap<StatementId, Path> = FxHashMap::default();
        let matters = |_, statement: &Statement| matches!(statement, Statement::Load { .. });
        execution.visit_chosen(states, matters, |state, id, statement| {
            if let Statement::Load {
                place,
                mode: AccessMode::Plain,
                ..
            } = statement
                && let Some(path) = entry_value(state, place)
            {
                found.insert(id, path);
            }
        });
        let mut tests: BTreeMap<Path, usize> = BTreeMap::new();
        for test in tested {
            let path = match test {
                Tested::Formal(index) => Some(Path::new(Root::Formal(index))),
                Tested::Loaded(statement) => found.get(&statement).cloned(),
            };
            if let Some(path) = path {
                *tests.entry(path).or_default() += 1;
            }
        }
        tests.retain(|_, count| *count > 1);
        let values: Vec<Path> = tests.into_keys().take(MOST_CONDITIONS).collect();
        let number = |path: &Path| values.iter().position(|value| value == path);
        let loads = found
            .iter()
            .filter_map(|(statement, path)| Some((*statement, number(path)?)))
            .collect();
        Conditions { values, loads }
    }

    /// The register that holds each of them at the entry, if one does.
    pub fn registers(&self) -> impl Iterator<Item = Option<LocalId>> {
        self.values.iter().map(|value| match value.root {
            Root::Formal(index) if value.steps.is_empty() => Some(LocalId(index)),
            _ => None,
        })
    }

    /// The value that a statement loads, by its number.
    pub fn loaded(&self, statement: StatementId) -> Option<usize> {
        self.loads.get(&statement).copied()
    }
}

/// Where a tested value comes from.
enum Tested {
    Formal(u32),
    Loaded(StatementId),
}

/// The only statement that assigns each register.
fn definitions(body: &Body) -> FxHashMap<LocalId, Option<(StatementId, &Statement)>> {
    let mut definitions = FxHashMap::default();
    for (id, statement) in body.statements() {
        if let Some(target) = statement.target() {
            definitions
                .entry(target)
                .and_modify(|known| *known = None)
                .or_insert(Some((id, statement)));
        }
    }
    definitions
}

fn tested(
    body: &Body,
    definitions: &FxHashMap<LocalId, Option<(StatementId, &Statement)>>,
    operand: &Operand,
) -> Option<Tested> {
    let mut operand = operand;
    for _ in 0..LONGEST_WAY {
        let Operand::Local(local) = operand else {
            return None;
        };
        let Some(definition) = definitions.get(local) else {
            let is_formal = (local.0 as usize) < body.parameters;
            return is_formal.then_some(Tested::Formal(local.0));
        };
        let (id, statement) = (*definition)?;
        operand = match statement {
            Statement::Load { .. } => return Some(Tested::Loaded(id)),
            Statement::Assign { value, .. } => match value {
                Rvalue::Use(value) | Rvalue::Convert { value, .. } | Rvalue::Unary(_, value) => {
                    value
                }
                Rvalue::Binary {
                    left,
                    right: Operand::Integer(_),
                    ..
                } => left,
                Rvalue::Binary {
                    left: Operand::Integer(_),
                    right,
                    ..
                } => right,
                _ => return None,
            },
            _ => return None,
        };
    }
    None
}

/// The place whose entry value is loaded here, if nothing in this function can have written there.
// UNSOUND: what another thread writes to a flag between two tests of it in one function is not seen; both tests come out
// the same.
fn entry_value(state: &State, place: &Place) -> Option<Path> {
    let Targets::Exactly(path) = state.place(place) else {
        return None;
    };
    let is_given =
        matches!(path.root, Root::Formal(_) | Root::Global(_)) && path.is_known_outside();
    (is_given && state.is_untouched(&path) && state.read_path(&path) == Value::Entry(path.clone()))
        .then_some(path)
}

/// Whether a value has the same sign in both types.
pub(super) fn keeps_sign(from: &Ty, to: &Ty) -> bool {
    match (from.kind(), to.kind()) {
        (TyKind::Int(from), TyKind::Int(to)) => {
            let is_wide = to.rank >= IntRank::Int && to.rank > from.rank;
            (from.signed == to.signed && to.rank >= from.rank) || (is_wide && !from.signed)
        }
        (TyKind::Bool, TyKind::Int(_) | TyKind::Bool) => true,
        (TyKind::Pointer(_), TyKind::Pointer(_)) => true,
        _ => false,
    }
}
