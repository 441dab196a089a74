//! Work that somebody may no longer want: long loops ask now and then, and the whole of it ends.

mod aside;

pub use aside::Aside;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Says whether work is still wanted. Copies say the same.
#[derive(Clone, Default, Debug)]
pub struct Stop(Arc<AtomicBool>);

thread_local! {
    /// The one that `ask` asks in this thread.
    static HEARD: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

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

    /// Does some work in this thread, in which `ask` asks this one.
    // Loops far down ask it without everything above them handing it on. Work that is given to another thread has to take it along,
    // since that thread may be in the midst of the work of somebody else.
    // Of many pieces of work, those that have not begun do not begin any more.
    pub fn heard<T>(&self, work: impl FnOnce() -> T) -> T {
        self.check();
        let _outer = Outer(HEARD.replace(Some(self.clone())));
        work()
    }

    /// The one that is asked in this thread.
    pub fn of_this_thread() -> Stop {
        HEARD.with_borrow(Option::clone).unwrap_or_default()
    }

    /// Does some work in this thread that nobody stops.
    pub fn unheard<T>(work: impl FnOnce() -> T) -> T {
        Stop::default().heard(work)
    }

    /// Holds a large value that somebody else gives back if this is set by then.
    pub fn aside<T: Send + 'static>(&self, value: T) -> Aside<T> {
        Aside::new(self, value)
    }

    /// Does some work that may be stopped, in threads of its own too.
    pub fn unless_stopped<T>(work: impl FnOnce() -> T) -> Result<T, Stopped> {
        catch_unwind(AssertUnwindSafe(work)).map_err(|reason| match reason.downcast::<Stopped>() {
            Ok(stopped) => *stopped,
            Err(panic) => resume_unwind(panic),
        })
    }
}

/// Ends the work of this thread if it is not wanted any more.
pub fn ask() {
    let is_set = HEARD.with_borrow(|heard| heard.as_ref().is_some_and(Stop::is_set));
    if is_set {
        resume_unwind(Box::new(Stopped));
    }
}

/// The one that was asked before, and is asked again when this is left, whichever way.
struct Outer(Option<Stop>);

impl Drop for Outer {
    fn drop(&mut self) {
        HEARD.set(self.0.take());
    }
}

#[cfg(test)]
mod tests {
    use super::{Stop, Stopped, ask};
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
    fn who_asks_in_a_thread_asks_the_one_that_is_heard_there() {
        let is_set = Arc::new(AtomicBool::new(false));
        let stop = Stop::from(is_set.clone());
        ask();
        let inner = || {
            ask();
            is_set.store(true, Ordering::Relaxed);
            Stop::unheard(ask);
            Stop::default().heard(ask);
            assert!(Stop::of_this_thread().is_set());
            ask();
        };
        assert_eq!(Stop::unless_stopped(|| stop.heard(inner)), Err(Stopped));
        let unreachable = || stop.heard(|| unreachable!("it does not begin"));
        assert_eq!(Stop::unless_stopped(unreachable), Err::<(), _>(Stopped));
        ask();
        assert!(!Stop::of_this_thread().is_set());
    }

    #[test]
    #[should_panic(expected = "another reason")]
    fn other_panics_go_on() {
        let _ = Stop::unless_stopped(|| panic!("another reason"));
    }
}
