//! What statements do to the knowledge of objects, in terms of the function that they stand in.

use super::analysis::SharingSummary;
use super::calls::Call;
use super::domain::{Owned, Sharing};
use super::objects::{Pointees, can_be_private, object_of, pointees};
use super::taking::{self, Loaded, Loads, Meetings, Nulls};
use crate::dataflow::Solution;
use crate::ir::{Body, LocalId, Operand, Place, Rvalue, Statement, StatementId, Ty};
use crate::locksets::LocksetSolution;
use crate::models::{Action, FunctionModel, Returns};
use crate::points_to::{Class, PointsTo};
use crate::symexec::{
    CallSite, Definition, Execution, Path, Root, State, Step, Targets, Value, ValueSummary,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is known about the objects that a body's calls are given.
pub trait SharingCalls {
    /// What the call may make known: one effect for each function that it may reach.
    fn sharing_effects(&self, call: CallSite) -> Vec<SharingEffect<'_>>;
}

#[derive(Clone)]
pub enum SharingEffect<'m> {
    /// A function of the program, and what it allocates.
    Summary(Arc<SharingSummary>, Arc<ValueSummary>),
    // UNSOUND: a library function that has a model keeps no pointer that it is given, unless the model says so.
    Model(&'m FunctionModel),
    /// A function of which nothing is known tells everybody.
    Unknown,
}

/// One thing that happens to objects.
pub(super) enum SharingStep {
    Create(Path),
    /// The thread takes an object for itself.
    Own(Path, Owned),
    /// Addresses become known to everybody.
    Publish(Held),
    /// Addresses are put into one of these objects.
    Put(Held, Vec<Path>),
    /// What these objects hold becomes known to everybody.
    PublishBehind(Vec<Path>),
    /// The thread waits until everybody who holds this lock has given it back.
    Outlast(Path),
}

/// Addresses that a value may be.
pub(super) struct Held {
    pub objects: Vec<Path>,
    /// Objects that it may be besides, because the points-to analysis says so.
    pub perhaps: Vec<Path>,
    /// Of these, only those whose address lies in memory.
    pub is_loaded: bool,
    /// It may be something that is several pointers away from a formal.
    pub is_distant: bool,
}

#[derive(Default)]
pub(super) struct SharingSteps {
    pub statements: FxHashMap<StatementId, Vec<SharingStep>>,
    /// Pointers that get a new name where paths meet.
    pub meetings: Meetings,
    /// Edges on which a pointer is null, and the object that it would point to.
    pub nulls: Nulls,
}

/// A function whose symbolic states and locksets are known.
pub struct Known<'k, 'e> {
    pub body: &'k Body,
    pub states: &'k Solution<State>,
    pub execution: &'k Execution<'e>,
    pub locks: &'k LocksetSolution<'e>,
    pub points_to: &'k PointsTo,
}

/// A value before all objects of the function are known.
#[derive(Clone)]
pub(super) struct Given {
    pub pointees: Pointees,
    /// What the points-to analysis says; `None` if anything.
    pub class: Option<Class>,
}

pub(super) enum Raw {
    Create(Path),
    /// Taken out under the locks that are held here.
    Take(Path),
    Own(Path, Owned),
    Publish(Given),
    Put(Given, Vec<Path>),
    PublishBehind(Vec<Path>),
    Outlast(Path),
}

pub(super) fn sharing_steps(known: &Known<'_, '_>, calls: &dyn SharingCalls) -> SharingSteps {
    let Known {
        body,
        states,
        execution,
        locks,
        points_to,
    } = *known;
    if !has_steps(body, points_to, calls) {
        return SharingSteps::default();
    }
    let mut finder = Finder {
        body,
        execution,
        points_to,
        objects: BTreeMap::new(),
        steps: Vec::new(),
        loads: Vec::new(),
        at: StatementId {
            block: crate::ir::BlockId(0),
            index: 0,
        },
    };
    for index in 0..body.parameters {
        let object = Path::new(Root::Formal(index as u32)).then(Step::Deref);
        let class = finder.pointee(&Operand::Local(LocalId(index as u32)));
        finder.objects.insert(object, class);
    }
    let matters = |_, statement: &Statement| match statement {
        Statement::Load { ty, .. } => ty.pointee().is_some(),
        Statement::Store { .. } | Statement::Call { .. } => true,
        Statement::Assign { value, .. } => matches!(value, Rvalue::StackAllocate { .. }),
        Statement::Update { .. } | Statement::Assembly { .. } => false,
    };
    execution.visit_chosen(states, matters, |state, id, statement| {
        finder.at = id;
        finder.statement(state, statement, calls);
    });
    let owns = finder
        .steps
        .iter()
        .any(|(_, step)| matches!(step, Raw::Create(_) | Raw::Take(_) | Raw::Own(..)));
    let mut meetings = Meetings::default();
    let mut nulls = Nulls::default();
    if owns {
        nulls = taking::nulls(body, states, execution);
        meetings = taking::meetings(body, states, execution, points_to);
        for (name, _) in meetings.values().flatten() {
            if let Root::Value(Definition::Merge(_, local)) = name.root {
                let class = finder.pointee(&Operand::Local(local));
                finder.objects.insert(name.clone(), class);
            }
        }
    }
    let mut held: FxHashMap<StatementId, BTreeSet<Path>> = FxHashMap::default();
    let takes = |(_, step): &(StatementId, Raw)| matches!(step, Raw::Take(_));
    if finder.steps.iter().any(takes) && !locks.is_idle() {
        locks.visit(body, |lockset, id, statement| {
            if matches!(statement, Statement::Store { .. }) {
                held.insert(id, lockset.held().map(|(path, _)| path.clone()).collect());
            }
        });
    }
    SharingSteps {
        statements: finder.finished(&held),
        meetings,
        nulls,
    }
}

/// Whether the function's text alone tells that it makes nothing known and allocates nothing.
fn has_steps(body: &Body, points_to: &PointsTo, calls: &dyn SharingCalls) -> bool {
    let is_idle = |effect: &SharingEffect<'_>| match effect {
        SharingEffect::Summary(summary, values) => {
            summary.is_nothing() && summary.result.is_none() && values.heap.is_empty()
        }
        SharingEffect::Model(model) => {
            model.returns != Returns::Fresh
                && model.effects.iter().all(|effect| {
                    matches!(
                        effect.action,
                        Action::Read { .. }
                            | Action::Write { value: None, .. }
                            | Action::Acquire { .. }
                            | Action::Release { .. }
                            | Action::Free { .. }
                    )
                })
        }
        SharingEffect::Unknown => false,
    };
    let stores = body.statements().any(|(_, statement)| match statement {
        Statement::Store { value, ty, .. } => {
            ty.is_aggregate()
                || ty.pointee().is_some()
                || points_to.pointee(body.function, value).is_some()
        }
        Statement::Assign { value, .. } => matches!(value, Rvalue::StackAllocate { .. }),
        _ => false,
    });
    stores
        || CallSite::of_body(body).any(|call| {
            let effects = calls.sharing_effects(call);
            !effects.iter().all(is_idle)
        })
}

pub(super) struct Finder<'f, 'e> {
    pub body: &'f Body,
    pub execution: &'f Execution<'e>,
    pub points_to: &'f PointsTo,
    /// Objects of the function, with their classes.
    pub objects: BTreeMap<Path, Option<Class>>,
    steps: Vec<(StatementId, Raw)>,
    loads: Vec<Loaded>,
    pub at: StatementId,
}

impl Finder<'_, '_> {
    pub fn add(&mut self, step: Raw) {
        self.steps.push((self.at, step));
    }

    pub fn pointee(&self, operand: &Operand) -> Option<Class> {
        self.points_to.pointee(self.body.function, operand)
    }

    /// Notes an object that others may not know.
    pub fn note(&mut self, object: &Path) {
        if self.objects.contains_key(object) || !can_be_private(object) {
            return;
        }
        let class = match object.root {
            Root::Local(local) => self
                .points_to
                .place(self.body.function, &Place::local(local)),
            _ => None,
        };
        self.objects.insert(object.clone(), class);
    }

    pub fn create(&mut self, object: Path, class: Option<Class>) {
        self.objects.insert(object.clone(), class);
        self.add(Raw::Create(object));
    }

    fn statement(&mut self, state: &State, statement: &Statement, calls: &dyn SharingCalls) {
        match statement {
            Statement::Load { place, ty, .. } if ty.pointee().is_some() => {
                let at = self.at;
                if let Targets::Exactly(place) = state.place(place) {
                    self.loads.push(Loaded { at, place });
                }
            }
            Statement::Store {
                place, value, ty, ..
            } => {
                let class = self.pointee(value);
                if ty.is_aggregate() {
                    self.store(&state.place(place), anything_stored());
                } else if class.is_some() {
                    let pointees = pointees(&state.operand(value));
                    self.store(&state.place(place), Given { pointees, class });
                }
                // What it published before is another object.
                if ty.pointee().is_some()
                    && let Targets::Exactly(path) = state.place(place)
                {
                    self.take(state, place, &path, &state.operand(value), ty);
                }
            }
            Statement::Assign {
                target,
                value: Rvalue::StackAllocate { .. },
            } => {
                let object = Path::new(Root::Heap(self.execution.site(self.at)));
                let class = self.pointee(&Operand::Local(*target));
                self.create(object, class);
            }
            Statement::Call {
                target,
                callee,
                arguments,
            } => {
                let call = self
                    .execution
                    .call_site(state, self.at, callee, arguments.len());
                let call = Call {
                    state,
                    target: *target,
                    arguments,
                    values: arguments
                        .iter()
                        .map(|argument| state.operand(argument))
                        .collect(),
                    effects: calls.sharing_effects(call),
                };
                self.call(&call);
            }
            _ => {}
        }
    }

    /// Notes what a store takes out of memory that others can reach.
    fn take(&mut self, state: &State, place: &Place, path: &Path, value: &Value, ty: &Ty) {
        let is_own = matches!(object_of(path).root, Root::Heap(_) | Root::Local(_));
        if is_own || !path.outlives_function() {
            return;
        }
        let class = self
            .points_to
            .place(self.body.function, place)
            .and_then(|place| self.points_to.deref(place));
        let loads = Loads {
            body: self.body,
            all: &self.loads,
            before: self.at,
        };
        for object in taking::taken_out(state, path, value, ty, loads) {
            self.objects.insert(object.clone(), class);
            self.add(Raw::Take(object));
        }
    }

    /// A value is written to a place.
    pub fn store(&mut self, targets: &Targets, given: Given) {
        if given.pointees.is_empty() {
            return;
        }
        for object in &given.pointees.objects {
            self.note(object);
        }
        let holders: Option<Vec<Path>> = match targets {
            Targets::Exactly(place) => Some(vec![object_of(place)]),
            Targets::OneOf(places) => Some(places.iter().map(object_of).collect()),
            Targets::Unknown => None,
        };
        match holders {
            // Whether they are private is known when control comes here.
            Some(holders) if !holders.is_empty() => {
                for holder in &holders {
                    self.note(holder);
                }
                self.add(Raw::Put(given, holders));
            }
            _ => self.add(Raw::Publish(given)),
        }
    }

    pub fn publish(&mut self, value: &Value, class: Option<Class>) {
        let pointees = pointees(value);
        if !pointees.is_empty() {
            for object in &pointees.objects {
                self.note(object);
            }
            self.add(Raw::Publish(Given { pointees, class }));
        }
    }

    /// Everything that a value leads to becomes known.
    pub fn publish_argument(&mut self, value: &Value, operand: &Operand) {
        if let Some(class) = self.pointee(operand) {
            self.publish(value, Some(class));
        }
    }

    /// Resolves what values may be now that all objects are known.
    fn finished(
        self,
        held: &FxHashMap<StatementId, BTreeSet<Path>>,
    ) -> FxHashMap<StatementId, Vec<SharingStep>> {
        let mut steps: FxHashMap<StatementId, Vec<SharingStep>> = FxHashMap::default();
        let mut known_parts: FxHashMap<Class, Vec<Option<bool>>> = FxHashMap::default();
        let mut candidates = |given: &Given| -> Vec<Path> {
            let is_exact = !given.pointees.any && !given.pointees.loaded;
            // One object may have a name for each place where paths meet, and a new one has no other names.
            let is_own = |object: &Path| matches!(object.root, Root::Heap(_) | Root::Local(_));
            let all_own = given.pointees.objects.iter().all(is_own);
            let is_alias = |object: &Path| match object.root {
                Root::Value(Definition::Merge(..)) => true,
                Root::Value(Definition::Statement(_)) => !all_own,
                _ => false,
            };
            let mut parts = given.class.map(|wanted| {
                let nothing_yet = || vec![None; self.objects.len()];
                known_parts.entry(wanted).or_insert_with(nothing_yet)
            });
            let mut may_be = |number: usize, class: &Option<Class>| match (class, given.class) {
                (Some(object), Some(wanted)) => {
                    let is_part = || self.points_to.has_part(*object, wanted);
                    match &mut parts {
                        Some(known) => *known[number].get_or_insert_with(is_part),
                        None => is_part(),
                    }
                }
                _ => true,
            };
            let objects = self.objects.iter().enumerate();
            objects
                .filter(|(number, (object, class))| {
                    let is_other = !given.pointees.objects.contains(object);
                    is_other && (!is_exact || is_alias(object)) && may_be(*number, class)
                })
                .map(|(_, (object, _))| object.clone())
                .collect()
        };
        for (at, step) in self.steps {
            let held_at = held;
            let mut held = |given: Given| Held {
                perhaps: candidates(&given),
                is_loaded: given.pointees.loaded && !given.pointees.any,
                is_distant: given.pointees.any || given.pointees.loaded,
                objects: given.pointees.objects,
            };
            let step = match step {
                Raw::Create(object) => SharingStep::Create(object),
                Raw::Own(object, owned) => SharingStep::Own(object, owned),
                Raw::Take(object) => {
                    let locks = held_at.get(&at).cloned().unwrap_or_default();
                    SharingStep::Own(object, Owned::Taken(locks))
                }
                Raw::Publish(given) => SharingStep::Publish(held(given)),
                Raw::Put(given, holders) => SharingStep::Put(held(given), holders),
                Raw::PublishBehind(objects) => SharingStep::PublishBehind(objects),
                Raw::Outlast(lock) => SharingStep::Outlast(lock),
            };
            steps.entry(at).or_default().push(step);
        }
        steps
    }
}

/// What a whole struct may hold: any address that lies in memory.
pub(super) fn anything_stored() -> Given {
    Given {
        pointees: Pointees {
            loaded: true,
            ..Pointees::default()
        },
        class: None,
    }
}

impl SharingStep {
    pub(super) fn apply(&self, sharing: &mut Sharing) {
        match self {
            SharingStep::Create(object) => sharing.create(object),
            SharingStep::Own(object, owned) => sharing.own(object, owned.clone()),
            SharingStep::Outlast(lock) => sharing.outlast(lock),
            SharingStep::Publish(held) => {
                for object in held.present(sharing) {
                    sharing.publish(object);
                }
                if held.is_distant {
                    sharing.publish_distant();
                }
            }
            SharingStep::PublishBehind(objects) => {
                for object in objects {
                    sharing.publish_held_by(object);
                }
                sharing.publish_distant();
            }
            SharingStep::Put(held, holders) => {
                for object in held.present(sharing) {
                    for holder in holders {
                        sharing.put(object, holder);
                    }
                }
                if held.is_distant {
                    sharing.publish_distant();
                }
            }
        }
    }
}

impl Held {
    fn present(&self, sharing: &Sharing) -> Vec<&Path> {
        let perhaps = self.perhaps.iter();
        let perhaps = perhaps.filter(|object| !self.is_loaded || sharing.is_held(object));
        self.objects.iter().chain(perhaps).collect()
    }
}
