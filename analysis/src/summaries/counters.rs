//! Counters that give each number to one taker: `job = next++` under a lock, or an atomic addition.

use super::objects::ChangedObjects;
use super::sync_uses::{AllSyncUses, SyncUses};
use super::takings::Taking;
use crate::callgraph::{FunctionId, Functions};
use crate::ir::{Body, LocalId, Operand, Rvalue, Statement, StatementId, Terminator};
use crate::points_to::Class;
use crate::shared_list::SharedList;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// Where numbers are taken, and which registers hold nothing but numbers that were. Whether a counter gives
/// each number once is seen when all its accesses are known: others may write to it, or it may race.
#[derive(Clone, Default)]
pub struct Counters {
    /// By the function's number.
    functions: SharedList<Option<Arc<Numbers>>>,
    /// Classes that some make larger and some make smaller.
    mixed: FxHashSet<Class>,
    /// The counters whose numbers functions return.
    results: FxHashMap<FunctionId, Class>,
    /// Found when they are asked for.
    classes: OnceLock<Vec<Class>>,
}

/// The numbers that one function has to do with.
#[derive(Clone, PartialEq, Eq, Default)]
struct Numbers {
    /// Statements that make a counter one step further.
    takings: BTreeMap<StatementId, Class>,
    /// Statements whose target gets a number.
    numbered: BTreeSet<StatementId>,
    /// Registers with a number of a counter; if they hold anything else, it is a negative constant.
    registers: BTreeMap<LocalId, Class>,
}

impl Counters {
    /// The functions in which other numbers are taken than before.
    pub(super) fn note_changes(&self, before: &Counters, changes: &mut ChangedObjects) {
        changes.functions.extend(self.different_from(before));
    }

    /// Whether functions take the numbers that they took.
    pub(super) fn are_those_of(&self, before: &Counters) -> bool {
        self.mixed == before.mixed
            && self.results == before.results
            && self.different_from(before).next().is_none()
    }

    /// The counters from which some function takes numbers otherwise than before, be it by statements that have moved.
    pub fn taken_otherwise(&self, before: &Counters) -> FxHashSet<Class> {
        let functions = self.different_from(before);
        let versions = functions.flat_map(|function| [self.of(function), before.of(function)]);
        let classes = versions.flatten().flat_map(|numbers| {
            let takings = numbers.takings.values();
            takings.chain(numbers.registers.values())
        });
        classes.copied().collect()
    }

    fn different_from<'c>(&'c self, before: &'c Counters) -> impl Iterator<Item = FunctionId> + 'c {
        let unshared = self.functions.unshared_with(&before.functions);
        let different = unshared.filter(|index| {
            let (new, old) = (&self.functions[*index], &before.functions[*index]);
            let is_identical = match (new, old) {
                (None, None) => true,
                (Some(new), Some(old)) => Arc::ptr_eq(new, old),
                _ => false,
            };
            !is_identical && new != old
        });
        different.map(|index| FunctionId(index as u32))
    }

    pub(super) fn new(functions: &Functions, uses: &AllSyncUses) -> Counters {
        let mut counters = Counters {
            mixed: mixed(uses),
            ..Counters::default()
        };
        let taken = uses.iter().map(|uses| counters.taken(&uses.takings));
        counters.functions = taken.map(|taken| taken.map(Arc::new)).collect();
        if counters.functions.iter().any(Option::is_some) {
            counters.follow(functions, uses);
        }
        counters
    }

    /// The same after an edit, where only these functions can have other uses. What others know stays, unless they take numbers
    /// of a counter that goes both ways only now or not any more, or call a function that returns other numbers.
    pub(super) fn again(
        &self,
        functions: &Functions,
        uses: &AllSyncUses,
        before: &AllSyncUses,
        changed: &[FunctionId],
    ) -> Counters {
        let mut counters = Counters {
            classes: OnceLock::new(),
            ..self.clone()
        };
        let mut affected: BTreeSet<FunctionId> = changed.iter().copied().collect();
        let steps = |uses: &SyncUses| {
            let takings = uses.takings.iter();
            takings
                .map(|taking| (taking.class, taking.goes_up))
                .collect::<BTreeSet<_>>()
        };
        let goes_otherwise = |function: &FunctionId| {
            steps(&uses[function.0 as usize]) != steps(&before[function.0 as usize])
        };
        if changed.iter().any(goes_otherwise) {
            counters.mixed = mixed(uses);
            let other: FxHashSet<Class> = { counters.mixed.symmetric_difference(&self.mixed) }
                .copied()
                .collect();
            if !other.is_empty() {
                affected.extend(functions.ids().filter(|function| {
                    let mut takings = uses[function.0 as usize].takings.iter();
                    takings.any(|taking| other.contains(&taking.class))
                }));
            }
        }
        counters.forget_results(&mut affected, functions, uses);
        for function in &affected {
            let index = function.0 as usize;
            let taken = counters.taken(&uses[index].takings).map(Arc::new);
            if counters.functions[index] != taken {
                counters.functions.set(index, taken);
            }
        }
        counters.follow_again(&mut affected, functions, uses);
        // What is equal stays the same.
        for function in &affected {
            let index = function.0 as usize;
            let known = &self.functions[index];
            if counters.functions[index] == *known {
                counters.functions.set(index, known.clone());
            }
        }
        debug_assert!(
            Counters::new(functions, uses).are_those_of(&counters),
            "counters after an edit are those that are found anew"
        );
        counters
    }

    /// Forgets what affected functions return. Who calls them is affected, too: it may have known its own numbers by theirs.
    fn forget_results(
        &mut self,
        affected: &mut BTreeSet<FunctionId>,
        functions: &Functions,
        uses: &AllSyncUses,
    ) {
        let mut pending: Vec<FunctionId> = affected.iter().copied().collect();
        loop {
            let gone: FxHashSet<FunctionId> = { pending.into_iter() }
                .filter(|function| self.results.remove(function).is_some())
                .collect();
            pending = callers(&gone, functions, uses)
                .filter(|caller| affected.insert(*caller))
                .collect();
            if pending.is_empty() {
                return;
            }
        }
    }

    /// Follows numbers through the registers of affected functions, and of those that call them.
    fn follow_again(
        &mut self,
        affected: &mut BTreeSet<FunctionId>,
        functions: &Functions,
        uses: &AllSyncUses,
    ) {
        let mut pending = affected.clone();
        while !pending.is_empty() {
            let mut new = FxHashSet::default();
            for function in pending {
                let uses = &uses[function.0 as usize];
                if let Some(class) = self.find_registers(function, functions, uses)
                    && self.results.insert(function, class).is_none()
                {
                    new.insert(function);
                }
            }
            pending = callers(&new, functions, uses).collect();
            affected.extend(&pending);
        }
    }

    /// The numbers that a function takes, without the registers in which they end up.
    fn taken(&self, takings: &[Taking]) -> Option<Numbers> {
        let mut numbers = Numbers::default();
        let good = takings.iter();
        for taking in good.filter(|taking| !self.mixed.contains(&taking.class)) {
            numbers.takings.insert(taking.at, taking.class);
            numbers.numbered.extend(taking.number.map(|(at, _)| at));
        }
        (!numbers.takings.is_empty()).then_some(numbers)
    }

    /// Follows numbers through registers, and out of functions that return nothing else.
    fn follow(&mut self, functions: &Functions, uses: &AllSyncUses) {
        loop {
            let before = self.results.len();
            for function in functions.ids() {
                let result = self.find_registers(function, functions, &uses[function.0 as usize]);
                if let Some(class) = result {
                    self.results.insert(function, class);
                }
            }
            // A chain of functions that hand numbers up is as long as calls are nested.
            if self.results.is_empty() || self.results.len() == before {
                return;
            }
        }
    }

    /// Finds the registers of a function that hold numbers, and tells the counter whose numbers it returns.
    fn find_registers(
        &mut self,
        function: FunctionId,
        functions: &Functions,
        uses: &SyncUses,
    ) -> Option<Class> {
        let index = function.0 as usize;
        let called: BTreeMap<StatementId, Class> = uses
            .calls
            .iter()
            .filter_map(|(id, callee)| Some((*id, *self.results.get(callee)?)))
            .collect();
        let known = self.functions[index].as_deref();
        let gets_numbers = known.is_some_and(|known| !known.numbered.is_empty());
        if called.is_empty() && !gets_numbers {
            return None;
        }
        let body = functions.body(function);
        let mut numbers = known.cloned().unwrap_or_default();
        numbers.registers = numbers.found_registers(body, &called);
        let result = result(body, &numbers.registers);
        self.functions.set(index, Some(Arc::new(numbers)));
        result
    }

    /// Whether a statement gets a number of its own.
    pub fn gives_number(&self, function: FunctionId, statement: StatementId) -> bool {
        let numbers = self.of(function);
        numbers.is_some_and(|numbers| numbers.numbered.contains(&statement))
    }

    /// Whether a statement makes a counter one step further.
    pub fn is_taking(&self, function: FunctionId, statement: StatementId) -> bool {
        let numbers = self.of(function);
        numbers.is_some_and(|numbers| numbers.takings.contains_key(&statement))
    }

    /// The counter whose numbers a register holds.
    pub fn of_register(&self, function: FunctionId, register: LocalId) -> Option<Class> {
        self.of(function)?.registers.get(&register).copied()
    }

    /// All counters of which numbers are used, in a fixed order.
    pub fn classes(&self) -> &[Class] {
        self.classes.get_or_init(|| {
            let numbers = self.functions.iter().flatten();
            let mut classes: Vec<Class> = numbers
                .flat_map(|numbers| numbers.registers.values().copied())
                .collect();
            classes.sort();
            classes.dedup();
            classes
        })
    }

    fn of(&self, function: FunctionId) -> Option<&Numbers> {
        self.functions[function.0 as usize].as_deref()
    }
}

impl Numbers {
    /// The registers to which nothing is assigned but numbers of one counter and negative constants.
    fn found_registers(
        &self,
        body: &Body,
        called: &BTreeMap<StatementId, Class>,
    ) -> BTreeMap<LocalId, Class> {
        let mut assigned: BTreeMap<LocalId, Vec<(StatementId, &Statement)>> = BTreeMap::new();
        for (id, statement) in body.statements() {
            if let Some(target) = statement.target() {
                assigned.entry(target).or_default().push((id, statement));
            }
        }
        let mut known: BTreeMap<LocalId, Class> = BTreeMap::new();
        loop {
            let before = known.len();
            for (local, statements) in &assigned {
                // A formal has a value before anything is assigned to it.
                if known.contains_key(local) || (local.0 as usize) < body.parameters {
                    continue;
                }
                let mut class = None;
                let is_number = statements.iter().all(|(id, statement)| {
                    let found = match statement {
                        _ if self.numbered.contains(id) => self.class_of(body, *id),
                        Statement::Call { .. } => called.get(id).copied(),
                        Statement::Assign {
                            value:
                                Rvalue::Use(Operand::Local(from))
                                | Rvalue::Convert {
                                    value: Operand::Local(from),
                                    ..
                                },
                            ..
                        } => known.get(from).copied(),
                        Statement::Assign {
                            value:
                                Rvalue::Use(Operand::Integer(constant))
                                | Rvalue::Convert {
                                    value: Operand::Integer(constant),
                                    ..
                                },
                            ..
                        } => return *constant < 0,
                        _ => None,
                    };
                    found.is_some_and(|found| *class.get_or_insert(found) == found)
                });
                if let (true, Some(class)) = (is_number, class) {
                    known.insert(*local, class);
                }
            }
            if known.len() == before {
                return known;
            }
        }
    }

    /// The counter of a statement that gets a number: it writes the counter itself, or reads it for a later write.
    fn class_of(&self, body: &Body, id: StatementId) -> Option<Class> {
        let statements = &body.block(id.block).statements;
        (id.index..statements.len() as u32).find_map(|index| {
            let at = StatementId { index, ..id };
            self.takings.get(&at).copied()
        })
    }
}

/// The functions that call one of these, and nothing else at that place.
fn callers<'c>(
    called: &'c FxHashSet<FunctionId>,
    functions: &Functions,
    uses: &'c AllSyncUses,
) -> impl Iterator<Item = FunctionId> + 'c {
    let all = functions.ids().filter(|_| !called.is_empty());
    all.filter(|function| {
        let mut calls = uses[function.0 as usize].calls.iter();
        calls.any(|(_, callee)| called.contains(callee))
    })
}

/// Classes that some make larger and some make smaller.
fn mixed(uses: &AllSyncUses) -> FxHashSet<Class> {
    let mut directions: FxHashMap<Class, bool> = FxHashMap::default();
    let mut mixed: FxHashSet<Class> = FxHashSet::default();
    for taking in uses.iter().flat_map(|uses| &uses.takings) {
        if *directions.entry(taking.class).or_insert(taking.goes_up) != taking.goes_up {
            mixed.insert(taking.class);
        }
    }
    mixed
}

/// The counter whose numbers a function returns, besides negative constants.
fn result(body: &Body, registers: &BTreeMap<LocalId, Class>) -> Option<Class> {
    let mut class = None;
    for block in &body.blocks {
        let Terminator::Return(returned) = &block.terminator else {
            continue;
        };
        match returned {
            Some(Operand::Integer(constant)) if *constant < 0 => {}
            Some(Operand::Local(local)) => {
                let found = *registers.get(local)?;
                if *class.get_or_insert(found) != found {
                    return None;
                }
            }
            _ => return None,
        }
    }
    class
}
