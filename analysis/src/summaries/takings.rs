//! Where a function takes numbers from counters: `job = next++`, or an atomic addition.

use crate::callgraph::{CallGraph, FunctionId, Target};
use crate::ir::{BinaryOperator, Callee, LocalId, Operand, Place, Rvalue, Statement, StatementId};
use crate::models::{Action, Atomic, AtomicOperation, AtomicResult, Root};
use crate::points_to::Class;

/// One step of a counter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Taking {
    pub class: Class,
    /// The statement that writes.
    pub at: StatementId,
    /// The statement that gets the number, and the register.
    pub number: Option<(StatementId, LocalId)>,
    pub goes_up: bool,
}

/// All steps of a function, in its order.
pub(super) fn takings(graph: &CallGraph<'_>, function: FunctionId) -> Vec<Taking> {
    let body = graph.functions.body(function);
    let points_to = graph.points_to();
    let mut found = Vec::new();
    for (at, statement) in body.statements() {
        let before = &body.block(at.block).statements[..at.index as usize];
        match statement {
            Statement::Update {
                target,
                place,
                operator: operator @ (BinaryOperator::Add | BinaryOperator::Subtract),
                value,
                ..
            } => {
                let step = constant(value, before).map(|step| signed(step, *operator));
                let class = points_to.place(body.function, place);
                if let (Some(step), Some(class)) = (step.filter(|step| *step != 0), class) {
                    found.push(Taking {
                        class,
                        at,
                        number: Some((at, *target)),
                        goes_up: step > 0,
                    });
                }
            }
            Statement::Store { place, value, .. } => {
                let class = points_to.place(body.function, place);
                if let (Some((load, step)), Some(class)) =
                    (read_before(value, place, before), class)
                {
                    let number = StatementId {
                        index: load as u32,
                        ..at
                    };
                    let register = before[load].target();
                    found.push(Taking {
                        class,
                        at,
                        number: register.map(|register| (number, register)),
                        goes_up: step > 0,
                    });
                }
            }
            Statement::Call {
                target,
                callee: Callee::Direct(name),
                arguments,
            } => {
                let targets = graph.targets(function, at, Some(*name), arguments.len());
                let [Target::Model(model)] = targets.as_slice() else {
                    continue;
                };
                for effect in &model.effects {
                    let Action::Atomic(atomic) = &effect.action else {
                        continue;
                    };
                    let step = atomic_step(atomic, arguments, before);
                    let pointer = argument(atomic.pointer.as_ref(), arguments);
                    let class = pointer.and_then(|it| points_to.pointee(body.function, it));
                    if let (Some(step), Some(class)) = (step, class) {
                        let gets_old = atomic.result == AtomicResult::Old;
                        found.push(Taking {
                            class,
                            at,
                            number: target.filter(|_| gets_old).map(|target| (at, target)),
                            goes_up: step > 0,
                        });
                    }
                }
            }
            _ => {}
        }
    }
    found
}

fn argument<'a>(
    value: Option<&crate::models::Value>,
    arguments: &'a [Operand],
) -> Option<&'a Operand> {
    let value = value.filter(|value| value.path.is_empty())?;
    match value.root {
        Root::Argument(index) => arguments.get(usize::from(index)),
        _ => None,
    }
}

/// By how much an atomic operation moves a counter.
fn atomic_step(atomic: &Atomic, arguments: &[Operand], before: &[Statement]) -> Option<i128> {
    let operator = match atomic.operation {
        AtomicOperation::Add => BinaryOperator::Add,
        AtomicOperation::Sub => BinaryOperator::Subtract,
        _ => return None,
    };
    let step = match atomic.value.as_ref() {
        Some(value) => match value.root {
            Root::Constant(constant) => i128::from(constant),
            _ => constant(argument(Some(value), arguments)?, before)?,
        },
        None => return None,
    };
    let step = signed(step, operator);
    (step != 0).then_some(step)
}

fn signed(step: i128, operator: BinaryOperator) -> i128 {
    if operator == BinaryOperator::Subtract {
        -step
    } else {
        step
    }
}

/// The constant that an operand is behind some statements of its block.
fn constant(operand: &Operand, before: &[Statement]) -> Option<i128> {
    match operand {
        Operand::Integer(constant) => Some(*constant),
        Operand::Local(local) => {
            let at = assigned(*local, before)?;
            match &before[at] {
                Statement::Assign {
                    value: Rvalue::Use(value) | Rvalue::Convert { value, .. },
                    ..
                } => constant(value, &before[..at]),
                _ => None,
            }
        }
        _ => None,
    }
}

/// If a value that is stored is what was read from the same place just before, and a constant more: the read, and
/// the constant. Nothing else happens in between, so that who holds a lock at the store has held it at the read.
fn read_before(value: &Operand, place: &Place, before: &[Statement]) -> Option<(usize, i128)> {
    let Operand::Local(local) = value else {
        return None;
    };
    let at = assigned(*local, before)?;
    let (load, step) = match &before[at] {
        Statement::Assign {
            value: Rvalue::Use(value) | Rvalue::Convert { value, .. },
            ..
        } => read_before_or_there(value, place, &before[..at])?,
        Statement::Assign {
            value:
                Rvalue::Binary {
                    operator: operator @ (BinaryOperator::Add | BinaryOperator::Subtract),
                    left,
                    right,
                    ..
                },
            ..
        } => {
            let step = signed(constant(right, &before[..at])?, *operator);
            let (load, more) = read_before_or_there(left, place, &before[..at])?;
            (load, step + more)
        }
        _ => return None,
    };
    let is_quiet = |statement: &Statement| {
        matches!(statement, Statement::Assign { .. } | Statement::Load { .. })
    };
    (step != 0 && before[load..].iter().all(is_quiet)).then_some((load, step))
}

/// The same where nothing need be added yet.
fn read_before_or_there(
    value: &Operand,
    place: &Place,
    before: &[Statement],
) -> Option<(usize, i128)> {
    let Operand::Local(local) = value else {
        return None;
    };
    let at = assigned(*local, before)?;
    match &before[at] {
        Statement::Load { place: read, .. } if read == place => Some((at, 0)),
        Statement::Assign {
            value: Rvalue::Use(value) | Rvalue::Convert { value, .. },
            ..
        } => read_before_or_there(value, place, &before[..at]),
        _ => None,
    }
}

/// The last of some statements that assigns a register.
fn assigned(local: LocalId, before: &[Statement]) -> Option<usize> {
    let is_target = |statement: &Statement| statement.target() == Some(local);
    before.iter().rposition(is_target)
}
