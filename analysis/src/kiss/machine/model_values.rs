//! What the words of a model mean at a call.

use super::image::Machine;
use super::library::{Computed, computed, writes_all};
use super::places::Address;
use super::state::{ModelCall, State};
use super::stop::{Limit, Stop};
use super::value::{Closed, Value};
use crate::ir::Ty;
use crate::models::{Root, Size, Step, Test, Value as ModelValue, When};

/// Objects inside of libraries have an identity, but no bytes.
const LIBRARY: u64 = 1 << 59;
/// The values by which threads are joined.
const HANDLES: u64 = (1 << 60) + 1;

/// The identity of a library's own object.
pub fn library_object(name: &str) -> u64 {
    LIBRARY + (rapidhash::v3::rapidhash_v3(name.as_bytes()) & 0xffff_ffff)
}

/// The value that joins a thread.
pub fn handle_of(thread: usize) -> u64 {
    HANDLES + thread as u64
}

impl Machine<'_> {
    /// The value itself with its type, as far as that is known.
    pub(super) fn model_value(
        &self,
        state: &State,
        call: &ModelCall,
        value: &ModelValue,
    ) -> Result<(Value, Ty), Stop> {
        let (mut current, mut ty) = match value.root {
            Root::Argument(index) => match call.arguments.get(usize::from(index)) {
                Some((value, ty)) => (value.clone(), ty.clone()),
                None => return Err(Limit::Function(call.function.name).into()),
            },
            Root::Result => (
                call.result
                    .clone()
                    .unwrap_or(Value::closed(Closed::Library(call.function.name))),
                call.result_ty.clone(),
            ),
            Root::Global(name) => (
                Value::Integer(i128::from(library_object(name.as_str()))),
                Ty::void().pointer_to(),
            ),
            Root::Constant(number) => (Value::Integer(i128::from(number)), Ty::int()),
            Root::Unknown => (
                Value::closed(Closed::Library(call.function.name)),
                Ty::unknown(),
            ),
            Root::ArgumentsFrom(_) => return Err(Limit::Function(call.function.name).into()),
        };
        for step in &value.path {
            let Value::Integer(pointer) = self.known(current)? else {
                return Err(Limit::Function(call.function.name).into());
            };
            let pointee = ty.pointee().cloned().unwrap_or_else(Ty::unknown);
            match step {
                Step::Dereference => {
                    let address = Address {
                        first: pointer as u64,
                        bits: None,
                    };
                    current = self.load(state, address, &pointee)?;
                    ty = pointee;
                }
                Step::Field(_) | Step::Member(..) => {
                    let (record, name) = match step {
                        Step::Member(record, name) => (Some(*record), *name),
                        Step::Field(name) => (pointee.record(), *name),
                        _ => (None, call.function.name),
                    };
                    let layout = record.and_then(|record| self.program.layout(record));
                    let field = layout
                        .and_then(|layout| layout.fields.iter().find(|field| field.name == name));
                    let Some(field) = field else {
                        return Err(Limit::Function(call.function.name).into());
                    };
                    current = Value::Integer(pointer + i128::from(field.offset));
                    ty = field.ty.pointer_to();
                }
                // Some element, but nobody says which.
                Step::Element => {
                    return Ok((Value::closed(Closed::Library(call.function.name)), ty));
                }
            }
        }
        Ok((current, ty))
    }

    /// The address that a value holds; zero for none.
    pub(super) fn model_address(
        &self,
        state: &State,
        call: &ModelCall,
        value: &ModelValue,
    ) -> Result<u64, Stop> {
        match self.known(self.model_value(state, call, value)?.0)? {
            Value::Integer(address) => Ok(address as u64),
            _ => Err(Limit::Function(call.function.name).into()),
        }
    }

    /// Where a value lies that is spelt as a dereference, like `*arg0`, and of which type it is.
    pub(super) fn model_place(
        &self,
        state: &State,
        call: &ModelCall,
        value: &ModelValue,
    ) -> Result<Option<(u64, Ty)>, Stop> {
        let Some((Step::Dereference, before)) = value.path.split_last() else {
            return Ok(None);
        };
        let pointer = ModelValue {
            root: value.root,
            path: before.into(),
        };
        let (value, ty) = self.model_value(state, call, &pointer)?;
        let Value::Integer(address) = self.known(value)? else {
            return Err(Limit::Function(call.function.name).into());
        };
        let ty = ty.pointee().cloned().unwrap_or_else(Ty::unknown);
        Ok(Some((address as u64, ty)))
    }

    /// Whether an effect happens in this call; `None` if that depends on a result that is still open.
    pub(super) fn happens(&self, call: &ModelCall, when: When) -> Result<Option<bool>, Stop> {
        let number = |value: &Value| -> Result<i128, Stop> {
            match self.known(value.clone())? {
                Value::Integer(number) => Ok(number),
                _ => Err(Limit::Function(call.function.name).into()),
            }
        };
        match when {
            When::Always => Ok(Some(true)),
            When::Result(test) => match &call.result {
                Some(result) => Ok(Some(holds(test, number(result)?))),
                None => Ok(None),
            },
            When::Argument(index, test) => match call.arguments.get(usize::from(index)) {
                Some((value, _)) => Ok(Some(holds(test, number(value)?))),
                None => Ok(Some(false)),
            },
        }
    }

    /// How many bytes are meant; `None` where the model does not say it.
    pub(super) fn model_size(
        &self,
        state: &State,
        call: &ModelCall,
        size: &Size,
        pointer: &ModelValue,
    ) -> Result<Option<u64>, Stop> {
        let number = |value: &ModelValue| -> Result<u64, Stop> {
            match self.known(self.model_value(state, call, value)?.0)? {
                Value::Integer(number) => Ok(number as u64),
                _ => Err(Limit::Function(call.function.name).into()),
            }
        };
        Ok(match size {
            Size::Bytes(bytes) => Some(*bytes),
            Size::Value(value) => Some(number(value)?),
            Size::Product(left, right) => number(left)?.checked_mul(number(right)?),
            Size::String => {
                let address = self.model_address(state, call, pointer)?;
                Some(self.text(state, address, None)?.len() as u64 + 1)
            }
            Size::Pointee => {
                let (_, ty) = self.model_value(state, call, pointer)?;
                ty.pointee()
                    .and_then(|pointee| self.program.size_of(pointee))
            }
            Size::Unknown => None,
        })
    }

    /// The result of a function that is computed from its arguments.
    pub(super) fn computed_result(
        &self,
        thread: usize,
        call: &ModelCall,
    ) -> Result<Option<Value>, Stop> {
        let name = call.function.name.as_str();
        if let Some(argument) = writes_all(name) {
            return Ok(call.arguments.get(argument).map(|(value, _)| value.clone()));
        }
        let Some(computed) = computed(name) else {
            return Ok(None);
        };
        let result = match computed {
            Computed::OwnThread => i128::from(handle_of(thread)),
            Computed::SameThread => i128::from(self.argument(call, 0)? == self.argument(call, 1)?),
        };
        Ok(Some(Value::Integer(result)))
    }
}

pub(super) fn holds(test: Test, number: i128) -> bool {
    match test {
        Test::Zero => number == 0,
        Test::NonZero => number != 0,
        Test::NonNegative => number >= 0,
        Test::Negative => number < 0,
        Test::Positive => number > 0,
    }
}

/// A result that passes a test, or one that does not.
pub(super) fn such_that(test: Test, passes: bool, library: &str) -> Value {
    let number = match (test, passes) {
        (Test::Zero, true)
        | (Test::NonZero | Test::Negative | Test::Positive, false)
        | (Test::NonNegative, true) => 0,
        (Test::NonZero | Test::Positive, true) => 1,
        (Test::Negative, true) | (Test::NonNegative, false) => -1,
        (Test::Zero, false) => super::library::refusal(library),
    };
    Value::Integer(number)
}
