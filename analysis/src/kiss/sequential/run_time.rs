//! The functions of the run-time part, by name, and its text.

use crate::ir::{FunctionRef, GlobalScope};
use ustr::Ustr;

/// C text that stands in front of every sequential program.
pub const TEXT: &str = include_str!("run_time.c");

pub(super) const POINT: &str = "racelens_point";
pub(super) const ACCESS: &str = "racelens_access";
pub(super) const RAISED: &str = "racelens_raised";
pub(super) const UNSUPPORTED: &str = "racelens_unsupported";
pub(super) const ATOMIC_BEGIN: &str = "racelens_atomic_begin";
pub(super) const ATOMIC_END: &str = "racelens_atomic_end";
pub(super) const SELF: &str = "racelens_self";
pub(super) const FAIL_AT: &str = "racelens_fail_at";
pub(super) use crate::kiss::c_text::INITIALISE_THREAD;

/// Whether a function of this name is in the run-time part.
pub fn provides(function: FunctionRef) -> bool {
    let name = function.name.as_str();
    let defines = |before: &str| TEXT.contains(&format!("{before}{name}("));
    name.starts_with("__racelens_")
        || (name.starts_with("racelens_") && (defines(" ") || defines("*")))
}

pub(super) fn function(name: &str) -> FunctionRef {
    FunctionRef {
        name: Ustr::from(name),
        scope: GlobalScope::External,
    }
}
