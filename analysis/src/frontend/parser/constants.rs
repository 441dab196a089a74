//! Numbers, characters and strings.

use super::symbols::Symbol;
use super::{GaveUp, Outcome, Parser};
use lang_c::ast::{
    Constant, Float, FloatBase, FloatFormat, FloatSuffix, Integer, IntegerBase, IntegerSize,
    IntegerSuffix, StringLiteral,
};
use lang_c::span::Node;

impl Parser<'_> {
    pub(super) fn constant(&mut self) -> Outcome<Node<Constant>> {
        let text = self.cursor.text_at(0);
        let constant = match self.cursor.symbol() {
            Symbol::Number => number(text)?,
            Symbol::Character => {
                let body = text.strip_prefix(['L', 'u', 'U']).unwrap_or(text);
                let inner = contents(body, b'\'')?;
                if inner.is_empty() {
                    return Err(GaveUp);
                }
                Constant::Character(text.to_owned())
            }
            _ => return Err(GaveUp),
        };
        Ok(self.cursor.bump_as(constant))
    }

    /// Strings that stand one behind the other are one literal.
    pub(super) fn string_literal(&mut self) -> Outcome<Node<StringLiteral>> {
        let start = self.cursor.position();
        let mut parts = Vec::with_capacity(1);
        while self.cursor.symbol() == Symbol::String {
            let text = self.cursor.text_at(0);
            let body = text
                .strip_prefix("u8")
                .or_else(|| text.strip_prefix(['L', 'u', 'U']))
                .unwrap_or(text);
            contents(body, b'"')?;
            parts.push(text.to_owned());
            self.cursor.bump();
        }
        if parts.is_empty() {
            return Err(GaveUp);
        }
        Ok(self.cursor.node(parts, start))
    }
}

/// What stands between the quotes, if lang-c knows every escape in it.
fn contents(literal: &str, quote: u8) -> Outcome<&[u8]> {
    let inner = literal
        .as_bytes()
        .strip_prefix(&[quote])
        .and_then(|rest| rest.strip_suffix(&[quote]))
        .ok_or(GaveUp)?;
    let mut at = 0;
    while at < inner.len() {
        at += match inner[at] {
            b'\\' => escape_length(&inner[at..]).ok_or(GaveUp)?,
            b'\n' => return Err(GaveUp),
            byte if byte == quote => return Err(GaveUp),
            _ => 1,
        };
    }
    Ok(inner)
}

fn escape_length(escape: &[u8]) -> Option<usize> {
    match escape.get(1)? {
        b'\'' | b'"' | b'?' | b'\\' | b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' => Some(2),
        b'0'..=b'7' => {
            let digits = escape[1..]
                .iter()
                .take(3)
                .take_while(|digit| matches!(digit, b'0'..=b'7'));
            Some(1 + digits.count())
        }
        b'x' if escape.get(2)?.is_ascii_hexdigit() => {
            let digits = escape[2..]
                .iter()
                .take_while(|digit| digit.is_ascii_hexdigit());
            Some(2 + digits.count())
        }
        _ => None,
    }
}

fn number(text: &str) -> Outcome<Constant> {
    match float(text) {
        Some(float) => Ok(Constant::Float(float)),
        None => integer(text).map(Constant::Integer).ok_or(GaveUp),
    }
}

fn integer(text: &str) -> Option<Integer> {
    let bytes = text.as_bytes();
    let digits = |from: usize, is_digit: fn(&u8) -> bool| {
        leading(bytes.get(from..).unwrap_or(&[]), is_digit)
    };
    let hexadecimal = digits(2, u8::is_ascii_hexdigit);
    let octal = digits(1, is_octal);
    let binary = digits(2, |digit| matches!(digit, b'0' | b'1'));
    let (base, start, length) = match (bytes.first()?, bytes.get(1)) {
        (b'1'..=b'9', _) => (IntegerBase::Decimal, 0, digits(0, u8::is_ascii_digit)),
        (b'0', Some(b'x' | b'X')) if hexadecimal > 0 => (IntegerBase::Hexadecimal, 2, hexadecimal),
        (b'0', _) if octal > 0 => (IntegerBase::Octal, 1, octal),
        (b'0', Some(b'b' | b'B')) if binary > 0 => (IntegerBase::Binary, 2, binary),
        (b'0', _) => (IntegerBase::Decimal, 0, 1),
        _ => return None,
    };
    Some(Integer {
        base,
        number: text[start..start + length].into(),
        suffix: integer_suffix(&text[start + length..])?,
    })
}

fn integer_suffix(text: &str) -> Option<IntegerSuffix> {
    let mut suffix = IntegerSuffix {
        size: IntegerSize::Int,
        unsigned: false,
        imaginary: false,
    };
    let mut rest = text;
    while !rest.is_empty() {
        let has_size = suffix.size != IntegerSize::Int;
        if let Some(after) = rest.strip_prefix("ll").or(rest.strip_prefix("LL"))
            && !has_size
        {
            suffix.size = IntegerSize::LongLong;
            rest = after;
        } else if let Some(after) = rest.strip_prefix(['l', 'L'])
            && !has_size
        {
            suffix.size = IntegerSize::Long;
            rest = after;
        } else if let Some(after) = rest.strip_prefix(['u', 'U'])
            && !suffix.unsigned
        {
            suffix.unsigned = true;
            rest = after;
        } else {
            // Imaginary numbers are lang-c's business.
            return None;
        }
    }
    Some(suffix)
}

/// `None` if it is no float, or one whose suffix is rare.
fn float(text: &str) -> Option<Float> {
    let (base, start) = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(_) => (FloatBase::Hexadecimal, 2),
        None => (FloatBase::Decimal, 0),
    };
    let bytes = &text.as_bytes()[start..];
    let is_digit = match base {
        FloatBase::Hexadecimal => u8::is_ascii_hexdigit,
        FloatBase::Decimal => u8::is_ascii_digit,
    };
    let whole = leading(bytes, is_digit);
    let mut length = whole;
    let has_point = bytes.get(whole) == Some(&b'.');
    if has_point {
        let fraction = leading(&bytes[whole + 1..], is_digit);
        if whole + fraction == 0 {
            return None;
        }
        length = whole + 1 + fraction;
    }
    let exponent = exponent_length(&bytes[length..], &base);
    let needs_exponent = !has_point || base == FloatBase::Hexadecimal;
    if whole + usize::from(has_point) == 0 || (needs_exponent && exponent == 0) {
        return None;
    }
    length += exponent;
    let format = match &bytes[length..] {
        b"" => FloatFormat::Double,
        b"f" | b"F" => FloatFormat::Float,
        b"l" | b"L" => FloatFormat::LongDouble,
        _ => return None,
    };
    Some(Float {
        base,
        number: text[start..start + length].into(),
        suffix: FloatSuffix {
            format,
            imaginary: false,
        },
    })
}

fn exponent_length(bytes: &[u8], base: &FloatBase) -> usize {
    let is_marker = match base {
        FloatBase::Decimal => matches!(bytes.first(), Some(b'e' | b'E')),
        FloatBase::Hexadecimal => matches!(bytes.first(), Some(b'p' | b'P')),
    };
    let sign = usize::from(matches!(bytes.get(1), Some(b'+' | b'-')));
    let digits = leading(bytes.get(1 + sign..).unwrap_or(&[]), u8::is_ascii_digit);
    if is_marker && digits > 0 {
        1 + sign + digits
    } else {
        0
    }
}

fn is_octal(digit: &u8) -> bool {
    matches!(digit, b'0'..=b'7')
}

/// How many bytes at the start are digits.
fn leading(bytes: &[u8], is_digit: fn(&u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| is_digit(byte)).count()
}
