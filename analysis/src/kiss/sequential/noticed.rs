//! Which statements another thread can notice, and which are checked for races.

use crate::ir::{Base, FunctionRef, Operand, Place, StatementId};
use crate::points_to::PointsTo;
use rustc_hash::FxHashSet;

/// Where threads may be switched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Points {
    /// In front of every statement, as in the paper.
    Everywhere,
    /// In front of accesses to memory that threads share, and of synchronisation. All other statements commute with
    /// those of other threads, so that nothing is lost.
    WhereNoticed,
}

/// Which accesses are looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Checked {
    /// None: only assertions matter.
    Nothing,
    /// All of memory that threads share.
    Everything,
    /// Those that may touch the location in question.
    Only(FxHashSet<(FunctionRef, StatementId)>),
}

/// What decides about single statements.
pub(super) struct Noticed<'o> {
    pub points: Points,
    pub checked: &'o Checked,
    /// Without it, everything counts as shared that is not a local variable.
    pub points_to: Option<&'o PointsTo>,
}

impl Noticed<'_> {
    pub fn is_shared(&self, function: FunctionRef, place: &Place) -> bool {
        let is_local = matches!(place.base, Base::Local(_));
        let is_own = matches!(place.base, Base::Global(global) if global.thread_local);
        // Others can reach a variable of the thread's own only where its address is given away, which points-to knows.
        let Some(points_to) = self.points_to else {
            return !is_local && !is_own;
        };
        match points_to.place(function, place) {
            Some(class) => points_to.has_shared_part(class),
            None => !is_local,
        }
    }

    pub fn is_pointee_shared(&self, function: FunctionRef, pointer: &Operand) -> bool {
        let Some(points_to) = self.points_to else {
            return true;
        };
        match points_to.pointee(function, pointer) {
            Some(class) => points_to.has_shared_part(class),
            None => !matches!(pointer, Operand::String(_) | Operand::Integer(_)),
        }
    }

    pub fn is_checked(&self, function: FunctionRef, statement: StatementId) -> bool {
        match self.checked {
            Checked::Nothing => false,
            Checked::Everything => true,
            Checked::Only(statements) => statements.contains(&(function, statement)),
        }
    }
}
