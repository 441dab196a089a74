//! Which of several objects a name stands for, where that depends on the way that control took: `first` is one of
//! two accounts and `second` is the other one, so that who has locked both has locked each of the two.

use super::domain::Lockset;
use super::outcomes::Outcomes;
use super::sites::{Renames, Ways};
use crate::dataflow::{Analysis, Domain, Edge, Loops, Solution, solve};
use crate::ir::{
    BinaryOperator, BlockId, Body, LocalId, Operand, Rvalue, Statement, StatementId, Terminator,
};
use crate::symexec::{
    Definition, Execution, Path, Root, State, Step, Targets, mentions_definition,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The choices that are possible in front of each block.
pub(super) struct Choices {
    entries: Option<Solution<Possible>>,
}

/// What names stand for on one way; one that is not there may stand for anything.
type Choice = BTreeMap<Definition, Path>;

/// All choices that are possible. Joining unites them.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Possible(BTreeSet<Choice>);

/// More choices than this are not told apart.
const MOST_CHOICES: usize = 6;

impl Choices {
    /// Nothing is chosen.
    pub fn none() -> Choices {
        Choices { entries: None }
    }

    /// The choices that matter for these effects on locks.
    pub fn new(
        body: &Body,
        ways: &Ways,
        loops: &Loops,
        steps: &FxHashMap<StatementId, Outcomes>,
    ) -> Choices {
        let renames = &ways.renames;
        let mut wanted: BTreeSet<Definition> = BTreeSet::new();
        for outcomes in steps.values() {
            for lockset in outcomes.possible() {
                wanted.extend(lockset.held().filter_map(|(path, _)| merged(path)));
            }
        }
        // What stands for one of them may itself be chosen.
        loop {
            let before = wanted.len();
            let all = renames.values().flatten();
            let chosen: Vec<Definition> = all
                .filter(|(_, name)| merged(name).is_some_and(|name| wanted.contains(&name)))
                .filter_map(|(place, _)| merged(place))
                .collect();
            wanted.extend(chosen);
            if wanted.len() == before {
                break;
            }
        }
        if wanted.is_empty() {
            return Choices::none();
        }
        let flow = Flow {
            wanted,
            renames,
            loops,
            tests: &ways.tests,
        };
        Choices {
            entries: Some(solve(&flow, body)),
        }
    }

    /// The lockset with the names that locks have whatever was chosen.
    pub fn resolved(&self, lockset: &Lockset, block: BlockId) -> Option<Lockset> {
        let entries = self.entries.as_ref()?;
        let possible = entries.entries[block.0 as usize].as_ref()?;
        if !lockset.held().any(|(path, _)| merged(path).is_some()) {
            return None;
        }
        let mut certain: Option<Lockset> = None;
        for choice in &possible.0 {
            let mut named = lockset.clone();
            for (path, _) in lockset.held() {
                if let Some(place) = chosen(choice, path) {
                    named.also_named(lockset, &path.beginning(1), place);
                }
            }
            match &mut certain {
                Some(certain) => {
                    certain.join(&named);
                }
                None => certain = Some(named),
            }
        }
        certain
    }
}

/// The name that a path begins with, if it is for what a register holds where paths meet.
fn merged(path: &Path) -> Option<Definition> {
    match path.root {
        Root::Value(definition @ Definition::Merge(..))
            if path.steps.first() == Some(&Step::Deref) =>
        {
            Some(definition)
        }
        _ => None,
    }
}

/// What the object that a path starts at was chosen to be.
fn chosen<'c>(choice: &'c Choice, path: &Path) -> Option<&'c Path> {
    choice.get(&merged(path)?)
}

/// What a place is called when names that were chosen are replaced.
fn resolved(choice: &Choice, place: &Path) -> Path {
    match chosen(choice, place) {
        Some(start) => start.extended(&place.steps[1..]),
        None => place.clone(),
    }
}

struct Flow<'f> {
    wanted: BTreeSet<Definition>,
    renames: &'f Renames,
    loops: &'f Loops,
    /// Blocks that end by asking whether two pointers are the same.
    tests: &'f Tests,
}

pub(super) type Tests = FxHashMap<BlockId, Test>;

/// `left == right`, and the edge that is taken if it holds.
pub(super) struct Test {
    left: Path,
    right: Path,
    equal: usize,
}

/// Finds the comparisons of pointers that blocks end with.
pub(super) fn tests(body: &Body, states: &Solution<State>, execution: &Execution<'_>) -> Tests {
    let mut found = FxHashMap::default();
    for (index, block) in body.blocks.iter().enumerate() {
        let from = BlockId(index as u32);
        let Terminator::Branch {
            condition: Operand::Local(condition),
            ..
        } = &block.terminator
        else {
            continue;
        };
        let Some((equal, left, right)) = compared(&block.statements, *condition) else {
            continue;
        };
        let Some(state) = execution.exit_state(states, from) else {
            continue;
        };
        let target = |local| state.operand(&Operand::Local(local)).targets();
        if let (Targets::Exactly(left), Targets::Exactly(right)) = (target(left), target(right)) {
            found.insert(from, Test { left, right, equal });
        }
    }
    found
}

/// The registers that a condition compares, if they hold at the end what they held then.
fn compared(statements: &[Statement], condition: LocalId) -> Option<(usize, LocalId, LocalId)> {
    let assigns = |statement: &Statement| statement.target() == Some(condition);
    let at = statements.iter().rposition(assigns)?;
    let Statement::Assign {
        value:
            Rvalue::Binary {
                operator,
                left: Operand::Local(left),
                right: Operand::Local(right),
                ..
            },
        ..
    } = &statements[at]
    else {
        return None;
    };
    let equal = match operator {
        BinaryOperator::Equal => 0,
        BinaryOperator::NotEqual => 1,
        _ => return None,
    };
    let mut later = statements[at..].iter();
    let is_changed = later.any(|statement| {
        statement
            .target()
            .is_some_and(|target| target == *left || target == *right)
    });
    (!is_changed).then_some((equal, *left, *right))
}

impl Analysis for Flow<'_> {
    type Domain = Possible;

    fn entry(&self, _body: &Body) -> Possible {
        Possible(BTreeSet::from([Choice::new()]))
    }

    fn statement(&self, _: &mut Possible, _: StatementId, _: &Statement) {}

    fn edge(&self, state: &mut Possible, edge: Edge<'_>) {
        let goes_back = self.loops.goes_back(edge.from, edge.to);
        let choices = std::mem::take(&mut state.0);
        for mut choice in choices {
            if let Some(test) = self.tests.get(&edge.from)
                && !holds(&mut choice, test, edge.index == test.equal)
            {
                continue;
            }
            let mut next = choice.clone();
            if goes_back {
                let is_stale = |block| self.loops.is_behind(block, edge.to);
                next.retain(|name, place| {
                    !is_stale(name.block()) && !mentions_definition(place, &is_stale)
                });
            }
            for (place, name) in self
                .renames
                .get(&(edge.from, edge.to))
                .into_iter()
                .flatten()
            {
                let Some(name) = merged(name).filter(|name| self.wanted.contains(name)) else {
                    continue;
                };
                let place = resolved(&choice, place);
                let is_stale = |block| goes_back && self.loops.is_behind(block, edge.to);
                if mentions_definition(&place, &is_stale) {
                    next.remove(&name);
                } else {
                    next.insert(name, place);
                }
            }
            state.0.insert(next);
        }
        state.limit();
    }
}

/// Whether a choice agrees with the outcome of a test; it may tell more about the choice.
fn holds(choice: &mut Choice, test: &Test, is_equal: bool) -> bool {
    let (left, right) = (resolved(choice, &test.left), resolved(choice, &test.right));
    if !is_equal {
        return left != right;
    }
    // Different names of one object: whatever was chosen is called by the other name as well.
    for (asked, other) in [(&test.left, &right), (&test.right, &left)] {
        if let Some(name) = merged(asked)
            && asked.steps.len() == 1
            && choice.contains_key(&name)
        {
            choice.insert(name, other.clone());
            break;
        }
    }
    true
}

impl Possible {
    fn limit(&mut self) {
        let is_unknown = self.0.contains(&Choice::new());
        if (is_unknown && self.0.len() > 1) || self.0.len() > MOST_CHOICES {
            self.0 = BTreeSet::from([Choice::new()]);
        }
    }
}

impl Domain for Possible {
    fn join(&mut self, other: &Possible) -> bool {
        let before = self.0.clone();
        self.0.extend(other.0.iter().cloned());
        self.limit();
        self.0 != before
    }
}
