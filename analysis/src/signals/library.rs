//! What library functions do to signals, as their models say.

use super::barriers::Phase;
use super::domain::{Locks, SignalState, Way};
use super::memory_order::{acquires, order_at, releases};
use super::steps::{Finder, FlagUse, SignalStep, exact, may_set};
use crate::ir::{LocalId, Operand};
use crate::locksets::{Effect, Happens, Outcomes, ResultKind, Sign, Signs, happens};
use crate::models::{self, Action, Atomic, AtomicOperation, AtomicResult, FunctionModel, When};
use crate::points_to::Class;
use crate::symexec::{Root, Targets, Value, model_value};

/// A call of a library function.
pub(super) struct Call<'c> {
    pub finder: &'c Finder<'c>,
    pub model: &'c FunctionModel,
    pub arguments: &'c [Operand],
    pub values: &'c [Value],
    /// Whether somebody looks at the result.
    pub is_tested: bool,
}

impl Call<'_> {
    fn targets(&self, pointer: &models::Value) -> Targets {
        model_value(self.finder.state, self.values, pointer).targets()
    }

    fn class(&self, pointer: &models::Value) -> Option<Class> {
        self.finder.calls.object(pointer, self.arguments)
    }

    pub fn outcomes(&self, step: &mut SignalStep) -> Outcomes<SignalState> {
        let mut outcomes = Outcomes::default();
        if let Some(barrier) = self.model.barrier() {
            let path = exact(&self.targets(barrier));
            let phase = Phase::pass(path, self.finder.execution.site(self.finder.id));
            return Outcomes::always(SignalState::in_phase(phase));
        }
        for sign in Sign::ALL {
            let mut state = SignalState::default();
            for effect in &self.model.effects {
                let happens = happens(effect.when, sign, self.values);
                if happens != Happens::Never {
                    self.action(&effect.action, happens, sign, &mut state);
                }
            }
            outcomes.add(Signs::one(sign), &state);
        }
        for effect in &self.model.effects {
            if let Action::Atomic(atomic) = &effect.action {
                self.atomic(atomic, &mut outcomes, step);
            }
            // Who does not look at the result of a wait takes it to succeed.
            if let Action::WaitFor { object } = &effect.action
                && !self.is_tested
                && self.waits_until(object)
            {
                outcomes = outcomes.map(|state| {
                    let mut state = state.clone();
                    self.wait(object, &mut state);
                    state
                });
            }
        }
        outcomes
    }

    fn action(&self, action: &Action, happens: Happens, sign: Sign, state: &mut SignalState) {
        match action {
            Action::Post { object } => {
                let Some(class) = self.class(object) else {
                    return;
                };
                let targets = self.targets(object);
                state.post(&targets, class);
                if let Some(token) = self.finder.calls.token(class) {
                    state.give(token);
                }
                if let Some(path) = exact(&targets)
                    && happens == Happens::Certainly
                {
                    state.pass(path, class, Way::Own);
                }
            }
            Action::WaitFor { object } if happens == Happens::Certainly => {
                self.wait(object, state);
            }
            Action::Once { control, .. } if happens == Happens::Certainly => {
                if let (Some(path), Some(class)) =
                    (exact(&self.targets(control)), self.class(control))
                {
                    state.pass(path, class, Way::Once);
                }
            }
            // Whoever takes the lock of an object that the others wait for is the one who sets it.
            Action::Acquire { lock, .. } if happens == Happens::Certainly => {
                if self.others_wait(lock, sign)
                    && let Some(path) = exact(&self.targets(lock))
                {
                    let locks = Locks {
                        held: [path.clone()].into(),
                        at_entry: false,
                    };
                    state.find_unset(path, locks);
                }
            }
            Action::Wait { .. } => state.slept = true,
            Action::InitialiseLock { .. } => {
                if let Some(token) = self.finder.calls.made_token(self.finder.id) {
                    state.take(token);
                }
            }
            _ => {}
        }
    }

    fn wait(&self, object: &models::Value, state: &mut SignalState) {
        if let (Some(path), Some(class)) = (exact(&self.targets(object)), self.class(object)) {
            state.pass(path, class, Way::Waited);
            if let Some(token) = self.finder.calls.token(class) {
                state.take(token);
            }
        }
    }

    /// Whether the function waits as long as it takes, as its effect as a lock says.
    fn waits_until(&self, object: &models::Value) -> bool {
        self.model.effects.iter().any(|effect| {
            matches!(&effect.action, Action::Acquire { lock, blocking: true, .. } if lock == object)
        })
    }

    /// Whether calls with other results than this wait for the object.
    fn others_wait(&self, lock: &models::Value, sign: Sign) -> bool {
        self.model.effects.iter().any(|effect| {
            matches!(&effect.action, Action::WaitFor { object } if object == lock)
                && matches!(effect.when, When::Result(test) if !Signs::passing(test).contains(sign))
        })
    }

    fn atomic(&self, atomic: &Atomic, outcomes: &mut Outcomes<SignalState>, step: &mut SignalStep) {
        let order = order_at(atomic.order, self.arguments);
        let mut then = |next: &Outcomes<SignalState>| {
            let mut all = Outcomes::default();
            for sign in Sign::ALL {
                if let (Some(first), Some(next)) = (outcomes.get(sign), next.get(sign)) {
                    all.add(Signs::one(sign), &first.then(next));
                }
            }
            *outcomes = all;
        };
        let Some(pointer) = &atomic.pointer else {
            if releases(order) {
                then(&Outcomes::always(SignalState::release_fence()));
            }
            step.acquire_fence |= acquires(order);
            return;
        };
        let Some(class) = self
            .class(pointer)
            .filter(|class| self.finder.calls.is_flag(*class))
        else {
            return;
        };
        let targets = self.targets(pointer);
        if atomic.operation != AtomicOperation::Load {
            if stores_something(atomic, &|value| {
                model_value(self.finder.state, self.values, value)
            }) {
                let is_certain = atomic.operation != AtomicOperation::CompareExchange;
                let set = self.finder.set(&targets, class, is_certain);
                let mut all = Outcomes::always(set);
                let returned = atomic.out.as_ref().and_then(|out| self.variable(out));
                let result = match (atomic.operation, returned) {
                    (AtomicOperation::Exchange, Some(local)) => {
                        step.result = Some(local);
                        AtomicResult::Old
                    }
                    _ => atomic.result,
                };
                let winning = self.winning(atomic, result);
                if let (Some(signs), Some(path)) = (winning, exact(&targets)) {
                    let mut won = self.finder.set(&targets, class, true);
                    won.win(path);
                    let lost = all;
                    all = Outcomes::default();
                    for sign in Sign::ALL {
                        let state = if signs.contains(sign) {
                            Some(&won)
                        } else {
                            lost.get(sign)
                        };
                        if let Some(state) = state {
                            all.add(Signs::one(sign), state);
                        }
                    }
                    step.kind = ResultKind::Value;
                }
                then(&all);
            }
            return;
        }
        step.kind = ResultKind::Value;
        let flag = FlagUse {
            targets: &targets,
            class,
            order: Some(order),
        };
        let looked = self.finder.looked_at(flag);
        match (&atomic.out, atomic.result) {
            (_, AtomicResult::Old) => then(&looked),
            (Some(out), _) => {
                if let Some(local) = self.variable(out) {
                    step.result = Some(local);
                    then(&looked);
                }
            }
            _ => {}
        }
    }

    /// The results of an operation that say that it has changed the variable from zero to something else.
    fn winning(&self, atomic: &Atomic, result: AtomicResult) -> Option<Signs> {
        if !certainly_sets(atomic, &|value| {
            model_value(self.finder.state, self.values, value)
        }) {
            return None;
        }
        match (atomic.operation, result) {
            (AtomicOperation::Exchange, AtomicResult::Old)
            | (AtomicOperation::TestAndSet, AtomicResult::Flag | AtomicResult::Old) => {
                Some(Signs::ZERO)
            }
            (AtomicOperation::CompareExchange, result) => {
                let expected = atomic.expected.as_ref()?;
                let expected = model_value(self.finder.state, self.values, expected);
                let signs = match result {
                    AtomicResult::Flag => Signs::NONZERO,
                    AtomicResult::Old => Signs::ZERO,
                    _ => return None,
                };
                (expected == Value::Constant(0)).then_some(signs)
            }
            _ => None,
        }
    }

    /// The local variable that a place like `*arg1` is.
    fn variable(&self, place: &models::Value) -> Option<LocalId> {
        let (models::Root::Argument(index), [models::Step::Dereference]) =
            (place.root, &*place.path)
        else {
            return None;
        };
        match self.values.get(usize::from(index)) {
            Some(Value::Address(path)) if path.steps.is_empty() => match path.root {
                Root::Local(local) => Some(local),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Whether an atomic operation certainly leaves something else than zero where it stores.
pub fn certainly_sets(atomic: &Atomic, value: &dyn Fn(&models::Value) -> Value) -> bool {
    match atomic.operation {
        AtomicOperation::TestAndSet => true,
        AtomicOperation::Store | AtomicOperation::Exchange | AtomicOperation::CompareExchange => {
            let stored = atomic.value.as_ref().map(value);
            matches!(stored, Some(Value::Constant(stored)) if stored != 0)
        }
        _ => false,
    }
}

/// Whether an atomic operation may leave anything but zero.
pub fn stores_something(atomic: &Atomic, value: &dyn Fn(&models::Value) -> Value) -> bool {
    match atomic.operation {
        AtomicOperation::Load | AtomicOperation::Clear | AtomicOperation::Fence => false,
        AtomicOperation::Store | AtomicOperation::Exchange | AtomicOperation::And => {
            let stored = atomic.value.as_ref();
            stored.is_none_or(|stored| may_set(&value(stored)))
        }
        _ => true,
    }
}
