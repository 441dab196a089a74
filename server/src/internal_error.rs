//! Mistakes of our own, in words for the user.

use racelens_analysis::db::panic_text;
use std::any::Any;

/// What is said about a panic: it costs what was asked, and nothing else.
pub fn internal_error(panic: &(dyn Any + Send)) -> String {
    format!(
        "an internal error happened ({}); everything else goes on. Please report it, with what you did before and \
         the code that it is about",
        panic_text(panic)
    )
}

/// Tests provoke a panic with a file that the environment names. Release builds do not look.
pub fn provoked_panic() {
    let wanted = std::env::var_os("RACELENS_PROVOKED_PANIC").filter(|_| cfg!(debug_assertions));
    assert!(
        !wanted.is_some_and(|file| std::path::Path::new(&file).exists()),
        "a test wanted it"
    );
}
