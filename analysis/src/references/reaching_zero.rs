//! Which branches tell that a count has reached zero.

use crate::ir::{
    BinaryOperator, BlockId, Body, LocalId, Operand, Rvalue, Statement, StatementId, Terminator,
    UnaryOperator,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What the target of a statement that counts down says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Says {
    /// It is the new value and so much more.
    NewAnd(i128),
    /// It is not zero if and only if the new value is zero.
    WhetherZero,
    /// It is zero if and only if the new value is zero.
    WhetherLeft,
}

/// What a function's result says about a count, and the statement that has counted it down.
pub(super) fn said_by_result(
    body: &Body,
    counted: &BTreeMap<StatementId, Says>,
) -> Option<(StatementId, Says)> {
    let registers = Registers::new(body, counted);
    let mut said = None;
    let mut returns_zero = false;
    for block in &body.blocks {
        let Terminator::Return(returned) = &block.terminator else {
            continue;
        };
        if *returned == Some(Operand::Integer(0)) {
            returns_zero = true;
            continue;
        }
        let (at, knows) = registers.knowledge(returned.as_ref()?)?;
        let says = match knows {
            Knows::Value(more) => Says::NewAnd(more),
            Knows::Test { zero_if: true } => Says::WhetherZero,
            Knows::Test { zero_if: false } => Says::WhetherLeft,
        };
        if said.is_some_and(|said| said != (at, says)) {
            return None;
        }
        said = Some((at, says));
    }
    // A zero that was not counted must not look like the last reference.
    said.filter(|(_, says)| !returns_zero || *says == Says::WhetherZero)
}

/// For each edge on which a count is known to have reached zero: the statement that has counted it down.
pub(super) fn edges_to_zero(
    body: &Body,
    counted: &BTreeMap<StatementId, Says>,
) -> FxHashMap<(BlockId, usize), StatementId> {
    let registers = Registers::new(body, counted);
    let mut edges = FxHashMap::default();
    for (index, block) in body.blocks.iter().enumerate() {
        let Terminator::Branch { condition, .. } = &block.terminator else {
            continue;
        };
        let Some((at, knows)) = registers.knowledge(condition) else {
            continue;
        };
        let edge = match knows {
            Knows::Value(0) => 1,
            Knows::Test { zero_if } => usize::from(!zero_if),
            Knows::Value(_) => continue,
        };
        edges.insert((BlockId(index as u32), edge), at);
    }
    edges
}

/// What a register knows of the new value of a count.
#[derive(Clone, Copy)]
enum Knows {
    /// It is the new value and so much more.
    Value(i128),
    /// The new value is zero if and only if it is (not) zero.
    Test { zero_if: bool },
}

struct Registers<'r> {
    counted: &'r BTreeMap<StatementId, Says>,
    assigned: FxHashMap<LocalId, Option<(StatementId, &'r Statement)>>,
}

impl<'r> Registers<'r> {
    fn new(body: &'r Body, counted: &'r BTreeMap<StatementId, Says>) -> Registers<'r> {
        let mut assigned: FxHashMap<LocalId, Option<(StatementId, &Statement)>> =
            FxHashMap::default();
        // A formal has a value before anything is assigned to it.
        let formals = (0..body.parameters).map(|index| (LocalId(index as u32), None));
        assigned.extend(formals);
        for (id, statement) in body.statements() {
            if let Some(target) = statement.target() {
                // Of a register that is assigned twice, it is not known which value it has.
                let known = assigned.entry(target).or_insert(Some((id, statement)));
                if known.is_some_and(|(first, _)| first != id) {
                    *known = None;
                }
            }
        }
        Registers { counted, assigned }
    }

    /// What an operand knows, and the statement that has counted down.
    fn knowledge(&self, operand: &Operand) -> Option<(StatementId, Knows)> {
        let mut computations: Vec<&Rvalue> = Vec::new();
        let mut operand = operand;
        let (at, mut knows) = loop {
            let Operand::Local(local) = operand else {
                return None;
            };
            let (id, statement) = (*self.assigned.get(local)?)?;
            if let Some(says) = self.counted.get(&id) {
                let knows = match says {
                    Says::NewAnd(more) => Knows::Value(*more),
                    Says::WhetherZero => Knows::Test { zero_if: true },
                    Says::WhetherLeft => Knows::Test { zero_if: false },
                };
                break (id, knows);
            }
            let Statement::Assign { value, .. } = statement else {
                return None;
            };
            // A register can be computed from itself in a loop, and then from nothing else.
            if computations.len() == self.assigned.len() {
                return None;
            }
            computations.push(value);
            operand = match value {
                Rvalue::Use(value)
                | Rvalue::Convert { value, .. }
                | Rvalue::Unary(UnaryOperator::Not, value) => value,
                Rvalue::Binary {
                    left,
                    right: Operand::Integer(_),
                    ..
                } => left,
                _ => return None,
            };
        };
        for value in computations.into_iter().rev() {
            knows = knows.behind(value)?;
        }
        Some((at, knows))
    }
}

impl Knows {
    /// What the result of a computation knows whose first operand knows this.
    fn behind(self, computation: &Rvalue) -> Option<Knows> {
        match computation {
            Rvalue::Unary(UnaryOperator::Not, _) => match self {
                Knows::Value(0) => Some(Knows::Test { zero_if: true }),
                Knows::Value(_) => None,
                Knows::Test { zero_if } => Some(Knows::Test { zero_if: !zero_if }),
            },
            Rvalue::Binary {
                operator,
                right: Operand::Integer(constant),
                ..
            } => compared(self, *operator, *constant),
            _ => Some(self),
        }
    }
}

/// What `register operator constant` knows.
fn compared(knows: Knows, operator: BinaryOperator, constant: i128) -> Option<Knows> {
    use BinaryOperator::*;
    match (knows, operator) {
        (Knows::Value(more), Add) => Some(Knows::Value(more + constant)),
        (Knows::Value(more), Subtract) => Some(Knows::Value(more - constant)),
        // A count is never negative.
        (Knows::Value(more), Equal | LessOrEqual) if constant == more => {
            Some(Knows::Test { zero_if: true })
        }
        (Knows::Value(more), NotEqual | Greater) if constant == more => {
            Some(Knows::Test { zero_if: false })
        }
        (Knows::Value(more), Less) if constant == more + 1 => Some(Knows::Test { zero_if: true }),
        (Knows::Test { zero_if }, Equal) if constant == 0 => {
            Some(Knows::Test { zero_if: !zero_if })
        }
        (Knows::Test { zero_if }, NotEqual) if constant == 0 => Some(Knows::Test { zero_if }),
        _ => None,
    }
}
