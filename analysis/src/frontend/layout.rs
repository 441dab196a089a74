//! Sizes, alignments and the places of fields in memory.

use crate::ir::{
    ArrayLength, BitRange, Field, FloatTy, IntRank, RecordLayout, RecordRef, Ty, TyKind,
};
use std::sync::Arc;

/// The widths that a target gives to C's types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DataModel {
    pub pointer_bytes: u64,
    pub long_bytes: u64,
    pub char_is_signed: bool,
}

impl DataModel {
    /// 64-bit Linux, macOS and most other systems.
    pub const LP64: DataModel = DataModel {
        pointer_bytes: 8,
        long_bytes: 8,
        char_is_signed: true,
    };
    /// `-m32`.
    pub const ILP32: DataModel = DataModel {
        pointer_bytes: 4,
        long_bytes: 4,
        char_is_signed: true,
    };
}

/// Size and alignment in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    pub size: u64,
    pub align: u64,
    /// How many records lie in each other.
    pub nesting: u32,
}

impl Extent {
    /// Of what has no size that is known.
    pub const NOTHING: Extent = Extent {
        size: 0,
        align: 1,
        nesting: 0,
    };

    const fn of(size: u64) -> Extent {
        Extent {
            size,
            align: size,
            nesting: 0,
        }
    }
}

impl DataModel {
    pub fn int_bytes(self, rank: IntRank) -> u64 {
        match rank {
            IntRank::PlainChar | IntRank::Char => 1,
            IntRank::Short => 2,
            IntRank::Int => 4,
            IntRank::Long => self.long_bytes,
            IntRank::LongLong => 8,
            IntRank::Int128 => 16,
            IntRank::BitInt(width) => u64::from(width).div_ceil(8).next_power_of_two(),
        }
    }

    /// How many bits of the integer carry its value.
    pub fn int_bits(self, rank: IntRank) -> u32 {
        match rank {
            IntRank::BitInt(width) => u32::from(width),
            rank => self.int_bytes(rank) as u32 * 8,
        }
    }

    /// 32-bit x86 aligns nothing to more than four bytes.
    fn scalar(self, size: u64) -> Extent {
        let align = if self.pointer_bytes == 4 {
            size.min(4)
        } else {
            size
        };
        Extent {
            size,
            align,
            nesting: 0,
        }
    }

    /// The extent of a complete type; `None` for an incomplete or unknown one.
    pub fn extent(
        self,
        ty: &Ty,
        layout_of: &dyn Fn(RecordRef) -> Option<Arc<RecordLayout>>,
    ) -> Option<Extent> {
        let extent = match ty.kind() {
            // GNU C: arithmetic on `void *` and function pointers counts bytes.
            TyKind::Void | TyKind::Function(_) | TyKind::Bool => Extent::of(1),
            TyKind::Int(int) => self.scalar(self.int_bytes(int.rank)),
            TyKind::Float(float) => self.float(*float),
            TyKind::Complex(float) => {
                let part = self.float(*float);
                Extent {
                    size: part.size * 2,
                    ..part
                }
            }
            TyKind::Pointer(_) => Extent::of(self.pointer_bytes),
            TyKind::Array { element, length } => {
                let element = self.extent(element, layout_of)?;
                match length {
                    ArrayLength::Known(length) => Extent {
                        size: element.size.checked_mul(*length)?,
                        ..element
                    },
                    ArrayLength::Unknown => Extent { size: 0, ..element },
                    ArrayLength::Variable => return None,
                }
            }
            TyKind::Vector { bytes, .. } => Extent::of(*bytes),
            TyKind::Record(record) => {
                let layout = layout_of(*record)?;
                Extent {
                    size: layout.size,
                    align: layout.align,
                    nesting: layout.nesting,
                }
            }
            TyKind::VaList if self.pointer_bytes == 4 => Extent::of(4),
            TyKind::VaList => Extent {
                size: 24,
                align: 8,
                nesting: 0,
            },
            TyKind::Unknown => return None,
        };
        if ty.is_atomic() && matches!(extent.size, 1 | 2 | 4 | 8 | 16) {
            // So that one instruction can reach the whole object.
            return Some(Extent::of(extent.size));
        }
        Some(extent)
    }

    fn float(self, float: FloatTy) -> Extent {
        match float {
            FloatTy::Half => Extent::of(2),
            FloatTy::Single => Extent::of(4),
            FloatTy::Double => self.scalar(8),
            FloatTy::Extended if self.pointer_bytes == 4 => Extent {
                size: 12,
                align: 4,
                nesting: 0,
            },
            FloatTy::Extended | FloatTy::Quad => Extent::of(16),
        }
    }
}

/// A member before it has a place.
pub struct Member {
    pub field: Field,
    pub extent: Option<Extent>,
    /// The width of a bit-field; `Some(0)` closes the storage unit before it.
    pub bit_width: Option<u32>,
    /// Members that cannot be named, such as `int : 3`, only take room.
    pub is_padding: bool,
    pub attributes: LayoutAttributes,
}

/// What attributes say about the place of a member, or of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LayoutAttributes {
    pub packed: bool,
    pub aligned: Option<u64>,
}

impl LayoutAttributes {
    /// The larger alignment wins.
    pub fn and(self, other: LayoutAttributes) -> LayoutAttributes {
        LayoutAttributes {
            packed: self.packed || other.packed,
            aligned: self.aligned.max(other.aligned),
        }
    }
}

/// Gives every member its place, as the System V ABI does.
pub fn record_layout(
    members: Vec<Member>,
    is_union: bool,
    attributes: LayoutAttributes,
) -> RecordLayout {
    let mut bits = 0u64;
    let mut size_bits = 0u64;
    let mut align = bearable(attributes.aligned);
    let mut nesting = 0;
    let mut fields = Vec::with_capacity(members.len());
    for mut member in members {
        let extent = member.extent.unwrap_or(Extent::NOTHING);
        let packed = attributes.packed || member.attributes.packed;
        let natural = if packed { 1 } else { extent.align.max(1) };
        let member_align = natural.max(bearable(member.attributes.aligned));
        nesting = nesting.max(extent.nesting + 1);
        if is_union {
            bits = 0;
        }
        match member.bit_width {
            Some(0) => bits = round_up(bits, extent.align.max(1) * 8),
            Some(width) => {
                let width = u64::from(width);
                let unit = extent.size.max(1).saturating_mul(8);
                if member.attributes.aligned.is_some() {
                    bits = round_up(bits, bearable(member.attributes.aligned) * 8);
                }
                // A bit-field does not cross the border of its type's alignment.
                let border = extent.align.max(1) * 8;
                if !packed && (bits % border) + width > unit {
                    bits = round_up(bits, border);
                }
                let offset = if packed {
                    bits / 8
                } else {
                    bits / unit * (unit / 8)
                };
                member.field.offset = offset;
                member.field.bits = Some(BitRange {
                    offset: (bits - offset * 8) as u32,
                    width: width as u32,
                });
                bits = bits.saturating_add(width);
                if !member.is_padding {
                    align = align.max(member_align);
                }
            }
            None => {
                bits = round_up(bits, member_align * 8);
                member.field.offset = bits / 8;
                bits = bits.saturating_add(extent.size.saturating_mul(8));
                align = align.max(member_align);
            }
        }
        size_bits = size_bits.max(bits);
        if !member.is_padding {
            fields.push(member.field);
        }
    }
    // UNSOUND: what lies in records that are nested more than 128 times in each other has no name.
    if nesting > MOST_NESTED {
        fields.clear();
    }
    RecordLayout {
        fields,
        size: round_up(size_bits, align * 8) / 8,
        align,
        nesting,
    }
}

/// Whatever walks through a record walks through those in it, step by step.
pub const MOST_NESTED: u32 = 128;

/// More than any compiler takes.
const LARGEST_ALIGNMENT: u64 = 1 << 32;

/// An alignment that one can compute with, whatever an attribute says.
fn bearable(aligned: Option<u64>) -> u64 {
    aligned.unwrap_or(1).clamp(1, LARGEST_ALIGNMENT)
}

fn round_up(value: u64, to: u64) -> u64 {
    value.div_ceil(to).saturating_mul(to)
}
