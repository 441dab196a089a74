//! Where registers get their values.

use super::certain::{Certain, Operation, Passed, operation};
use crate::ir::{Base, Body, IntRank, LocalId, Operand, Rvalue, Statement, Storage, Ty, TyKind};

/// The registers of a body that are assigned once, and what by.
pub struct Definitions<'d> {
    body: &'d Body,
    by_local: Vec<Definition<'d>>,
}

#[derive(Clone, Copy)]
enum Definition<'d> {
    Never,
    Once(&'d Statement),
    Often,
}

/// Longer ways to a value are not followed.
const LONGEST_WAY: usize = 12;

impl<'d> Definitions<'d> {
    pub fn new(body: &'d Body) -> Definitions<'d> {
        let mut by_local = vec![Definition::Never; body.locals.len()];
        for (_, statement) in body.statements() {
            if let Some(target) = statement.target() {
                let known = &mut by_local[target.0 as usize];
                *known = match known {
                    Definition::Never => Definition::Once(statement),
                    Definition::Once(_) | Definition::Often => Definition::Often,
                };
            }
        }
        Definitions { body, by_local }
    }

    /// What an operand certainly is, if that can be said.
    pub fn passed(&self, operand: &Operand) -> Option<Passed> {
        let (origin, operations) = self.origin(operand)?;
        match origin {
            Passed::Formal(index) => {
                let ty = &self.body.local(LocalId(index)).ty;
                let is_kept = |step: &Operation| keeps(step, ty);
                operations.iter().all(is_kept).then_some(origin)
            }
            Passed::Certainly(certain) => {
                let mut operations = operations.iter();
                let value = operations.try_fold(certain, |value, step| value.after(step));
                value.map(Passed::Certainly)
            }
        }
    }

    /// Where a value comes from, and what is done to it on the way, in that order.
    pub(super) fn origin(&self, operand: &Operand) -> Option<(Passed, Vec<Operation>)> {
        let mut operations = Vec::new();
        let mut operand = operand;
        for _ in 0..LONGEST_WAY {
            let origin = match operand {
                Operand::Integer(number) => Passed::Certainly(Certain::number(*number)?),
                Operand::Local(local) => match self.by_local[local.0 as usize] {
                    Definition::Never => Passed::Formal(self.formal(*local)?),
                    // A formal has its first value besides.
                    Definition::Once(_) if self.formal(*local).is_some() => return None,
                    Definition::Once(Statement::Assign {
                        value: Rvalue::AddressOf(place),
                        ..
                    }) if !matches!(place.base, Base::Deref(_)) => {
                        Passed::Certainly(Certain::NotZero)
                    }
                    Definition::Once(Statement::Assign { value, .. }) => {
                        let (from, step) = operation(value, &self.body.local(*local).ty)?;
                        operations.extend(step);
                        operand = from;
                        continue;
                    }
                    Definition::Once(_) | Definition::Often => return None,
                },
                _ => return None,
            };
            operations.reverse();
            return Some((origin, operations));
        }
        None
    }

    fn formal(&self, local: LocalId) -> Option<u32> {
        let is_formal = (local.0 as usize) < self.body.parameters;
        let is_register = self.body.local(local).storage == Storage::Register;
        (is_formal && is_register).then_some(local.0)
    }
}

/// Whether a step leaves whatever is certain of a value of some type as it is.
fn keeps(step: &Operation, ty: &Ty) -> bool {
    let Operation::Convert(to) = step else {
        return false;
    };
    match (ty.kind(), to.kind()) {
        (TyKind::Pointer(_), TyKind::Pointer(_)) => true,
        (TyKind::Int(_) | TyKind::Bool, TyKind::Int(to)) => {
            to.rank >= IntRank::Int && !matches!(to.rank, IntRank::BitInt(_))
        }
        _ => false,
    }
}
