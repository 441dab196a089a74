//! Objects of the C library that every thread has of its own, made when they are first asked for: `errno`, and the
//! tables behind `isalpha` and its kin.

use super::image::Machine;
use super::memory::Content;
use super::state::{ModelCall, State};
use super::stop::Stop;
use super::value::{Closed, Image};
use crate::ir::{GlobalRef, GlobalScope};

pub(super) fn is_own_object(name: &str) -> bool {
    matches!(
        name,
        "__errno_location"
            | "__error"
            | "__ctype_b_loc"
            | "__ctype_tolower_loc"
            | "__ctype_toupper_loc"
    )
}

impl Machine<'_> {
    pub(super) fn own_object(
        &self,
        state: &mut State,
        thread: usize,
        call: &ModelCall,
    ) -> Result<u64, Stop> {
        let name = GlobalRef {
            name: call.function.name,
            scope: GlobalScope::External,
            thread_local: true,
        };
        if let Some(known) = state.thread_locals.get(&(thread, name)) {
            return Ok(*known);
        }
        let table = table(call.function.name.as_str());
        let address = match table {
            Some(bytes) => {
                let unit = bytes.len() as u64 / 384;
                let size = bytes.len() as u64;
                let table = state.memory.allocate(thread + 1, size, Content::Zero)?;
                state.memory.write(table, &Image::known(bytes))?;
                let pointer = state.memory.allocate(thread + 1, 8, Content::Zero)?;
                // The tables begin 128 characters before zero, for characters that are negative.
                let middle = (table + 128 * unit).to_le_bytes();
                state
                    .memory
                    .write(pointer, &Image::known(middle.to_vec()))?;
                pointer
            }
            // Which error there was is not simulated.
            None => {
                let content = Content::Closed(Closed::Library(call.function.name));
                state.memory.allocate(thread + 1, 4, content)?
            }
        };
        state.thread_locals.insert((thread, name), address);
        Ok(address)
    }
}

/// The table of the GNU C library for the C locale: characters from -128 to 255.
fn table(name: &str) -> Option<Vec<u8>> {
    let characters = (-128..256).map(|number: i32| u8::try_from(number).ok());
    match name {
        "__ctype_b_loc" => {
            let classes = characters.map(|byte| byte.map_or(0, classes));
            Some(classes.flat_map(u16::to_le_bytes).collect())
        }
        "__ctype_tolower_loc" | "__ctype_toupper_loc" => {
            let changed = (-128..256).map(|number: i32| match u8::try_from(number) {
                Ok(byte) if name == "__ctype_tolower_loc" => i32::from(byte.to_ascii_lowercase()),
                Ok(byte) => i32::from(byte.to_ascii_uppercase()),
                Err(_) => number,
            });
            Some(changed.flat_map(i32::to_le_bytes).collect())
        }
        _ => None,
    }
}

/// The bits of `<ctype.h>` on a machine that puts the lower byte first.
fn classes(byte: u8) -> u16 {
    let bits = [
        (byte.is_ascii_uppercase(), 0x100),
        (byte.is_ascii_lowercase(), 0x200),
        (byte.is_ascii_alphabetic(), 0x400),
        (byte.is_ascii_digit(), 0x800),
        (byte.is_ascii_hexdigit(), 0x1000),
        (is_space(byte), 0x2000),
        (byte.is_ascii_graphic() || byte == b' ', 0x4000),
        (byte.is_ascii_graphic(), 0x8000),
        (byte == b' ' || byte == b'\t', 0x1),
        (byte.is_ascii_control(), 0x2),
        (byte.is_ascii_punctuation(), 0x4),
        (byte.is_ascii_alphanumeric(), 0x8),
    ];
    let bits = bits.iter().filter(|(holds, _)| *holds);
    bits.map(|(_, bit)| bit).sum()
}

/// Unlike Rust, C counts the vertical tab as space.
pub(super) fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}
