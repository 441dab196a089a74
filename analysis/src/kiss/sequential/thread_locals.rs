//! Variables of which every thread has its own become arrays with an element for each thread.

use crate::ir::{ArrayLength, Base, Body, GlobalRef, Statement, Ty, TyKind};
use ustr::Ustr;

/// As many threads as the run-time part has room for.
const THREADS: u64 = 64;

/// The array that stands for a variable of each thread.
pub(super) fn by_thread(global: GlobalRef) -> GlobalRef {
    GlobalRef {
        name: Ustr::from(&format!("{}_by_thread", global.name)),
        scope: global.scope,
        thread_local: false,
    }
}

pub(super) fn array_of(ty: &Ty) -> Ty {
    Ty::new(TyKind::Array {
        element: ty.clone(),
        length: ArrayLength::Known(THREADS),
    })
}

/// Whether an initialiser gives such a variable its first value.
pub(super) fn initialises_thread_local(body: &Body) -> bool {
    let mut statements = body.statements().map(|(_, statement)| statement);
    statements.any(is_thread_local)
}

pub(super) fn is_thread_local(statement: &Statement) -> bool {
    let place = statement.access().map(|(_, place, _)| place);
    place.is_some_and(|place| matches!(place.base, Base::Global(global) if global.thread_local))
}
