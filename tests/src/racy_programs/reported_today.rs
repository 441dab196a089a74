//! Idioms that are reported today although nothing is wrong with them, each with the reason.
//!
//! Programs with one of these are not counted among the safe ones; a test fails as soon as an idiom in
//! this table is no longer reported.

use super::plan::{Plan, Scene};

/// A way to write an idiom that is reported.
#[derive(Debug)]
pub struct ReportedIdiom {
    pub idiom: &'static str,
    /// The forms that it takes for the report.
    pub forms: &'static [&'static str],
    pub reason: &'static str,
}

pub const REPORTED_TODAY: &[ReportedIdiom] = &[
    ReportedIdiom {
        idiom: "argument_from_the_heap",
        forms: &[],
        reason: "What the starter does to a new object before the thread gets it is not known to be over.",
    },
    ReportedIdiom {
        idiom: "argument_of_each_thread",
        forms: &["number_inside"],
        reason: "A number that lies in the argument of a thread is not known to be the thread's alone.",
    },
    ReportedIdiom {
        idiom: "barrier_between_slots",
        forms: &["argument_by_address"],
        reason: "A number that lies in the argument of a thread is not known to be the thread's alone.",
    },
    ReportedIdiom {
        idiom: "child_of_a_child",
        forms: &[],
        reason: "A thread that is joined is not known to have joined its own threads.",
    },
    ReportedIdiom {
        idiom: "filled_before_it_is_published",
        forms: &[],
        reason: "A new object is not known to be its maker's until it is published.",
    },
    ReportedIdiom {
        idiom: "handed_over_in_a_queue",
        forms: &[],
        reason: "An object that is taken out of a queue is not known to belong to its taker.",
    },
    ReportedIdiom {
        idiom: "locked_if_needed",
        forms: &[],
        reason: "Two tests of one condition are not known to agree.",
    },
    ReportedIdiom {
        idiom: "locked_where_it_must",
        forms: &[],
        reason: "Two tests of one condition are not known to agree.",
    },
    ReportedIdiom {
        idiom: "pointer_released",
        forms: &["waits"],
        reason: "A loop that looks for a pointer again in a function is not known to end with a published one.",
    },
    ReportedIdiom {
        idiom: "replaced_under_the_lock",
        forms: &[],
        reason: "An object that is taken out under a lock is not known to belong to its taker.",
    },
    ReportedIdiom {
        idiom: "slot_by_number",
        forms: &["number_by_address"],
        reason: "A number that lies in the argument of a thread is not known to be the thread's alone.",
    },
    ReportedIdiom {
        idiom: "taken_out_of_a_list",
        forms: &[],
        reason: "An object that is taken out of a list is not known to belong to its taker.",
    },
    ReportedIdiom {
        idiom: "threads_in_an_array",
        forms: &["read_in_the_loop"],
        reason: "The element of a thread that a loop has just joined is not known to be free.",
    },
];

/// Whether a report about the program is expected although it is safe.
pub fn is_reported_today(plan: &Plan) -> bool {
    plan.scenes.iter().any(is_known)
}

fn is_known(scene: &Scene) -> bool {
    REPORTED_TODAY.iter().any(|known| {
        known.idiom == scene.idiom.name && known.forms.iter().all(|form| scene.forms.contains(form))
    })
}
