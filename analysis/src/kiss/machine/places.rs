//! Where a place lies in memory, and how values lie in it.

use super::image::{Machine, type_of};
use super::memory::Content;
use super::state::{Frame, State};
use super::stop::{Fault, Limit, Stop};
use super::value::{Closed, Image, Unknown, Value, wrap};
use crate::ir::{Base, BitRange, FloatTy, IntRank, IntTy, Operand, Place, Projection, Ty, TyKind};
use std::sync::Arc;

/// The bytes, or the bits in them, that a place stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    pub first: u64,
    pub bits: Option<BitRange>,
}

impl Machine<'_> {
    pub(super) fn address(
        &self,
        state: &State,
        thread: usize,
        frame: &Frame,
        place: &Place,
    ) -> Result<Address, Stop> {
        let body = self.body(frame.body);
        let (mut first, mut ty) = match &place.base {
            Base::Local(local) => (
                frame.objects[local.0 as usize],
                type_of(body, *local).clone(),
            ),
            Base::Global(global) => {
                let ty = self.program.global(*global);
                let ty = ty.ok_or(Stop::Limit(Limit::IncompleteType))?.clone();
                let own = global
                    .thread_local
                    .then(|| state.thread_locals.get(&(thread, *global)))
                    .flatten();
                let address = own.or_else(|| self.globals.get(global));
                (*address.ok_or(Stop::Limit(Limit::IncompleteType))?, ty)
            }
            Base::Deref(pointer) => {
                let first = self.pointer(frame, pointer)?;
                let ty = match pointer {
                    Operand::Local(local) => type_of(body, *local).pointee().cloned(),
                    Operand::String(_) => Some(Ty::integer(IntRank::PlainChar, true)),
                    _ => None,
                };
                (first, ty.unwrap_or_else(Ty::unknown))
            }
        };
        let mut bits = None;
        for (position, projection) in place.path.iter().enumerate() {
            match projection {
                Projection::Field { record, name } => {
                    let layout = self.program.layout(*record);
                    let field = layout
                        .and_then(|layout| layout.fields.iter().find(|field| field.name == *name));
                    let field = field.ok_or(Stop::Limit(Limit::IncompleteType))?;
                    first = first.wrapping_add(field.offset);
                    bits = field.bits;
                    ty = field.ty.clone();
                }
                Projection::Index(index) => {
                    // Behind a pointer the first index counts what it points to.
                    let counts_from_pointer = position == 0 && matches!(place.base, Base::Deref(_));
                    if !counts_from_pointer {
                        let element = ty.element();
                        ty = element
                            .ok_or(Stop::Limit(Limit::Unsupported("an index into no array")))?
                            .clone();
                    }
                    let Value::Integer(index) = self.known(self.operand(frame, index)?)? else {
                        return Err(Limit::Unsupported("an index that is no number").into());
                    };
                    let size = i128::from(self.size_of(&ty)?);
                    first = first.wrapping_add(index.wrapping_mul(size) as u64);
                }
            }
        }
        Ok(Address { first, bits })
    }

    /// The bytes that an access of this type touches.
    pub(super) fn touched(&self, address: Address, ty: &Ty) -> Result<(u64, u64), Stop> {
        match address.bits {
            Some(bits) => {
                let before = u64::from(bits.offset / 8);
                let end = u64::from((bits.offset + bits.width).div_ceil(8));
                Ok((address.first + before, end - before))
            }
            None => Ok((address.first, self.size_of(ty)?)),
        }
    }

    pub(super) fn load(&self, state: &State, address: Address, ty: &Ty) -> Result<Value, Stop> {
        if let Some(bits) = address.bits {
            let length = u64::from((bits.offset + bits.width).div_ceil(8));
            let image = state.memory.read(address.first, length)?;
            if let Some(part) = image.unknown.first() {
                return unknown_part(part.what);
            }
            let number = (number(&image.bytes) >> bits.offset) & ((1 << bits.width) - 1);
            return Ok(Value::Integer(wrap(self.program.data_model, number, ty)));
        }
        let size = self.size_of(ty)?;
        let image = state.memory.read(address.first, size)?;
        self.decode(image, ty)
    }

    pub(super) fn decode(&self, image: Image, ty: &Ty) -> Result<Value, Stop> {
        if matches!(ty.kind(), TyKind::Record(_)) {
            return Ok(Value::Bytes(Arc::new(image)));
        }
        if let Some(part) = image.unknown.first() {
            let is_whole = part.first == 0 && part.length as usize == image.bytes.len();
            return match part.what {
                what if is_whole => Ok(Value::Unknown(what)),
                what => unknown_part(what),
            };
        }
        let bytes = &image.bytes;
        Ok(match ty.kind() {
            TyKind::Float(FloatTy::Single) => {
                Value::Float(f64::from(f32::from_bits(number(bytes) as u32)))
            }
            TyKind::Float(FloatTy::Double) => Value::Float(f64::from_bits(number(bytes) as u64)),
            TyKind::Int(IntTy {
                rank: IntRank::BitInt(_) | IntRank::Int128,
                ..
            }) => Value::closed(Closed::Unrepresented),
            TyKind::Int(_) | TyKind::Bool | TyKind::Pointer(_) => {
                Value::Integer(wrap(self.program.data_model, number(bytes), ty))
            }
            _ => Value::closed(Closed::Unrepresented),
        })
    }

    pub(super) fn store(
        &self,
        state: &mut State,
        address: Address,
        value: &Value,
        ty: &Ty,
    ) -> Result<(), Stop> {
        if let Some(bits) = address.bits {
            let Value::Integer(value) = self.known(value.clone())? else {
                return Err(Limit::Unsupported("a bit-field of such a type").into());
            };
            let length = u64::from((bits.offset + bits.width).div_ceil(8));
            let mut image = state.memory.read(address.first, length)?;
            let old = number(&image.bytes);
            let mask = ((1i128 << bits.width) - 1) << bits.offset;
            let new = (old & !mask) | ((value << bits.offset) & mask);
            let bytes = new.to_le_bytes()[..length as usize].to_vec();
            // Beside bits that are not known, those that are written are not known either.
            match image.unknown.first().map(|part| part.what) {
                Some(Unknown::Open(open)) => return Err(Stop::Choose(open)),
                Some(Unknown::Closed(reason)) => {
                    image = Image::filled(length, Content::Closed(reason));
                }
                None => image = Image::known(bytes),
            }
            return Ok(state.memory.write(address.first, &image)?);
        }
        let size = self.size_of(ty)?;
        let image = self.encode(state, value, ty, size)?;
        Ok(state.memory.write(address.first, &image)?)
    }

    pub(super) fn encode(
        &self,
        state: &State,
        value: &Value,
        ty: &Ty,
        size: u64,
    ) -> Result<Image, Stop> {
        Ok(match (value, ty.kind()) {
            (Value::Bytes(image), _) if image.bytes.len() as u64 == size => (**image).clone(),
            // Whole aggregates are only ever filled with zeros, or with a string.
            (
                Value::Integer(0),
                TyKind::Record(_) | TyKind::Array { .. } | TyKind::Vector { .. },
            ) => Image::filled(size, Content::Zero),
            (Value::Integer(string), TyKind::Array { .. }) => {
                let address = *string as u64;
                let (first, length) = state.memory.extent(address)?;
                let mut image = state.memory.read(first, length)?;
                image.bytes.resize(size as usize, 0);
                image
            }
            (Value::Float(number), TyKind::Float(FloatTy::Single)) => {
                Image::known((*number as f32).to_le_bytes().to_vec())
            }
            (Value::Float(number), TyKind::Float(FloatTy::Double)) => {
                Image::known(number.to_le_bytes().to_vec())
            }
            (Value::Integer(number), TyKind::Int(_) | TyKind::Bool | TyKind::Pointer(_))
                if size <= 16 =>
            {
                Image::known(number.to_le_bytes()[..size as usize].to_vec())
            }
            (Value::Unknown(Unknown::Closed(reason)), _) => {
                Image::filled(size, Content::Closed(*reason))
            }
            (Value::Unknown(what @ Unknown::Open(_)), _) => Image {
                bytes: vec![0; size as usize],
                unknown: vec![super::value::UnknownRange {
                    first: 0,
                    length: size as u32,
                    what: *what,
                }],
            },
            _ => Image::filled(size, Content::Closed(Closed::Unrepresented)),
        })
    }

    /// The address that an operand holds.
    pub(super) fn pointer(&self, frame: &Frame, operand: &Operand) -> Result<u64, Stop> {
        match self.known(self.operand(frame, operand)?)? {
            Value::Integer(address) => Ok(address as u64),
            _ => Err(Fault::InvalidPointer.into()),
        }
    }

    /// The value, if it is known; a path that depends on an unknown one cannot go on.
    pub(super) fn known(&self, value: Value) -> Result<Value, Stop> {
        match value {
            Value::Unknown(Unknown::Open(open)) => Err(Stop::Choose(open)),
            Value::Unknown(Unknown::Closed(reason)) => Err(Limit::Value(reason).into()),
            value => Ok(value),
        }
    }
}

/// A piece of an unknown value: of an open one the whole has to be chosen first.
fn unknown_part(what: Unknown) -> Result<Value, Stop> {
    match what {
        Unknown::Open(open) => Err(Stop::Choose(open)),
        Unknown::Closed(reason) => Ok(Value::closed(reason)),
    }
}

/// The number that little-endian bytes spell, without a sign.
fn number(bytes: &[u8]) -> i128 {
    let mut padded = [0; 16];
    let length = bytes.len().min(16);
    padded[..length].copy_from_slice(&bytes[..length]);
    i128::from_le_bytes(padded)
}
