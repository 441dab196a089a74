//! One round of the search: all interleavings with so many switches.

use super::{Look, Outcome, Targets};
use crate::ir::StatementId;
use crate::kiss::machine::stop::{Limit, Stop};
use crate::kiss::machine::value::OpenValue;
use crate::kiss::machine::{Machine, Next, State};
use crate::kiss::schedule::{Goal, Move, Position, Trail, Witness};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

pub(super) struct Explorer<'e, 'p> {
    machine: &'e Machine<'p>,
    targets: &'e Targets,
    look: Look,
    constants: &'e [i128],
    stop: &'e dyn Fn() -> bool,
    outcome: &'e mut Outcome,
    /// With how many switches left a state was seen.
    seen: FxHashMap<(u128, usize), u32>,
    found: FxHashSet<(Position, Position)>,
    failed: FxHashSet<Position>,
    /// An interleaving was left out because it has too many switches.
    was_cut: bool,
    is_answered: bool,
    work: Vec<Node>,
    turns: u32,
}

struct Node {
    state: State,
    trail: Trail,
    /// Who moved last.
    last: usize,
    left: u32,
    depth: u32,
    /// Threads that cannot go on: they did something undefined, or something that cannot be run.
    stuck: u64,
    /// How often threads were at statements where they could be interrupted, as far as it is counted.
    arrivals: Arc<FxHashMap<(usize, Place), u8>>,
}

/// A statement of a body.
type Place = (u32, StatementId);

/// How many values from outside a first look tries.
const HASTY_VALUES: usize = 2;

/// How often somebody is asked whether to go on: after so many states, and after so many steps to one of them.
const ASK_EVERY: u32 = 64;
const ASK_AFTER_STEPS: u32 = 1 << 16;

/// What came of letting all threads go on to where others can notice them.
enum Settled {
    /// What each thread does next.
    Ready(Vec<Next>),
    /// The node was taken apart, or its path has ended.
    Over,
}

impl<'e, 'p> Explorer<'e, 'p> {
    pub fn new(
        machine: &'e Machine<'p>,
        targets: &'e Targets,
        look: Look,
        constants: &'e [i128],
        stop: &'e dyn Fn() -> bool,
        outcome: &'e mut Outcome,
    ) -> Explorer<'e, 'p> {
        let mut found = FxHashSet::default();
        let mut failed = FxHashSet::default();
        for witness in &outcome.witnesses {
            match witness.goal {
                Goal::Race {
                    first: (_, one),
                    second: (_, other),
                } => {
                    found.insert((one.min(other), one.max(other)));
                }
                Goal::Assertion { at, .. } => {
                    failed.insert(at);
                }
            }
        }
        Explorer {
            machine,
            targets,
            look,
            constants,
            stop,
            outcome,
            seen: FxHashMap::default(),
            found,
            failed,
            was_cut: false,
            is_answered: false,
            work: Vec::new(),
            turns: 0,
        }
    }

    /// Looks at states until so many were looked at; whether interleavings were left out.
    pub fn explore(&mut self, start: State, switches: u32, most_states: usize) -> bool {
        self.work.push(Node {
            state: start,
            trail: Trail::default(),
            last: 0,
            left: switches,
            depth: 0,
            stuck: 0,
            arrivals: Arc::default(),
        });
        while let Some(node) = self.work.pop() {
            self.turns += 1;
            if self.turns.is_multiple_of(ASK_EVERY) && (self.stop)() {
                self.outcome.stopped = true;
                break;
            }
            if self.outcome.states >= most_states {
                break;
            }
            self.visit(node);
            if self.is_answered || self.outcome.stopped {
                break;
            }
        }
        self.was_cut
    }

    fn visit(&mut self, mut node: Node) {
        let nexts = match self.settle(&mut node) {
            Settled::Ready(nexts) => nexts,
            Settled::Over => return,
        };
        self.look_for_races(&node, &nexts);
        self.note_ignored(&node.state);
        let key = (node.state.fingerprint() ^ u128::from(node.stuck), node.last);
        self.outcome.states += 1;
        match self.seen.get_mut(&key) {
            Some(left) if *left >= node.left => return,
            Some(left) => *left = node.left,
            None => {
                self.seen.insert(key, node.left);
            }
        }
        if node.depth >= self.look.bounds.path_steps {
            self.outcome.too_long |= !self.look.is_hasty;
            return;
        }
        let can_move = |thread: &usize| {
            matches!(nexts[*thread], Next::Step { .. })
                && node.stuck & (1 << thread) == 0
                && !self.machine.is_shut_out(&node.state, *thread)
        };
        let able: Vec<usize> = (0..nexts.len()).filter(can_move).collect();
        let last_is_able = able.contains(&node.last);
        let may_switch = node.left > 0 && self.is_first_arrival(&mut node);
        let mut order: Vec<usize> = able
            .iter()
            .copied()
            .filter(|thread| *thread != node.last)
            .rev()
            .collect();
        if last_is_able {
            if !may_switch {
                self.was_cut |= !order.is_empty();
                order.clear();
            }
            // The last on the stack is looked at first: to switch early shows more than to switch after a long run.
            order.insert(0, node.last);
        }
        for thread in order {
            let costs = u32::from(last_is_able && thread != node.last);
            self.push_move(&node, thread, node.left - costs);
        }
    }

    /// Whether the thread that moved last may be interrupted where it is now, by how often it was there.
    fn is_first_arrival(&self, node: &mut Node) -> bool {
        let Some(most) = self.look.arrivals else {
            return true;
        };
        let Some(place) = self.machine.position(&node.state, node.last) else {
            return true;
        };
        let key = (node.last, place);
        let before = node.arrivals.get(&key).copied().unwrap_or(0);
        if before < most {
            Arc::make_mut(&mut node.arrivals).insert(key, before + 1);
        }
        before < most
    }

    /// Puts the state after a thread's step on the stack.
    fn push_move(&mut self, node: &Node, thread: usize, left: u32) {
        let mut state = node.state.clone();
        match self.machine.step(&mut state, thread) {
            Ok(()) => {
                let alive = state.threads.iter().filter(|thread| !thread.is_finished());
                if alive.count() > self.look.bounds.threads {
                    self.outcome.limits.insert(Limit::Threads);
                    return;
                }
                let trail = node.trail.with(Move::Run { thread, steps: 1 });
                self.work.push(Node {
                    state,
                    trail,
                    last: thread,
                    left,
                    depth: node.depth + 1,
                    stuck: node.stuck,
                    arrivals: node.arrivals.clone(),
                });
            }
            Err(Stop::Choose(open)) => self.split(node, open),
            Err(stop) => {
                self.note(&stop);
                self.work.push(Node {
                    state: node.state.clone(),
                    trail: node.trail.clone(),
                    last: node.last,
                    left: node.left,
                    depth: node.depth + 1,
                    stuck: node.stuck | (1 << thread),
                    arrivals: node.arrivals.clone(),
                });
            }
        }
    }

    /// Puts one node for each value on the stack. That is a step of the way, and a state that was looked at: a thread may
    /// ask for values again and again and never do anything that others notice.
    fn split(&mut self, node: &Node, open: OpenValue) {
        self.outcome.states += 1;
        if node.depth >= self.look.bounds.path_steps {
            self.outcome.too_long |= !self.look.is_hasty;
            return;
        }
        let most = if self.look.is_hasty {
            HASTY_VALUES
        } else {
            usize::MAX
        };
        let (mut values, are_all) =
            self.machine
                .candidates(&node.state, open, self.constants, most);
        self.outcome.values_tried |= !are_all && !self.look.is_hasty;
        values.reverse();
        for chosen in values {
            let mut state = node.state.clone();
            match self.machine.choose(&mut state, open, chosen) {
                Ok(()) => self.work.push(Node {
                    state,
                    trail: node.trail.with(Move::Choose { open, chosen }),
                    last: node.last,
                    left: node.left,
                    depth: node.depth + 1,
                    stuck: node.stuck,
                    arrivals: node.arrivals.clone(),
                }),
                Err(stop) => self.note(&stop),
            }
        }
    }

    /// Lets every thread go on to its next step that others can notice.
    fn settle(&mut self, node: &mut Node) -> Settled {
        if node.state.end.is_some() {
            self.look_at_end(node);
            return Settled::Over;
        }
        let mut nexts = Vec::new();
        let mut thread = 0;
        // Steps may start threads, so that their number is asked for each time.
        while thread < node.state.threads.len() {
            let mut steps = 0;
            let next = loop {
                if node.stuck & (1 << thread) != 0 {
                    break Next::Blocked;
                }
                let stop = match self.machine.next(&node.state, thread) {
                    Ok(Next::Step { visible: false, .. }) => {
                        if steps >= self.look.bounds.local_steps {
                            Stop::Limit(Limit::Steps)
                        } else {
                            match self.machine.step(&mut node.state, thread) {
                                Ok(()) => {
                                    steps += 1;
                                    if steps.is_multiple_of(ASK_AFTER_STEPS) && (self.stop)() {
                                        self.outcome.stopped = true;
                                        return Settled::Over;
                                    }
                                    if node.state.end.is_some() {
                                        node.trail = node.trail.with(Move::Run { thread, steps });
                                        self.look_at_end(node);
                                        return Settled::Over;
                                    }
                                    continue;
                                }
                                Err(stop) => stop,
                            }
                        }
                    }
                    Ok(next) => break next,
                    Err(stop) => stop,
                };
                if steps > 0 {
                    node.trail = node.trail.with(Move::Run { thread, steps });
                    steps = 0;
                }
                match stop {
                    Stop::Choose(open) => {
                        self.split(node, open);
                        return Settled::Over;
                    }
                    stop => {
                        self.note(&stop);
                        node.stuck |= 1 << thread;
                    }
                }
            };
            if steps > 0 {
                node.trail = node.trail.with(Move::Run { thread, steps });
            }
            nexts.push(next);
            thread += 1;
        }
        // A thread that has come to its end lets those go on that join it.
        for (thread, next) in nexts.iter_mut().enumerate() {
            if *next == Next::Blocked
                && node.stuck & (1 << thread) == 0
                && let Ok(now) = self.machine.next(&node.state, thread)
            {
                *next = now;
            }
        }
        Settled::Ready(nexts)
    }

    fn note_ignored(&mut self, state: &State) {
        if !state.ignored.is_subset(&self.outcome.ignored) {
            self.outcome.ignored.extend(state.ignored.iter().copied());
        }
    }

    fn look_at_end(&mut self, node: &Node) {
        self.note_ignored(&node.state);
        let Some(thread) = self.machine.failed(&node.state) else {
            return;
        };
        let Some(at) = self.position(&node.state, thread) else {
            return;
        };
        if self.targets.assertions && self.failed.insert(at) {
            self.add(Witness {
                moves: node.trail.moves(),
                goal: Goal::Assertion { thread, at },
            });
        }
    }

    fn add(&mut self, witness: Witness) {
        self.outcome.witnesses.push(witness);
        self.is_answered = self.targets.are_answered(&self.outcome.witnesses);
    }

    fn look_for_races(&mut self, node: &Node, nexts: &[Next]) {
        for first in 0..nexts.len() {
            for second in first + 1..nexts.len() {
                let one = (first, nexts[first].accesses());
                let other = (second, nexts[second].accesses());
                if self.machine.races(&node.state, one, other) {
                    self.race(node, first, second);
                }
            }
        }
    }

    fn race(&mut self, node: &Node, first: usize, second: usize) {
        let (Some(one), Some(other)) = (
            self.position(&node.state, first),
            self.position(&node.state, second),
        ) else {
            return;
        };
        let pair = (one.min(other), one.max(other));
        if self.found.contains(&pair) {
            return;
        }
        self.found.insert(pair);
        let is_wanted =
            self.targets.any_race || self.targets.answered_by(one, other).next().is_some();
        if is_wanted {
            self.add(Witness {
                moves: node.trail.moves(),
                goal: Goal::Race {
                    first: (first, one),
                    second: (second, other),
                },
            });
        }
    }

    fn position(&self, state: &State, thread: usize) -> Option<Position> {
        let (body, statement) = self.machine.position(state, thread)?;
        Some(Position {
            function: self.machine.body(body).function,
            statement,
        })
    }

    fn note(&mut self, stop: &Stop) {
        match stop {
            // The thorough look follows threads further.
            Stop::Limit(Limit::Steps) if self.look.is_hasty => {}
            Stop::Limit(limit) => {
                self.outcome.limits.insert(*limit);
            }
            Stop::Fault(fault) => {
                self.outcome.faults.insert(*fault);
            }
            Stop::Choose(_) => {}
        }
    }
}
