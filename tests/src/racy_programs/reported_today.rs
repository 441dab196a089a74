//! Idioms that are reported today although nothing is wrong with them, each with the reason.
//!
//! Programs with one of these are not counted among the safe ones; a test fails as soon as an idiom in
//! this table is no longer reported.

use super::plan::{LockPlace, Operation, Plan, Route, Scene, Storage};

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
        idiom: "argument_of_each_thread",
        forms: &["number_inside"],
        reason: "A number that lies in the argument of a thread is not known to be the thread's alone.",
    },
    ReportedIdiom {
        idiom: "child_of_a_child",
        forms: &[],
        reason: "A thread that is joined is not known to have joined its own threads.",
    },
];

/// Seeds of safe programs whose locked part is reported, each with the reason.
pub const REPORTED_PROGRAMS: &[(u64, &str)] = &[
    (
        5,
        "An element and its lock in another array are told apart once the element's member is passed on.",
    ),
    (
        71,
        "An element of a list and its lock are told apart once both are passed on.",
    ),
    (
        92,
        "An element of a list and its lock are told apart once the element's member is passed on.",
    ),
];

/// Whether a report about the program is expected although it is safe.
pub fn is_reported_today(plan: &Plan) -> bool {
    let operations = plan.used_operations();
    let mut operations = operations.iter().map(|index| &plan.operations[*index]);
    plan.scenes.iter().any(is_known) || operations.any(|operation| loses_its_lock(plan, operation))
}

/// The shape of the operations that are reported in [`REPORTED_PROGRAMS`].
fn loses_its_lock(plan: &Plan, operation: &Operation) -> bool {
    let object = &plan.objects[operation.object];
    match operation.route {
        Route::MemberPointer => {
            object.storage == Storage::List || object.lock_place == LockPlace::Parallel
        }
        Route::LockPassed => object.storage == Storage::List,
        _ => false,
    }
}

fn is_known(scene: &Scene) -> bool {
    REPORTED_TODAY.iter().any(|known| {
        known.idiom == scene.idiom.name && known.forms.iter().all(|form| scene.forms.contains(form))
    })
}
