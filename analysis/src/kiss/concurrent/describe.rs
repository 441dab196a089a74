//! What addresses and values are called in C.

use crate::ir::{ArrayLength, GlobalRef, Ty, TyKind};
use crate::kiss::machine::value::{Unknown, Value};
use crate::kiss::machine::{Machine, State};

impl Machine<'_> {
    /// The object that an address lies in, as C would call it, of the size that is meant.
    pub fn describe_address(&self, state: &State, address: u64, size: u64) -> String {
        let owned = state.thread_locals.iter().find_map(|((_, global), first)| {
            let (start, _) = state.memory.extent(address).ok()?;
            (*first == start).then_some(*global)
        });
        let found: Option<GlobalRef> = owned.or_else(|| self.name_of(address));
        let offset = address & 0xffff_ffff;
        if let Some(global) = found
            && let Some(ty) = self.program.global(global)
        {
            let name = global.name.to_string();
            return self.part(name, ty, offset, size);
        }
        for (number, thread) in state.threads.iter().enumerate() {
            for activation in &thread.stack {
                let crate::kiss::machine::Activation::Frame(frame) = activation else {
                    continue;
                };
                let body = self.body(frame.body);
                let local = frame
                    .objects
                    .iter()
                    .position(|first| *first != 0 && *first == address - offset);
                if let Some(local) = local {
                    let local = &body.locals[local];
                    let name = local.name.map_or_else(
                        || "a temporary".to_owned(),
                        |name| format!("{name} of thread {number}"),
                    );
                    return self.part(name, &local.ty, offset, size);
                }
            }
        }
        match (state.memory.extent(address), offset) {
            (Err(_), _) => format!("{address:#x}"),
            (Ok(_), 0) => format!("object {:x}", address >> 32),
            (Ok(_), offset) => format!("byte {offset} of object {:x}", address >> 32),
        }
    }

    fn part(&self, name: String, ty: &Ty, offset: u64, size: u64) -> String {
        match ty.kind() {
            TyKind::Record(record) => {
                let fields = self.program.layout(*record).map(|layout| &layout.fields);
                let field = fields.and_then(|fields| {
                    fields.iter().find(|field| {
                        let end = field.offset + self.program.size_of(&field.ty).unwrap_or(0);
                        field.bits.is_none() && (field.offset..end).contains(&offset)
                    })
                });
                let whole = self.program.size_of(ty);
                match field {
                    // A member whose name belongs to the C library, such as those of a mutex, tells nobody anything.
                    Some(field) if field.name.starts_with("__") => name,
                    Some(field) if whole != Some(size) || offset > 0 => {
                        let name = match field.anonymous {
                            true => name,
                            false => format!("{name}.{}", field.name),
                        };
                        self.part(name, &field.ty, offset - field.offset, size)
                    }
                    _ => name,
                }
            }
            TyKind::Array { element, length } => {
                let each = self.program.size_of(element).unwrap_or(0);
                if each == 0 || *length == ArrayLength::Known(0) {
                    return name;
                }
                let name = format!("{name}[{}]", offset / each);
                self.part(name, element, offset % each, size)
            }
            _ => name,
        }
    }

    /// A value for people.
    pub fn describe_value(&self, state: &State, value: &Value) -> Option<String> {
        match value {
            Value::Integer(number) => {
                let address = *number as u64;
                if state.memory.extent(address).is_ok() {
                    return Some(format!("&{}", self.describe_address(state, address, 0)));
                }
                Some(match self.function_named(address) {
                    Some(function) => function.name.to_string(),
                    None => number.to_string(),
                })
            }
            Value::Float(number) => Some(format!("{number:?}")),
            Value::Bytes(_) => None,
            Value::Unknown(Unknown::Open(_)) => Some("any value".to_owned()),
            Value::Unknown(Unknown::Closed(_)) => None,
        }
    }
}
