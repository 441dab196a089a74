//! The values that models speak of, computed in the body of a library function.

use super::Library;
use crate::ir::{Base, LocalId, Operand, Place, Projection, RecordRef, Rvalue};
use crate::models::{Root, Step, Value};
use ustr::Ustr;

impl Library<'_> {
    /// A value of the model; `None` if it cannot be computed.
    pub fn value(&mut self, value: &Value) -> Option<Operand> {
        let mut operand = match value.root {
            Root::Argument(index) if usize::from(index) < self.arguments => {
                Operand::Local(LocalId(u32::from(index)))
            }
            Root::Constant(number) => Operand::Integer(i128::from(number)),
            Root::Global(name) => Operand::Integer(library_object(name.as_str())),
            Root::Argument(_) | Root::ArgumentsFrom(_) | Root::Result | Root::Unknown => {
                return None;
            }
        };
        for step in &value.path {
            operand = match step {
                Step::Dereference => {
                    let ty = self.type_of(&operand).pointee().cloned()?;
                    if ty.is_void() {
                        return None;
                    }
                    self.writer.load(operand, ty)
                }
                Step::Field(name) => {
                    let record = self.type_of(&operand).pointee()?.record()?;
                    self.member(operand, record, *name)?
                }
                Step::Member(record, name) => self.member(operand, *record, *name)?,
                Step::Element => return None,
            };
        }
        Some(operand)
    }

    pub fn member(&mut self, operand: Operand, record: RecordRef, name: Ustr) -> Option<Operand> {
        let layout = self.program.layout(record)?;
        let field = layout.fields.iter().find(|field| field.name == name)?;
        let place = Place {
            base: Base::Deref(operand),
            path: vec![Projection::Field { record, name }],
        };
        let ty = field.ty.pointer_to();
        Some(self.writer.assign(ty, Rvalue::AddressOf(place)))
    }
}

/// An address for an object of the library, far from all others. Nobody looks there; it only has to be the same
/// wherever the name is.
fn library_object(name: &str) -> i128 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (1 << 62) + i128::from(hash >> 8)
}
