//! Places and operands of one function as C expressions.

use super::Printer;
use super::records::member_name;
use super::types::operand_type;
use crate::ir::{Base, Body, LocalId, Operand, Place, Projection, Ty, TyKind};
use std::fmt::Write;

/// Prints the parts of one function.
pub(super) struct FunctionPrinter<'p> {
    pub printer: &'p Printer<'p>,
    pub body: &'p Body,
    /// The name of each local.
    pub locals: Vec<String>,
}

impl FunctionPrinter<'_> {
    pub fn local(&self, local: LocalId) -> &str {
        &self.locals[local.0 as usize]
    }

    /// An access to a place as an object of this type.
    pub fn object(&self, place: &Place, ty: &Ty) -> String {
        let known = self.printer.place_type(self.body, place);
        let type_name = |ty: &Ty| self.printer.type_name(ty);
        let fits = known.is_some_and(|known| type_name(&known) == type_name(ty));
        if fits || self.is_bit_field(place) {
            return self.place(place);
        }
        if let (Base::Deref(pointer), []) = (&place.base, place.path.as_slice()) {
            let pointer = self.operand(pointer, &ty.pointer_to());
            return format!("*{pointer}");
        }
        format!("*({})&{}", type_name(&ty.pointer_to()), self.place(place))
    }

    fn is_bit_field(&self, place: &Place) -> bool {
        let Some(Projection::Field { record, name }) = place.path.last() else {
            return false;
        };
        let layout = self.printer.program.layout(*record);
        let field =
            layout.and_then(|layout| layout.fields.iter().find(|field| field.name == *name));
        field.is_some_and(|field| field.bits.is_some())
    }

    pub fn place(&self, place: &Place) -> String {
        let mut path = place.path.iter();
        let mut text = match &place.base {
            Base::Local(local) => self.local(*local).to_owned(),
            Base::Global(global) => self.printer.names.global(*global).to_owned(),
            Base::Deref(pointer) => {
                let ty = operand_type(self.body, pointer);
                match path.next() {
                    None => format!("(*{})", self.operand(pointer, &ty)),
                    Some(Projection::Field { record, name }) => {
                        let record = Ty::new(TyKind::Record(*record)).pointer_to();
                        let pointer = self.operand(pointer, &record);
                        format!(
                            "{}->{}",
                            in_parentheses(&pointer),
                            member_name(name.as_str())
                        )
                    }
                    Some(Projection::Index(index)) => {
                        let pointer = self.operand(pointer, &ty);
                        format!("{}[{}]", in_parentheses(&pointer), self.plain(index))
                    }
                }
            }
        };
        for projection in path {
            let _ = match projection {
                Projection::Field { name, .. } => {
                    write!(text, ".{}", member_name(name.as_str()))
                }
                Projection::Index(index) => write!(text, "[{}]", self.plain(index)),
            };
        }
        text
    }

    /// The address of a place, as a pointer of this type.
    pub fn address(&self, place: &Place, ty: &Ty) -> String {
        let is_parameter = |local: LocalId| (local.0 as usize) < self.body.parameters;
        // A list of arguments that was passed has become a pointer to that list.
        if let (Base::Local(local), []) = (&place.base, place.path.as_slice())
            && is_parameter(*local)
            && matches!(self.body.local(*local).ty.kind(), TyKind::VaList)
        {
            return format!("({}){}", self.printer.type_name(ty), self.local(*local));
        }
        if let (Base::Deref(pointer), []) = (&place.base, place.path.as_slice()) {
            return self.operand(pointer, ty);
        }
        let own = self
            .printer
            .place_type(self.body, place)
            .map(|own| self.printer.type_name(&own.pointer_to()));
        let wanted = self.printer.type_name(ty);
        let address = format!("&{}", self.place(place));
        if own.as_ref() == Some(&wanted) {
            address
        } else {
            format!("({wanted}){address}")
        }
    }

    /// An operand as it is.
    pub fn plain(&self, operand: &Operand) -> String {
        self.operand(operand, &operand_type(self.body, operand))
    }

    /// An operand as a value of this type.
    pub fn operand(&self, operand: &Operand, ty: &Ty) -> String {
        match operand {
            Operand::Local(local) => {
                let own = self.body.local(*local).ty.decayed();
                self.converted(self.local(*local).to_owned(), &own, ty)
            }
            Operand::Integer(number) => self.integer(*number, ty),
            Operand::Float(bits) => floating(f64::from_bits(*bits)),
            Operand::String(string) => {
                let text = literal(&self.body.strings[string.0 as usize]);
                self.converted(text, &operand_type(self.body, operand), ty)
            }
            Operand::Function(function) => {
                let name = self.printer.names.function(*function);
                if ty.as_function().is_some() || matches!(ty.kind(), TyKind::Pointer(_)) {
                    format!("({}){name}", self.printer.type_name(ty))
                } else {
                    format!("({})(long){name}", self.printer.type_name(ty))
                }
            }
            Operand::Unknown => self.converted(
                format!("{UNKNOWN}()"),
                &operand_type(self.body, operand),
                ty,
            ),
        }
    }

    /// A value of one type as one of another. Numbers become pointers by way of numbers of their size.
    pub fn converted(&self, text: String, from: &Ty, to: &Ty) -> String {
        // The representation passes the address of a list of arguments.
        if matches!(to.kind(), TyKind::VaList)
            && matches!(from.pointee().map(Ty::kind), Some(TyKind::VaList))
        {
            return format!("*{text}");
        }
        let (name, own) = (self.printer.type_name(to), self.printer.type_name(from));
        if name == own
            || to.is_aggregate()
            || to.is_void()
            || matches!(to.kind(), TyKind::VaList | TyKind::Unknown)
        {
            return text;
        }
        let is_pointer = |ty: &Ty| matches!(ty.kind(), TyKind::Pointer(_));
        let text = if text.starts_with('"') || text.chars().all(|c| c.is_alphanumeric() || c == '_')
        {
            text
        } else {
            format!("({text})")
        };
        if is_pointer(from) != is_pointer(to) && !matches!(to.kind(), TyKind::Bool) {
            format!("({name})(long){text}")
        } else {
            format!("({name}){text}")
        }
    }

    fn integer(&self, number: i128, ty: &Ty) -> String {
        let name = self.printer.type_name(ty);
        let text = number_literal(number);
        match name.as_str() {
            "int" | "" => text,
            _ if ty.is_aggregate() => text,
            "long" if number.unsigned_abs() > i32::MAX as u128 => text,
            "long" if number < 0 => format!("({number}L)"),
            "long" => format!("{number}L"),
            _ if ty.is_float() => format!("({name}){text}"),
            _ if matches!(ty.kind(), TyKind::Pointer(_)) => {
                format!("({name}){}", number_literal(number as i64 as i128))
            }
            _ => format!("({name}){text}"),
        }
    }
}

/// The function that stands for a value that the representation does not know.
pub(crate) const UNKNOWN: &str = "racelens_unknown";

fn in_parentheses(text: &str) -> String {
    if text.starts_with('(') {
        format!("({text})")
    } else {
        text.to_owned()
    }
}

fn number_literal(number: i128) -> String {
    let long = i128::from(i64::MIN)..=i128::from(i64::MAX);
    if i32::try_from(number).is_ok_and(|small| small != i32::MIN) {
        if number < 0 {
            format!("({number})")
        } else {
            number.to_string()
        }
    } else if number == i128::from(i64::MIN) {
        "(-9223372036854775807L - 1)".to_owned()
    } else if long.contains(&number) {
        if number < 0 {
            format!("({number}L)")
        } else {
            format!("{number}L")
        }
    } else {
        let bits = number as u128;
        let (high, low) = ((bits >> 64) as u64, bits as u64);
        if high == 0 {
            format!("{low}UL")
        } else {
            format!("((unsigned __int128){high}UL << 64 | {low}UL)")
        }
    }
}

fn floating(number: f64) -> String {
    if number.is_nan() {
        "__builtin_nan(\"\")".to_owned()
    } else if number.is_infinite() {
        let sign = if number < 0.0 { "-" } else { "" };
        format!("({sign}__builtin_inf())")
    } else if number < 0.0 {
        format!("({number:?})")
    } else {
        format!("{number:?}")
    }
}

/// A string with enough zeros behind it for the widest characters.
fn literal(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => {
                text.push('\\');
                text.push(char::from(byte));
            }
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            // Two question marks may begin a trigraph.
            b'?' => text.push_str("\\?"),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "\\{byte:03o}");
            }
        }
    }
    text.push('"');
    text
}
