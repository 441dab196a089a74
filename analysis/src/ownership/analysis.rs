//! What others may know at every point of a function, and at its end.

use super::domain::{Owned, Sharing};
use super::objects::object_of;
use super::steps::{Known, SharingCalls, SharingSteps, sharing_steps};
use super::taking::Source;
use crate::dataflow::{
    Analysis, Domain, Edge, Loops, Solution, solve, visit_returns, visit_statements,
};
use crate::ir::{Body, Statement, StatementId};
use crate::symexec::{Path, Root, Step, Targets, Value};
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
    /// What it returns belongs to the caller, because it was taken out of where others find it under these locks.
    pub result: Option<BTreeSet<Path>>,
}

impl SharingSummary {
    /// Nothing is known of the function: everybody may know what it is given.
    pub fn unknown(parameters: usize) -> SharingSummary {
        let formal = |index| Path::new(Root::Formal(index as u32)).then(Step::Deref);
        SharingSummary {
            published: (0..parameters).map(formal).collect(),
            held: BTreeSet::new(),
            distant: true,
            result: None,
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
        self.result = match (&self.result, &other.result) {
            (Some(mine), Some(theirs)) => Some(mine & theirs),
            _ => None,
        };
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
pub fn sharing<'l>(known: &Known<'_, 'l>, calls: &dyn SharingCalls) -> SharingSolution<'l> {
    let Known {
        body,
        states,
        execution,
        ..
    } = *known;
    let steps = sharing_steps(known, calls);
    let loops = execution.loops();
    if steps.statements.is_empty() {
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
    let mut result = Returned::default();
    visit_returns(&flow, body, &entries, |state, block, value| {
        if let Some(value) = value {
            let values = execution.exit_state(states, block);
            result.add(&state, values.map(|values| values.operand(value)));
        }
        match &mut exit {
            Some(exit) => {
                exit.join(&state);
            }
            None => exit = Some(state),
        }
    });
    let summary = exit.map_or_else(SharingSummary::default, |exit| {
        let mut summary = summary_of(&exit, body.parameters);
        summary.result = result.taken_under();
        summary
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
        result: None,
    };
    if summary.published.len() + summary.held.len() > MOST_TOLD {
        let mut all = SharingSummary::unknown(parameters);
        all.published.extend(summary.published);
        all.held = summary.held;
        return all;
    }
    summary
}

/// Whether everything that a function returns belongs to its caller.
#[derive(Default)]
struct Returned {
    owned: Option<Owned>,
    is_shared: bool,
}

impl Returned {
    fn add(&mut self, sharing: &Sharing, value: Option<Value>) {
        let privacy = match value {
            Some(Value::Constant(_)) | None => return,
            Some(value) => match value.targets() {
                Targets::Exactly(path) if sharing.is_absent(&object_of(&path)) => return,
                Targets::Exactly(path) => sharing.privacy(&object_of(&path)),
                _ => None,
            },
        };
        match privacy {
            Some(privacy) if privacy.conditions.is_empty() => {
                let known = self.owned.take();
                let both = known.map(|known| known.or(&privacy.owned));
                self.owned = Some(both.unwrap_or(privacy.owned));
            }
            _ => self.is_shared = true,
        }
    }

    fn taken_under(self) -> Option<BTreeSet<Path>> {
        match self.owned {
            Some(Owned::Taken(locks)) if !self.is_shared => {
                let known = locks.into_iter().filter(Path::is_known_outside);
                Some(known.collect())
            }
            _ => None,
        }
    }
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

    fn statement(&self, state: &mut Sharing, id: StatementId, statement: &Statement) {
        if matches!(
            statement,
            Statement::Call { .. } | Statement::Assembly { .. }
        ) {
            state.wait();
        }
        for step in self.steps.statements.get(&id).into_iter().flatten() {
            step.apply(state);
        }
    }

    fn edge(&self, state: &mut Sharing, edge: Edge<'_>) {
        let named = self.steps.meetings.get(&(edge.from, edge.to));
        let owned: Vec<(&Path, Owned)> = named
            .into_iter()
            .flatten()
            .filter_map(|(name, source)| {
                let owned = match source {
                    Source::Null => Owned::Fresh,
                    Source::Object(object) if state.is_absent(object) => Owned::Fresh,
                    Source::Object(object) => {
                        let privacy = state.privacy(object)?;
                        privacy.conditions.is_empty().then_some(privacy.owned)?
                    }
                    Source::Unknown => return None,
                };
                Some((name, owned))
            })
            .collect();
        if self.loops.goes_back(edge.from, edge.to) {
            state.forget_definitions(&|block| self.loops.is_behind(block, edge.to));
        }
        for (name, owned) in owned {
            state.own(name, owned);
        }
        if let Some(object) = self.steps.nulls.get(&(edge.from, edge.index)) {
            state.miss(object);
        }
    }
}
