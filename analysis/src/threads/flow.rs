//! Contexts flow from the roots down the call graph. Accesses stay where they are: what is held at their
//! function's entry comes to them, instead of copies of them going up to every thread.

use super::absolute::handed_over;
use super::at_calls::KnownStates;
use super::context::{Context, ContextId, Held, Running};
use super::contexts::{Arrival, Contexts};
use super::deciding::Deciding;
use super::given::known;
use super::left_behind;
use super::multiplicity;
use super::numbers::HandedNumbers;
use super::prepared::{Preparation, PreparedBefore, Surroundings};
use super::reached::{AnyMoment, Called};
use super::roots::{RootId, RootKind, ThreadRoot, ThreadRules};
use super::timeline::{Time, Timeline, Visit};
use crate::accesses::{Facts, StartFact};
use crate::branches::Certain;
use crate::callgraph::{CallGraph, Components, FunctionId, Functions};
use crate::dataflow::{Fixed, Shared};
use crate::forks::Origin;
use crate::ir::StatementId;
use crate::signals::SignalState;
use crate::stop::{Aside, Stop};
use crate::symexec::{Path, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// More threads than this that begin at one place with different arguments are joined.
const MOST_ROOTS_OF_A_START: usize = 8;

/// What the contexts of a program are found from.
#[derive(Clone, Copy)]
pub struct Sources<'s> {
    pub functions: &'s Functions,
    pub facts: &'s Facts,
    /// Of what contexts lead to.
    pub components: &'s Components,
    pub rules: &'s ThreadRules,
}

/// Finds the threads of a program and the contexts of its functions.
pub fn contexts(graph: &CallGraph<'_>, sources: Sources<'_>, stop: &Stop) -> Contexts {
    let deciding = Deciding::new(sources.facts, sources.components);
    contexts_with(graph, sources, Arc::new(deciding), None, stop)
}

/// The same with what functions did before an edit.
pub(super) fn contexts_with<'f>(
    graph: &'f CallGraph<'f>,
    sources: Sources<'f>,
    deciding: Arc<Deciding>,
    before: Option<PreparedBefore<'f>>,
    stop: &Stop,
) -> Contexts {
    let Sources {
        facts,
        components,
        rules,
        ..
    } = sources;
    let surroundings = Surroundings {
        graph,
        facts,
        deciding: deciding.clone(),
        states: stop.aside(KnownStates::default()),
        before,
    };
    let any_moment = Arc::new(any_moment(graph, facts));
    let mut contexts = rayon::in_place_scope(|helpers| {
        let mut flow = Flow {
            surroundings: &surroundings,
            preparation: Preparation::new(&surroundings, stop, helpers),
            components,
            pending: BTreeSet::new(),
            contexts: stop.aside(Contexts::none_yet(
                facts.len(),
                HandedNumbers::new(graph, facts),
                deciding,
                any_moment,
            )),
            started: FxHashMap::default(),
            visits: 0,
            timeline: Timeline::default(),
        };
        flow.run(rules, stop);
        flow.contexts.timeline = Arc::new(flow.timeline);
        flow.contexts
    });
    contexts.never_parallel = never_parallel(&contexts.roots, graph, rules);
    multiplicity::find(&mut contexts, graph, components);
    left_behind::find(&mut contexts, graph, facts);
    contexts.number_companies();
    contexts.find_the_timeless();
    contexts.find_those_that_hold_too_much();
    contexts.into_inner()
}

fn never_parallel(
    roots: &[ThreadRoot],
    graph: &CallGraph<'_>,
    rules: &ThreadRules,
) -> FxHashSet<(FunctionId, FunctionId)> {
    let mut found = FxHashSet::default();
    if rules.never_parallel.is_empty() {
        return found;
    }
    let name = |root: &ThreadRoot| graph.functions.body(root.entry).function.name;
    for one in roots {
        let others = roots.iter();
        let apart = others.filter(|other| rules.keeps_apart(name(one), name(other)));
        found.extend(apart.map(|other| (one.entry, other.entry)));
    }
    found
}

/// What a thread knows where it begins.
struct Beginning {
    bindings: Vec<Value>,
    certain: BTreeMap<u32, Certain>,
    contents: BTreeMap<Path, Value>,
    signals: Arc<SignalState>,
}

struct Flow<'p, 's> {
    surroundings: &'s Surroundings<'s>,
    preparation: Preparation<'p, 's>,
    components: &'s Components,
    pending: BTreeSet<(Turn, ContextId)>,
    contexts: Aside<Contexts>,
    started: FxHashMap<(FunctionId, StatementId, FunctionId), Vec<RootId>>,
    /// How many contexts have been visited.
    visits: u32,
    timeline: Timeline,
}

/// Whose contexts are visited first of those that wait: callers before callees. Levels say that, too, as the order of components
/// does, but a call that comes or goes leaves nearly all of them as they are.
pub(super) type Turn = (Reverse<u32>, FunctionId);

pub(super) fn turn(components: &Components, function: FunctionId) -> Turn {
    let level = components.level(components.of(function.0));
    (Reverse(level), function)
}

/// What is certain at any moment in the life of any thread: nothing.
fn any_moment(graph: &CallGraph<'_>, facts: &Facts) -> AnyMoment {
    let functions = graph.functions.ids().zip(facts.iter());
    let threads = functions.flat_map(|(function, facts)| {
        let body = graph.functions.body(function);
        facts.starts.iter().map(|start| {
            let origin = Origin {
                function: body.function,
                statement: body.landmark(start.statement),
            };
            (origin, Running::Perhaps(None))
        })
    });
    AnyMoment {
        threads: Fixed::new(threads.collect()),
        signals: Fixed::new(SignalState::of_anything()),
    }
}

impl Flow<'_, '_> {
    fn run(&mut self, rules: &ThreadRules, stop: &Stop) {
        let graph = self.surroundings.graph;
        for function in graph.functions.ids() {
            let body = graph.functions.body(function);
            let Some(kind) = rules.begins(body) else {
                continue;
            };
            let held = match kind {
                RootKind::Exported | RootKind::Named => {
                    rules.held_at_entry.get(&body.function.declared())
                }
                RootKind::Main | RootKind::Started { .. } => None,
            };
            let held = held.into_iter().flatten().map(|(lock, mode)| {
                let held = Held {
                    mode: *mode,
                    by: function,
                    at: None,
                };
                (lock.clone(), held)
            });
            let context = Context {
                bindings: vec![Value::Anything; body.parameters],
                held: held.collect(),
                ..Context::default()
            };
            self.add_root_in(
                context,
                ThreadRoot {
                    entry: function,
                    kind,
                    bindings: vec![Value::Anything; body.parameters],
                    certain: BTreeMap::new(),
                    contents: BTreeMap::new(),
                    signals: Arc::default(),
                    many: kind != RootKind::Main,
                    parents: BTreeSet::new(),
                    programs: BTreeSet::new(),
                    running_before: Shared::default(),
                    left_behind: BTreeSet::new(),
                    restarted: false,
                },
            );
        }
        while let Some(((_, function), context)) = self.pending.pop_first() {
            stop.check();
            self.visit(function, context);
        }
    }

    fn add_root(&mut self, root: ThreadRoot) -> RootId {
        let context = Context {
            bindings: root.bindings.clone(),
            certain: root.certain.clone(),
            contents: root.contents.clone(),
            signals: Fixed::new(SignalState::clone(&root.signals)),
            ..Context::default()
        };
        self.add_root_in(context, root)
    }

    fn add_root_in(&mut self, context: Context, root: ThreadRoot) -> RootId {
        let id = RootId(self.contexts.roots.len() as u32);
        let entry = root.entry;
        self.contexts.roots.push(root);
        let context = self.surroundings.entered(entry, context);
        let time = Time::of_visit(self.visits);
        self.contexts.entries.push((time, context.clone()));
        let roots = Shared::new(BTreeSet::from([id]));
        self.enter(entry, context, &roots, Arrival::Root(id));
        id
    }

    /// A function is entered; returns in which of its contexts, and what it is entered with.
    fn enter(
        &mut self,
        function: FunctionId,
        context: Fixed<Context>,
        roots: &Shared<BTreeSet<RootId>>,
        arrival: Arrival,
    ) -> (ContextId, Fixed<Context>) {
        let any_moment = self.contexts.any_moment.clone();
        let known = self.contexts.function_mut(function);
        let (id, context) = known.find_or_add(context, &any_moment);
        let reached = &mut known.contexts[id.0 as usize];
        if reached.arrivals.is_empty() {
            reached.found_at = Time::of_visit(self.visits);
            self.preparation.begin(function, id, &reached.context);
        }
        reached.add_arrival(arrival);
        if reached.add_roots(roots) || reached.calls.is_none() {
            let turn = turn(self.components, function);
            self.pending.insert((turn, id));
        }
        (id, context)
    }

    fn visit(&mut self, function: FunctionId, id: ContextId) {
        let reached = self.contexts.reached_mut(function, id);
        let roots = reached.roots.clone();
        if let Some(calls) = &reached.calls {
            // Only more threads come here: they go where the others went.
            let calls: Vec<(FunctionId, ContextId)> = calls
                .iter()
                .map(|called| (called.callee, called.context))
                .collect();
            for (callee, context) in calls {
                self.spread(callee, context, &roots);
            }
            return;
        }
        self.visits += 1;
        reached.calls = Some(Vec::new());
        let time = Time::of_visit(self.visits);
        reached.visited_at = time;
        let place = (function, id);
        self.timeline.push(Visit { time, place });
        let context = reached.context.clone();
        let prepared = self.preparation.take(function, id, &context);
        let mut calls = Vec::with_capacity(prepared.calls.len());
        for entered in prepared.calls {
            let arrival = Arrival::Call {
                caller: function,
                context: id,
                at: entered.at,
                repeats: entered.repeats,
            };
            let (context, known) = self.enter(entered.target, entered.context, &roots, arrival);
            calls.push(Called {
                callee: entered.target,
                context,
                at: entered.at,
                repeats: entered.repeats,
                entered: known,
            });
        }
        self.contexts.reached_mut(function, id).calls = Some(calls);
        let facts = &self.surroundings.facts[function.0 as usize];
        let left_out = prepared.left_out;
        let is_reached = |statement: StatementId| !left_out.contains(&statement.block);
        for start in facts
            .starts
            .iter()
            .filter(|start| is_reached(start.statement))
        {
            self.start(function, id, &context, start);
        }
        let known = self.contexts.left_out.entry(function.0 as usize);
        known.add(id, left_out);
    }

    fn spread(&mut self, function: FunctionId, id: ContextId, roots: &Shared<BTreeSet<RootId>>) {
        let reached = self.contexts.reached_mut(function, id);
        if reached.add_roots(roots) {
            let turn = turn(self.components, function);
            self.pending.insert((turn, id));
        }
    }

    fn start(&mut self, function: FunctionId, id: ContextId, context: &Context, start: &StartFact) {
        let graph = self.surroundings.graph;
        let targets =
            self.surroundings
                .started(function, context, start.entry.as_ref(), &start.targets);
        let body = graph.functions.body(function);
        let binder = context.binder(body);
        for entry in targets {
            let parameters = graph.functions.body(entry).parameters;
            let bindings: Vec<Value> = (0..parameters)
                .map(|index| {
                    let argument = start.arguments.get(index);
                    argument.map_or(Value::Anything, |argument| {
                        handed_over(known(binder.value(argument)))
                    })
                })
                .collect();
            let kind = RootKind::Started {
                context: start.context,
                by: function,
                at: graph.functions.body(function).landmark(start.statement),
            };
            let signals = context.signals_at(&start.signals, &start.locks, body);
            let mut certain = context.certain_in_callee(&start.passed, parameters);
            self.surroundings.deciding.keep(entry, &mut certain);
            let known = Beginning {
                bindings,
                certain,
                contents: self.contexts.numbers.of(function, start),
                signals: Arc::new(signals.inherited()),
            };
            let root = self.root(entry, kind, known, start.statement, function);
            let running = self.surroundings.states.running(context, &start.forks);
            let before = &mut self.contexts.roots[root.0 as usize].running_before;
            if before.is_empty() {
                *before = running;
            } else if !running.is_subset(before) {
                before.extend(running.iter());
            }
            let reached = self.contexts.reached_mut(function, id);
            reached.starts.push((root, start.repeats));
        }
    }

    /// The thread that begins so, a new one if there is none yet.
    fn root(
        &mut self,
        entry: FunctionId,
        kind: RootKind,
        mut beginning: Beginning,
        at: StatementId,
        by: FunctionId,
    ) -> RootId {
        let known = self.started.entry((by, at, entry)).or_default();
        if known.len() >= MOST_ROOTS_OF_A_START {
            beginning.bindings.fill(Value::Anything);
            beginning.certain.clear();
            beginning.contents.clear();
            beginning.signals = Arc::default();
        }
        let same = known.iter().find(|root| {
            let root = &self.contexts.roots[root.0 as usize];
            root.bindings == beginning.bindings
                && root.certain == beginning.certain
                && root.contents == beginning.contents
                && root.signals == beginning.signals
        });
        if let Some(same) = same {
            return *same;
        }
        let root = self.add_root(ThreadRoot {
            entry,
            kind,
            bindings: beginning.bindings,
            certain: beginning.certain,
            contents: beginning.contents,
            signals: beginning.signals,
            many: false,
            parents: BTreeSet::new(),
            programs: BTreeSet::new(),
            running_before: Shared::default(),
            left_behind: BTreeSet::new(),
            restarted: false,
        });
        self.started.entry((by, at, entry)).or_default().push(root);
        root
    }
}
