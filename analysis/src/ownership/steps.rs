//! What statements do to the knowledge of objects, in terms of the function that they stand in.

use super::analysis::SharingSummary;
use super::domain::Sharing;
use super::objects::{Pointees, can_be_private, object_of, pointees};
use crate::dataflow::{Solution, visit_statements};
use crate::ir::{Body, LocalId, Operand, Place, Rvalue, Statement, StatementId, Ty};
use crate::models::{self, Action, AtomicOperation, FunctionModel, Returns};
use crate::points_to::{Class, PointsTo};
use crate::symexec::{
    CallSite, Execution, Path, Rebinding, Root, Site, State, Step, Targets, Value, ValueSummary,
    model_value,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
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
    /// Addresses become known to everybody.
    Publish(Held),
    /// Addresses are put into one of these objects.
    Put(Held, Vec<Path>),
    /// What these objects hold becomes known to everybody.
    PublishBehind(Vec<Path>),
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

pub(super) type SharingSteps = FxHashMap<StatementId, Vec<SharingStep>>;

/// A value before all objects of the function are known.
#[derive(Clone)]
struct Given {
    pointees: Pointees,
    /// What the points-to analysis says; `None` if anything.
    class: Option<Class>,
}

enum Raw {
    Create(Path),
    Publish(Given),
    Put(Given, Vec<Path>),
    PublishBehind(Vec<Path>),
}

pub(super) fn sharing_steps(
    body: &Body,
    states: &Solution<State>,
    execution: &Execution<'_>,
    points_to: &PointsTo,
    calls: &dyn SharingCalls,
) -> SharingSteps {
    if !has_steps(body, calls) {
        return SharingSteps::default();
    }
    let mut finder = Finder {
        body,
        execution,
        points_to,
        objects: BTreeMap::new(),
        steps: Vec::new(),
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
    visit_statements(execution, body, states, |state, id, statement| {
        finder.at = id;
        finder.statement(state, statement, calls);
    });
    finder.finished()
}

/// Whether the function's text alone tells that it makes nothing known and allocates nothing.
fn has_steps(body: &Body, calls: &dyn SharingCalls) -> bool {
    let is_idle = |effect: &SharingEffect<'_>| match effect {
        SharingEffect::Summary(summary, values) => {
            summary.is_nothing() && values.heap.is_empty()
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
        Statement::Store { ty, .. } => is_pointer_like(ty),
        Statement::Assign { value, .. } => matches!(value, Rvalue::StackAllocate { .. }),
        _ => false,
    });
    stores
        || CallSite::of_body(body).any(|call| {
            let effects = calls.sharing_effects(call);
            !effects.iter().all(is_idle)
        })
}

/// Whether values of the type can carry an address.
fn is_pointer_like(ty: &Ty) -> bool {
    ty.is_aggregate() || !ty.is_float()
}

struct Finder<'f, 'e> {
    body: &'f Body,
    execution: &'f Execution<'e>,
    points_to: &'f PointsTo,
    /// Objects of the function, with their classes.
    objects: BTreeMap<Path, Option<Class>>,
    steps: Vec<(StatementId, Raw)>,
    at: StatementId,
}

impl Finder<'_, '_> {
    fn add(&mut self, step: Raw) {
        self.steps.push((self.at, step));
    }

    fn pointee(&self, operand: &Operand) -> Option<Class> {
        self.points_to.pointee(self.body.function, operand)
    }

    /// Notes an object that others may not know.
    fn note(&mut self, object: &Path) {
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

    fn create(&mut self, object: Path, class: Option<Class>) {
        self.objects.insert(object.clone(), class);
        self.add(Raw::Create(object));
    }

    fn statement(&mut self, state: &State, statement: &Statement, calls: &dyn SharingCalls) {
        match statement {
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

    /// A value is written to a place.
    fn store(&mut self, targets: &Targets, given: Given) {
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
            Some(holders) if holders.iter().all(can_be_private) => {
                for holder in &holders {
                    self.note(holder);
                }
                self.add(Raw::Put(given, holders));
            }
            _ => self.add(Raw::Publish(given)),
        }
    }

    fn publish(&mut self, value: &Value, class: Option<Class>) {
        let pointees = pointees(value);
        if !pointees.is_empty() {
            for object in &pointees.objects {
                self.note(object);
            }
            self.add(Raw::Publish(Given { pointees, class }));
        }
    }

    /// Everything that a value leads to becomes known.
    fn publish_argument(&mut self, value: &Value, operand: &Operand) {
        if let Some(class) = self.pointee(operand) {
            self.publish(value, Some(class));
        }
    }

    fn call(&mut self, call: &Call<'_>) {
        for effect in &call.effects {
            match effect {
                SharingEffect::Summary(_, values) => self.creations(call, values),
                SharingEffect::Model(model) => self.model_creations(call, model),
                SharingEffect::Unknown => {}
            }
        }
        for effect in &call.effects {
            match effect {
                SharingEffect::Summary(summary, values) => self.callee(call, summary, values),
                SharingEffect::Model(model) => self.model(call, model),
                SharingEffect::Unknown => {
                    for (value, operand) in call.values.iter().zip(call.arguments) {
                        self.publish_argument(value, operand);
                    }
                }
            }
        }
    }

    fn creations(&mut self, call: &Call<'_>, values: &ValueSummary) {
        let site = self.execution.site(self.at);
        for (index, made) in values.heap.iter().enumerate() {
            let object = Path::new(Root::Heap(Site {
                part: index as u32 + 1,
                ..site
            }));
            let is_result = match &values.result {
                Value::Address(path) => path.root == Root::Heap(*made) && path.steps.is_empty(),
                _ => false,
            };
            let result = call.target.filter(|_| is_result);
            let class = result.and_then(|target| self.pointee(&Operand::Local(target)));
            self.create(object, class);
        }
    }

    fn callee(&mut self, call: &Call<'_>, summary: &SharingSummary, values: &ValueSummary) {
        let site = self.execution.site(self.at);
        let rebinding = Rebinding::new(call.state, &call.values).at(site, &values.heap);
        for (object, holder) in &summary.held {
            let given = self.rebound(call, &rebinding, object);
            self.store(&rebinding.path(holder), given);
        }
        for object in &summary.published {
            let given = self.rebound(call, &rebinding, object);
            if !given.pointees.is_empty() {
                for object in &given.pointees.objects {
                    self.note(object);
                }
                self.add(Raw::Publish(given));
            }
        }
        if summary.distant {
            let given = call.values.iter().map(pointees);
            let behind = given.flat_map(|pointees| pointees.objects).collect();
            self.add(Raw::PublishBehind(behind));
        }
    }

    /// What an object of the callee is here.
    fn rebound(&self, call: &Call<'_>, rebinding: &Rebinding<'_>, object: &Path) -> Given {
        let value = match rebinding.path(object) {
            Targets::Exactly(path) if path.root == Root::Somewhere => Value::Nothing,
            Targets::Exactly(path) => Value::address_of(path),
            Targets::OneOf(paths) => Value::OneOf(paths),
            Targets::Unknown => Value::Anything,
        };
        let class = match (object.root, object.steps.len()) {
            (Root::Formal(index), 1) => {
                let argument = call.arguments.get(index as usize);
                argument.and_then(|argument| self.pointee(argument))
            }
            _ => None,
        };
        Given {
            pointees: pointees(&value),
            class,
        }
    }

    fn model_creations(&mut self, call: &Call<'_>, model: &FunctionModel) {
        let site = self.execution.site(self.at);
        let class = call
            .target
            .and_then(|target| self.pointee(&Operand::Local(target)));
        let mut makes_result = model.returns == Returns::Fresh;
        for effect in &model.effects {
            if let Action::Allocate { result, .. } = &effect.action {
                if *result == models::Value::result() {
                    makes_result = true;
                } else {
                    let object = Path::new(Root::Heap(Site { part: 1, ..site }));
                    self.create(object.clone(), None);
                    let value = Value::Address(object);
                    self.model_store(call, result, &value, None);
                }
            }
        }
        if makes_result {
            self.create(Path::new(Root::Heap(site)), class);
        }
    }

    fn model(&mut self, call: &Call<'_>, model: &FunctionModel) {
        let evaluate = |value: &models::Value| model_value(call.state, &call.values, value);
        for effect in &model.effects {
            match &effect.action {
                Action::Write {
                    pointer,
                    value: Some(value),
                    ..
                } => {
                    let given = Given {
                        pointees: pointees(&evaluate(value)),
                        class: self.model_class(call, value),
                    };
                    self.store(&evaluate(pointer).targets(), given);
                }
                Action::Copy { to, .. } => {
                    self.store(&evaluate(to).targets(), anything_stored());
                }
                Action::Atomic(atomic) => {
                    let is_written = atomic.operation != AtomicOperation::Load;
                    if let (true, Some(pointer), Some(value)) =
                        (is_written, &atomic.pointer, &atomic.value)
                        && let Some(class) = self.model_class(call, value)
                    {
                        let given = Given {
                            pointees: pointees(&evaluate(value)),
                            class: Some(class),
                        };
                        self.store(&evaluate(pointer).targets(), given);
                    }
                }
                Action::Start { arguments, .. }
                | Action::Once { arguments, .. }
                | Action::Call { arguments, .. } => {
                    for argument in arguments {
                        let class = self.model_class(call, argument);
                        self.publish(&evaluate(argument), class);
                    }
                }
                _ => {}
            }
        }
    }

    fn model_store(
        &mut self,
        call: &Call<'_>,
        place: &models::Value,
        value: &Value,
        class: Option<Class>,
    ) {
        let targets = match place.path.split_last() {
            Some((models::Step::Dereference, front)) => {
                let pointer = models::Value {
                    root: place.root,
                    path: front.into(),
                };
                model_value(call.state, &call.values, &pointer).targets()
            }
            _ => Targets::Unknown,
        };
        let pointees = pointees(value);
        self.store(&targets, Given { pointees, class });
    }

    fn model_class(&self, call: &Call<'_>, value: &models::Value) -> Option<Class> {
        let models::Root::Argument(index) = value.root else {
            return None;
        };
        let start = self.pointee(call.arguments.get(usize::from(index))?)?;
        value.path.iter().try_fold(start, |class, step| match step {
            models::Step::Dereference => self.points_to.deref(class),
            models::Step::Element => Some(class),
            models::Step::Field(_) => None,
        })
    }

    /// Resolves what values may be now that all objects are known.
    fn finished(self) -> SharingSteps {
        let mut steps = SharingSteps::default();
        let parts: BTreeMap<Class, Vec<Class>> = self
            .objects
            .values()
            .flatten()
            .map(|class| (*class, self.points_to.parts(*class)))
            .collect();
        let candidates = |given: &Given| -> Vec<Path> {
            if !given.pointees.any && !given.pointees.loaded {
                return Vec::new();
            }
            let may_be = |class: &Option<Class>| match (class, given.class) {
                (Some(object), Some(wanted)) => parts[object].binary_search(&wanted).is_ok(),
                _ => true,
            };
            let objects = self.objects.iter();
            objects
                .filter(|(object, class)| !given.pointees.objects.contains(object) && may_be(class))
                .map(|(object, _)| object.clone())
                .collect()
        };
        for (at, step) in self.steps {
            let held = |given: Given| Held {
                perhaps: candidates(&given),
                is_loaded: !given.pointees.any,
                is_distant: given.pointees.any || given.pointees.loaded,
                objects: given.pointees.objects,
            };
            let step = match step {
                Raw::Create(object) => SharingStep::Create(object),
                Raw::Publish(given) => SharingStep::Publish(held(given)),
                Raw::Put(given, holders) => SharingStep::Put(held(given), holders),
                Raw::PublishBehind(objects) => SharingStep::PublishBehind(objects),
            };
            steps.entry(at).or_default().push(step);
        }
        steps
    }
}

/// A call in front of its effects.
struct Call<'c> {
    state: &'c State,
    target: Option<LocalId>,
    arguments: &'c [Operand],
    values: Vec<Value>,
    effects: Vec<SharingEffect<'c>>,
}

/// What a whole struct may hold: any address that lies in memory.
fn anything_stored() -> Given {
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
