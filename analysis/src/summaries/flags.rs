//! Which variables may publish something: shared ones that are zero at first, that some thread sets and some
//! thread looks at. Whether they do is seen when all stores are known.

use super::objects::ChangedObjects;
use super::sync_uses::AllSyncUses;
use crate::callgraph::{CallGraph, FunctionId, Functions, Target};
use crate::ir::{
    AccessMode, Base, Body, Callee, LocalId, Operand, Place, Projection, Rvalue, Statement,
};
use crate::models::{Action, AtomicOperation, Root as ModelRoot};
use crate::points_to::{Class, Object, PointsTo};
use crate::symexec::{Index, Path, Root, Step};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Default, PartialEq)]
pub struct Flags {
    classes: FxHashSet<Class>,
    /// Places that are not zero when the program starts.
    set_at_start: Arc<Vec<Path>>,
}

/// What is done to one class of memory.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Uses {
    is_read: bool,
    is_set: bool,
    /// It holds results of computations, like a counter does.
    is_computed: bool,
}

impl Uses {
    fn add(&mut self, more: Uses) {
        self.is_read |= more.is_read;
        self.is_set |= more.is_set;
        self.is_computed |= more.is_computed;
    }
}

/// Classes that are used like flags, whether they have a name or not.
pub(super) fn candidates(uses: &AllSyncUses) -> FxHashSet<Class> {
    let mut all: FxHashMap<Class, Uses> = FxHashMap::default();
    for (class, uses) in uses.iter().flat_map(|uses| &uses.flags) {
        all.entry(*class).or_default().add(*uses);
    }
    let is_flag = |(_, uses): &(Class, Uses)| uses.is_read && uses.is_set && !uses.is_computed;
    let flags = all.into_iter().filter(is_flag);
    flags.map(|(class, _)| class).collect()
}

impl Flags {
    /// The classes that are flags only now, or not any more.
    pub(super) fn note_changes(&self, before: &Flags, changes: &mut ChangedObjects) {
        let different = self.classes.symmetric_difference(&before.classes);
        changes.classes.extend(different);
    }

    /// Whether the same places are set when the program starts.
    pub(super) fn begin_as(&self, before: &Flags) -> bool {
        Arc::ptr_eq(&self.set_at_start, &before.set_at_start)
            || self.set_at_start == before.set_at_start
    }

    /// `known` are flags of a program in which variables have the same first values.
    pub(super) fn new(
        candidates: &FxHashSet<Class>,
        graph: &CallGraph<'_>,
        known: Option<&Flags>,
    ) -> Flags {
        let points_to = graph.points_to();
        let candidates = candidates.iter().copied();
        let classes: FxHashSet<Class> = candidates
            .filter(|class| has_a_name(points_to, *class))
            .collect();
        let known = known.filter(|known| !known.is_empty());
        let set_at_start = match known {
            _ if classes.is_empty() => Arc::default(),
            Some(known) => known.set_at_start.clone(),
            None => Arc::new(set_at_start(graph.functions)),
        };
        Flags {
            classes,
            set_at_start,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    pub fn contains(&self, class: Class) -> bool {
        self.classes.contains(&class)
    }

    /// Whether a variable, or a part of it, has a first value other than zero.
    pub fn is_set_at_start(&self, path: &Path) -> bool {
        self.set_at_start.iter().any(|set| {
            let mut steps = set.steps.iter().zip(&path.steps);
            let any = Step::Index(Index::Any);
            set.root == path.root
                && steps.all(|(one, other)| one == other || *one == any || *other == any)
        })
    }
}

/// Only variables have names that mean the same to all threads.
fn has_a_name(points_to: &PointsTo, class: Class) -> bool {
    points_to.is_shared(class)
        && points_to.objects(class).iter().any(|object| match object {
            Object::Global(_) => true,
            Object::Local(function, _) => function.name == "main",
            _ => false,
        })
}

/// What a function does to each class of memory, sorted by class.
pub(super) fn uses(graph: &CallGraph<'_>, function: FunctionId) -> Box<[(Class, Uses)]> {
    let mut found: BTreeMap<Class, Uses> = BTreeMap::new();
    let body = graph.functions.body(function);
    let points_to = graph.points_to();
    let computed = computed_registers(body);
    let mut note = |class: Option<Class>, change: &dyn Fn(&mut Uses)| {
        if let Some(class) = class {
            change(found.entry(class).or_default());
        }
    };
    for (id, statement) in body.statements() {
        match statement {
            Statement::Load { place, ty, .. } if !ty.is_aggregate() => {
                note(points_to.place(body.function, place), &|uses| {
                    uses.is_read = true
                });
            }
            Statement::Store {
                place,
                value,
                ty,
                mode,
            } if !ty.is_aggregate() && *value != Operand::Integer(0) => {
                let is_computed = *mode != AccessMode::Atomic
                    && matches!(value, Operand::Local(local) if computed.contains(local));
                note(points_to.place(body.function, place), &|uses| {
                    uses.is_set = true;
                    uses.is_computed |= is_computed;
                });
            }
            Statement::Update { place, .. } => {
                note(points_to.place(body.function, place), &|uses| {
                    uses.is_set = true
                });
            }
            Statement::Call {
                callee: Callee::Direct(name),
                arguments,
                ..
            } => {
                for target in graph.targets(function, id, Some(*name), arguments.len()) {
                    let Target::Model(model) = target else {
                        continue;
                    };
                    for effect in &model.effects {
                        let Action::Atomic(atomic) = &effect.action else {
                            continue;
                        };
                        let pointer = atomic.pointer.as_ref().filter(|it| it.path.is_empty());
                        let operand = pointer.and_then(|pointer| match pointer.root {
                            ModelRoot::Argument(index) => arguments.get(usize::from(index)),
                            _ => None,
                        });
                        let class =
                            operand.and_then(|operand| points_to.pointee(body.function, operand));
                        let is_load = atomic.operation == AtomicOperation::Load;
                        let looks = matches!(
                            atomic.operation,
                            AtomicOperation::Exchange
                                | AtomicOperation::CompareExchange
                                | AtomicOperation::TestAndSet
                        );
                        note(class, &|uses| {
                            uses.is_read |= is_load || looks;
                            uses.is_set |= !is_load;
                        });
                    }
                }
            }
            _ => {}
        }
    }
    found.into_iter().collect()
}

/// Registers that hold the result of arithmetic.
fn computed_registers(body: &Body) -> FxHashSet<LocalId> {
    let statements = body.statements();
    statements
        .filter_map(|(_, statement)| match statement {
            Statement::Assign {
                target,
                value: Rvalue::Binary { operator, .. },
            } if !operator.is_comparison() => Some(*target),
            _ => None,
        })
        .collect()
}

/// The places to which static initialisers give a value other than zero.
fn set_at_start(functions: &Functions) -> Vec<Path> {
    let statics = functions
        .ids()
        .flat_map(|function| &functions.body(function).statics);
    let initialisers = functions.initialisers.iter();
    let stores =
        initialisers.flat_map(|body| body.blocks.iter().flat_map(|block| &block.statements));
    let mut found: Vec<Path> = statics
        .chain(stores)
        .filter_map(|statement| match statement {
            Statement::Store { place, value, .. } if *value != Operand::Integer(0) => {
                global_path(place)
            }
            _ => None,
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

fn global_path(place: &Place) -> Option<Path> {
    let Base::Global(global) = &place.base else {
        return None;
    };
    let steps = place.path.iter().map(|projection| match projection {
        Projection::Field { record, name } => Step::Field {
            record: *record,
            name: *name,
        },
        Projection::Index(Operand::Integer(index)) => {
            let constant = i64::try_from(*index);
            Step::Index(constant.map_or(Index::Any, Index::Constant))
        }
        Projection::Index(_) => Step::Index(Index::Any),
    });
    Some(Path::with_steps(Root::Global(*global), steps.collect()))
}
