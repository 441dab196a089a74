//! What others may know at every point of a function, and at its end.

use super::domain::Sharing;
use super::steps::{SharingCalls, SharingSteps, sharing_steps};
use crate::dataflow::{Analysis, Domain, Edge, Loops, Solution, solve, visit_statements};
use crate::ir::{BlockId, Body, Statement, StatementId, Terminator};
use crate::points_to::PointsTo;
use crate::symexec::{Execution, Path, Root, State, Step};
use std::collections::BTreeSet;

/// What a function makes known, for its callers: objects that its formals lead to, and its allocations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SharingSummary {
    /// Others may know them when it returns.
    pub published: BTreeSet<Path>,
    /// Objects whose address it put into another object.
    pub held: BTreeSet<(Path, Path)>,
    /// It made something known that the objects it was given lead to.
    pub distant: bool,
}

impl SharingSummary {
    /// Nothing is known of the function: everybody may know what it is given.
    pub fn unknown(parameters: usize) -> SharingSummary {
        let formal = |index| Path::new(Root::Formal(index as u32)).then(Step::Deref);
        SharingSummary {
            published: (0..parameters).map(formal).collect(),
            held: BTreeSet::new(),
            distant: true,
        }
    }

    pub fn is_nothing(&self) -> bool {
        self.published.is_empty() && self.held.is_empty() && !self.distant
    }

    /// Makes it hold for both.
    pub fn join(&mut self, other: &SharingSummary) {
        self.published.extend(other.published.iter().cloned());
        self.held.extend(other.held.iter().cloned());
        self.distant |= other.distant;
    }
}

/// More objects than this in a summary are told as all that the function is given.
const MOST_TOLD: usize = 24;

pub struct SharingSolution<'l> {
    steps: SharingSteps,
    loops: &'l Loops,
    entries: Option<Solution<Sharing>>,
    pub summary: SharingSummary,
}

/// Computes what others may know in a function whose symbolic states are known.
pub fn sharing<'l>(
    body: &Body,
    states: &Solution<State>,
    execution: &Execution<'l>,
    points_to: &PointsTo,
    calls: &dyn SharingCalls,
) -> SharingSolution<'l> {
    let steps = sharing_steps(body, states, execution, points_to, calls);
    let loops = execution.loops();
    if steps.is_empty() {
        return SharingSolution {
            steps,
            loops,
            entries: None,
            summary: SharingSummary::default(),
        };
    }
    let flow = Flow {
        steps: &steps,
        loops,
    };
    let entries = solve(&flow, body);
    let mut exit: Option<Sharing> = None;
    for (index, block) in body.blocks.iter().enumerate() {
        if !matches!(block.terminator, Terminator::Return(_)) {
            continue;
        }
        let Some(mut state) = entries.entries[index].clone() else {
            continue;
        };
        for (position, statement) in block.statements.iter().enumerate() {
            let id = StatementId {
                block: BlockId(index as u32),
                index: position as u32,
            };
            flow.statement(&mut state, id, statement);
        }
        match &mut exit {
            Some(exit) => {
                exit.join(&state);
            }
            None => exit = Some(state),
        }
    }
    let summary = exit.map_or_else(SharingSummary::default, |exit| {
        summary_of(&exit, body.parameters)
    });
    SharingSolution {
        steps,
        loops,
        entries: Some(entries),
        summary,
    }
}

fn summary_of(exit: &Sharing, parameters: usize) -> SharingSummary {
    let is_told = |path: &Path| matches!(path.root, Root::Formal(_) | Root::Heap(_));
    let held = exit
        .held()
        .filter(|(object, holder)| is_told(object) && is_told(holder));
    let summary = SharingSummary {
        published: exit
            .published()
            .filter(|path| is_told(path))
            .cloned()
            .collect(),
        held: held
            .map(|(object, holder)| (object.clone(), holder.clone()))
            .collect(),
        distant: exit.is_distant(),
    };
    if summary.published.len() + summary.held.len() > MOST_TOLD {
        let mut all = SharingSummary::unknown(parameters);
        all.published.extend(summary.published);
        all.held = summary.held;
        return all;
    }
    summary
}

impl SharingSolution<'_> {
    /// Whether others know at the end what they knew at the entry.
    pub fn is_idle(&self) -> bool {
        self.entries.is_none()
    }

    /// Calls `visit` for every reachable statement with what others may know in front of it.
    pub fn visit(&self, body: &Body, visit: impl FnMut(&Sharing, StatementId, &Statement)) {
        if let Some(entries) = &self.entries {
            let flow = Flow {
                steps: &self.steps,
                loops: self.loops,
            };
            visit_statements(&flow, body, entries, visit);
        }
    }
}

struct Flow<'s> {
    steps: &'s SharingSteps,
    loops: &'s Loops,
}

impl Analysis for Flow<'_> {
    type Domain = Sharing;

    fn entry(&self, _body: &Body) -> Sharing {
        Sharing::default()
    }

    fn statement(&self, state: &mut Sharing, id: StatementId, _statement: &Statement) {
        for step in self.steps.get(&id).into_iter().flatten() {
            step.apply(state);
        }
    }

    fn edge(&self, state: &mut Sharing, edge: Edge<'_>) {
        if self.loops.goes_back(edge.from, edge.to) {
            state.forget_definitions(&|block| self.loops.is_behind(block, edge.to));
        }
    }
}
