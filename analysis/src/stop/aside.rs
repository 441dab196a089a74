//! What stopped work leaves behind. To give back the memory of half an analysis takes longer than anybody wants to wait who has
//! stopped it, so that a thread of its own does it.

use super::Stop;
use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;
use std::sync::mpsc::{Sender, channel};
use std::thread::Builder;

/// A large value that is given back aside if the work that made it is stopped.
pub struct Aside<T: Send + 'static> {
    stop: Stop,
    /// There until it is taken out.
    value: Option<T>,
}

impl<T: Send + 'static> Aside<T> {
    pub(super) fn new(stop: &Stop, value: T) -> Aside<T> {
        Aside {
            stop: stop.clone(),
            value: Some(value),
        }
    }

    /// The value, which is wanted.
    pub fn into_inner(mut self) -> T {
        self.value.take().expect(TAKEN)
    }
}

const TAKEN: &str = "only `into_inner` takes it out";

impl<T: Send + 'static> Deref for Aside<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_ref().expect(TAKEN)
    }
}

impl<T: Send + 'static> DerefMut for Aside<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().expect(TAKEN)
    }
}

impl<T: Send + 'static> Drop for Aside<T> {
    fn drop(&mut self) {
        let value = self.value.take().filter(|_| self.stop.is_set());
        if let (Some(value), Some(remover)) = (value, &*REMOVER) {
            // If the thread is gone, it is given back here.
            let _ = remover.send(Box::new(value));
        }
    }
}

/// As much as those have that made the values: what is nested is given back from the inside.
const STACK_BYTES: usize = 16 << 20;

/// To the thread that gives back; there is none if the system has no more threads.
static REMOVER: LazyLock<Option<Sender<Box<dyn Send>>>> = LazyLock::new(|| {
    let (sender, receiver) = channel();
    let remove = move || receiver.into_iter().for_each(drop);
    let thread = Builder::new().name("remover".to_owned());
    let thread = thread.stack_size(STACK_BYTES).spawn(remove);
    thread.ok().map(|_| sender)
});

#[cfg(test)]
mod tests {
    use super::Stop;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc::{Sender, channel};
    use std::thread::{self, ThreadId};

    /// Says which thread gives it back.
    struct Telling(Sender<ThreadId>);

    impl Drop for Telling {
        fn drop(&mut self) {
            let _ = self.0.send(thread::current().id());
        }
    }

    fn given_back_by(is_stopped: bool) -> ThreadId {
        let (sender, receiver) = channel();
        let stop = Stop::from(Arc::new(AtomicBool::new(is_stopped)));
        drop(stop.aside(Telling(sender)));
        receiver.recv().expect("it is given back by somebody")
    }

    #[test]
    fn what_stopped_work_leaves_is_given_back_by_another_thread() {
        let here = thread::current().id();
        assert_eq!(given_back_by(false), here);
        assert_ne!(given_back_by(true), here);
    }

    #[test]
    fn what_is_taken_out_stays() {
        let (sender, receiver) = channel();
        let stop = Stop::from(Arc::new(AtomicBool::new(true)));
        let value = stop.aside(Telling(sender)).into_inner();
        assert!(receiver.try_recv().is_err());
        drop(value);
        assert_eq!(receiver.recv(), Ok(thread::current().id()));
    }
}
