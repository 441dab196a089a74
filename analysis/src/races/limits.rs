//! Bounds of the analysis that a program goes beyond: nothing is cut without being said.

use super::location::MOST_SIGHTINGS;
use super::pairing::{MOST_GROUPS, MOST_PAIRS, Race};
use super::search::{Found, FoundRaces};
use super::sighting::Sighting;
use super::whole_program::WholeProgram;
use crate::accesses::FunctionFacts;
use crate::callgraph::FunctionId;
use crate::forks::MOST_STARTED;
use crate::ir::StatementId;
use crate::locksets::MOST_LOCKS;
use crate::points_to::Class;
use crate::summaries::{MOST_TARGETS, MOST_WITH_VALUES};

#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Limit {
    /// A function starts threads at more places than are told apart.
    Threads,
    /// More locks are held or released than are told apart.
    Locks,
    /// A location is accessed more often, counted once for each context.
    Accesses,
    /// A location is accessed in more situations than are compared.
    Situations,
    /// A location has more pairs than are listed.
    Pairs,
    /// A call may reach more functions than are looked at for what they write.
    Targets,
    /// More functions call each other than are looked at for the pointers that they change.
    Group,
}

impl Limit {
    /// How many there may be.
    pub fn most(self) -> usize {
        match self {
            Limit::Threads => MOST_STARTED,
            Limit::Locks => MOST_LOCKS,
            Limit::Accesses => MOST_SIGHTINGS,
            Limit::Situations => MOST_GROUPS,
            Limit::Pairs => MOST_PAIRS,
            Limit::Targets => MOST_TARGETS,
            Limit::Group => MOST_WITH_VALUES,
        }
    }
}

/// A bound, and what goes beyond it first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LimitReached {
    pub limit: Limit,
    /// A location or a function.
    pub name: String,
    pub function: FunctionId,
    /// Where in it; `None` for all of it.
    pub statement: Option<StatementId>,
    /// How many others go beyond it.
    pub others: usize,
}

/// Locations that go beyond a bound. They are the same as long as the same is found everywhere.
pub(super) struct Crowded {
    often: Vec<Class>,
    cut: Vec<Class>,
    /// The first access of each race that has too many pairs.
    long: Vec<Sighting>,
}

impl Crowded {
    pub fn new<'r>(
        in_order: &FoundRaces,
        unordered: &FoundRaces,
        races: impl Iterator<Item = &'r Race>,
    ) -> Crowded {
        // What one thread alone comes to is not compared at all.
        let others = in_order.iter();
        let others = others.filter(|(class, _)| !unordered.contains_key(class));
        let compared = || unordered.iter().chain(others.clone());
        let that = |is_beyond: fn(&Found) -> bool| {
            let beyond = compared().filter(move |(_, found)| is_beyond(found));
            beyond.map(|(class, _)| *class).collect()
        };
        let large = races.filter(|race| race.pairs.len() > MOST_PAIRS);
        let first = large.filter_map(|race| race.pairs.first().map(|pair| pair.first));
        Crowded {
            often: that(|found| found.is_often),
            cut: that(|found| found.is_cut),
            long: first.collect(),
        }
    }
}

/// What goes beyond a bound, in the order of the program.
type Beyond = Vec<(FunctionId, Option<StatementId>, Option<Class>)>;

impl WholeProgram {
    /// The bounds that this program goes beyond, each once.
    pub fn limits(&self) -> &[LimitReached] {
        self.limits.get_or_init(|| self.find_limits())
    }

    fn find_limits(&self) -> Vec<LimitReached> {
        let all = [
            (Limit::Threads, self.crowded()),
            (Limit::Locks, self.with_many_locks()),
            (Limit::Accesses, self.accessed_too_often()),
            (Limit::Situations, self.in_too_many_situations()),
            (Limit::Pairs, self.with_too_many_pairs()),
            (Limit::Targets, self.calls_of_many()),
            (Limit::Group, self.large_groups()),
        ];
        let reached = all.into_iter().filter_map(|(limit, beyond)| {
            let (function, statement, class) = *beyond.iter().min()?;
            let name = match class.filter(|class| self.kept.index.get(*class).is_some()) {
                Some(class) => self.name_of(class),
                None => self.functions.body(function).function.name.to_string(),
            };
            Some(LimitReached {
                limit,
                name,
                function,
                statement,
                others: beyond.len() - 1,
            })
        });
        reached.collect()
    }

    /// Functions that go beyond some bound at one point, with their facts.
    fn excessive(&self) -> impl Iterator<Item = (FunctionId, &FunctionFacts)> {
        let functions = self.kept.tallies.excessive.iter();
        functions.map(|function| (*function, &*self.facts[function.0 as usize]))
    }

    /// Functions that start too many threads, without those that only call one that does.
    fn crowded(&self) -> Beyond {
        let is_crowded = |function: &FunctionId| self.facts[function.0 as usize].excess.threads;
        let calls_one = |facts: &FunctionFacts| {
            let mut called = facts.calls.iter().flat_map(|call| &call.targets);
            called.any(is_crowded)
        };
        let found = self.excessive();
        let found = found.filter(|(_, facts)| facts.excess.threads && !calls_one(facts));
        found.map(|(function, _)| (function, None, None)).collect()
    }

    fn with_many_locks(&self) -> Beyond {
        let mut found: Beyond = self
            .excessive()
            .filter_map(|(function, facts)| Some((function, Some(facts.excess.locks?), None)))
            .collect();
        let at_entry = self.contexts.holding_too_much().iter();
        let at_entry = at_entry
            .filter(|function| self.facts[function.0 as usize].excess.locks.is_none())
            .map(|function| (*function, None, None));
        found.extend(at_entry);
        found
    }

    fn accessed_too_often(&self) -> Beyond {
        self.locations(&self.kept.crowded.often)
    }

    fn in_too_many_situations(&self) -> Beyond {
        self.locations(&self.kept.crowded.cut)
    }

    fn with_too_many_pairs(&self) -> Beyond {
        let first = self.kept.crowded.long.iter();
        let beyond = first.map(|sighting| {
            let access = self.access(*sighting);
            let class = Some(access.cell.class);
            (sighting.function, Some(access.statement), class)
        });
        beyond.collect()
    }

    fn locations(&self, classes: &[Class]) -> Beyond {
        let first = classes.iter().filter_map(|&class| {
            let (function, number) = *self.kept.index.get(class)?.first()?;
            let access = &self.facts[function.0 as usize].accesses[number as usize];
            Some((function, Some(access.statement), Some(class)))
        });
        first.collect()
    }

    fn calls_of_many(&self) -> Beyond {
        let functions = self.kept.tallies.with_many_targets.iter();
        let calls = functions.flat_map(|&function| {
            let many = self.kept.calls.indirect()[function.0 as usize]
                .iter()
                .filter(|(_, targets)| targets.len() > MOST_TARGETS);
            many.map(move |(statement, _)| (function, Some(*statement), None))
        });
        calls.collect()
    }

    fn large_groups(&self) -> Beyond {
        let groups = self.kept.summarised.components.groups();
        let large = groups.filter(|members| members.len() > MOST_WITH_VALUES);
        let first = large.filter_map(|members| members.iter().min());
        let first = first.map(|member| (FunctionId(*member), None, None));
        first.collect()
    }
}
