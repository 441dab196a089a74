//! Work that somebody may no longer want: long loops ask now and then, and the whole of it ends.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Says whether work is still wanted. Copies say the same.
#[derive(Clone, Default, Debug)]
pub struct Stop(Arc<AtomicBool>);

/// The work was not wanted any more before it was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

impl From<Arc<AtomicBool>> for Stop {
    /// Somebody sets this when he does not want to wait any longer.
    fn from(is_set: Arc<AtomicBool>) -> Stop {
        Stop(is_set)
    }
}

impl Stop {
    /// Ends the work if it is not wanted any more. It must be part of what `unless_stopped` was given.
    // It unwinds: no result on the way would mean anything, and nothing has to be mended, since what is computed is
    // only put where others find it when all of it is there.
    pub fn check(&self) {
        if self.is_set() {
            resume_unwind(Box::new(Stopped));
        }
    }

    /// Whether work is not wanted any more.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Does some work that may be stopped, in threads of its own too.
    pub fn unless_stopped<T>(work: impl FnOnce() -> T) -> Result<T, Stopped> {
        catch_unwind(AssertUnwindSafe(work)).map_err(|reason| match reason.downcast::<Stopped>() {
            Ok(stopped) => *stopped,
            Err(panic) => resume_unwind(panic),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Stop, Stopped};
    use rayon::prelude::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn work_in_many_threads_ends_when_it_is_stopped() {
        let is_set = Arc::new(AtomicBool::new(false));
        let stop = Stop::from(is_set.clone());
        let work = || {
            (0..1_000_000u64).into_par_iter().for_each(|number| {
                stop.check();
                if number == 500 {
                    is_set.store(true, Ordering::Relaxed);
                }
            });
        };
        assert_eq!(Stop::unless_stopped(work), Err(Stopped));
        assert_eq!(Stop::unless_stopped(|| 7), Ok(7));
    }

    #[test]
    #[should_panic(expected = "another reason")]
    fn other_panics_go_on() {
        let _ = Stop::unless_stopped(|| panic!("another reason"));
    }
}
