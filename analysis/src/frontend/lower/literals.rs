//! Numbers, characters and strings: their values and their types.

use super::Lowerer;
use super::conversions::Value;
use crate::ir::*;
use lang_c::ast::{self, *};

impl Lowerer<'_> {
    pub(super) fn literal(&mut self, constant: &ast::Constant) -> Value {
        match constant {
            ast::Constant::Integer(integer) => match integer_value(integer) {
                Some(value) => Value::new(
                    Operand::Integer(value),
                    self.integer_literal_type(integer, value),
                ),
                None => Value::unknown(),
            },
            ast::Constant::Character(text) => {
                let (value, ty) = self.character(text);
                Value::new(Operand::Integer(value), ty)
            }
            ast::Constant::Float(float) => {
                let kind = match float.suffix.format {
                    FloatFormat::Float => FloatTy::Single,
                    FloatFormat::LongDouble => FloatTy::Extended,
                    FloatFormat::Double | FloatFormat::TS18661Format(_) => FloatTy::Double,
                };
                let operand = match float_value(float) {
                    Some(value) => Operand::Float(value.to_bits()),
                    None => Operand::Unknown,
                };
                Value::new(operand, Ty::new(TyKind::Float(kind)))
            }
        }
    }

    /// The first of the types that C offers for a literal that can hold it.
    pub(super) fn integer_literal_type(&self, integer: &Integer, value: i128) -> Ty {
        let lowest = match integer.suffix.size {
            IntegerSize::Int => IntRank::Int,
            IntegerSize::Long => IntRank::Long,
            IntegerSize::LongLong => IntRank::LongLong,
        };
        let decimal = integer.base == IntegerBase::Decimal;
        let ranks = [
            IntRank::Int,
            IntRank::Long,
            IntRank::LongLong,
            IntRank::Int128,
        ];
        for rank in ranks.into_iter().filter(|&rank| rank >= lowest) {
            let holds = |signed: bool| {
                let ty = Ty::integer(rank, signed);
                value >= 0 && self.wrap(value, &ty) == value
            };
            if !integer.suffix.unsigned && holds(true) {
                return Ty::integer(rank, true);
            }
            if (integer.suffix.unsigned || !decimal) && holds(false) {
                return Ty::integer(rank, false);
            }
        }
        Ty::integer(IntRank::LongLong, false)
    }

    /// The value and type of `'a'`, `L'\n'` or a multi-character constant.
    pub(super) fn character(&self, text: &str) -> (i128, Ty) {
        let (encoding, inner) = Encoding::of(text, '\'');
        let bytes = unescape(inner);
        if encoding == Encoding::Narrow {
            let value = match bytes.as_slice() {
                [only] if self.environment.data_model().char_is_signed => i128::from(*only as i8),
                [only] => i128::from(*only),
                many => many
                    .iter()
                    .fold(0i32, |value, byte| (value << 8) | i32::from(*byte))
                    .into(),
            };
            return (value, Ty::int());
        }
        let value = wide_units(&bytes, encoding).last().copied().unwrap_or(0);
        (i128::from(value), encoding.element())
    }
}

/// The prefix of a character or string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Encoding {
    Narrow,
    Wide,
    Utf16,
    Utf32,
}

impl Encoding {
    /// The encoding and what stands between the quotes.
    fn of(text: &str, quote: char) -> (Encoding, &str) {
        let open = text.find(quote).unwrap_or(0);
        let encoding = match &text[..open] {
            "L" => Encoding::Wide,
            "u" => Encoding::Utf16,
            "U" => Encoding::Utf32,
            _ => Encoding::Narrow,
        };
        let inner = text.get(open + 1..).unwrap_or("");
        (encoding, inner.strip_suffix(quote).unwrap_or(inner))
    }

    fn element(self) -> Ty {
        match self {
            Encoding::Narrow => Ty::integer(IntRank::PlainChar, true),
            Encoding::Wide => Ty::int(),
            Encoding::Utf16 => Ty::integer(IntRank::Short, false),
            Encoding::Utf32 => Ty::integer(IntRank::Int, false),
        }
    }
}

/// The bytes in memory of adjacent string literals, without the closing zero, and their element.
pub(super) fn string_bytes(parts: &[String]) -> (Vec<u8>, Ty) {
    let read = |part: &String| {
        let (encoding, inner) = Encoding::of(part, '"');
        (encoding, unescape(inner))
    };
    let parts: Vec<(Encoding, Vec<u8>)> = parts.iter().map(read).collect();
    // One part with a prefix decides for all.
    let encoding = parts
        .iter()
        .map(|(encoding, _)| *encoding)
        .find(|encoding| *encoding != Encoding::Narrow)
        .unwrap_or(Encoding::Narrow);
    let bytes: Vec<u8> = parts.into_iter().flat_map(|(_, bytes)| bytes).collect();
    let units = || wide_units(&bytes, encoding).into_iter();
    let memory = match encoding {
        Encoding::Narrow => bytes,
        Encoding::Utf16 => units()
            .flat_map(|unit| (unit as u16).to_le_bytes())
            .collect(),
        Encoding::Wide | Encoding::Utf32 => units().flat_map(u32::to_le_bytes).collect(),
    };
    (memory, encoding.element())
}

/// The array type of a string literal, with its closing zero.
pub(super) fn string_type(parts: &[String]) -> Ty {
    let (bytes, element) = string_bytes(parts);
    let width = match element.kind() {
        TyKind::Int(IntTy {
            rank: IntRank::Short,
            ..
        }) => 2,
        TyKind::Int(IntTy {
            rank: IntRank::Int, ..
        }) => 4,
        _ => 1,
    };
    let length = ArrayLength::Known(bytes.len() as u64 / width + 1);
    Ty::new(TyKind::Array { element, length })
}

/// The normaliser wrote characters beyond ASCII byte by byte; wide strings want them whole.
fn wide_units(bytes: &[u8], encoding: Encoding) -> Vec<u32> {
    match std::str::from_utf8(bytes) {
        Ok(text) if encoding == Encoding::Utf16 => text.encode_utf16().map(u32::from).collect(),
        Ok(text) => text.chars().map(u32::from).collect(),
        Err(_) => bytes.iter().map(|byte| u32::from(*byte)).collect(),
    }
}

fn float_value(float: &Float) -> Option<f64> {
    match float.base {
        FloatBase::Decimal => float.number.parse().ok(),
        FloatBase::Hexadecimal => hexadecimal_float(&float.number),
    }
}

/// `1.8p3`, the digits behind `0x`.
fn hexadecimal_float(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let mut exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut mantissa = 0f64;
    for digit in whole.chars().chain(fraction.chars()) {
        mantissa = mantissa * 16.0 + f64::from(digit.to_digit(16)?);
    }
    exponent -= 4 * fraction.len() as i32;
    Some(mantissa * 2f64.powi(exponent))
}

pub(super) fn integer_value(integer: &Integer) -> Option<i128> {
    let radix = match integer.base {
        IntegerBase::Decimal => 10,
        IntegerBase::Octal => 8,
        IntegerBase::Hexadecimal => 16,
        IntegerBase::Binary => 2,
    };
    if integer.number.is_empty() {
        return Some(0);
    }
    i128::from_str_radix(&integer.number, radix)
        .ok()
        .or_else(|| {
            u128::from_str_radix(&integer.number, radix)
                .ok()
                .map(|value| value as i128)
        })
}

/// The bytes that the text between two quotes stands for.
pub(super) fn unescape(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut output = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' || at + 1 >= bytes.len() {
            output.push(bytes[at]);
            at += 1;
            continue;
        }
        at += 2;
        output.push(match bytes[at - 1] {
            b'a' => 7,
            b'b' => 8,
            b't' => 9,
            b'n' => 10,
            b'v' => 11,
            b'f' => 12,
            b'r' => 13,
            b'x' => {
                let mut value = 0u32;
                while let Some(digit) = bytes.get(at).and_then(|byte| (*byte as char).to_digit(16))
                {
                    value = (value << 4 | digit) & 0xffff;
                    at += 1;
                }
                value as u8
            }
            first @ b'0'..=b'7' => {
                let mut value = u32::from(first - b'0');
                let end = at + 2;
                while at < end
                    && let Some(digit) = bytes.get(at).and_then(|byte| (*byte as char).to_digit(8))
                {
                    value = value << 3 | digit;
                    at += 1;
                }
                value as u8
            }
            other => other,
        });
    }
    output
}
