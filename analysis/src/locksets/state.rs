//! The flow state: what is known at a point, and results that are still to be tested.

use super::domain::Lockset;
use super::outcomes::{Effect, Outcomes, Sign, Signs};
use crate::dataflow::{Domain, Shared};
use crate::ir::{
    BinaryOperator, LocalId, Operand, Rvalue, StatementId, SwitchCase, Terminator, UnaryOperator,
};
use std::collections::BTreeMap;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tested<E = Lockset> {
    /// What holds whatever the untested results are.
    pub known: E,
    /// Statements whose effect depends on a result that has not been tested, the latest last.
    untested: Shared<Vec<Untested<E>>>,
}

/// What a result is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultKind {
    /// Of a function, perhaps an error code.
    Code,
    /// Read from memory.
    Value,
}

/// Where a result comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    Statement(StatementId),
    /// The function finds it at its entry, and can do so again: one of several, by its number.
    Entry(usize),
}

/// A result that tells what happened.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Untested<E> {
    origin: Origin,
    kind: ResultKind,
    /// What is known at this point, by the result.
    outcomes: Outcomes<E>,
    /// What registers say about the result.
    registers: BTreeMap<LocalId, Knowledge>,
}

/// The signs that a result may have if a register is not zero, and if it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Knowledge {
    /// The register holds the result.
    Same,
    Test {
        nonzero: Signs,
        zero: Signs,
    },
}

/// More untested results than this are forgotten.
const MOST_UNTESTED: usize = 4;

impl<E: Effect> Tested<E> {
    /// The state at the entry of a function that tests values which it finds there, and the registers that hold them.
    pub fn at_entry(values: impl Iterator<Item = Option<LocalId>>) -> Tested<E> {
        let untested = values.enumerate().map(|(number, register)| Untested {
            origin: Origin::Entry(number),
            kind: ResultKind::Value,
            outcomes: Outcomes::always(E::default()),
            registers: register
                .into_iter()
                .map(|register| (register, Knowledge::Same))
                .collect(),
        });
        Tested {
            known: E::default(),
            untested: Shared::new(untested.collect()),
        }
    }

    /// A register got a value that the function found at its entry.
    pub fn loaded(&mut self, target: LocalId, number: usize) {
        self.assigned(Some(target));
        for untested in self.untested.iter_mut() {
            if untested.origin == Origin::Entry(number) {
                untested.registers.insert(target, Knowledge::Same);
            }
        }
    }

    /// The register's value has not the sign of the entry's value that it was made of.
    pub fn lost_sign(&mut self, target: LocalId) {
        let tells = |it: &Untested<E>| it.is_of_entry() && it.registers.contains_key(&target);
        if !self.untested.iter().any(tells) {
            return;
        }
        for untested in self.untested.iter_mut() {
            if untested.is_of_entry() {
                untested.registers.remove(&target);
            }
        }
    }

    /// What is known for each value that the function found at its entry, where that matters.
    pub fn by_entry_value(&self) -> impl Iterator<Item = (usize, &Outcomes<E>)> {
        self.untested
            .iter()
            .filter_map(|untested| match untested.origin {
                Origin::Entry(number) if !untested.outcomes.is_uniform() => {
                    Some((number, &untested.outcomes))
                }
                _ => None,
            })
    }

    /// The effect of a call whose result goes to a register.
    pub fn call(
        &mut self,
        call: StatementId,
        target: Option<LocalId>,
        kind: ResultKind,
        effect: &Outcomes<E>,
    ) {
        let before = self.known.clone();
        if let Some(any) = effect.joined(Signs::ALL) {
            self.apply(&any);
        }
        self.assigned(target);
        let origin = Origin::Statement(call);
        if self.untested.iter().any(|it| it.origin == origin) {
            self.untested.retain(|it| it.origin != origin);
        }
        if let Some(target) = target
            && !effect.is_uniform()
        {
            let outcomes = effect.map(|effect| before.then(effect));
            self.untested.push(Untested {
                origin,
                kind,
                outcomes,
                registers: BTreeMap::from([(target, Knowledge::Same)]),
            });
            let is_result = |untested: &Untested<E>| !untested.is_of_entry();
            if self.untested.iter().filter(|it| is_result(it)).count() > MOST_UNTESTED
                && let Some(oldest) = self.untested.iter().position(is_result)
            {
                self.untested.remove(oldest);
            }
        }
    }

    pub fn apply(&mut self, effect: &E) {
        self.known = self.known.then(effect);
        if self.untested.is_empty() {
            return;
        }
        for untested in self.untested.iter_mut() {
            untested.outcomes = untested.outcomes.map(|known| known.then(effect));
        }
    }

    /// Changes what is known, for every result that is possible.
    pub fn change(&mut self, change: impl Fn(&mut E)) {
        change(&mut self.known);
        if self.untested.is_empty() {
            return;
        }
        for untested in self.untested.iter_mut() {
            untested.outcomes = untested.outcomes.map(|known| {
                let mut known = known.clone();
                change(&mut known);
                known
            });
        }
    }

    /// A register got a value that says nothing about results.
    pub fn assigned(&mut self, target: Option<LocalId>) {
        let Some(target) = target else { return };
        let is_told_by = |it: &Untested<E>| it.registers.contains_key(&target);
        if !self.untested.iter().any(is_told_by) {
            return;
        }
        for untested in self.untested.iter_mut() {
            untested.registers.remove(&target);
        }
        self.untested.retain(Untested::is_of_use);
    }

    /// A register got a value that may say something about results.
    pub fn computed(&mut self, target: LocalId, value: &Rvalue) {
        if self.untested.is_empty() {
            return;
        }
        let knowledge: Vec<Option<Knowledge>> = self
            .untested
            .iter()
            .map(|untested| untested.knowledge(value))
            .collect();
        if knowledge.iter().all(Option::is_none) {
            return self.assigned(Some(target));
        }
        for (untested, knowledge) in self.untested.iter_mut().zip(knowledge) {
            match knowledge {
                Some(knowledge) => untested.registers.insert(target, knowledge),
                None => untested.registers.remove(&target),
            };
        }
        self.untested.retain(Untested::is_of_use);
    }

    /// A register got what a local variable in memory holds.
    pub fn copied(&mut self, target: LocalId, from: LocalId) {
        let is_told_by = |it: &Untested<E>| it.registers.contains_key(&from);
        if !self.untested.iter().any(is_told_by) {
            return self.assigned(Some(target));
        }
        for untested in self.untested.iter_mut() {
            match untested.registers.get(&from).copied() {
                Some(knowledge) => untested.registers.insert(target, knowledge),
                None => untested.registers.remove(&target),
            };
        }
        self.untested.retain(Untested::is_of_use);
    }

    /// These hold something else from here on.
    pub fn forget(&mut self, is_forgotten: impl Fn(LocalId) -> bool) {
        let tells_less = |it: &Untested<E>| it.registers.keys().any(|local| is_forgotten(*local));
        if !self.untested.iter().any(tells_less) {
            return;
        }
        for untested in self.untested.iter_mut() {
            untested.registers.retain(|local, _| !is_forgotten(*local));
        }
        self.untested.retain(Untested::is_of_use);
    }

    /// Control takes one of the terminator's edges.
    pub fn branch(&mut self, terminator: &Terminator, edge: usize) {
        let (operand, case) = match terminator {
            Terminator::Branch { condition, .. } => (condition, None),
            Terminator::Switch { value, cases, .. } => (value, Some(cases.get(edge))),
            _ => return,
        };
        let Operand::Local(local) = operand else {
            return;
        };
        for index in 0..self.untested.len() {
            let Some(knowledge) = self.untested[index].registers.get(local) else {
                continue;
            };
            let signs = match case {
                None => knowledge.signs(edge == 0),
                Some(Some(case)) => knowledge.case_signs(case),
                Some(None) => Signs::ALL,
            };
            let Some(certain) = self.untested[index].outcomes.joined(signs) else {
                continue;
            };
            self.untested[index].outcomes.retain(signs);
            self.change(|known| known.meet(&certain));
        }
    }

    /// What is known at a return, by the sign of what is returned.
    pub fn returned(&self, value: Option<&Operand>) -> Outcomes<E> {
        let mut outcomes = Outcomes::default();
        match value {
            Some(Operand::Integer(value)) => {
                outcomes.add(Signs::one(Sign::of(*value)), &self.known);
            }
            Some(Operand::Local(local)) => {
                let tested = self
                    .untested
                    .iter()
                    .rev()
                    .find_map(|untested| Some((untested, *untested.registers.get(local)?)));
                match tested {
                    Some((untested, Knowledge::Same)) => return untested.outcomes.clone(),
                    Some((untested, Knowledge::Test { nonzero, zero })) => {
                        for (returned, signs) in [(Signs::POSITIVE, nonzero), (Signs::ZERO, zero)] {
                            if let Some(known) = untested.outcomes.joined(signs) {
                                outcomes.add(returned, &known);
                            }
                        }
                    }
                    None => return Outcomes::always(self.known.clone()),
                }
            }
            _ => return Outcomes::always(self.known.clone()),
        }
        outcomes
    }
}

impl<E: Effect> Untested<E> {
    fn is_of_entry(&self) -> bool {
        matches!(self.origin, Origin::Entry(_))
    }

    /// Whether a test of it can still come.
    fn is_of_use(&self) -> bool {
        self.is_of_entry() || !self.registers.is_empty()
    }

    /// Whether it is the same for all results but zero, as for functions that return error codes.
    fn only_zero_matters(&self) -> bool {
        self.kind == ResultKind::Code
            && self.outcomes.get(Sign::Negative) == self.outcomes.get(Sign::Positive)
    }

    fn knowledge(&self, value: &Rvalue) -> Option<Knowledge> {
        let known = |operand: &Operand| match operand {
            Operand::Local(local) => self.registers.get(local).copied(),
            _ => None,
        };
        match value {
            Rvalue::Use(value) | Rvalue::Convert { value, .. } => known(value),
            Rvalue::Unary(UnaryOperator::Not, value) => {
                let known = known(value)?;
                Some(Knowledge::Test {
                    nonzero: known.signs(false),
                    zero: known.signs(true),
                })
            }
            Rvalue::Binary {
                operator,
                left,
                right,
                ..
            } => match (known(left), right, known(right), left) {
                // A bit that is set makes the whole not zero.
                (Some(Knowledge::Same), Operand::Integer(_), _, _)
                    if *operator == BinaryOperator::And =>
                {
                    Some(Knowledge::Test {
                        nonzero: Signs::NONZERO,
                        zero: Signs::ALL,
                    })
                }
                (Some(known), Operand::Integer(constant), _, _) => {
                    known.compared(*operator, *constant, self.only_zero_matters())
                }
                (_, _, Some(known), Operand::Integer(constant)) => {
                    known.compared(mirrored(*operator)?, *constant, self.only_zero_matters())
                }
                _ => None,
            },
            _ => None,
        }
    }
}

impl Knowledge {
    /// The signs of the result if the register is zero, or not.
    fn signs(self, is_nonzero: bool) -> Signs {
        match self {
            Knowledge::Same if is_nonzero => Signs::NONZERO,
            Knowledge::Same => Signs::ZERO,
            Knowledge::Test { nonzero, .. } if is_nonzero => nonzero,
            Knowledge::Test { zero, .. } => zero,
        }
    }

    fn case_signs(self, case: &SwitchCase) -> Signs {
        let values = [case.low, case.high];
        match self {
            Knowledge::Same => {
                let mut signs = values.map(Sign::of).map(Signs::one);
                signs[0] = signs[0].with(signs[1]);
                if case.low < 0 && case.high > 0 {
                    Signs::ALL
                } else {
                    signs[0]
                }
            }
            Knowledge::Test { .. } if values == [0, 0] => self.signs(false),
            Knowledge::Test { .. } if case.low > 0 => self.signs(true),
            Knowledge::Test { .. } => Signs::ALL,
        }
    }

    /// What `register operator constant` says.
    fn compared(
        self,
        operator: BinaryOperator,
        constant: i128,
        only_zero_matters: bool,
    ) -> Option<Knowledge> {
        use BinaryOperator::*;
        let (holds, fails) = match self {
            Knowledge::Same => {
                let sign = Sign::of(constant);
                // The signs of the values below and above the constant.
                let below = match sign {
                    Sign::Negative | Sign::Zero => Signs::NEGATIVE,
                    Sign::Positive if constant == 1 => Signs::NEGATIVE.with(Signs::ZERO),
                    Sign::Positive => Signs::ALL,
                };
                let above = match sign {
                    Sign::Positive | Sign::Zero => Signs::POSITIVE,
                    Sign::Negative if constant == -1 => Signs::ZERO.with(Signs::POSITIVE),
                    Sign::Negative => Signs::ALL,
                };
                let equal = Signs::one(sign);
                let different = match constant {
                    0 => Signs::NONZERO,
                    // UNSOUND: a result that is compared with one error code is taken to have no other code.
                    _ if only_zero_matters => Signs::ZERO,
                    _ => Signs::ALL,
                };
                match operator {
                    Equal => (equal, different),
                    NotEqual => (different, equal),
                    Less => (below, above.with(equal)),
                    LessOrEqual => (below.with(equal), above),
                    Greater => (above, below.with(equal)),
                    GreaterOrEqual => (above.with(equal), below),
                    _ => return None,
                }
            }
            Knowledge::Test { nonzero, zero } => match (operator, constant) {
                (Equal, 0) => (zero, nonzero),
                (NotEqual, 0) => (nonzero, zero),
                // Only tests made by C's own operators: they are 0 or 1.
                (Equal, 1) => (nonzero, zero),
                (NotEqual, 1) => (zero, nonzero),
                _ => return None,
            },
        };
        Some(Knowledge::Test {
            nonzero: holds,
            zero: fails,
        })
    }
}

fn mirrored(operator: BinaryOperator) -> Option<BinaryOperator> {
    use BinaryOperator::*;
    Some(match operator {
        Equal => Equal,
        NotEqual => NotEqual,
        Less => Greater,
        LessOrEqual => GreaterOrEqual,
        Greater => Less,
        GreaterOrEqual => LessOrEqual,
        _ => return None,
    })
}

impl<E: Effect> Domain for Tested<E> {
    fn join(&mut self, other: &Tested<E>) -> bool {
        let mut has_changed = self.known.join(&other.known);
        if self.untested.is_shared_with(&other.untested) || self.untested == other.untested {
            return has_changed;
        }
        self.untested.retain_mut(|mine| {
            let Some(theirs) = other
                .untested
                .iter()
                .find(|theirs| theirs.origin == mine.origin)
            else {
                has_changed = true;
                return false;
            };
            has_changed |= mine.outcomes.join(&theirs.outcomes);
            let registers = mine.registers.len();
            mine.registers
                .retain(|local, known| theirs.registers.get(local) == Some(known));
            has_changed |= mine.registers.len() < registers;
            mine.is_of_use()
        });
        has_changed
    }
}
