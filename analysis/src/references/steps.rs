//! What statements do to reference counts, in terms of the function that they stand in.

use super::analysis::ReferenceSummary;
use super::domain::Last;
use super::reaching_zero::{Says, edges_to_zero, said_by_result};
use crate::dataflow::Solution;
use crate::ir::{BinaryOperator, BlockId, Body, Operand, Statement, StatementId};
use crate::models::{self, Action, Atomic, AtomicOperation, AtomicResult, FunctionModel};
use crate::points_to::Class;
use crate::signals::{acquires, order_at, releases};
use crate::symexec::{
    CallSite, Execution, Path, Rebinding, Root, State, Step, Targets, Value, model_value,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known about references in the functions that a body calls.
pub trait ReferenceCalls {
    /// What the call may do to counts: one effect for each function that it may reach; empty if nothing.
    fn reference_effects(&self, call: CallSite) -> Vec<ReferenceEffect<'_>>;

    /// The memory of a count that a model's value points to.
    fn count(&self, pointer: &models::Value, arguments: &[Operand]) -> Option<Class>;

    /// The memory of a count that is a place.
    fn count_in(&self, place: &crate::ir::Place) -> Option<Class>;
}

#[derive(Clone)]
pub enum ReferenceEffect<'m> {
    Summary(Arc<ReferenceSummary>),
    Model(&'m FunctionModel),
}

/// A count goes down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Drop {
    pub statement: StatementId,
    pub class: Class,
    /// Who finds the count lower comes after what is in front of this.
    pub releases: bool,
}

/// What a function's result says about a count that it has made smaller by one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ResultSays {
    count: Path,
    class: Class,
    says: Says,
    acquires: bool,
}

impl ResultSays {
    pub fn is_known_outside(&self) -> bool {
        self.count.is_known_outside()
    }
}

#[derive(Default)]
pub(super) struct ReferenceSteps {
    pub statements: FxHashMap<StatementId, Vec<(Path, i8)>>,
    /// Edges on which the thread knows that it had the last reference to an object.
    pub last: FxHashMap<(BlockId, usize), (Path, Last)>,
    pub drops: Vec<Drop>,
    pub result: Option<ResultSays>,
}

pub(super) fn reference_steps(
    body: &Body,
    states: &Solution<State>,
    execution: &Execution<'_>,
    calls: &dyn ReferenceCalls,
) -> ReferenceSteps {
    let mut found = Found::default();
    let updates = |statement: &Statement| {
        matches!(
            statement,
            Statement::Update {
                operator: BinaryOperator::Add | BinaryOperator::Subtract,
                ..
            }
        )
    };
    // Most functions count nothing, which their text alone tells.
    let counts = |call| !calls.reference_effects(call).is_empty();
    let (any, counting) = CallSite::that_matter(body, counts);
    if !any && !body.statements().any(|(_, statement)| updates(statement)) {
        return ReferenceSteps::default();
    }
    let matters =
        |id: StatementId, statement: &Statement| updates(statement) || counting.contains(&id);
    execution.visit_chosen(states, matters, |state, id, statement| {
        let finder = Finder { state, id, calls };
        match statement {
            Statement::Update {
                place,
                operator: operator @ (BinaryOperator::Add | BinaryOperator::Subtract),
                value: Operand::Integer(step),
                ..
            } => {
                let step = match operator {
                    BinaryOperator::Subtract => -step,
                    _ => *step,
                };
                let counting = Counting {
                    targets: state.place(place),
                    class: calls.count_in(place),
                    step,
                    says: Some(Says::NewAnd(-step)),
                    releases: true,
                    acquires: true,
                };
                found.count(id, counting);
            }
            Statement::Call {
                callee, arguments, ..
            } => {
                let call = execution.call_site(state, id, callee, arguments.len());
                finder.call(call, arguments, &mut found);
            }
            _ => {}
        }
    });
    found.steps(body, calls)
}

/// One change of a count.
struct Counting {
    targets: Targets,
    class: Option<Class>,
    step: i128,
    says: Option<Says>,
    releases: bool,
    acquires: bool,
}

#[derive(Default)]
struct Found {
    statements: FxHashMap<StatementId, Vec<(Path, i8)>>,
    says: BTreeMap<StatementId, Says>,
    /// The counts of which these statements say something, with their memory and whether they acquire.
    counts: FxHashMap<StatementId, (Path, Class, bool)>,
    drops: Vec<Drop>,
}

impl Found {
    fn count(&mut self, id: StatementId, counting: Counting) {
        let Some(class) = counting.class else {
            return;
        };
        if counting.step < 0 {
            self.drops.push(Drop {
                statement: id,
                class,
                releases: counting.releases,
            });
        }
        let Targets::Exactly(place) = &counting.targets else {
            return;
        };
        let Some(object) = counted_object(place) else {
            return;
        };
        let step = if counting.step < 0 { -1 } else { 1 };
        self.note(id, object.clone(), step);
        if let (Some(says), -1) = (counting.says, counting.step) {
            self.says.insert(id, says);
            let count = (place.clone(), class, counting.acquires);
            self.counts.insert(id, count);
        }
    }

    fn note(&mut self, id: StatementId, object: Path, step: i8) {
        self.statements.entry(id).or_default().push((object, step));
    }

    fn steps(self, body: &Body, calls: &dyn ReferenceCalls) -> ReferenceSteps {
        let mut last = FxHashMap::default();
        for ((from, index), at) in edges_to_zero(body, &self.says) {
            let (count, class, acquires) = &self.counts[&at];
            let Some(object) = counted_object(count) else {
                continue;
            };
            let to = body.block(from).terminator.successors()[index];
            let found = Last {
                count: *class,
                acquires: *acquires || begins_with_fence(body, to, calls),
            };
            last.insert((from, index), (object, found));
        }
        let result = said_by_result(body, &self.says).map(|(at, says)| {
            let (count, class, acquires) = &self.counts[&at];
            ResultSays {
                count: count.clone(),
                class: *class,
                says,
                acquires: *acquires,
            }
        });
        ReferenceSteps {
            result,
            statements: self.statements,
            last,
            drops: self.drops,
        }
    }
}

/// The object that a count lies in: the place up to the last pointer that was followed.
fn counted_object(place: &Path) -> Option<Path> {
    let at = place.steps.iter().rposition(|step| *step == Step::Deref)?;
    let is_known = !matches!(place.root, Root::Somewhere);
    is_known.then(|| place.beginning(at + 1))
}

/// Whether the first thing that a block does is a fence that makes what relaxed loads have seen count.
fn begins_with_fence(body: &Body, block: BlockId, calls: &dyn ReferenceCalls) -> bool {
    let mut statements = body.block(block).statements.iter().enumerate();
    let first = statements.find(|(_, statement)| !matches!(statement, Statement::Assign { .. }));
    let Some((index, Statement::Call { arguments, .. })) = first else {
        return false;
    };
    let at = StatementId {
        block,
        index: index as u32,
    };
    let call = CallSite::of_body(body).find(|call| call.statement == at);
    let effects = call.map_or_else(Vec::new, |call| calls.reference_effects(call));
    effects.iter().any(|effect| match effect {
        ReferenceEffect::Model(model) => model.effects.iter().any(|effect| {
            matches!(&effect.action, Action::Atomic(atomic)
                if atomic.operation == AtomicOperation::Fence
                    && acquires(order_at(atomic.order, arguments)))
        }),
        ReferenceEffect::Summary(_) => false,
    })
}

struct Finder<'f> {
    state: &'f State,
    id: StatementId,
    calls: &'f dyn ReferenceCalls,
}

impl Finder<'_> {
    fn call(&self, call: CallSite, arguments: &[Operand], found: &mut Found) {
        let effects = self.calls.reference_effects(call);
        if effects.is_empty() {
            return;
        }
        let values: Vec<Value> = arguments
            .iter()
            .map(|argument| self.state.operand(argument))
            .collect();
        for effect in &effects {
            match effect {
                ReferenceEffect::Summary(summary) => {
                    let rebinding = Rebinding::new(self.state, &values);
                    for (object, net) in &summary.net {
                        // What may or may not happen gives up no less, and takes no more.
                        let is_certain = effects.len() == 1 || *net < 0;
                        if let (true, Targets::Exactly(place)) =
                            (is_certain, rebinding.path(object))
                            && let Some(object) = counted_object(&place)
                        {
                            found.note(self.id, object, *net);
                        }
                    }
                    if let ([_], Some(result)) = (effects.as_slice(), &summary.result)
                        && let Targets::Exactly(count) = rebinding.path(&result.count)
                    {
                        found.says.insert(self.id, result.says);
                        let count = (count, result.class, result.acquires);
                        found.counts.insert(self.id, count);
                    }
                }
                ReferenceEffect::Model(model) => {
                    for effect in &model.effects {
                        if let Action::Atomic(atomic) = &effect.action
                            && let Some(counting) = self.atomic(atomic, arguments, &values)
                        {
                            found.count(self.id, counting);
                        }
                    }
                }
            }
        }
    }

    fn atomic(&self, atomic: &Atomic, arguments: &[Operand], values: &[Value]) -> Option<Counting> {
        let pointer = atomic.pointer.as_ref()?;
        let value = atomic.value.as_ref()?;
        let Value::Constant(step) = model_value(self.state, values, value) else {
            return None;
        };
        let step = match atomic.operation {
            AtomicOperation::Add => step,
            AtomicOperation::Sub => -step,
            _ => return None,
        };
        let order = order_at(atomic.order, arguments);
        Some(Counting {
            targets: model_value(self.state, values, pointer).targets(),
            class: self.calls.count(pointer, arguments),
            step,
            says: match atomic.result {
                AtomicResult::Old => Some(Says::NewAnd(-step)),
                AtomicResult::New => Some(Says::NewAnd(0)),
                AtomicResult::NewIsZero => Some(Says::WhetherZero),
                AtomicResult::Flag | AtomicResult::None => None,
            },
            releases: releases(order),
            acquires: acquires(order),
        })
    }
}
