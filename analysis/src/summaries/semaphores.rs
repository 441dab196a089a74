//! The first values of semaphores. Those that begin with one are used as locks, those that begin with zero
//! as signals.

use super::objects::{ChangedObjects, different_keys};
use super::sync_uses::AllSyncUses;
use crate::ir::{Body, LocalId, Operand, Statement};
use crate::models::{Action, FunctionModel, LockKind, Root, Value};
use crate::points_to::{Class, PointsTo};
use crate::symexec::CallSite;
use rustc_hash::FxHashMap;

#[derive(Clone, Default, PartialEq)]
pub struct Semaphores {
    /// `None` where the value is not always the same constant.
    counts: FxHashMap<Class, Option<i128>>,
}

impl Semaphores {
    /// The semaphores that begin with another number than before.
    pub(super) fn note_changes(&self, before: &Semaphores, changes: &mut ChangedObjects) {
        changes
            .classes
            .extend(different_keys(&self.counts, &before.counts));
    }

    pub(super) fn new(uses: &AllSyncUses) -> Semaphores {
        let mut counts: FxHashMap<Class, Option<i128>> = FxHashMap::default();
        for (class, count) in uses.iter().flat_map(|uses| &uses.semaphores) {
            let known = counts.entry(*class).or_insert(*count);
            *known = known.filter(|known| Some(*known) == *count);
        }
        Semaphores { counts }
    }

    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The first value of a semaphore: `None` if nobody sets one, `Some(None)` if it is not known.
    pub fn first_value(&self, class: Class) -> Option<Option<i128>> {
        self.counts.get(&class).copied()
    }

    /// Whether the semaphore that a call takes or gives back is used as a lock.
    pub fn is_binary(&self, body: &Body, call: CallSite, points_to: &PointsTo) -> bool {
        let Statement::Call { arguments, .. } = body.statement(call.statement) else {
            return false;
        };
        arguments.iter().any(|argument| {
            points_to
                .pointee(body.function, argument)
                .is_some_and(|class| self.first_value(class) == Some(Some(1)))
        })
    }
}

/// The first values that one call gives to semaphores.
pub(super) fn uses(
    body: &Body,
    points_to: &PointsTo,
    model: &FunctionModel,
    result: Option<LocalId>,
    arguments: &[Operand],
) -> Vec<(Class, Option<i128>)> {
    let given = initialised(model).filter_map(|(lock, count)| {
        let object = match lock.root {
            Root::Result => result.map(Operand::Local),
            _ => operand(lock, arguments).cloned(),
        };
        let class = points_to.pointee(body.function, &object?)?;
        Some((class, constant(count, arguments)))
    });
    given.collect()
}

fn initialised(model: &FunctionModel) -> impl Iterator<Item = (&Value, &Value)> {
    model
        .effects
        .iter()
        .filter_map(|effect| match &effect.action {
            Action::InitialiseLock {
                lock,
                kind: LockKind::Semaphore,
                count: Some(count),
                ..
            } => Some((lock, count)),
            Action::InitialiseSignal {
                object,
                count: Some(count),
            } => Some((object, count)),
            _ => None,
        })
}

fn operand<'a>(value: &Value, arguments: &'a [Operand]) -> Option<&'a Operand> {
    match value.root {
        Root::Argument(index) if value.path.is_empty() => arguments.get(usize::from(index)),
        _ => None,
    }
}

fn constant(value: &Value, arguments: &[Operand]) -> Option<i128> {
    match value.root {
        Root::Constant(value) => Some(i128::from(value)),
        _ => match operand(value, arguments)? {
            Operand::Integer(value) => Some(*value),
            _ => None,
        },
    }
}
