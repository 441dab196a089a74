//! Mistakes of our own, kept to the one function that they happen in.

use crate::frontend::parse::SyntaxError;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What `work` gives; if it panics, an error that asks the user to report it. A cancelled query unwinds too, and
/// that is not ours to stop.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, SyntaxError>) -> Result<T, SyntaxError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        if panic.is::<salsa::Cancelled>() {
            resume_unwind(panic);
        }
        Err(SyntaxError {
            offset: 0,
            message: format!(
                "an internal error of racelens happened here ({}); please report it, with the code of this function",
                panic_text(&*panic)
            ),
        })
    })
}

/// The words of a panic.
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no reason is known")
}

/// Tests provoke a panic by the name of a function. Release builds know no such name.
pub(super) fn provoked_panic(function: &str) {
    assert!(
        !cfg!(debug_assertions) || function != "racelens_provoked_panic",
        "a test wanted it"
    );
}
