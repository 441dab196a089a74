//! What calls do to threads, in terms of the function that calls.

use super::analysis::ForkSummary;
use super::crowd::gather;
use super::domain::{Handle, Origin, Started};
use crate::dataflow::Solution;
use crate::ir::{Block, BlockId, Body, Operand, Statement, StatementId, Terminator};
use crate::models::{self, Action, FunctionModel};
use crate::symexec::{
    CallSite, Definition, Execution, Index, Path, Rebinding, Root, Site, State, Step, Targets,
    Value, model_value,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is known about threads in the functions that a body calls.
pub trait ForkCalls {
    /// What the call may do to threads: one effect for each function that it may reach.
    fn fork_effects(&self, call: CallSite) -> Vec<ForkEffect<'_>>;
}

#[derive(Clone)]
pub enum ForkEffect<'m> {
    /// A function of the program, and the allocations that its callers rename.
    Summary(Arc<ForkSummary>, Arc<crate::symexec::ValueSummary>),
    Model(&'m FunctionModel),
}

/// One thing that a statement does.
pub(super) enum ForkStep {
    Start(Site, Started),
    JoinThread(Site),
    JoinHandle(Handle),
}

#[derive(Default)]
pub(super) struct ForkSteps {
    pub statements: FxHashMap<StatementId, Vec<ForkStep>>,
    /// Loops that join a thread in each turn: all have ended where the loop has.
    pub loops: FxHashMap<BlockId, Vec<Handle>>,
    /// The calls that do it.
    pub joins_in_loops: Vec<(StatementId, Handle)>,
}

pub(super) fn fork_steps(
    body: &Body,
    states: &Solution<State>,
    execution: &Execution<'_>,
    calls: &dyn ForkCalls,
) -> ForkSteps {
    let mut steps = ForkSteps::default();
    // Most functions touch no thread, which their text alone tells.
    let touches = |call| !calls.fork_effects(call).is_empty();
    let (any, touching) = CallSite::that_matter(body, touches);
    if !any {
        return steps;
    }
    let matters = |id: StatementId, _: &Statement| touching.contains(&id);
    execution.visit_chosen(states, matters, |state, id, statement| {
        let Statement::Call {
            callee, arguments, ..
        } = statement
        else {
            return;
        };
        let call = execution.call_site(state, id, callee, arguments.len());
        let effects = calls.fork_effects(call);
        if effects.is_empty() {
            return;
        }
        let values: Vec<Value> = arguments
            .iter()
            .map(|argument| state.operand(argument))
            .collect();
        let mut found = Finder {
            body,
            states,
            execution,
            state,
            id,
            values: &values,
            steps: &mut steps,
        };
        let is_certain = effects.len() == 1;
        for effect in &effects {
            match effect {
                ForkEffect::Summary(forks, effects) => found.callee(forks, effects, is_certain),
                ForkEffect::Model(model) => found.model(model, arguments, is_certain),
            }
        }
    });
    gather(&mut steps);
    steps
}

/// More threads of one call that no value stands for are known by where they are started. A function that calls itself
/// would have one more of them each time it is looked at, and never come to an end.
const MOST_TOLD_APART: usize = 16;

struct Finder<'f, 'e> {
    body: &'f Body,
    states: &'f Solution<State>,
    execution: &'f Execution<'e>,
    state: &'f State,
    id: StatementId,
    values: &'f [Value],
    steps: &'f mut ForkSteps,
}

impl Finder<'_, '_> {
    fn add(&mut self, step: ForkStep) {
        self.steps.statements.entry(self.id).or_default().push(step);
    }

    fn callee(
        &mut self,
        forks: &ForkSummary,
        effects: &crate::symexec::ValueSummary,
        is_certain: bool,
    ) {
        let site = self.execution.site(self.id);
        let rebinding = Rebinding::new(self.state, self.values).at(site, &effects.heap);
        for handle in forks.joined.iter().filter(|_| is_certain) {
            if let Some(handle) = rebound_handle(&rebinding, handle) {
                if let Some(thread) = handle_thread(self.state, &handle.place) {
                    self.add(ForkStep::JoinThread(thread));
                }
                self.add(ForkStep::JoinHandle(handle));
            }
        }
        for (number, (call, started)) in forks.threads.iter().enumerate() {
            if started.is_crowd() {
                self.add(ForkStep::Start(*call, started.clone()));
                continue;
            }
            let mut started = started.clone();
            started.handle = started.handle.and_then(|handle| {
                let handle = rebound_handle(&rebinding, &handle)?;
                match handle.range {
                    // The caller may be the one who counts.
                    None => self.described_start(handle.place),
                    Some(_) => Some(handle),
                }
            });
            let part = effects.heap.binary_search(call).ok();
            let is_one_of_many = part.is_none() && number >= MOST_TOLD_APART;
            if is_one_of_many || (part.is_none() && started.handle.is_none()) {
                // Nobody can join them by this call: they are known by where they are started.
                for (call, started) in started.by_origin() {
                    self.add(ForkStep::Start(call, started));
                }
                continue;
            }
            // Those that no value stands for are told apart by numbers behind those that one does.
            let part = part.unwrap_or(effects.heap.len() + number) as u32 + 1;
            self.add(ForkStep::Start(Site { part, ..site }, started));
        }
    }

    fn model(&mut self, model: &FunctionModel, arguments: &[Operand], is_certain: bool) {
        for effect in &model.effects {
            match &effect.action {
                Action::Start { handle, .. } => {
                    let handle = handle.as_ref().and_then(|handle| self.handle_place(handle));
                    let origin = Origin {
                        function: self.body.function,
                        statement: self.body.landmark(self.id),
                    };
                    let started = Started::new(origin, handle);
                    self.add(ForkStep::Start(self.execution.site(self.id), started));
                }
                Action::Join {
                    handle: Some(handle),
                    ..
                } if is_certain => self.join(handle, arguments),
                _ => {}
            }
        }
    }

    /// Where a start puts the handle.
    fn handle_place(&self, handle: &models::Value) -> Option<Handle> {
        let (last, front) = handle.path.split_last()?;
        if *last != models::Step::Dereference {
            return None;
        }
        let pointer = models::Value {
            root: handle.root,
            path: front.into(),
        };
        match model_value(self.state, self.values, &pointer).targets() {
            Targets::Exactly(place) => self.described_start(place),
            Targets::OneOf(_) | Targets::Unknown => None,
        }
    }

    fn join(&mut self, handle: &models::Value, arguments: &[Operand]) {
        if let Value::Address(path) = model_value(self.state, self.values, handle)
            && let Root::Heap(thread) = path.root
        {
            self.add(ForkStep::JoinThread(thread));
        }
        let models::Root::Argument(index) = handle.root else {
            return;
        };
        let place = match arguments.get(usize::from(index)) {
            Some(Operand::Local(local)) => self.loaded_from(*local),
            _ => None,
        };
        let Some(handle) = place.and_then(|place| self.described(place)) else {
            return;
        };
        match (&handle.range, self.counting_loop()) {
            (Some(_), Some(head)) => {
                let joined = (self.id, handle.clone());
                self.steps.joins_in_loops.push(joined);
                let known = self.steps.loops.entry(head).or_default();
                if !known.contains(&handle) {
                    known.push(handle);
                }
            }
            (Some(_), None) => {}
            (None, _) => self.add(ForkStep::JoinHandle(handle)),
        }
    }

    /// The place that a register was loaded from just before.
    fn loaded_from(&self, local: crate::ir::LocalId) -> Option<Path> {
        let statements = &self.body.block(self.id.block).statements;
        let before = &statements[..self.id.index as usize];
        let assigned = before
            .iter()
            .rev()
            .find(|statement| statement.target() == Some(local))?;
        match assigned {
            Statement::Load { place, .. } => match self.state.place(place) {
                Targets::Exactly(path) => Some(path),
                _ => None,
            },
            _ => None,
        }
    }

    /// A place as a handle: an index that a loop counts becomes the loop's range.
    fn described(&self, place: Path) -> Option<Handle> {
        let mut range = None;
        let mut steps = place.steps.clone();
        for step in &mut steps {
            let Step::Index(Index::Entry(path)) = step else {
                continue;
            };
            let Root::Value(Definition::Merge(head, counter)) = path.root else {
                continue;
            };
            if range.is_some() || !path.steps.is_empty() {
                return None;
            }
            range = Some(self.execution.counted_range(self.states, head, counter)?);
            *step = Step::Index(Index::Any);
        }
        let place = Path::with_steps(place.root, steps);
        Some(Handle {
            place,
            range,
            counter: None,
        })
    }

    /// The same for a handle that a start leaves there.
    fn described_start(&self, place: Path) -> Option<Handle> {
        let counters = place.steps.iter().filter_map(|step| match step {
            Step::Index(Index::Entry(path)) => Some(path.clone()),
            _ => None,
        });
        let counter = counters.into_iter().find(|path| self.counts_starts(path));
        let handle = self.described(place)?;
        Some(Handle { counter, ..handle })
    }

    /// Whether a counter tells how many turns of its loop have started a thread: control gets from the start to the
    /// counter's next step, or it leaves the loop where the start's result was tested.
    // UNSOUND: a loop that counts the threads that it starts, and that is left without counting one because of the
    // start's result, is taken not to have started that one.
    fn counts_starts(&self, counter: &Path) -> bool {
        let Root::Value(Definition::Merge(head, local)) = counter.root else {
            return false;
        };
        let loops = self.execution.loops();
        if !counter.steps.is_empty() || !loops.is_inside(self.id.block, head) {
            return false;
        }
        let start = self.body.block(self.id.block);
        let behind = &start.statements[self.id.index as usize + 1..];
        let counts = |statements: &[Statement]| {
            let mut targets = statements.iter().map(Statement::target);
            targets.any(|target| target == Some(local))
        };
        if counts(behind) {
            return true;
        }
        let always_counts = |first: &BlockId| {
            let mut seen = BTreeSet::new();
            let mut work = vec![*first];
            while let Some(block) = work.pop() {
                if !loops.is_inside(block, head) || block == head {
                    return false;
                }
                let block_here = self.body.block(block);
                if seen.insert(block) && !counts(&block_here.statements) {
                    let next = block_here.terminator.successors();
                    if next.is_empty() {
                        return false;
                    }
                    work.extend(next);
                }
            }
            true
        };
        let ways = start.terminator.successors();
        if tests_result(start, self.id.index as usize) {
            ways.iter().any(always_counts)
        } else {
            !ways.is_empty() && ways.iter().all(always_counts)
        }
    }

    /// The loop that runs this statement in each of its turns.
    fn counting_loop(&self) -> Option<BlockId> {
        self.execution.loops().passing(self.body, self.id.block)
    }
}

/// Whether a block ends with a test of what one of its calls returned.
fn tests_result(block: &Block, call: usize) -> bool {
    let Terminator::Branch {
        condition: Operand::Local(condition),
        ..
    } = &block.terminator
    else {
        return false;
    };
    let mut tells = BTreeSet::from_iter(block.statements[call].target());
    for statement in &block.statements[call + 1..] {
        let Some(target) = statement.target() else {
            continue;
        };
        let mut depends = false;
        statement.operands(&mut |operand| {
            depends |= matches!(operand, Operand::Local(local) if tells.contains(local));
        });
        let is_computed = matches!(statement, Statement::Assign { .. });
        if depends && is_computed {
            tells.insert(target);
        } else {
            tells.remove(&target);
        }
    }
    tells.contains(condition)
}

/// The thread whose handle a place holds now.
fn handle_thread(state: &State, place: &Path) -> Option<Site> {
    match state.read_path(place) {
        Value::Address(path) => match path.root {
            Root::Heap(thread) => Some(thread),
            _ => None,
        },
        _ => None,
    }
}

fn rebound_handle(rebinding: &Rebinding<'_>, handle: &Handle) -> Option<Handle> {
    let Targets::Exactly(place) = rebinding.path(&handle.place) else {
        return None;
    };
    let range = match &handle.range {
        Some((first, bound)) => match rebinding.value(bound) {
            Value::Anything | Value::Nothing => return None,
            bound => Some((*first, bound)),
        },
        None => None,
    };
    Some(Handle {
        place,
        range,
        counter: None,
    })
}
