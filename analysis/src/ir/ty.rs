//! C types, as far as places, values and layouts need them.

use std::fmt;
use std::sync::Arc;
use ustr::Ustr;

/// A qualified type. Cheap to clone; equality is structural.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Ty {
    kind: Arc<TyKind>,
    pub qualifiers: Qualifiers,
    /// Of how many types it is made, however often they are shared.
    weight: u32,
    /// It, or a part of it, was made of too many.
    cut: bool,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub enum TyKind {
    Void,
    Bool,
    Int(IntTy),
    Float(FloatTy),
    Complex(FloatTy),
    Pointer(Ty),
    Array {
        element: Ty,
        length: ArrayLength,
    },
    /// A GNU vector of so many bytes.
    Vector {
        element: Ty,
        bytes: u64,
    },
    Function(FunctionTy),
    Record(RecordRef),
    /// The compiler's own `va_list`.
    VaList,
    /// A type that could not be determined; lowering goes on without it.
    Unknown,
}

/// Types of real programs have at most some hundred.
pub const MOST_PARTS: u32 = 4096;

impl TyKind {
    fn weight(&self) -> u32 {
        let parts = match self {
            TyKind::Pointer(inner)
            | TyKind::Array { element: inner, .. }
            | TyKind::Vector { element: inner, .. } => inner.weight,
            TyKind::Function(function) => {
                let parameters = function.parameters.iter().map(|parameter| parameter.weight);
                parameters.fold(function.result.weight, u32::saturating_add)
            }
            _ => 0,
        };
        parts.saturating_add(1)
    }

    fn has_cut(&self) -> bool {
        match self {
            TyKind::Pointer(inner)
            | TyKind::Array { element: inner, .. }
            | TyKind::Vector { element: inner, .. } => inner.cut,
            TyKind::Function(function) => {
                function.result.cut || function.parameters.iter().any(|parameter| parameter.cut)
            }
            _ => false,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArrayLength {
    Known(u64),
    /// `[]`: a flexible member, an extern array or a parameter.
    Unknown,
    /// A variable-length array.
    Variable,
}

/// Integer types. `char` is its own type in C, hence `plain_char`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IntTy {
    pub rank: IntRank,
    pub signed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum IntRank {
    PlainChar,
    Char,
    Short,
    Int,
    Long,
    LongLong,
    Int128,
    BitInt(u16),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum FloatTy {
    Half,
    Single,
    Double,
    Extended,
    Quad,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct FunctionTy {
    pub result: Ty,
    pub parameters: Box<[Ty]>,
    pub variadic: bool,
    /// `f()` and old-style definitions promise nothing about their parameters.
    pub unspecified: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Qualifiers(u8);

impl Qualifiers {
    pub const NONE: Qualifiers = Qualifiers(0);
    pub const CONST: Qualifiers = Qualifiers(1);
    pub const VOLATILE: Qualifiers = Qualifiers(2);
    pub const ATOMIC: Qualifiers = Qualifiers(4);

    pub fn contains(self, other: Qualifiers) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn with(self, other: Qualifiers) -> Qualifiers {
        Qualifiers(self.0 | other.0)
    }
}

/// A struct or union: its name and, behind `#`, a mark of its definition's text, so that two files
/// agree on a record exactly if they saw the same definition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordRef(Ustr);

impl RecordRef {
    pub fn defined(display: &str, content: u64, index: usize) -> RecordRef {
        RecordRef(Ustr::from(&format!("{display}#{content:016x}.{index}")))
    }

    /// A record of a file-scope declaration that also binds the name `anchor`.
    pub fn anchored(display: &str, content: u64, index: usize, anchor: Ustr) -> RecordRef {
        RecordRef(Ustr::from(&format!(
            "{display}#{content:016x}.{index}.{anchor}"
        )))
    }

    /// The declaration's mark, the record's number in it, and a name that the declaration binds.
    pub fn anchor(self) -> Option<(u64, usize, Ustr)> {
        let (_, identity) = self.0.as_str().split_once('#')?;
        let mut parts = identity.splitn(3, '.');
        let content = u64::from_str_radix(parts.next()?, 16).ok()?;
        let index = parts.next()?.parse().ok()?;
        Some((content, index, Ustr::from(parts.next()?)))
    }

    /// A record of which only the name is known.
    pub fn opaque(display: &str) -> RecordRef {
        RecordRef(Ustr::from(display))
    }

    pub fn is_opaque(self) -> bool {
        !self.0.as_str().contains('#')
    }

    pub fn is_union(self) -> bool {
        self.0.as_str().starts_with("union ")
    }

    /// The name as the user wrote it: `struct conn`, `union value`, or the typedef's name.
    pub fn display(self) -> &'static str {
        self.0.as_str().split('#').next().unwrap_or_default()
    }
}

/// The members of a struct or union with their places in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordLayout {
    pub fields: Vec<Field>,
    pub size: u64,
    pub align: u64,
    /// How many records lie in each other, this one included.
    pub nesting: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Anonymous members are named `<0>`, `<1>`, … by their position.
    pub name: Ustr,
    pub anonymous: bool,
    pub ty: Ty,
    pub offset: u64,
    pub bits: Option<BitRange>,
}

/// The bits of a bit-field inside its storage unit at the field's offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitRange {
    pub offset: u32,
    pub width: u32,
}

impl Field {
    /// The type of the member's value: a bit-field has only as many bits as it is wide.
    pub fn value_type(&self) -> Ty {
        match (self.ty.kind(), self.bits) {
            (TyKind::Int(int), Some(bits)) => Ty::integer(
                IntRank::BitInt(u16::try_from(bits.width).unwrap_or(u16::MAX)),
                int.signed,
            )
            .qualified(self.ty.qualifiers),
            _ => self.ty.clone(),
        }
    }
}

impl Ty {
    /// A type that is too large is as good as unknown: comparing, printing and freeing one takes as many steps as
    /// it has parts, some of them nested in each other.
    pub fn new(kind: TyKind) -> Ty {
        let weight = kind.weight();
        // UNSOUND: a type that is made of more than 4096 others is not known.
        let (kind, weight, cut) = if weight > MOST_PARTS {
            (TyKind::Unknown, 1, true)
        } else {
            let cut = kind.has_cut();
            (kind, weight, cut)
        };
        Ty {
            kind: Arc::new(kind),
            qualifiers: Qualifiers::NONE,
            weight,
            cut,
        }
    }

    /// Whether it, or a part of it, is not known because it is made of too many types.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    pub fn kind(&self) -> &TyKind {
        &self.kind
    }

    pub fn void() -> Ty {
        Ty::new(TyKind::Void)
    }

    pub fn unknown() -> Ty {
        Ty::new(TyKind::Unknown)
    }

    pub fn int() -> Ty {
        Ty::integer(IntRank::Int, true)
    }

    pub fn integer(rank: IntRank, signed: bool) -> Ty {
        Ty::new(TyKind::Int(IntTy { rank, signed }))
    }

    pub fn pointer_to(&self) -> Ty {
        Ty::new(TyKind::Pointer(self.clone()))
    }

    pub fn qualified(mut self, qualifiers: Qualifiers) -> Ty {
        self.qualifiers = self.qualifiers.with(qualifiers);
        self
    }

    pub fn unqualified(&self) -> Ty {
        Ty {
            qualifiers: Qualifiers::NONE,
            ..self.clone()
        }
    }

    pub fn is_volatile(&self) -> bool {
        self.qualifiers.contains(Qualifiers::VOLATILE)
    }

    pub fn is_atomic(&self) -> bool {
        self.qualifiers.contains(Qualifiers::ATOMIC)
    }

    pub fn is_void(&self) -> bool {
        matches!(*self.kind, TyKind::Void)
    }

    pub fn is_unknown(&self) -> bool {
        matches!(*self.kind, TyKind::Unknown)
    }

    pub fn is_integer(&self) -> bool {
        matches!(*self.kind, TyKind::Int(_) | TyKind::Bool)
    }

    pub fn is_float(&self) -> bool {
        matches!(*self.kind, TyKind::Float(_) | TyKind::Complex(_))
    }

    pub fn is_aggregate(&self) -> bool {
        matches!(*self.kind, TyKind::Record(_) | TyKind::Array { .. })
    }

    /// Whether a variable of this type fits a register of the representation.
    pub fn is_scalar(&self) -> bool {
        !matches!(
            *self.kind,
            TyKind::Record(_)
                | TyKind::Array { .. }
                | TyKind::Function(_)
                | TyKind::VaList
                | TyKind::Vector { .. }
        )
    }

    pub fn pointee(&self) -> Option<&Ty> {
        match &*self.kind {
            TyKind::Pointer(pointee) => Some(pointee),
            _ => None,
        }
    }

    pub fn element(&self) -> Option<&Ty> {
        match &*self.kind {
            TyKind::Array { element, .. } | TyKind::Vector { element, .. } => Some(element),
            _ => None,
        }
    }

    pub fn record(&self) -> Option<RecordRef> {
        match *self.kind {
            TyKind::Record(record) => Some(record),
            _ => None,
        }
    }

    /// The function type of a function or of a pointer to one.
    pub fn as_function(&self) -> Option<&FunctionTy> {
        match &*self.kind {
            TyKind::Function(function) => Some(function),
            TyKind::Pointer(pointee) => match &*pointee.kind {
                TyKind::Function(function) => Some(function),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether both are the same type to C: arrays of unknown length fit any length, and a
    /// function without a parameter list any parameters.
    pub fn is_compatible(&self, other: &Ty) -> bool {
        if self.qualifiers != other.qualifiers {
            return false;
        }
        match (&*self.kind, &*other.kind) {
            (TyKind::Pointer(a), TyKind::Pointer(b)) => a.is_compatible(b),
            (
                TyKind::Array {
                    element: a,
                    length: mine,
                },
                TyKind::Array {
                    element: b,
                    length: theirs,
                },
            ) => {
                let known = |length: &ArrayLength| matches!(length, ArrayLength::Known(_));
                a.is_compatible(b) && (mine == theirs || !known(mine) || !known(theirs))
            }
            (TyKind::Function(a), TyKind::Function(b)) => {
                let same_parameters = a.parameters.len() == b.parameters.len()
                    && a.variadic == b.variadic
                    && a.parameters
                        .iter()
                        .zip(&b.parameters)
                        .all(|(a, b)| a.unqualified().is_compatible(&b.unqualified()));
                a.result.is_compatible(&b.result)
                    && (a.unspecified || b.unspecified || same_parameters)
            }
            (a, b) => a == b,
        }
    }

    /// What an expression of this type is when its value is used: arrays and functions decay.
    pub fn decayed(&self) -> Ty {
        match &*self.kind {
            TyKind::Array { element, .. } => element.pointer_to(),
            TyKind::Function(_) => self.pointer_to(),
            _ => self.unqualified(),
        }
    }
}

impl fmt::Debug for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for RecordRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.display())
    }
}

/// Prints the type from left to right (`*[4] int`), which needs no C declarator syntax.
impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_atomic() {
            f.write_str("_Atomic ")?;
        }
        if self.is_volatile() {
            f.write_str("volatile ")?;
        }
        if self.qualifiers.contains(Qualifiers::CONST) {
            f.write_str("const ")?;
        }
        match &*self.kind {
            TyKind::Void => f.write_str("void"),
            TyKind::Bool => f.write_str("bool"),
            TyKind::Int(int) => int.fmt(f),
            TyKind::Float(float) => float.fmt(f),
            TyKind::Complex(float) => write!(f, "complex {float}"),
            TyKind::Pointer(pointee) => write!(f, "*{pointee}"),
            TyKind::Array {
                element,
                length: ArrayLength::Known(length),
            } => write!(f, "[{length}]{element}"),
            TyKind::Array {
                element,
                length: ArrayLength::Unknown,
            } => write!(f, "[]{element}"),
            TyKind::Array {
                element,
                length: ArrayLength::Variable,
            } => write!(f, "[?]{element}"),
            TyKind::Vector { element, bytes } => write!(f, "vector({bytes}) {element}"),
            TyKind::Function(function) => {
                f.write_str("fn(")?;
                for (index, parameter) in function.parameters.iter().enumerate() {
                    write!(f, "{}{parameter}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str(if function.unspecified || function.variadic {
                    "…)"
                } else {
                    ")"
                })?;
                if function.result.is_void() {
                    Ok(())
                } else {
                    write!(f, " {}", function.result)
                }
            }
            TyKind::Record(record) => f.write_str(record.display()),
            TyKind::VaList => f.write_str("va_list"),
            TyKind::Unknown => f.write_str("?"),
        }
    }
}

impl fmt::Display for IntTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.rank {
            IntRank::PlainChar => return f.write_str("char"),
            IntRank::Char if self.signed => "schar",
            IntRank::Char => "char",
            IntRank::Short => "short",
            IntRank::Int => "int",
            IntRank::Long => "long",
            IntRank::LongLong => "llong",
            IntRank::Int128 => "int128",
            IntRank::BitInt(width) => {
                return write!(f, "{}bits{width}", if self.signed { "" } else { "u" });
            }
        };
        write!(f, "{}{name}", if self.signed { "" } else { "u" })
    }
}

impl fmt::Display for FloatTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FloatTy::Half => "half",
            FloatTy::Single => "float",
            FloatTy::Double => "double",
            FloatTy::Extended => "long double",
            FloatTy::Quad => "float128",
        })
    }
}
