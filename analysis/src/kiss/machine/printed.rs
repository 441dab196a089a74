//! What `printf` and its kin make of a format and its arguments, byte for byte as the C locale wants it.

/// A part of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    Literal(Vec<u8>),
    Directive(Directive),
}

/// `%-8.3ld` and the like.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Directive {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    pub width: Option<Count>,
    pub precision: Option<Count>,
    pub length: Length,
    pub conversion: u8,
}

/// A width or a precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    Number(usize),
    /// The next argument says it.
    Argument,
}

/// How wide the argument is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Length {
    Byte,
    Short,
    #[default]
    Plain,
    Long,
    LongDouble,
}

/// The argument of a directive.
#[derive(Clone, PartialEq, Debug)]
pub enum Printed {
    Integer(i128),
    Float(f64),
    Text(Vec<u8>),
}

/// No line of a terminal is wider; more is taken for a mistake.
const WIDEST: usize = 1 << 16;

/// Takes a format apart; `None` if it has something that is not known here, such as arguments by number.
pub fn parts(format: &[u8]) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut literal = Vec::new();
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            literal.push(byte);
        } else if let Some(after) = rest.strip_prefix(b"%") {
            literal.push(b'%');
            rest = after;
        } else {
            let (directive, after) = directive(rest)?;
            if !literal.is_empty() {
                parts.push(Part::Literal(std::mem::take(&mut literal)));
            }
            parts.push(Part::Directive(directive));
            rest = after;
        }
    }
    if !literal.is_empty() {
        parts.push(Part::Literal(literal));
    }
    Some(parts)
}

fn directive(text: &[u8]) -> Option<(Directive, &[u8])> {
    let mut directive = Directive::default();
    let mut rest = text;
    loop {
        match rest.first()? {
            b'-' => directive.left = true,
            b'+' => directive.plus = true,
            b' ' => directive.space = true,
            b'#' => directive.alternative = true,
            b'0' => directive.zero = true,
            _ => break,
        }
        rest = &rest[1..];
    }
    (directive.width, rest) = count(rest)?;
    if let Some(after) = rest.strip_prefix(b".") {
        let (precision, after) = count(after)?;
        directive.precision = Some(precision.unwrap_or(Count::Number(0)));
        rest = after;
    }
    let lengths: [(&[u8], Length); 9] = [
        (b"hh", Length::Byte),
        (b"h", Length::Short),
        (b"ll", Length::Long),
        (b"l", Length::Long),
        (b"q", Length::Long),
        (b"j", Length::Long),
        (b"z", Length::Long),
        (b"t", Length::Long),
        (b"L", Length::LongDouble),
    ];
    for (letters, length) in lengths {
        if let Some(after) = rest.strip_prefix(letters) {
            directive.length = length;
            rest = after;
            break;
        }
    }
    let (&conversion, rest) = rest.split_first()?;
    directive.conversion = conversion;
    let is_known = b"diouxXcsfFeEgGpm".contains(&conversion);
    is_known.then_some((directive, rest))
}

fn count(text: &[u8]) -> Option<(Option<Count>, &[u8])> {
    if let Some(rest) = text.strip_prefix(b"*") {
        return Some((Some(Count::Argument), rest));
    }
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return Some((None, text));
    }
    let number = std::str::from_utf8(&text[..digits]).ok()?;
    let number = number.parse().ok().filter(|number| *number <= WIDEST)?;
    Some((Some(Count::Number(number)), &text[digits..]))
}

impl Directive {
    /// A negative width means to the left, a negative precision none at all.
    pub fn set_width(&mut self, width: i128) -> Option<()> {
        self.left |= width < 0;
        let width = usize::try_from(width.unsigned_abs()).ok();
        self.width = Some(Count::Number(width.filter(|width| *width <= WIDEST)?));
        Some(())
    }

    pub fn set_precision(&mut self, precision: i128) -> Option<()> {
        self.precision = match usize::try_from(precision) {
            Ok(precision) if precision <= WIDEST => Some(Count::Number(precision)),
            Ok(_) => return None,
            Err(_) => None,
        };
        Some(())
    }

    /// How many bytes of a string are looked at, at most.
    pub fn most_text(&self) -> Option<usize> {
        known(self.precision)
    }

    /// What the GNU C library prints for a null pointer to a string: nothing, unless there is room for all of it.
    pub fn null_text(&self) -> &'static [u8] {
        match self.most_text() {
            Some(most) if most < 6 => b"",
            _ => b"(null)",
        }
    }

    /// How many bytes come out at least, and at most, whatever the argument is.
    pub fn bounds(&self) -> (usize, Option<usize>) {
        if [self.width, self.precision].contains(&Some(Count::Argument)) {
            return (0, None);
        }
        let width = known(self.width).unwrap_or(0);
        let digits = known(self.precision).unwrap_or(0);
        match self.conversion {
            // A sign and a prefix, and never more than 22 digits in base 8.
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' => {
                let least = usize::from(self.precision.is_none()).max(digits);
                (width.max(least), Some(width.max(digits.max(22) + 2)))
            }
            b'c' => (width.max(1), Some(width.max(1))),
            b's' => (width, known(self.precision).map(|most| width.max(most))),
            b'p' => (width.max(1), Some(width.max(20))),
            b'm' => (width, None),
            // "inf", "nan" or at least a digit; a double has at most 309 digits in front of its point.
            _ => {
                let fraction = known(self.precision).unwrap_or(6);
                (width.max(1), Some(width.max(fraction + 312)))
            }
        }
    }

    /// The bytes; `None` if they are not computed here.
    pub fn print(&self, argument: &Printed) -> Option<Vec<u8>> {
        let width = known(self.width).unwrap_or(0);
        match (self.conversion, argument) {
            (b's', Printed::Text(text)) => {
                let text = &text[..text.len().min(self.most_text().unwrap_or(usize::MAX))];
                Some(self.padded(width, b"", text, false))
            }
            (b'c', Printed::Integer(byte)) => Some(self.padded(width, b"", &[*byte as u8], false)),
            (b'p', Printed::Integer(0)) => Some(self.padded(width, b"", b"(nil)", false)),
            (b'd' | b'i' | b'o' | b'u' | b'x' | b'X', Printed::Integer(number)) => {
                Some(self.integer(width, *number))
            }
            (b'f' | b'F' | b'e' | b'E' | b'g' | b'G', Printed::Float(number))
                // C libraries do not agree on `%#g` of numbers that are rounded up to a further digit.
                if self.length != Length::LongDouble
                    && !(self.alternative && matches!(self.conversion, b'g' | b'G')) =>
            {
                Some(self.float(width, *number))
            }
            _ => None,
        }
    }

    fn integer(&self, width: usize, number: i128) -> Vec<u8> {
        let bits = match self.length {
            Length::Byte => 8,
            Length::Short => 16,
            Length::Plain => 32,
            Length::Long | Length::LongDouble => 64,
        };
        let low = (number & ((1 << bits) - 1)) as u64;
        let is_signed = matches!(self.conversion, b'd' | b'i');
        let is_negative = is_signed && low >> (bits - 1) == 1;
        let size = if is_negative {
            (1u128 << bits) - u128::from(low)
        } else {
            u128::from(low)
        };
        let mut digits = match self.conversion {
            b'o' => format!("{size:o}"),
            b'x' => format!("{size:x}"),
            b'X' => format!("{size:X}"),
            _ => size.to_string(),
        };
        let precision = known(self.precision);
        if size == 0 && precision == Some(0) {
            digits.clear();
        }
        if let Some(precision) = precision {
            let missing = precision.saturating_sub(digits.len());
            digits.insert_str(0, &"0".repeat(missing));
        }
        if self.alternative && self.conversion == b'o' && !digits.starts_with('0') {
            digits.insert(0, '0');
        }
        let prefix: &[u8] = match self.conversion {
            b'x' if self.alternative && size != 0 => b"0x",
            b'X' if self.alternative && size != 0 => b"0X",
            _ if is_signed => self.sign(is_negative),
            _ => b"",
        };
        self.padded(width, prefix, digits.as_bytes(), precision.is_none())
    }

    fn sign(&self, is_negative: bool) -> &'static [u8] {
        match (is_negative, self.plus, self.space) {
            (true, ..) => b"-",
            (false, true, _) => b"+",
            (false, false, true) => b" ",
            (false, false, false) => b"",
        }
    }

    fn float(&self, width: usize, number: f64) -> Vec<u8> {
        let sign = self.sign(number.is_sign_negative());
        let size = number.abs();
        let is_upper = self.conversion.is_ascii_uppercase();
        if !size.is_finite() {
            let word: &[u8] = match (size.is_nan(), is_upper) {
                (true, true) => b"NAN",
                (true, false) => b"nan",
                (false, true) => b"INF",
                (false, false) => b"inf",
            };
            return self.padded(width, sign, word, false);
        }
        let precision = known(self.precision).unwrap_or(6);
        let mut text = match self.conversion.to_ascii_lowercase() {
            b'f' => self.with_point(format!("{size:.precision$}")),
            b'e' => self.exponential(size, precision),
            _ => self.general(size, precision.max(1)),
        };
        if is_upper {
            text.make_ascii_uppercase();
        }
        self.padded(width, sign, text.as_bytes(), true)
    }

    /// `#` keeps the point where no digit follows it.
    fn with_point(&self, mut text: String) -> String {
        if self.alternative && !text.contains('.') {
            text.push('.');
        }
        text
    }

    fn exponential(&self, size: f64, precision: usize) -> String {
        let (digits, exponent) = scientific(size, precision);
        exponential_text(&self.with_point(digits), exponent)
    }

    fn general(&self, size: f64, precision: usize) -> String {
        let (digits, exponent) = scientific(size, precision - 1);
        let is_short = exponent < -4 || exponent >= precision as i32;
        let mut digits = if is_short {
            digits
        } else {
            let fraction = (precision as i32 - 1 - exponent).max(0) as usize;
            format!("{size:.fraction$}")
        };
        if digits.contains('.') {
            let kept = digits.trim_end_matches('0').trim_end_matches('.').len();
            digits.truncate(kept);
        }
        if is_short {
            exponential_text(&digits, exponent)
        } else {
            digits
        }
    }

    fn padded(&self, width: usize, prefix: &[u8], body: &[u8], takes_zeros: bool) -> Vec<u8> {
        let missing = width.saturating_sub(prefix.len() + body.len());
        let mut bytes = Vec::with_capacity(width.max(prefix.len() + body.len()));
        let with_zeros = takes_zeros && self.zero && !self.left;
        if !self.left && !with_zeros {
            bytes.resize(missing, b' ');
        }
        bytes.extend(prefix);
        if with_zeros {
            bytes.resize(bytes.len() + missing, b'0');
        }
        bytes.extend(body);
        if self.left {
            bytes.resize(bytes.len() + missing, b' ');
        }
        bytes
    }
}

fn known(count: Option<Count>) -> Option<usize> {
    match count {
        Some(Count::Number(number)) => Some(number),
        Some(Count::Argument) | None => None,
    }
}

/// One digit, as many behind the point as are asked for, and the exponent.
fn scientific(size: f64, precision: usize) -> (String, i32) {
    let text = format!("{size:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.to_owned(), exponent.parse().unwrap_or(0))
}

/// C writes at least two digits of the exponent, and its sign.
fn exponential_text(digits: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}
