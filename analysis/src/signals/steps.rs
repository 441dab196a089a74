//! What statements do to signals, in terms of the function that they stand in.

use super::analysis::SignalSummary;
use super::barriers::Phase;
use super::domain::{Locks, SignalState, Way};
use super::memory_order::{acquires, order_at, releases};
use crate::dataflow::{Solution, visit_statements};
use crate::ir::{AccessMode, Body, LocalId, Operand, Place, Statement, StatementId};
use crate::locksets::{
    Happens, Lockset, LocksetSolution, Outcomes, ResultKind, Sign, Signs, happens, read_registers,
};
use crate::models::{
    self, Action, Atomic, AtomicOperation, AtomicResult, FunctionModel, Ordering, When,
};
use crate::points_to::Class;
use crate::symexec::{
    CallSite, Execution, Index, Path, Rebinding, Root, State, Step, Targets, Value, model_value,
};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What is known about signals in the functions that a body calls, and about the memory that it touches.
pub trait SignalCalls {
    /// What the call may do to signals: one effect for each function that it may reach. An empty list is a
    /// call that touches none.
    fn signal_effects(&self, call: CallSite) -> Vec<SignalEffect<'_>>;

    /// The memory of a place, if it may be a variable that publishes something.
    fn flag(&self, place: &Place) -> Option<Class>;

    /// The memory that an argument points to.
    fn object(&self, pointer: &models::Value, arguments: &[Operand]) -> Option<Class>;

    /// Whether memory may be a variable that publishes something.
    fn is_flag(&self, class: Class) -> bool;

    /// The token that a semaphore passes on.
    fn token(&self, semaphore: Class) -> Option<u32>;

    /// The token that a statement makes.
    fn made_token(&self, statement: StatementId) -> Option<u32>;
}

#[derive(Clone)]
pub enum SignalEffect<'m> {
    /// A function of the program.
    Summary(Arc<SignalSummary>),
    /// A library function, and what it may call back.
    Model(&'m FunctionModel, Vec<Arc<SignalSummary>>),
    Nothing,
}

/// What one statement does.
pub(super) struct SignalStep {
    pub outcomes: Outcomes<SignalState>,
    /// Where the result goes that tells the outcomes apart: a register, or a variable in memory.
    pub result: Option<LocalId>,
    pub kind: ResultKind,
    /// What relaxed loads saw counts from here on.
    pub acquire_fence: bool,
}

/// Whether a value that is stored may be anything but zero.
pub fn may_set(value: &Value) -> bool {
    *value != Value::Constant(0)
}

/// Whether a name can mean the same object to others.
pub(super) fn is_nameable(path: &Path) -> bool {
    let is_named = |root: Root| {
        matches!(
            root,
            Root::Global(_)
                | Root::Formal(_)
                | Root::Local(_)
                | Root::Frame(..)
                | Root::ForeignFrame(..)
        )
    };
    path.all_roots(&is_named) && !path.steps.contains(&Step::Index(Index::Any))
}

fn exact(targets: &Targets) -> Option<Path> {
    match targets {
        Targets::Exactly(path) if is_nameable(path) => Some(path.clone()),
        _ => None,
    }
}

/// The statements that touch signals, with the locks that are held in front of them.
fn touching(
    body: &Body,
    calls: &dyn SignalCalls,
    locks: &LocksetSolution<'_>,
) -> FxHashMap<StatementId, Locks> {
    let mut found: FxHashMap<StatementId, Locks> = FxHashMap::default();
    let nothing_held = || Locks {
        at_entry: true,
        ..Locks::default()
    };
    for (id, statement) in body.statements() {
        if let Some((_, place, _)) = statement.access()
            && calls.flag(place).is_some()
        {
            found.insert(id, nothing_held());
        }
    }
    for call in CallSite::of_body(body) {
        if !calls.signal_effects(call).is_empty() {
            found.insert(call.statement, nothing_held());
        }
    }
    if !found.is_empty() && !locks.is_idle() {
        locks.visit(body, |lockset, id, _| {
            if let Some(known) = found.get_mut(&id) {
                *known = held(lockset);
            }
        });
    }
    found
}

fn held(lockset: &Lockset) -> Locks {
    let paths = lockset.held().map(|(path, _)| path.clone());
    Locks {
        held: paths.filter(is_nameable).collect(),
        at_entry: !lockset.releases(),
    }
}

/// The effects of all statements that touch signals.
pub(super) fn signal_steps(
    body: &Body,
    states: &Solution<State>,
    execution: &Execution<'_>,
    calls: &dyn SignalCalls,
    locks: &LocksetSolution<'_>,
) -> FxHashMap<StatementId, SignalStep> {
    let mut steps = FxHashMap::default();
    // Most functions touch no signal, which their text alone tells.
    let touching = touching(body, calls, locks);
    if touching.is_empty() {
        return steps;
    }
    let read = read_registers(body);
    visit_statements(execution, body, states, |state, id, statement| {
        let Some(locks) = touching.get(&id) else {
            return;
        };
        let finder = Finder {
            state,
            id,
            locks,
            calls,
            execution,
            read: &read,
        };
        steps.extend(finder.step(statement).map(|step| (id, step)));
    });
    steps
}

struct Finder<'f> {
    state: &'f State,
    id: StatementId,
    locks: &'f Locks,
    calls: &'f dyn SignalCalls,
    execution: &'f Execution<'f>,
    read: &'f FixedBitSet,
}

/// A variable that an access touches, and how.
#[derive(Clone, Copy)]
struct FlagUse<'u> {
    targets: &'u Targets,
    class: Class,
    /// `None` if the access is not atomic.
    order: Option<Ordering>,
}

impl Finder<'_> {
    fn step(&self, statement: &Statement) -> Option<SignalStep> {
        let order = |mode| (mode == AccessMode::Atomic).then_some(Ordering::SequentiallyConsistent);
        match statement {
            Statement::Load {
                target,
                place,
                mode,
                ..
            } => {
                let flag = FlagUse {
                    targets: &self.state.place(place),
                    class: self.calls.flag(place)?,
                    order: order(*mode),
                };
                Some(SignalStep {
                    outcomes: self.looked_at(flag),
                    result: Some(*target),
                    kind: ResultKind::Value,
                    acquire_fence: false,
                })
            }
            Statement::Store { place, value, .. } => {
                let class = self.calls.flag(place)?;
                let is_set = may_set(&self.state.operand(value));
                is_set.then(|| always(self.set(&self.state.place(place), class, true)))
            }
            Statement::Update { place, .. } => {
                let class = self.calls.flag(place)?;
                Some(always(self.set(&self.state.place(place), class, true)))
            }
            Statement::Call {
                target,
                callee,
                arguments,
            } => {
                let call = self
                    .execution
                    .call_site(self.state, self.id, callee, arguments.len());
                self.call(call, *target, arguments)
            }
            Statement::Assign { .. } | Statement::Assembly { .. } => None,
        }
    }

    /// What the value of a variable says: set, and the store comes before; or not set yet.
    fn looked_at(&self, flag: FlagUse<'_>) -> Outcomes<SignalState> {
        let mut outcomes = Outcomes::default();
        let Some(path) = exact(flag.targets) else {
            return Outcomes::always(SignalState::default());
        };
        let is_locked = self.locks.at_entry || !self.locks.held.is_empty();
        let mut set = SignalState::default();
        if flag.order.is_some_and(acquires) {
            set.pass(path.clone(), flag.class, Way::Acquired);
        } else {
            if is_locked {
                set.pass(path.clone(), flag.class, Way::Locked(self.locks.clone()));
            }
            if flag.order.is_some() {
                set.see(path.clone(), flag.class);
            }
        }
        outcomes.add(Signs::NONZERO, &set);
        let mut unset = SignalState::default();
        if is_locked {
            unset.find_unset(path, self.locks.clone());
        }
        outcomes.add(Signs::ZERO, &unset);
        outcomes
    }

    fn set(&self, targets: &Targets, class: Class, is_certain: bool) -> SignalState {
        let mut state = SignalState::default();
        state.post(targets, class);
        if let Some(path) = exact(targets)
            && is_certain
        {
            state.pass(path, class, Way::Own);
        }
        state
    }

    fn call(
        &self,
        call: CallSite,
        target: Option<LocalId>,
        arguments: &[Operand],
    ) -> Option<SignalStep> {
        let effects = self.calls.signal_effects(call);
        let values: Vec<Value> = arguments
            .iter()
            .map(|argument| self.state.operand(argument))
            .collect();
        let mut step = SignalStep {
            outcomes: Outcomes::default(),
            result: target,
            kind: ResultKind::Code,
            acquire_fence: false,
        };
        for effect in &effects {
            match effect {
                SignalEffect::Summary(summary) => {
                    step.outcomes.join(&self.rebound(summary, &values));
                }
                SignalEffect::Model(model, callbacks) => {
                    let known = Call {
                        finder: self,
                        model,
                        arguments,
                        values: &values,
                        is_tested: target
                            .is_some_and(|target| self.read.contains(target.0 as usize)),
                    };
                    let mut outcomes = known.outcomes(&mut step);
                    for summary in callbacks {
                        let called = self.rebound(summary, &[]).joined(Signs::ALL);
                        let perhaps = called.unwrap_or_default().perhaps();
                        outcomes =
                            outcomes.map(|state| crate::locksets::Effect::then(state, &perhaps));
                    }
                    step.outcomes.join(&outcomes);
                }
                SignalEffect::Nothing => {
                    step.outcomes
                        .join(&Outcomes::always(SignalState::default()));
                }
            }
        }
        let does_nothing = step.outcomes == Outcomes::always(SignalState::default());
        (!effects.is_empty() && (step.acquire_fence || !does_nothing)).then_some(step)
    }

    fn rebound(&self, summary: &SignalSummary, values: &[Value]) -> Outcomes<SignalState> {
        let rebinding = Rebinding::new(self.state, values);
        let rebind = |path: &Path| exact(&rebinding.path(path));
        summary
            .outcomes
            .map(|state| state.rebound(&rebind, self.locks))
    }
}

fn always(state: SignalState) -> SignalStep {
    SignalStep {
        outcomes: Outcomes::always(state),
        result: None,
        kind: ResultKind::Code,
        acquire_fence: false,
    }
}

/// A call of a library function.
struct Call<'c> {
    finder: &'c Finder<'c>,
    model: &'c FunctionModel,
    arguments: &'c [Operand],
    values: &'c [Value],
    is_tested: bool,
}

impl Call<'_> {
    fn targets(&self, pointer: &models::Value) -> Targets {
        model_value(self.finder.state, self.values, pointer).targets()
    }

    fn class(&self, pointer: &models::Value) -> Option<Class> {
        self.finder.calls.object(pointer, self.arguments)
    }

    fn outcomes(&self, step: &mut SignalStep) -> Outcomes<SignalState> {
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
                    let both = crate::locksets::Effect::then(first, next);
                    all.add(Signs::one(sign), &both);
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
                then(&Outcomes::always(
                    self.finder.set(&targets, class, is_certain),
                ));
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
