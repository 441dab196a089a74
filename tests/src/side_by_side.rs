//! Does the same to many things, a few at a time.
//!
//! The analysis uses rayon inside. A thread of rayon that waits there would take up the next thing in the
//! middle of the last one, and its stack would grow with each; so the threads here are ordinary ones.

use std::sync::Mutex;
use std::thread;

/// The analysis is not optimised in tests, and needs as much as the program itself is given.
const STACK_BYTES: usize = 16 << 20;

/// What `work` makes of each thing, in the order of the things.
pub fn side_by_side<T, R>(things: &[T], work: &(dyn Fn(&T) -> R + Sync)) -> Vec<R>
where
    T: Sync,
    R: Send,
{
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let waiting = Mutex::new(things.iter().enumerate());
    let done = Mutex::new(Vec::new());
    let next = || waiting.lock().ok()?.next();
    thread::scope(|scope| {
        for _ in 0..threads.min(things.len()) {
            let builder = thread::Builder::new().stack_size(STACK_BYTES);
            let started = builder.spawn_scoped(scope, || {
                while let Some((index, thing)) = next() {
                    let result = work(thing);
                    if let Ok(mut done) = done.lock() {
                        done.push((index, result));
                    }
                }
            });
            assert!(started.is_ok(), "a thread cannot be started");
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_results_are_in_the_order_of_the_things() {
        let numbers: Vec<u32> = (0..100).collect();
        let doubled: Vec<u32> = (0..100).map(|number| 2 * number).collect();
        assert_eq!(side_by_side(&numbers, &|number| 2 * number), doubled);
    }

    #[test]
    fn nothing_makes_nothing() {
        assert!(side_by_side(&[], &|number: &u32| *number).is_empty());
    }
}
