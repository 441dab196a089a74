//! Calls that get bytes from outside: how many come is chosen first, and then each byte as soon as it matters.

use super::at_once::{AtOnce, Outside, plain_name};
use super::image::Machine;
use super::state::{Activation, ModelCall, Source, State};
use super::stop::{Limit, Stop};
use super::value::{Image, Value};
use crate::ir::Ty;

pub(super) fn is_input(name: &str) -> bool {
    matches!(
        name,
        "read"
            | "recv"
            | "pread"
            | "pread64"
            | "fread"
            | "fread_unlocked"
            | "fgets"
            | "fgets_unlocked"
    )
}

/// Letters that are no end of a line.
const PRINTABLE: (i64, i64) = (0x20, 0x7e);
const ANY_BYTE: (i64, i64) = (0, 255);

impl Machine<'_> {
    /// Whether the first step of the call is to ask how many bytes come.
    pub(super) fn opens_result(&self, call: &ModelCall) -> bool {
        call.effect == 0
            && call.result.is_none()
            && is_input(plain_name(call.function.name.as_str()))
    }

    pub(super) fn open_result(
        &self,
        state: &mut State,
        thread: usize,
        call: &ModelCall,
    ) -> Result<(), Stop> {
        let (_, size) = self.asked(call)?;
        let name = plain_name(call.function.name.as_str());
        let most = i64::try_from(size).unwrap_or(i64::MAX);
        let range = match name {
            // Zero means that there is no further line.
            "fgets" | "fgets_unlocked" => (0, (most - 1).max(0)),
            "fread" | "fread_unlocked" => (0, self.argument(call, 2)? as i64),
            _ => (-1, most),
        };
        let source = Source::Function(call.function.name);
        let ty = Ty::integer(crate::ir::IntRank::Long, true);
        let result = self.open_within(state, thread, source, &ty, Some(range));
        if let Some(Activation::Model(call)) = state.thread_mut(thread).stack.last_mut() {
            call.result = Some(result);
        }
        Ok(())
    }

    /// The buffer and how many bytes are asked for.
    fn asked(&self, call: &ModelCall) -> Result<(u64, u64), Stop> {
        let name = call.function.name.as_str();
        let (buffer, size) = match (plain_name(name), name.ends_with("_chk")) {
            ("fgets" | "fgets_unlocked", false) => (0, self.argument(call, 1)?),
            ("fgets" | "fgets_unlocked", true) => (0, self.argument(call, 2)?),
            ("fread" | "fread_unlocked", false) => {
                (0, self.argument(call, 1)? * self.argument(call, 2)?)
            }
            ("fread" | "fread_unlocked", true) => {
                return Err(Limit::Function(call.function.name).into());
            }
            _ => (1, self.argument(call, 2)?),
        };
        let size = u64::try_from(size).map_err(|_| Limit::Function(call.function.name))?;
        Ok((self.pointer_argument(call, buffer)?, size))
    }

    pub(super) fn input_call(
        &self,
        state: &State,
        call: &ModelCall,
        name: &str,
    ) -> Result<AtOnce, Stop> {
        let (address, size) = self.asked(call)?;
        let result = call.result.clone().unwrap_or(Value::ZERO);
        let Value::Integer(count) = self.known(result)? else {
            return Err(Limit::Function(call.function.name).into());
        };
        let outside = |count: u64, range: (i64, i64)| {
            (count > 0).then_some(Outside {
                address,
                count,
                range,
            })
        };
        if name.starts_with("fgets") {
            let mut done = AtOnce::number(if count == 0 { 0 } else { i128::from(address) });
            let Some(letters) = (count as u64).checked_sub(1) else {
                return Ok(done);
            };
            // A line that ends before the buffer does, ends with the end of the line.
            let last = if count as u64 + 1 < size { b'\n' } else { b'-' };
            state.memory.check(address, count as u64 + 1)?;
            done.outside = outside(letters, PRINTABLE);
            done.writes.push(super::at_once::Written {
                address: address + letters,
                certain: 2,
                image: Image::known(vec![last, 0]),
            });
            return Ok(done);
        }
        let unit = match name {
            "fread" | "fread_unlocked" => self.argument(call, 1)? as u64,
            _ => 1,
        };
        let mut done = AtOnce::number(count);
        done.outside = outside(unit * u64::try_from(count).unwrap_or(0), ANY_BYTE);
        Ok(done)
    }
}
