//! Indivisible accesses of library functions.

use super::image::Machine;
use super::places::Address;
use super::state::{ModelCall, State};
use super::stop::{Limit, Stop};
use super::value::{Value, binary, convert};
use crate::ir::{BinaryOperator, Ty};
use crate::models::{Atomic, AtomicOperation, AtomicResult, Value as ModelValue};

impl Machine<'_> {
    pub(super) fn atomic(
        &self,
        state: &mut State,
        call: &ModelCall,
        atomic: &Atomic,
    ) -> Result<Option<Value>, Stop> {
        let unsupported = || -> Stop { Limit::Function(call.function.name).into() };
        let Some(pointer) = &atomic.pointer else {
            return Ok(None);
        };
        let (address, ty) = self.atomic_object(state, call, pointer)?;
        let place = Address {
            first: address,
            bits: None,
        };
        let model = self.program.data_model;
        let old = self.load(state, place, &ty)?;
        let value = match &atomic.value {
            Some(value) => Some(convert(model, self.model_value(state, call, value)?.0, &ty)),
            None => None,
        };
        let with = |operator: BinaryOperator| -> Result<Value, Stop> {
            let by = value.clone().ok_or_else(unsupported)?;
            let result = binary(
                model,
                operator,
                &self.known(old.clone())?,
                &self.known(by)?,
                &ty,
            );
            Ok(convert(model, result, &ty))
        };
        let given = || value.clone().ok_or_else(unsupported);
        let mut happened = true;
        let new = match atomic.operation {
            AtomicOperation::Fence => return Ok(None),
            AtomicOperation::Load => None,
            AtomicOperation::Store | AtomicOperation::Exchange => Some(given()?),
            AtomicOperation::CompareExchange => {
                let expected = atomic.expected.as_ref().ok_or_else(unsupported)?;
                let expected = convert(model, self.model_value(state, call, expected)?.0, &ty);
                happened = self.known(old.clone())? == self.known(expected)?;
                if happened { Some(given()?) } else { None }
            }
            AtomicOperation::Add => Some(with(BinaryOperator::Add)?),
            AtomicOperation::Sub => Some(with(BinaryOperator::Subtract)?),
            AtomicOperation::And => Some(with(BinaryOperator::And)?),
            AtomicOperation::Or => Some(with(BinaryOperator::Or)?),
            AtomicOperation::Xor => Some(with(BinaryOperator::Xor)?),
            AtomicOperation::Nand => match with(BinaryOperator::And)? {
                Value::Integer(number) => Some(convert(model, Value::Integer(!number), &ty)),
                _ => return Err(unsupported()),
            },
            AtomicOperation::TestAndSet => Some(Value::Integer(1)),
            AtomicOperation::Clear => Some(Value::ZERO),
        };
        let out = match &atomic.out {
            Some(out) => self.model_place(state, call, out)?,
            None => None,
        };
        let truth = |condition: bool| Some(Value::Integer(i128::from(condition)));
        let result = match atomic.result {
            AtomicResult::None => None,
            AtomicResult::Old => Some(old.clone()),
            AtomicResult::New => Some(new.clone().unwrap_or(old.clone())),
            AtomicResult::Flag if atomic.operation == AtomicOperation::CompareExchange => {
                truth(happened)
            }
            AtomicResult::Flag => truth(self.known(old.clone())? != Value::ZERO),
            AtomicResult::NewIsZero => {
                let new = new.clone().unwrap_or(old.clone());
                truth(self.known(new)? == Value::ZERO)
            }
        };
        if let Some(new) = new {
            self.store(state, place, &new, &ty)?;
        }
        let gives_out = atomic.operation != AtomicOperation::CompareExchange || !happened;
        if let Some((out, out_ty)) = out
            && gives_out
        {
            let value = convert(model, old, &out_ty);
            let out = Address {
                first: out,
                bits: None,
            };
            self.store(state, out, &value, &out_ty)?;
        }
        Ok(result)
    }

    /// Where an atomic object lies and of which type it is.
    pub(super) fn atomic_object(
        &self,
        state: &State,
        call: &ModelCall,
        pointer: &ModelValue,
    ) -> Result<(u64, Ty), Stop> {
        let (value, ty) = self.model_value(state, call, pointer)?;
        let Value::Integer(address) = self.known(value)? else {
            return Err(Limit::Function(call.function.name).into());
        };
        let pointee = ty.pointee().filter(|ty| ty.is_scalar() && !ty.is_void());
        let record = ty.pointee().and_then(Ty::record);
        // `atomic_flag` and the like are records around one number.
        let inner =
            record.and_then(
                |record| match self.program.layout(record)?.fields.as_slice() {
                    [only] => Some(only.ty.clone()),
                    _ => None,
                },
            );
        match pointee.cloned().or(inner) {
            Some(ty) => Ok((address as u64, ty.unqualified())),
            None => Err(Limit::Function(call.function.name).into()),
        }
    }
}
