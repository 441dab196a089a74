//! Counters that give each number to one taker: `job = next++` under a lock, or an atomic addition.

use super::objects::{ChangedObjects, different_keys};
use crate::callgraph::{CallGraph, FunctionId, Target};
use crate::ir::{
    BinaryOperator, Body, Callee, FunctionRef, LocalId, Operand, Place, Rvalue, Statement,
    StatementId, Terminator,
};
use crate::models::{Action, Atomic, AtomicOperation, AtomicResult, Root};
use crate::points_to::Class;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Where numbers are taken, and which registers hold nothing but numbers that were. Whether a counter gives
/// each number once is seen when all its accesses are known: others may write to it, or it may race.
#[derive(Default)]
pub struct Counters {
    /// Statements that make a counter one step further.
    takings: FxHashMap<(FunctionRef, StatementId), Class>,
    /// Statements whose target gets a number.
    numbered: FxHashSet<(FunctionRef, StatementId)>,
    /// Registers with a number of a counter; if they hold anything else, it is a negative constant.
    registers: FxHashMap<FunctionRef, BTreeMap<LocalId, Class>>,
}

/// One step of a counter.
struct Taking {
    class: Class,
    /// The statement that writes.
    at: StatementId,
    /// The statement that gets the number, and the register.
    number: Option<(StatementId, LocalId)>,
    goes_up: bool,
}

impl Counters {
    /// The functions in which other numbers are taken than before.
    pub(super) fn note_changes(&self, before: &Counters, changes: &mut ChangedObjects) {
        let takings = different_keys(&self.takings, &before.takings);
        let numbered = self.numbered.symmetric_difference(&before.numbered);
        let functions = &mut changes.functions;
        functions.extend(takings.chain(numbered).map(|(function, _)| *function));
        functions.extend(different_keys(&self.registers, &before.registers));
    }

    pub fn new(graph: &CallGraph<'_>) -> Counters {
        let mut counters = Counters::default();
        let mut directions: FxHashMap<Class, bool> = FxHashMap::default();
        let mut mixed: FxHashSet<Class> = FxHashSet::default();
        let mut found: Vec<(FunctionId, Vec<Taking>)> = Vec::new();
        for function in graph.functions.ids() {
            let takings = takings(graph, function);
            for taking in &takings {
                if *directions.entry(taking.class).or_insert(taking.goes_up) != taking.goes_up {
                    mixed.insert(taking.class);
                }
            }
            if !takings.is_empty() {
                found.push((function, takings));
            }
        }
        let mut sources: FxHashMap<FunctionId, BTreeMap<LocalId, Class>> = FxHashMap::default();
        for (function, takings) in found {
            let name = graph.functions.body(function).function;
            for taking in takings {
                if mixed.contains(&taking.class) {
                    continue;
                }
                counters.takings.insert((name, taking.at), taking.class);
                if let Some((at, register)) = taking.number {
                    counters.numbered.insert((name, at));
                    let known = sources.entry(function).or_default();
                    known.insert(register, taking.class);
                }
            }
        }
        if !sources.is_empty() {
            counters.follow(graph, sources);
        }
        counters
    }

    /// Follows numbers through registers, and out of functions that return nothing else.
    fn follow(
        &mut self,
        graph: &CallGraph<'_>,
        sources: FxHashMap<FunctionId, BTreeMap<LocalId, Class>>,
    ) {
        let mut results: FxHashMap<FunctionId, Class> = FxHashMap::default();
        loop {
            let before = results.len();
            for function in graph.functions.ids() {
                let body = graph.functions.body(function);
                let called: BTreeMap<StatementId, Class> = body
                    .statements()
                    .filter_map(|(id, statement)| {
                        let class = returned_number(graph, function, id, statement, &results)?;
                        Some((id, class))
                    })
                    .collect();
                if called.is_empty() && !sources.contains_key(&function) {
                    continue;
                }
                let registers = self.numbers(body, &called);
                if let Some(class) = result(body, &registers) {
                    results.insert(function, class);
                }
                self.registers.insert(body.function, registers);
            }
            // A chain of functions that hand numbers up is as long as calls are nested.
            if results.is_empty() || results.len() == before {
                return;
            }
        }
    }

    /// The registers to which nothing is assigned but numbers of one counter and negative constants.
    fn numbers(
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
                        _ if self.numbered.contains(&(body.function, *id)) => {
                            self.class_of(body, *id)
                        }
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
            self.takings.get(&(body.function, at)).copied()
        })
    }

    /// Whether a statement gets a number of its own.
    pub fn gives_number(&self, function: FunctionRef, statement: StatementId) -> bool {
        self.numbered.contains(&(function, statement))
    }

    /// Whether a statement makes a counter one step further.
    pub fn is_taking(&self, function: FunctionRef, statement: StatementId) -> bool {
        self.takings.contains_key(&(function, statement))
    }

    /// The counter whose numbers a register holds.
    pub fn of_register(&self, function: FunctionRef, register: LocalId) -> Option<Class> {
        self.registers.get(&function)?.get(&register).copied()
    }

    /// All counters of which numbers are used, in a fixed order.
    pub fn classes(&self) -> Vec<Class> {
        let registers = self.registers.values();
        let mut classes: Vec<Class> = registers.flat_map(|of| of.values().copied()).collect();
        classes.sort();
        classes.dedup();
        classes
    }
}

fn returned_number(
    graph: &CallGraph<'_>,
    function: FunctionId,
    id: StatementId,
    statement: &Statement,
    results: &FxHashMap<FunctionId, Class>,
) -> Option<Class> {
    if results.is_empty() {
        return None;
    }
    let Statement::Call {
        callee: Callee::Direct(name),
        arguments,
        ..
    } = statement
    else {
        return None;
    };
    match graph
        .targets(function, id, Some(*name), arguments.len())
        .as_slice()
    {
        [Target::Body(body)] => results.get(body).copied(),
        _ => None,
    }
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

fn takings(graph: &CallGraph<'_>, function: FunctionId) -> Vec<Taking> {
    let body = graph.functions.body(function);
    let points_to = graph.points_to();
    let mut found = Vec::new();
    for (at, statement) in body.statements() {
        let before = &body.block(at.block).statements[..at.index as usize];
        match statement {
            Statement::Update {
                target,
                place,
                operator: operator @ (BinaryOperator::Add | BinaryOperator::Subtract),
                value,
                ..
            } => {
                let step = constant(value, before).map(|step| signed(step, *operator));
                let class = points_to.place(body.function, place);
                if let (Some(step), Some(class)) = (step.filter(|step| *step != 0), class) {
                    found.push(Taking {
                        class,
                        at,
                        number: Some((at, *target)),
                        goes_up: step > 0,
                    });
                }
            }
            Statement::Store { place, value, .. } => {
                let class = points_to.place(body.function, place);
                if let (Some((load, step)), Some(class)) =
                    (read_before(value, place, before), class)
                {
                    let number = StatementId {
                        index: load as u32,
                        ..at
                    };
                    let register = before[load].target();
                    found.push(Taking {
                        class,
                        at,
                        number: register.map(|register| (number, register)),
                        goes_up: step > 0,
                    });
                }
            }
            Statement::Call {
                target,
                callee: Callee::Direct(name),
                arguments,
            } => {
                let targets = graph.targets(function, at, Some(*name), arguments.len());
                let [Target::Model(model)] = targets.as_slice() else {
                    continue;
                };
                for effect in &model.effects {
                    let Action::Atomic(atomic) = &effect.action else {
                        continue;
                    };
                    let step = atomic_step(atomic, arguments, before);
                    let pointer = argument(atomic.pointer.as_ref(), arguments);
                    let class = pointer.and_then(|it| points_to.pointee(body.function, it));
                    if let (Some(step), Some(class)) = (step, class) {
                        let gets_old = atomic.result == AtomicResult::Old;
                        found.push(Taking {
                            class,
                            at,
                            number: target.filter(|_| gets_old).map(|target| (at, target)),
                            goes_up: step > 0,
                        });
                    }
                }
            }
            _ => {}
        }
    }
    found
}

fn argument<'a>(
    value: Option<&crate::models::Value>,
    arguments: &'a [Operand],
) -> Option<&'a Operand> {
    let value = value.filter(|value| value.path.is_empty())?;
    match value.root {
        Root::Argument(index) => arguments.get(usize::from(index)),
        _ => None,
    }
}

/// By how much an atomic operation moves a counter.
fn atomic_step(atomic: &Atomic, arguments: &[Operand], before: &[Statement]) -> Option<i128> {
    let operator = match atomic.operation {
        AtomicOperation::Add => BinaryOperator::Add,
        AtomicOperation::Sub => BinaryOperator::Subtract,
        _ => return None,
    };
    let step = match atomic.value.as_ref() {
        Some(value) => match value.root {
            Root::Constant(constant) => i128::from(constant),
            _ => constant(argument(Some(value), arguments)?, before)?,
        },
        None => return None,
    };
    let step = signed(step, operator);
    (step != 0).then_some(step)
}

fn signed(step: i128, operator: BinaryOperator) -> i128 {
    if operator == BinaryOperator::Subtract {
        -step
    } else {
        step
    }
}

/// The constant that an operand is behind some statements of its block.
fn constant(operand: &Operand, before: &[Statement]) -> Option<i128> {
    match operand {
        Operand::Integer(constant) => Some(*constant),
        Operand::Local(local) => {
            let at = assigned(*local, before)?;
            match &before[at] {
                Statement::Assign {
                    value: Rvalue::Use(value) | Rvalue::Convert { value, .. },
                    ..
                } => constant(value, &before[..at]),
                _ => None,
            }
        }
        _ => None,
    }
}

/// If a value that is stored is what was read from the same place just before, and a constant more: the read, and
/// the constant. Nothing else happens in between, so that who holds a lock at the store has held it at the read.
fn read_before(value: &Operand, place: &Place, before: &[Statement]) -> Option<(usize, i128)> {
    let Operand::Local(local) = value else {
        return None;
    };
    let at = assigned(*local, before)?;
    let (load, step) = match &before[at] {
        Statement::Assign {
            value: Rvalue::Use(value) | Rvalue::Convert { value, .. },
            ..
        } => read_before_or_there(value, place, &before[..at])?,
        Statement::Assign {
            value:
                Rvalue::Binary {
                    operator: operator @ (BinaryOperator::Add | BinaryOperator::Subtract),
                    left,
                    right,
                    ..
                },
            ..
        } => {
            let step = signed(constant(right, &before[..at])?, *operator);
            let (load, more) = read_before_or_there(left, place, &before[..at])?;
            (load, step + more)
        }
        _ => return None,
    };
    let is_quiet = |statement: &Statement| {
        matches!(statement, Statement::Assign { .. } | Statement::Load { .. })
    };
    (step != 0 && before[load..].iter().all(is_quiet)).then_some((load, step))
}

/// The same where nothing need be added yet.
fn read_before_or_there(
    value: &Operand,
    place: &Place,
    before: &[Statement],
) -> Option<(usize, i128)> {
    let Operand::Local(local) = value else {
        return None;
    };
    let at = assigned(*local, before)?;
    match &before[at] {
        Statement::Load { place: read, .. } if read == place => Some((at, 0)),
        Statement::Assign {
            value: Rvalue::Use(value) | Rvalue::Convert { value, .. },
            ..
        } => read_before_or_there(value, place, &before[..at]),
        _ => None,
    }
}

/// The last of some statements that assigns a register.
fn assigned(local: LocalId, before: &[Statement]) -> Option<usize> {
    let is_target = |statement: &Statement| statement.target() == Some(local);
    before.iter().rposition(is_target)
}
