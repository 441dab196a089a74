//! Which semaphores are used as locks: those whose first value is one wherever it is set.

use crate::callgraph::{CallGraph, Target};
use crate::ir::{Body, Callee, Operand, Statement};
use crate::models::{Action, FunctionModel, LockKind, Root, Value};
use crate::points_to::{Class, PointsTo};
use crate::symexec::CallSite;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub struct Semaphores {
    binary: FxHashSet<Class>,
}

impl Semaphores {
    pub fn new(graph: &CallGraph<'_>) -> Semaphores {
        let mut is_one: FxHashMap<Class, bool> = FxHashMap::default();
        for function in graph.functions.ids() {
            let body = graph.functions.body(function);
            for (id, statement) in body.statements() {
                let Statement::Call {
                    callee: Callee::Direct(name),
                    arguments,
                    ..
                } = statement
                else {
                    continue;
                };
                for target in graph.targets(function, id, Some(*name), arguments.len()) {
                    let Target::Model(model) = target else {
                        continue;
                    };
                    for (lock, count) in initialised(model) {
                        let class = operand(lock, arguments)
                            .and_then(|lock| graph.points_to().pointee(body.function, lock));
                        if let Some(class) = class {
                            let one = constant(count, arguments) == Some(1);
                            *is_one.entry(class).or_insert(true) &= one;
                        }
                    }
                }
            }
        }
        let binary = is_one.into_iter().filter(|(_, one)| *one);
        Semaphores {
            binary: binary.map(|(class, _)| class).collect(),
        }
    }

    /// Whether the semaphore that a call takes or gives back is used as a lock.
    pub fn is_binary(&self, body: &Body, call: CallSite, points_to: &PointsTo) -> bool {
        let Statement::Call { arguments, .. } = body.statement(call.statement) else {
            return false;
        };
        arguments.iter().any(|argument| {
            points_to
                .pointee(body.function, argument)
                .is_some_and(|class| self.binary.contains(&class))
        })
    }
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
