//! What an atomic operation's memory order means for the accesses around it.

use crate::ir::Operand;
use crate::models::{Order, Ordering};

/// The order of an atomic operation at a call. An order that is computed at run time may be any.
pub fn order_at(order: Order, arguments: &[Operand]) -> Ordering {
    match order {
        Order::Fixed(ordering) => ordering,
        Order::Argument(index) => match arguments.get(usize::from(index)) {
            // The values that `memory_order` has in every compiler.
            Some(Operand::Integer(1)) => Ordering::Consume,
            Some(Operand::Integer(2)) => Ordering::Acquire,
            Some(Operand::Integer(3)) => Ordering::Release,
            Some(Operand::Integer(4)) => Ordering::AcquireRelease,
            Some(Operand::Integer(5)) => Ordering::SequentiallyConsistent,
            _ => Ordering::Relaxed,
        },
    }
}

/// Whether whoever reads what was stored so comes after everything in front of the store.
pub fn releases(ordering: Ordering) -> bool {
    matches!(
        ordering,
        Ordering::Release | Ordering::AcquireRelease | Ordering::SequentiallyConsistent
    )
}

/// Whether everything behind a load like this comes after the store that it read. Compilers treat
/// `consume` like `acquire`.
pub fn acquires(ordering: Ordering) -> bool {
    matches!(
        ordering,
        Ordering::Consume
            | Ordering::Acquire
            | Ordering::AcquireRelease
            | Ordering::SequentiallyConsistent
    )
}
