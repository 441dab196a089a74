//! What statements do to signals, in terms of the function that they stand in.

use super::analysis::SignalSummary;
use super::domain::{Locks, SignalState, Way};
use super::library::Call;
use super::memory_order::acquires;
use crate::dataflow::Solution;
use crate::ir::{AccessMode, Body, LocalId, Operand, Place, Statement, StatementId};
use crate::locksets::{Lockset, LocksetSolution, Outcomes, ResultKind, Signs, read_registers};
use crate::models::{self, FunctionModel, Ordering};
use crate::points_to::Class;
use crate::symexec::{
    CallSite, Execution, Index, Path, Rebinding, Root, State, Step, Targets, Value,
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
    /// A library function.
    Model(&'m FunctionModel),
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

pub(super) fn exact(targets: &Targets) -> Option<Path> {
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
    let matters = |id: StatementId, _: &Statement| touching.contains_key(&id);
    execution.visit_chosen(states, matters, |state, id, statement| {
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

/// Finds what one statement does.
pub(super) struct Finder<'f> {
    pub state: &'f State,
    pub id: StatementId,
    locks: &'f Locks,
    pub calls: &'f dyn SignalCalls,
    pub execution: &'f Execution<'f>,
    read: &'f FixedBitSet,
}

/// A variable that an access touches, and how.
#[derive(Clone, Copy)]
pub(super) struct FlagUse<'u> {
    pub targets: &'u Targets,
    pub class: Class,
    /// `None` if the access is not atomic.
    pub order: Option<Ordering>,
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
    pub fn looked_at(&self, flag: FlagUse<'_>) -> Outcomes<SignalState> {
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

    pub fn set(&self, targets: &Targets, class: Class, is_certain: bool) -> SignalState {
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
                SignalEffect::Model(model) => {
                    let known = Call {
                        finder: self,
                        model,
                        arguments,
                        values: &values,
                        is_tested: target
                            .is_some_and(|target| self.read.contains(target.0 as usize)),
                    };
                    let outcomes = known.outcomes(&mut step);
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
