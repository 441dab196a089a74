//! What calls do to the knowledge of objects, as summaries and models say.

use super::analysis::SharingSummary;
use super::domain::Owned;
use super::objects::{object_of, pointees};
use super::steps::{Finder, Given, Raw, SharingEffect, anything_stored};
use crate::ir::{LocalId, Operand};
use crate::models::{
    self, Action, Atomic, AtomicOperation, AtomicResult, FunctionModel, LockKind, Mode, Returns,
};
use crate::points_to::Class;
use crate::symexec::{
    Definition, Path, Rebinding, Root, Site, State, Step, Targets, Value, ValueSummary, model_value,
};
use std::collections::BTreeSet;

/// A call in front of its effects.
pub(super) struct Call<'c> {
    pub state: &'c State,
    pub target: Option<LocalId>,
    pub arguments: &'c [Operand],
    pub values: Vec<Value>,
    pub effects: Vec<SharingEffect<'c>>,
}

impl Finder<'_, '_> {
    pub(super) fn call(&mut self, call: &Call<'_>) {
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
        // What a function returns that it has taken out belongs to its caller.
        if let (Some(under), Some(target), [_]) =
            (&summary.result, call.target, call.effects.as_slice())
        {
            let object = match rebinding.value(&values.result).targets() {
                Targets::Exactly(path) => object_of(&path),
                _ => {
                    let name = Root::Value(Definition::Statement(self.at));
                    Path::new(name).then(Step::Deref)
                }
            };
            let locks = under.iter().filter_map(|lock| match rebinding.path(lock) {
                Targets::Exactly(lock) => Some(lock),
                _ => None,
            });
            let locks = locks.collect();
            let class = self.pointee(&Operand::Local(target));
            self.objects.insert(object.clone(), class);
            self.add(Raw::Own(object, Owned::Taken(locks)));
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
                // Nobody is kept out, but whoever is inside is waited for.
                Action::Acquire {
                    lock,
                    kind: LockKind::Rcu,
                    mode: Mode::Exclusive,
                    ..
                } => {
                    if let Targets::Exactly(lock) = evaluate(lock).targets() {
                        self.add(Raw::Outlast(lock));
                    }
                }
                Action::Copy { to, .. } => {
                    self.store(&evaluate(to).targets(), anything_stored());
                }
                Action::Atomic(atomic) => {
                    let is_written = atomic.operation != AtomicOperation::Load;
                    self.exchanged(call, atomic);
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

    /// An atomic exchange takes out what the place pointed to.
    fn exchanged(&mut self, call: &Call<'_>, atomic: &Atomic) {
        let Some(target) = call.target else { return };
        let class = self.pointee(&Operand::Local(target));
        if atomic.operation == AtomicOperation::Exchange
            && atomic.result == AtomicResult::Old
            && class.is_some()
        {
            let old = atomic.pointer.as_ref().map(|pointer| {
                let place = model_value(call.state, &call.values, pointer).targets();
                call.state.read(&place).targets()
            });
            let object = match old {
                Some(Targets::Exactly(path)) => object_of(&path),
                _ => {
                    let name = Root::Value(Definition::Statement(self.at));
                    Path::new(name).then(Step::Deref)
                }
            };
            self.objects.insert(object.clone(), class);
            self.add(Raw::Own(object, Owned::Taken(BTreeSet::new())));
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
            models::Step::Member(record, name) => self.points_to.field(class, *record, *name),
            models::Step::Field(_) => None,
        })
    }
}
