//! Where a place lies in memory, and how values lie in it.

use racelens_analysis::ir::{
    Base, BitRange, FloatTy, IntRank, IntTy, Operand, Place, Projection, Ty, TyKind,
};

use super::machine::{Frame, Machine};
use super::{Fault, Value};

/// The bytes, or the bits in them, that a place stands for.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    pub first: u64,
    pub bits: Option<BitRange>,
}

impl Machine<'_> {
    pub(super) fn address(&mut self, frame: &Frame<'_>, place: &Place) -> Result<Address, Fault> {
        let (mut first, mut ty) = match &place.base {
            Base::Local(local) => (frame.objects[local.0 as usize], frame.type_of(*local)),
            Base::Global(global) => {
                let ty = self.program.global_type(*global)?;
                (self.global(*global, &ty)?, ty)
            }
            Base::Deref(pointer) => {
                let first = self.pointer(frame, pointer)?;
                let ty = match pointer {
                    Operand::Local(local) => frame.type_of(*local).pointee().cloned(),
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
                        .as_ref()
                        .and_then(|layout| layout.fields.iter().find(|field| field.name == *name));
                    let Some(field) = field else {
                        return Fault::new(format!("no member `{name}` in `{record:?}`"));
                    };
                    first = first.wrapping_add(field.offset);
                    bits = field.bits;
                    ty = field.ty.clone();
                }
                Projection::Index(index) => {
                    // Behind a pointer the first index counts what it points to.
                    let counts_from_pointer = position == 0 && matches!(place.base, Base::Deref(_));
                    if !counts_from_pointer {
                        ty = match ty.element() {
                            Some(element) => element.clone(),
                            None => return Fault::new(format!("an index into `{ty}`")),
                        };
                    }
                    let Value::Integer(index) = self.operand(frame, index)? else {
                        return Fault::new("an index that is no number");
                    };
                    let size = self.program.size_of(&ty)? as i128;
                    first = first.wrapping_add((index * size) as u64);
                }
            }
        }
        Ok(Address { first, bits })
    }

    pub(super) fn load(&mut self, address: Address, ty: &Ty) -> Result<Value, Fault> {
        if let Some(bits) = address.bits {
            let end = bits.offset + bits.width;
            let bytes = self.memory.read(address.first, end.div_ceil(8) as usize)?;
            let number = (number(&bytes) >> bits.offset) & ((1 << bits.width) - 1);
            return Ok(Value::Integer(super::arithmetic::wrap(number, ty)));
        }
        let size = self.program.size_of(ty)?;
        let bytes = self.memory.read(address.first, size)?;
        Ok(match ty.kind() {
            TyKind::Record(_) => Value::Bytes(bytes.into()),
            TyKind::Float(FloatTy::Single) => {
                let image = number(&bytes) as u32;
                Value::Float(f64::from(f32::from_bits(image)))
            }
            TyKind::Float(_) => Value::Float(f64::from_bits(number(&bytes[..8]) as u64)),
            TyKind::Int(IntTy {
                rank: IntRank::BitInt(_),
                ..
            }) => return Fault::new("a bit-field that does not lie in a record"),
            TyKind::Int(_) | TyKind::Bool | TyKind::Pointer(_) => {
                Value::Integer(super::arithmetic::wrap(number(&bytes), ty))
            }
            _ => return Fault::new(format!("a load of `{ty}`")),
        })
    }

    pub(super) fn store(&mut self, address: Address, value: Value, ty: &Ty) -> Result<(), Fault> {
        if !ty.is_aggregate() && !super::arithmetic::is_of_type(&value, ty) {
            return Fault::new(format!("{value:?} is stored as `{ty}`"));
        }
        if let Some(bits) = address.bits {
            let Value::Integer(value) = value else {
                return Fault::new("a bit-field gets what is no number");
            };
            let length = (bits.offset + bits.width).div_ceil(8) as usize;
            let old = number(&self.memory.read(address.first, length)?);
            let mask = ((1i128 << bits.width) - 1) << bits.offset;
            let new = (old & !mask) | ((value << bits.offset) & mask);
            return self
                .memory
                .write(address.first, &new.to_le_bytes()[..length]);
        }
        let size = self.program.size_of(ty)?;
        match (value, ty.kind()) {
            (Value::Bytes(bytes), TyKind::Record(_)) => self.memory.write(address.first, &bytes),
            // Whole aggregates are only ever filled with zeros, or with a string.
            (Value::Integer(0), TyKind::Record(_) | TyKind::Array { .. }) => {
                self.memory.write(address.first, &vec![0; size])
            }
            (Value::Integer(string), TyKind::Array { .. }) => {
                let mut bytes = self.string_bytes(string as u64)?;
                bytes.resize(size, 0);
                self.memory.write(address.first, &bytes)
            }
            (Value::Float(number), TyKind::Float(FloatTy::Single)) => self
                .memory
                .write(address.first, &(number as f32).to_le_bytes()),
            (Value::Float(number), TyKind::Float(_)) => {
                self.memory.write(address.first, &number.to_le_bytes())
            }
            (Value::Integer(number), _) => self
                .memory
                .write(address.first, &number.to_le_bytes()[..size]),
            (value, _) => Fault::new(format!("{value:?} is stored as `{ty}`")),
        }
    }
}

/// The number that little-endian bytes spell, without a sign.
fn number(bytes: &[u8]) -> i128 {
    let mut padded = [0; 16];
    padded[..bytes.len()].copy_from_slice(bytes);
    i128::from_le_bytes(padded)
}
