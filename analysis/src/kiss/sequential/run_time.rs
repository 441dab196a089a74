//! The functions of the run-time part, by name, and its text.

use super::Scheduling;
use crate::ir::{FunctionRef, GlobalScope};
use ustr::Ustr;

const CHOICES: &str = include_str!("run_time/choices.c");
const THREADS: &str = include_str!("run_time/threads.c");
const STACK: &str = include_str!("run_time/stack.c");
const ROUNDS: &str = include_str!("run_time/rounds.c");
const OBJECTS: &str = include_str!("run_time/objects.c");
const COMPARING: &str = include_str!("run_time/comparing.c");

/// C text that stands in front of a sequential program.
pub fn text(scheduling: Scheduling) -> String {
    let scheduler = match scheduling {
        Scheduling::Stack => STACK,
        Scheduling::Rounds => ROUNDS,
    };
    [CHOICES, "\n", THREADS, scheduler, OBJECTS, COMPARING].concat()
}

pub(super) const POINT: &str = "racelens_point";
pub(super) const ACCESS: &str = "racelens_access";
pub(super) const RAISED: &str = "racelens_raised";
pub(super) const UNSUPPORTED: &str = "racelens_unsupported";
pub(super) const ATOMIC_BEGIN: &str = "racelens_atomic_begin";
pub(super) const ATOMIC_END: &str = "racelens_atomic_end";
pub(super) const SELF: &str = "racelens_self";
pub(super) const FAIL_AT: &str = "racelens_fail_at";
pub(super) const ALLOCATE: &str = "racelens_allocate";
pub(super) const ENTER: &str = "racelens_enter";
pub(super) const LEAVE: &str = "racelens_leave";
pub(super) use crate::kiss::c_text::INITIALISE_THREAD;

/// Variables in which a program that Racelens explores itself leaves what it has come to.
pub(super) const FAILED_CODE: &str = "racelens_failed_code";
pub(super) const FAILED_SITE: &str = "racelens_failed_site";
pub(super) const LOOKED_SITE: &str = "racelens_site";

/// Whether a function of this name is in the run-time part.
pub fn provides(function: FunctionRef) -> bool {
    let name = function.name.as_str();
    let defines = |before: &str| {
        let wanted = format!("{before}{name}(");
        let parts = [CHOICES, THREADS, STACK, ROUNDS, OBJECTS, COMPARING];
        parts.iter().any(|part| part.contains(&wanted))
    };
    name.starts_with("__racelens_")
        || (name.starts_with("racelens_") && (defines(" ") || defines("*")))
}

pub(super) fn function(name: &str) -> FunctionRef {
    FunctionRef {
        name: Ustr::from(name),
        scope: GlobalScope::External,
    }
}
