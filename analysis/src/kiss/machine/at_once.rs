//! Library functions whose whole effect is known, so that they are run in one step instead of effect by effect: what they
//! read, what they write and what they return.

use super::image::Machine;
use super::next::{Access, Next};
use super::state::{Activation, ModelCall, Source, State};
use super::stop::{Limit, Stop};
use super::value::{Closed, Image, Unknown, UnknownRange, Value};
use crate::ir::{IntRank, Ty};

/// All that a call does.
#[derive(Clone, Debug)]
pub(super) struct AtOnce {
    pub reads: Vec<(u64, u64)>,
    pub writes: Vec<Written>,
    pub outside: Option<Outside>,
    pub makes: Option<Made>,
    pub result: Value,
}

/// Bytes that are written.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub address: u64,
    /// So many of them are certainly written; the others may have kept what they were, so that they are unknown.
    pub certain: u64,
    pub image: Image,
}

/// Bytes that come from outside, each in this range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outside {
    pub address: u64,
    pub count: u64,
    pub range: (i64, i64),
}

/// A heap object.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub image: Image,
    /// Where its address is stored; otherwise it is what the function returns.
    pub stored_at: Option<u64>,
}

/// So many bytes from outside can be chosen; those behind them are unknown.
const CHOSEN_BYTES: u64 = 64;

impl AtOnce {
    pub(super) fn returning(result: Value) -> AtOnce {
        AtOnce {
            reads: Vec::new(),
            writes: Vec::new(),
            outside: None,
            makes: None,
            result,
        }
    }

    pub(super) fn number(result: i128) -> AtOnce {
        AtOnce::returning(Value::Integer(result))
    }

    pub(super) fn reading(mut self, address: u64, size: u64) -> AtOnce {
        self.reads.push((address, size));
        self
    }

    pub(super) fn writing(mut self, address: u64, bytes: Vec<u8>) -> AtOnce {
        self.writes.push(Written {
            address,
            certain: bytes.len() as u64,
            image: Image::known(bytes),
        });
        self
    }

    fn accesses(&self) -> Vec<Access> {
        let reads = self
            .reads
            .iter()
            .map(|(address, size)| (*address, *size, false));
        let writes = self.writes.iter();
        let writes = writes.map(|written| (written.address, written.certain, true));
        let outside = self.outside.iter();
        let outside = outside.map(|outside| (outside.address, outside.count, true));
        let all = reads.chain(writes).chain(outside);
        all.filter(|(address, size, _)| *address != 0 && *size > 0)
            .map(|(address, size, writes)| Access {
                address,
                size,
                writes,
                atomic: false,
            })
            .collect()
    }
}

impl Machine<'_> {
    /// What the call does; `None` if it is not one of these functions.
    fn at_once(&self, state: &State, call: &ModelCall) -> Result<Option<AtOnce>, Stop> {
        if call.effect != 0 {
            return Ok(None);
        }
        let name = plain_name(call.function.name.as_str());
        if let Some(printing) = super::printing_calls::printing(call.function.name.as_str()) {
            return Ok(Some(self.printing_call(state, call, printing)?));
        }
        if super::input_calls::is_input(name) {
            return Ok(Some(self.input_call(state, call, name)?));
        }
        self.text_call(state, call, name)
    }

    /// What such a call would do next; `None` if it is another function.
    pub(super) fn next_at_once(
        &self,
        state: &State,
        thread: usize,
        call: &ModelCall,
    ) -> Result<Option<Next>, Stop> {
        let local = Next::Step {
            visible: false,
            accesses: Vec::new(),
        };
        if is_own_object(call) || self.opens_result(call) {
            return Ok(Some(local));
        }
        let Some(at_once) = self.at_once(state, call)? else {
            return Ok(None);
        };
        let accesses = at_once.accesses();
        for access in &accesses {
            state.memory.check(access.address, access.size)?;
        }
        let position = self.position(state, thread);
        let is_point = position
            .is_some_and(|(body, statement)| self.is_point(self.body(body).function, statement));
        Ok(Some(if is_point && !accesses.is_empty() {
            Next::Step {
                visible: true,
                accesses,
            }
        } else {
            local
        }))
    }

    /// Runs such a call; false if it is another function.
    pub(super) fn at_once_step(
        &self,
        state: &mut State,
        thread: usize,
        call: &ModelCall,
    ) -> Result<bool, Stop> {
        if is_own_object(call) {
            let address = self.own_object(state, thread, call)?;
            self.leave_model(state, thread, Value::Integer(i128::from(address)));
            return Ok(true);
        }
        if self.opens_result(call) {
            self.open_result(state, thread, call)?;
            return Ok(true);
        }
        let Some(at_once) = self.at_once(state, call)? else {
            return Ok(false);
        };
        // Nothing may be changed before everything is known to be possible.
        for written in &at_once.writes {
            state
                .memory
                .check(written.address, written.image.bytes.len() as u64)?;
        }
        if let Some(outside) = &at_once.outside {
            state.memory.check(outside.address, outside.count)?;
        }
        let mut result = at_once.result;
        if let Some(made) = &at_once.makes {
            let size = made.image.bytes.len() as u64;
            let content = super::memory::Content::UNINITIALISED;
            let address = state.memory.allocate(thread + 1, size, content)?;
            state.memory.write(address, &made.image)?;
            match made.stored_at {
                Some(place) => state
                    .memory
                    .write(place, &Image::known(address.to_le_bytes().to_vec()))?,
                None => result = Value::Integer(i128::from(address)),
            }
        }
        for written in &at_once.writes {
            state.memory.write(written.address, &written.image)?;
        }
        if let Some(outside) = at_once.outside {
            self.write_from_outside(state, thread, call, outside)?;
        }
        self.leave_model(state, thread, result);
        Ok(true)
    }

    fn write_from_outside(
        &self,
        state: &mut State,
        thread: usize,
        call: &ModelCall,
        outside: Outside,
    ) -> Result<(), Stop> {
        let byte = Ty::integer(IntRank::Char, false);
        let closed = Unknown::Closed(Closed::Library(call.function.name));
        let mut unknown = Vec::new();
        for first in 0..outside.count.min(CHOSEN_BYTES) {
            let source = Source::Byte(call.function.name);
            let value = self.open_within(state, thread, source, &byte, Some(outside.range));
            let what = match value {
                Value::Unknown(what) => what,
                _ => closed,
            };
            unknown.push(UnknownRange {
                first: first as u32,
                length: 1,
                what,
            });
        }
        if outside.count > CHOSEN_BYTES {
            unknown.push(UnknownRange {
                first: CHOSEN_BYTES as u32,
                length: (outside.count - CHOSEN_BYTES) as u32,
                what: closed,
            });
        }
        let bytes = vec![0; outside.count as usize];
        Ok(state
            .memory
            .write(outside.address, &Image { bytes, unknown })?)
    }

    fn leave_model(&self, state: &mut State, thread: usize, result: Value) {
        let stack = &mut state.thread_mut(thread).stack;
        if let Some(Activation::Model(_)) = stack.last() {
            stack.pop();
        }
        self.finish_call(state, thread, result);
    }

    /// An argument that has to be a number, or a pointer.
    pub(super) fn argument(&self, call: &ModelCall, index: usize) -> Result<i128, Stop> {
        let unsupported = || -> Stop { Limit::Function(call.function.name).into() };
        let (value, _) = call.arguments.get(index).ok_or_else(unsupported)?;
        match self.known(value.clone())? {
            Value::Integer(number) => Ok(number),
            _ => Err(unsupported()),
        }
    }

    pub(super) fn pointer_argument(&self, call: &ModelCall, index: usize) -> Result<u64, Stop> {
        Ok(self.argument(call, index)? as u64)
    }
}

/// The name without what compilers and `-D_FORTIFY_SOURCE` make of it.
pub(super) fn plain_name(name: &str) -> &str {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let checked = name
        .strip_prefix("__")
        .and_then(|name| name.strip_suffix("_chk"));
    let name = checked.unwrap_or(name);
    name.strip_prefix("__isoc23_")
        .or_else(|| name.strip_prefix("__isoc99_"))
        .unwrap_or(match name {
            "__strdup" | "__strndup" | "__strtok_r" | "__mempcpy" => &name[2..],
            name => name,
        })
}

fn is_own_object(call: &ModelCall) -> bool {
    super::own_objects::is_own_object(call.function.name.as_str())
}
