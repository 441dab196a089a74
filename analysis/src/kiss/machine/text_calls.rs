//! Calls of the C library's functions on strings, blocks of bytes and characters, as the C locale wants them.

use super::at_once::{AtOnce, Made};
use super::image::Machine;
use super::own_objects::is_space;
use super::state::{ModelCall, State};
use super::stop::{Limit, Stop};
use super::value::{Image, Unknown, Value};

/// Longer strings are taken for memory without an end.
const LONGEST_STRING: u64 = 1 << 16;

impl Machine<'_> {
    /// The bytes of a string without its end, or the first of them.
    pub(super) fn text(
        &self,
        state: &State,
        address: u64,
        most: Option<u64>,
    ) -> Result<Vec<u8>, Stop> {
        let most = most.unwrap_or(u64::MAX);
        let mut text = Vec::new();
        while (text.len() as u64) < most.min(LONGEST_STRING) {
            match self.bytes(state, address.wrapping_add(text.len() as u64), 1)?[0] {
                0 => return Ok(text),
                byte => text.push(byte),
            }
        }
        if text.len() as u64 == most {
            return Ok(text);
        }
        Err(Limit::Unsupported("such a long string").into())
    }

    /// Bytes that have to be known.
    pub(super) fn bytes(&self, state: &State, address: u64, size: u64) -> Result<Vec<u8>, Stop> {
        let image = state.memory.read(address, size)?;
        match image.unknown.first().map(|part| part.what) {
            Some(Unknown::Open(open)) => Err(Stop::Choose(open)),
            Some(Unknown::Closed(reason)) => Err(Limit::Value(reason).into()),
            None => Ok(image.bytes),
        }
    }

    pub(super) fn text_call(
        &self,
        state: &State,
        call: &ModelCall,
        name: &str,
    ) -> Result<Option<AtOnce>, Stop> {
        Ok(Some(match name {
            "strlen" | "strnlen" | "strcmp" | "strncmp" | "strcasecmp" | "strncasecmp"
            | "memcmp" | "bcmp" | "strspn" | "strcspn" => self.measure(state, call, name)?,
            "strchr" | "index" | "strrchr" | "rindex" | "strchrnul" | "memchr" | "memrchr"
            | "strstr" | "strcasestr" | "strpbrk" => self.find(state, call, name)?,
            "strcpy" | "stpcpy" | "strncpy" | "strlcpy" | "strcat" | "strncat" | "strlcat"
            | "strdup" | "strndup" | "mempcpy" => self.copy_text(state, call, name)?,
            "strtok_r" | "strsep" => self.cut(state, call, name)?,
            "atoi" | "atol" | "atoll" | "strtol" | "strtoll" | "strtoimax" | "strtoul"
            | "strtoull" | "strtoumax" => self.number_in_text(state, call, name)?,
            "puts" | "fputs" | "fputs_unlocked" | "perror" => self.show(state, call, name)?,
            "abs" | "labs" | "llabs" => AtOnce::number(self.argument(call, 0)?.abs()),
            _ => match character(name) {
                Some(character) => AtOnce::number(character(self.argument(call, 0)?)),
                None => return Ok(None),
            },
        }))
    }

    fn measure(&self, state: &State, call: &ModelCall, name: &str) -> Result<AtOnce, Stop> {
        let one = self.pointer_argument(call, 0)?;
        match name {
            "strlen" => {
                let length = self.text(state, one, None)?.len() as u64;
                return Ok(AtOnce::number(i128::from(length)).reading(one, length + 1));
            }
            "strnlen" => {
                let most = self.argument(call, 1)? as u64;
                let length = self.text(state, one, Some(most))?.len() as u64;
                let read = (length + 1).min(most);
                return Ok(AtOnce::number(i128::from(length)).reading(one, read));
            }
            _ => {}
        }
        let other = self.pointer_argument(call, 1)?;
        if name == "strspn" || name == "strcspn" {
            let (text, set) = (self.text(state, one, None)?, self.text(state, other, None)?);
            let wanted = name == "strspn";
            let is_in = |byte: &&u8| set.contains(byte) == wanted;
            let length = text.iter().take_while(is_in).count();
            return Ok(AtOnce::number(length as i128)
                .reading(one, length as u64 + 1)
                .reading(other, set.len() as u64 + 1));
        }
        let is_text = name.starts_with("str");
        let ignores_case = name.ends_with("casecmp");
        let most = match name {
            "strcmp" | "strcasecmp" => u64::MAX,
            _ => self.argument(call, 2)? as u64,
        };
        let mut read = 0;
        let mut order = 0;
        while read < most {
            if read == LONGEST_STRING && is_text {
                return Err(Limit::Unsupported("such a long string").into());
            }
            let mut left = self.bytes(state, one.wrapping_add(read), 1)?[0];
            let mut right = self.bytes(state, other.wrapping_add(read), 1)?[0];
            read += 1;
            if ignores_case {
                left.make_ascii_lowercase();
                right.make_ascii_lowercase();
            }
            order = left.cmp(&right) as i128;
            if order != 0 || (is_text && left == 0) {
                break;
            }
        }
        Ok(AtOnce::number(order)
            .reading(one, read)
            .reading(other, read))
    }

    fn find(&self, state: &State, call: &ModelCall, name: &str) -> Result<AtOnce, Stop> {
        let address = self.pointer_argument(call, 0)?;
        let at = |position: Option<usize>| match position {
            Some(position) => i128::from(address) + position as i128,
            None => 0,
        };
        if matches!(name, "strstr" | "strcasestr" | "strpbrk") {
            let set = self.pointer_argument(call, 1)?;
            let (mut text, mut wanted) = (
                self.text(state, address, None)?,
                self.text(state, set, None)?,
            );
            let read = (text.len() as u64 + 1, wanted.len() as u64 + 1);
            if name == "strcasestr" {
                text.make_ascii_lowercase();
                wanted.make_ascii_lowercase();
            }
            let found = match name {
                "strpbrk" => text.iter().position(|byte| wanted.contains(byte)),
                _ if wanted.is_empty() => Some(0),
                _ => text.windows(wanted.len()).position(|part| part == wanted),
            };
            // Where it is found, nobody looks behind it.
            let first = found.map_or(read.0, |found| (found as u64 + read.1).min(read.0));
            return Ok(AtOnce::number(at(found))
                .reading(address, first)
                .reading(set, read.1));
        }
        let wanted = self.argument(call, 1)? as u8;
        if name == "memchr" || name == "memrchr" {
            let size = self.argument(call, 2)? as u64;
            if name == "memrchr" {
                let bytes = self.bytes(state, address, size)?;
                let found = bytes.iter().rposition(|byte| *byte == wanted);
                return Ok(AtOnce::number(at(found)).reading(address, size));
            }
            for read in 0..size {
                if self.bytes(state, address.wrapping_add(read), 1)?[0] == wanted {
                    let found = Some(read as usize);
                    return Ok(AtOnce::number(at(found)).reading(address, read + 1));
                }
            }
            return Ok(AtOnce::number(0).reading(address, size));
        }
        let mut text = self.text(state, address, None)?;
        let end = text.len();
        text.push(0);
        let found = match name {
            "strrchr" | "rindex" => text.iter().rposition(|byte| *byte == wanted),
            _ => text.iter().position(|byte| *byte == wanted),
        };
        let read = match (name, found) {
            ("strrchr" | "rindex", _) | (_, None) => text.len(),
            (_, Some(found)) => found + 1,
        };
        let found = if name == "strchrnul" {
            found.or(Some(end))
        } else {
            found
        };
        Ok(AtOnce::number(at(found)).reading(address, read as u64))
    }

    fn copy_text(&self, state: &State, call: &ModelCall, name: &str) -> Result<AtOnce, Stop> {
        if name == "strdup" || name == "strndup" {
            let from = self.pointer_argument(call, 0)?;
            let most = match name {
                "strndup" => Some(self.argument(call, 1)? as u64),
                _ => None,
            };
            let mut text = self.text(state, from, most)?;
            let read = (text.len() as u64 + 1).min(most.unwrap_or(u64::MAX));
            text.push(0);
            let mut done = AtOnce::number(0).reading(from, read);
            done.makes = Some(Made {
                image: Image::known(text),
                stored_at: None,
            });
            return Ok(done);
        }
        let to = self.pointer_argument(call, 0)?;
        let from = self.pointer_argument(call, 1)?;
        let size = match name {
            "strcpy" | "stpcpy" | "strcat" => None,
            _ => Some(self.argument(call, 2)? as u64),
        };
        let room = size.unwrap_or(u64::MAX);
        if name == "mempcpy" {
            let image = state.memory.read(from, room)?;
            let mut done = AtOnce::number(i128::from(to) + i128::from(room)).reading(from, room);
            done.writes.push(super::at_once::Written {
                address: to,
                certain: room,
                image,
            });
            return Ok(done);
        }
        let most = if name == "strncpy" || name == "strncat" {
            size
        } else {
            None
        };
        let mut text = self.text(state, from, most)?;
        let length = text.len() as u64;
        let read = (length + 1).min(most.unwrap_or(u64::MAX));
        let done = |result: u64| AtOnce::number(i128::from(result)).reading(from, read);
        Ok(match name {
            "strncpy" => {
                // The rest of the room is filled with zeros.
                state.memory.check(to, room)?;
                text.resize(room as usize, 0);
                done(to).writing(to, text)
            }
            "strlcpy" if room == 0 => done(length),
            "strlcpy" => {
                text.truncate(room as usize - 1);
                text.push(0);
                done(length).writing(to, text)
            }
            "strcat" | "strncat" | "strlcat" => {
                let limit = if name == "strlcat" { size } else { None };
                let before = self.text(state, to, limit)?.len() as u64;
                let looked_at = (before + 1).min(limit.unwrap_or(u64::MAX));
                let result = if name == "strlcat" {
                    before + length
                } else {
                    to
                };
                let done = done(result).reading(to, looked_at);
                if name == "strlcat" && before == room {
                    return Ok(done);
                }
                if name == "strlcat" {
                    text.truncate((room - before - 1) as usize);
                }
                text.push(0);
                done.writing(to + before, text)
            }
            _ => {
                text.push(0);
                let result = if name == "stpcpy" { to + length } else { to };
                done(result).writing(to, text)
            }
        })
    }

    /// Cuts off the next word and ends it with a zero.
    fn cut(&self, state: &State, call: &ModelCall, name: &str) -> Result<AtOnce, Stop> {
        let place = self.pointer_argument(call, if name == "strsep" { 0 } else { 2 })?;
        let set = self.pointer_argument(call, 1)?;
        let given = match name {
            "strsep" => 0,
            _ => self.pointer_argument(call, 0)?,
        };
        let begins = match given {
            0 => {
                let bytes = self.bytes(state, place, 8)?;
                bytes
                    .iter()
                    .rev()
                    .fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
            }
            given => given,
        };
        let remember = |done: AtOnce, rest: u64| done.writing(place, rest.to_le_bytes().to_vec());
        let mut done = AtOnce::number(0);
        if given == 0 {
            done = done.reading(place, 8);
        }
        if begins == 0 {
            return Ok(done);
        }
        let separators = self.text(state, set, None)?;
        let text = self.text(state, begins, None)?;
        done = done
            .reading(set, separators.len() as u64 + 1)
            .reading(begins, text.len() as u64 + 1);
        let is_separator = |byte: &u8| separators.contains(byte);
        let skipped = match name {
            "strsep" => 0,
            _ => text.iter().take_while(|byte| is_separator(byte)).count(),
        };
        let word = begins + skipped as u64;
        let end = begins + text.len() as u64;
        if name == "strtok_r" && word == end {
            return Ok(remember(done, end));
        }
        done.result = Value::Integer(i128::from(word));
        Ok(match text[skipped..].iter().position(is_separator) {
            Some(length) => {
                let cut = word + length as u64;
                remember(done.writing(cut, vec![0]), cut + 1)
            }
            None if name == "strsep" => remember(done, 0),
            None => remember(done, end),
        })
    }

    fn number_in_text(&self, state: &State, call: &ModelCall, name: &str) -> Result<AtOnce, Stop> {
        let address = self.pointer_argument(call, 0)?;
        let text = self.text(state, address, None)?;
        let is_strict = name.starts_with("str");
        let base = if is_strict {
            self.argument(call, 2)?
        } else {
            10
        };
        let Some((number, length)) = leading_number(&text, base) else {
            return Err(Limit::Function(call.function.name).into());
        };
        // Too large ones end at the limits of the type; what `atoi` makes of them, C does not say.
        let number = match name {
            "strtoul" | "strtoull" | "strtoumax"
                if number.unsigned_abs() > u128::from(u64::MAX) =>
            {
                i128::from(u64::MAX)
            }
            "strtoul" | "strtoull" | "strtoumax" => number,
            _ => number.clamp(i128::from(i64::MIN), i128::from(i64::MAX)),
        };
        let done = AtOnce::number(number).reading(address, text.len() as u64 + 1);
        let end = if is_strict {
            self.pointer_argument(call, 1)?
        } else {
            0
        };
        Ok(match end {
            0 => done,
            end => done.writing(end, (address + length as u64).to_le_bytes().to_vec()),
        })
    }

    /// Text that goes to a stream, where it cannot be seen.
    fn show(&self, state: &State, call: &ModelCall, name: &str) -> Result<AtOnce, Stop> {
        let address = self.pointer_argument(call, 0)?;
        let done = match name {
            "perror" => AtOnce::number(0),
            // Any number that is not negative.
            _ => AtOnce::number(1),
        };
        if name == "perror" && address == 0 {
            return Ok(done);
        }
        match self.text(state, address, None) {
            Ok(text) => Ok(done.reading(address, text.len() as u64 + 1)),
            Err(Stop::Choose(_) | Stop::Limit(_)) => Ok(done),
            Err(stop) => Err(stop),
        }
    }
}

/// The number that a text begins with, and how many bytes of it that takes; `None` for a base that there is not.
fn leading_number(text: &[u8], base: i128) -> Option<(i128, usize)> {
    let mut at = text.iter().take_while(|byte| is_space(**byte)).count();
    let is_negative = text.get(at) == Some(&b'-');
    if is_negative || text.get(at) == Some(&b'+') {
        at += 1;
    }
    let digit = |at: usize, base: u32| {
        text.get(at)
            .and_then(|byte| char::from(*byte).to_digit(base))
    };
    let has_prefix = text.get(at) == Some(&b'0')
        && matches!(text.get(at + 1), Some(b'x' | b'X'))
        && digit(at + 2, 16).is_some();
    let base = match base {
        0 | 16 if has_prefix => {
            at += 2;
            16
        }
        0 if text.get(at) == Some(&b'0') => 8,
        0 => 10,
        2..=36 => base as u32,
        _ => return None,
    };
    let begins = at;
    let mut number: i128 = 0;
    while let Some(digit) = digit(at, base) {
        // Far beyond every type, and still within 128 bits.
        number = (number * i128::from(base) + i128::from(digit)).min(1 << 100);
        at += 1;
    }
    let length = if at == begins { 0 } else { at };
    Some((if is_negative { -number } else { number }, length))
}

/// Functions on single characters.
fn character(name: &str) -> Option<fn(i128) -> i128> {
    fn is(number: i128, test: fn(u8) -> bool) -> i128 {
        i128::from(u8::try_from(number).is_ok_and(test))
    }
    fn change(number: i128, change: fn(&u8) -> u8) -> i128 {
        u8::try_from(number).map_or(number, |byte| i128::from(change(&byte)))
    }
    Some(match name {
        "isalnum" => |it| is(it, |byte| byte.is_ascii_alphanumeric()),
        "isalpha" => |it| is(it, |byte| byte.is_ascii_alphabetic()),
        "isdigit" => |it| is(it, |byte| byte.is_ascii_digit()),
        "isspace" => |it| is(it, is_space),
        "isupper" => |it| is(it, |byte| byte.is_ascii_uppercase()),
        "islower" => |it| is(it, |byte| byte.is_ascii_lowercase()),
        "isxdigit" => |it| is(it, |byte| byte.is_ascii_hexdigit()),
        "isprint" => |it| is(it, |byte| byte.is_ascii_graphic() || byte == b' '),
        "isgraph" => |it| is(it, |byte| byte.is_ascii_graphic()),
        "ispunct" => |it| is(it, |byte| byte.is_ascii_punctuation()),
        "iscntrl" => |it| is(it, |byte| byte.is_ascii_control()),
        "toupper" => |it| change(it, u8::to_ascii_uppercase),
        "tolower" => |it| change(it, u8::to_ascii_lowercase),
        _ => return None,
    })
}
