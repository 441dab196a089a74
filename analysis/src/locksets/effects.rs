//! What calls do to locks, in terms of the function that calls.

use super::domain::Lockset;
use super::happened::Mode;
use super::outcomes::{Outcomes, Sign, Signs};
use super::sites::LockSite;
use super::summary::LockSummary;
use crate::ir::{Body, GlobalRef, Operand, StatementId};
use crate::models::{self, Action, FunctionModel, LockKind, When};
use crate::symexec::{CallSite, Path, Rebinding, Root, Step, Targets, Value, model_value};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What is known about locks in the functions that a body calls.
pub trait LockCalls {
    /// What the call may do to locks: one effect for each function that it may reach. An empty list is a
    /// call that touches none.
    fn lock_effects(&self, call: CallSite) -> Vec<LockEffect<'_>>;

    /// The variables that an argument may point into, among memory that has no name; `None` if anywhere.
    fn pointed_variables(&self, call: CallSite, argument: usize) -> Option<Vec<GlobalRef>>;

    /// Whether the semaphore at this call is used as a lock.
    fn is_binary_semaphore(&self, call: CallSite) -> bool;
}

/// What a function does to locks, in its own terms.
#[derive(Clone)]
pub enum LockEffect<'m> {
    /// A function of the program, from its entry to its return.
    Summary(Arc<LockSummary>),
    /// A library function.
    Model(&'m FunctionModel),
    /// A function of which nothing is known touches no lock.
    Nothing,
}

/// The effects of all calls that touch locks.
pub(super) fn lock_steps(
    calls: &[LockSite],
    locks: &dyn LockCalls,
) -> FxHashMap<StatementId, Outcomes> {
    let mut steps = FxHashMap::default();
    for site in calls {
        let effects = locks.lock_effects(site.call);
        if effects.is_empty() {
            continue;
        }
        let (call, id) = (site.call, site.call.statement);
        let mut step = Outcomes::default();
        for effect in &effects {
            step.join(&match effect {
                LockEffect::Summary(summary) => {
                    let speaks_of_result =
                        summary.outcomes.possible().any(Lockset::speaks_of_result);
                    let result = site.new_result.clone().filter(|_| speaks_of_result);
                    let rebinding = Rebinding::new(&site.state, &site.arguments)
                        .at(site.site, &summary.heap)
                        .returning(result);
                    summary.outcomes.map(|lockset| {
                        let mut bound = lockset.rebound_among(
                            |path| rebinding.path(path),
                            |path| match (path.root, path.steps.len()) {
                                (Root::Formal(index), 1) => {
                                    locks.pointed_variables(call, index as usize)
                                }
                                _ => None,
                            },
                        );
                        bound.taken_at(site.site.statement);
                        bound
                    })
                }
                LockEffect::Model(model) => {
                    let is_lock = |kind| match kind {
                        LockKind::Semaphore => locks.is_binary_semaphore(call),
                        // They keep nobody on another processor from writing.
                        LockKind::Interrupts => false,
                        // Held by readers only, so that it keeps no writer out.
                        LockKind::Rcu => true,
                        // UNSOUND: what is read under a sequence lock is taken to be thrown away if a writer came between.
                        LockKind::Sequence => true,
                        LockKind::Mutex
                        | LockKind::Spin
                        | LockKind::ReadWrite
                        | LockKind::Global => true,
                    };
                    {
                        let variables = |lock: &models::Value| match lock.root {
                            models::Root::Argument(index) if lock.path.is_empty() => {
                                locks.pointed_variables(call, usize::from(index))
                            }
                            _ => None,
                        };
                        let knowledge = LockKnowledge {
                            is_tested: site.is_tested,
                            is_lock: &is_lock,
                            variables: &variables,
                        };
                        model_outcomes(model, site, &knowledge)
                    }
                }
                LockEffect::Nothing => Outcomes::always(Lockset::default()),
            });
        }
        if step != Outcomes::always(Lockset::default()) {
            steps.insert(id, step);
        }
    }
    steps
}

/// What the function around a call of a library function knows.
struct LockKnowledge<'k> {
    /// The call's result is looked at.
    is_tested: bool,
    is_lock: &'k dyn Fn(LockKind) -> bool,
    /// The variables that a lock behind a pointer may be in.
    variables: &'k dyn Fn(&models::Value) -> Option<Vec<GlobalRef>>,
}

fn model_outcomes(
    model: &FunctionModel,
    site: &LockSite,
    knowledge: &LockKnowledge<'_>,
) -> Outcomes {
    let (state, values) = (&site.state, &site.arguments);
    let LockKnowledge {
        is_tested,
        is_lock,
        variables,
    } = *knowledge;
    let mut outcomes = Outcomes::default();
    for sign in Sign::ALL {
        let mut lockset = Lockset::default();
        for effect in &model.effects {
            let happens = happens(effect.when, sign, values);
            let target = |lock: &models::Value| model_value(state, values, lock).targets();
            match &effect.action {
                Action::Acquire {
                    lock,
                    mode,
                    kind,
                    blocking,
                    ..
                // UNSOUND: a lock function that waits and whose result is not looked at is taken to
                // succeed.
                } if is_lock(*kind)
                    && (happens == Happens::Certainly || (*blocking && !is_tested)) =>
                {
                    // A lock that cannot be named is not certainly held.
                    if let Targets::Exactly(path) = target(lock) {
                        lockset.acquire(path, lock_mode(*mode), site.site.statement);
                    }
                }
                Action::Release { lock }
                    if happens != Happens::Never
                        && (is_lock(LockKind::Semaphore) || !model.posts(lock)) =>
                {
                    match target(lock) {
                        Targets::Exactly(path) => match variables(lock) {
                            Some(variables) if tells_less_than_its_pointer(&path) => {
                                lockset.release_among(path, &variables);
                            }
                            _ => lockset.release(path),
                        },
                        Targets::OneOf(paths) => lockset.release_one_of(paths),
                        Targets::Unknown => match variables(lock) {
                            Some(variables) => lockset.release_behind_pointer(&variables),
                            None => lockset.release_unknown(),
                        },
                    }
                }
                _ => {}
            }
        }
        outcomes.add(Signs::one(sign), &lockset);
    }
    outcomes
}

/// Whether what a pointer may point to tells more than the name of what it points to: a name that only this function
/// knows, or one that leads through a pointer which everybody can change.
fn tells_less_than_its_pointer(path: &Path) -> bool {
    let is_behind_global =
        matches!(path.root, Root::Global(_)) && path.steps.contains(&Step::Deref);
    is_behind_global || !path.is_known_outside()
}

/// The registers that some statement reads.
pub fn read_registers(body: &Body) -> FixedBitSet {
    let mut read = FixedBitSet::with_capacity(body.locals.len());
    let mut note = |operand: &Operand| {
        if let Operand::Local(local) = operand {
            read.insert(local.0 as usize);
        }
    };
    for block in &body.blocks {
        for statement in &block.statements {
            statement.operands(&mut note);
        }
        block.terminator.operands(&mut note);
    }
    read
}

/// Whether an effect happens.
#[derive(PartialEq, Eq, Clone, Copy, Debug)]
pub enum Happens {
    Certainly,
    Perhaps,
    Never,
}

/// Whether an effect happens in a call with these arguments and with a result of this sign.
pub fn happens(when: When, sign: Sign, values: &[Value]) -> Happens {
    let by = |is: bool| {
        if is {
            Happens::Certainly
        } else {
            Happens::Never
        }
    };
    match when {
        When::Always => Happens::Certainly,
        When::Result(test) => by(Signs::passing(test).contains(sign)),
        When::Argument(index, test) => match values.get(usize::from(index)) {
            Some(Value::Constant(value)) => by(Signs::passing(test).contains(Sign::of(*value))),
            Some(Value::Address(_) | Value::OneOf(_) | Value::Function(_)) => {
                by(Signs::passing(test).contains(Sign::Positive))
            }
            _ => Happens::Perhaps,
        },
    }
}

fn lock_mode(mode: models::Mode) -> Mode {
    match mode {
        models::Mode::Exclusive => Mode::Exclusive,
        models::Mode::Shared => Mode::Shared,
    }
}
