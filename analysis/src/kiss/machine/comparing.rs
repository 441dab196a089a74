//! Library functions that sort and search by calling back: `qsort` and `bsearch`.
//!
//! Which elements a sorting function compares in which order is up to the library. Here each element moves towards the
//! front until the one before it is not greater; a search halves what is left.

use super::image::Machine;
use super::library::{Comparing, comparing};
use super::state::{Activation, ModelCall, Phase, State};
use super::stop::{Limit, Stop};
use super::value::Value;

/// What a function that calls back does next.
enum Then {
    /// Compares these two.
    Compare(u64, u64),
    /// Has come to its end, perhaps with a result.
    Return(Option<u64>),
}

impl Machine<'_> {
    /// Calls back once more, or goes on to the next effect.
    pub(super) fn call_back_many(
        &self,
        state: &mut State,
        thread: usize,
        call: &ModelCall,
    ) -> Result<(), Stop> {
        let unsupported = || -> Stop { Limit::Function(call.function.name).into() };
        let places = comparing(call.function.name.as_str()).ok_or_else(unsupported)?;
        let compared = match (&call.phase, &call.result) {
            (Phase::Calling, Some(result)) => match self.known(result.clone())? {
                Value::Integer(order) => Some(order),
                _ => return Err(unsupported()),
            },
            _ => None,
        };
        let mut progress = call.progress;
        let then = match places.key {
            None => self.sort(state, call, &places, &mut progress, compared)?,
            Some(_) => self.halve(call, &places, &mut progress, compared)?,
        };
        match then {
            Then::Compare(left, right) => {
                let function = self.pointer_argument(call, places.compare)?;
                let function = self.function_at(function)?;
                let mut values: Vec<Value> = [left, right]
                    .map(|pointer| Value::Integer(i128::from(pointer)))
                    .into();
                if let Some(extra) = places.extra {
                    values.push(call.arguments.get(extra).ok_or_else(unsupported)?.0.clone());
                }
                self.call_back(state, thread, function, values)?;
                let stack = &mut state.thread_mut(thread).stack;
                let below = stack.len().checked_sub(2);
                if let Some(Activation::Model(call)) = below.and_then(|at| stack.get_mut(at)) {
                    call.progress = progress;
                    call.result = None;
                }
            }
            Then::Return(result) => {
                if let Some(Activation::Model(call)) = state.thread_mut(thread).stack.last_mut() {
                    call.result = None;
                }
                let result = result.map(|pointer| Value::Integer(i128::from(pointer)));
                self.next_effect(state, thread, result);
            }
        }
        Ok(())
    }

    /// `progress` is how many elements are sorted, and which of them is to be compared with the one before it.
    fn sort(
        &self,
        state: &mut State,
        call: &ModelCall,
        places: &Comparing,
        progress: &mut (u64, u64),
        compared: Option<i128>,
    ) -> Result<Then, Stop> {
        let base = self.pointer_argument(call, places.base)?;
        let count = self.pointer_argument(call, places.count)?;
        let size = self.pointer_argument(call, places.size)?;
        let element = |index: u64| base.wrapping_add(index.wrapping_mul(size));
        let (mut sorted, mut moving) = *progress;
        match compared {
            Some(order) if order > 0 => {
                let (left, right) = (element(moving - 1), element(moving));
                let one = state.memory.read(left, size)?;
                let other = state.memory.read(right, size)?;
                state.memory.check(left, size)?;
                state.memory.check(right, size)?;
                state.memory.write(left, &other)?;
                state.memory.write(right, &one)?;
                moving -= 1;
            }
            _ => moving = 0,
        }
        if moving == 0 {
            sorted += 1;
            moving = sorted;
        }
        if sorted >= count {
            return Ok(Then::Return(None));
        }
        *progress = (sorted, moving);
        Ok(Then::Compare(element(moving - 1), element(moving)))
    }

    /// `progress` is where the part begins in which the key may be, and how many elements are not in it behind that.
    fn halve(
        &self,
        call: &ModelCall,
        places: &Comparing,
        progress: &mut (u64, u64),
        compared: Option<i128>,
    ) -> Result<Then, Stop> {
        let key = self.pointer_argument(call, places.key.unwrap_or_default())?;
        let base = self.pointer_argument(call, places.base)?;
        let count = self.pointer_argument(call, places.count)?;
        let size = self.pointer_argument(call, places.size)?;
        let middle = |(first, behind): (u64, u64)| first + (count - behind - first) / 2;
        let element = |index: u64| base.wrapping_add(index.wrapping_mul(size));
        let at = middle(*progress);
        match compared {
            Some(0) => return Ok(Then::Return(Some(element(at)))),
            Some(order) if order < 0 => progress.1 = count - at,
            Some(_) => progress.0 = at + 1,
            None => {}
        }
        if progress.0 + progress.1 >= count {
            return Ok(Then::Return(Some(0)));
        }
        Ok(Then::Compare(key, element(middle(*progress))))
    }
}
