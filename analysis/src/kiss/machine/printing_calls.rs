//! Calls of `printf` and its kin: what they read, and what they leave in a buffer.

use super::at_once::{AtOnce, Made, Written};
use super::image::Machine;
use super::memory::Content;
use super::printed::{Count, Directive, Part, Printed, parts};
use super::state::{ModelCall, State};
use super::stop::{Limit, Stop};
use super::value::{Closed, Image, Unknown, Value};

/// Which arguments mean what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Printing {
    format: usize,
    /// Where the first argument of a directive stands; `None` if they are in a list that is not looked into.
    values: Option<usize>,
    target: Target,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    /// A stream, a file or a terminal.
    Elsewhere,
    /// A buffer of unknown size.
    Buffer(usize),
    /// A buffer, and its size.
    Sized(usize, usize),
    /// The pointer there gets a new object.
    Made(usize),
}

pub(super) fn printing(name: &str) -> Option<Printing> {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let is_checked = name.starts_with("__") && name.ends_with("_chk");
    let plain = super::at_once::plain_name(name);
    let is_list = plain.starts_with('v');
    let (target, format, checked_format) = match plain.strip_prefix('v').unwrap_or(plain) {
        "printf" => (Target::Elsewhere, 0, 1),
        "fprintf" | "dprintf" | "syslog" => (Target::Elsewhere, 1, 2),
        "sprintf" => (Target::Buffer(0), 1, 3),
        "snprintf" => (Target::Sized(0, 1), 2, 4),
        "asprintf" => (Target::Made(0), 1, 2),
        _ => return None,
    };
    let format = if is_checked { checked_format } else { format };
    Some(Printing {
        format,
        values: (!is_list).then_some(format + 1),
        target,
    })
}

/// What comes out, as far as it is known.
#[derive(Default)]
struct Output {
    /// What comes first.
    known: Vec<u8>,
    /// Whether that is all.
    is_whole: bool,
    least: usize,
    most: Option<usize>,
    reads: Vec<(u64, u64)>,
}

impl Machine<'_> {
    pub(super) fn printing_call(
        &self,
        state: &State,
        call: &ModelCall,
        printing: Printing,
    ) -> Result<AtOnce, Stop> {
        let output = self.output(state, call, printing)?;
        let unsupported = || -> Stop { Limit::Function(call.function.name).into() };
        let unknown = Closed::Library(call.function.name);
        let mut done = AtOnce::returning(if output.is_whole {
            Value::Integer(output.known.len() as i128)
        } else {
            Value::closed(unknown)
        });
        done.reads = output.reads;
        let (address, room) = match printing.target {
            Target::Elsewhere => return Ok(done),
            Target::Buffer(buffer) => (self.pointer_argument(call, buffer)?, None),
            Target::Sized(buffer, size) => {
                let size = self.argument(call, size)? as u64;
                (self.pointer_argument(call, buffer)?, Some(size))
            }
            Target::Made(pointer) => {
                if !output.is_whole {
                    return Err(unsupported());
                }
                let mut bytes = output.known;
                bytes.push(0);
                done.makes = Some(Made {
                    image: Image::known(bytes),
                    stored_at: Some(self.pointer_argument(call, pointer)?),
                });
                return Ok(done);
            }
        };
        if room == Some(0) {
            return Ok(done);
        }
        let most_letters = room.map_or(u64::MAX, |room| room - 1);
        let mut bytes = output.known;
        bytes.truncate(usize::try_from(most_letters).unwrap_or(usize::MAX));
        if output.is_whole {
            bytes.push(0);
            return Ok(done.writing(address, bytes));
        }
        let most = output.most.map_or(u64::MAX, |most| most as u64);
        let most = most.min(most_letters);
        // Without a limit nobody knows whether the buffer is large enough.
        if most == u64::MAX {
            return Err(unsupported());
        }
        let known = bytes.len() as u64;
        let mut image = Image::filled(most + 1, Content::Closed(unknown));
        image.replace(0, &Image::known(bytes));
        done.writes.push(Written {
            address,
            certain: (output.least as u64).min(most_letters).max(known) + 1,
            image,
        });
        Ok(done)
    }

    fn output(&self, state: &State, call: &ModelCall, printing: Printing) -> Result<Output, Stop> {
        let mut output = Output {
            is_whole: true,
            most: Some(0),
            ..Output::default()
        };
        // What goes elsewhere cannot come back, so that nothing depends on it.
        let matters = printing.target != Target::Elsewhere;
        let format = self.pointer_argument(call, printing.format)?;
        let text = self.printed_text(state, format, None, matters)?;
        let parts = text.as_ref().and_then(|text| {
            output.reads.push((format, text.len() as u64 + 1));
            parts(text)
        });
        let Some(parts) = parts else {
            output.is_whole = false;
            output.most = None;
            return Ok(output);
        };
        let mut next = printing.values;
        for part in parts {
            match part {
                Part::Literal(bytes) => output.add(&bytes),
                Part::Directive(mut directive) => {
                    let printed = match &mut next {
                        Some(next) => {
                            let reads = &mut output.reads;
                            self.directive(state, call, &mut directive, next, matters, reads)?
                        }
                        None => None,
                    };
                    match printed.and_then(|printed| directive.print(&printed)) {
                        Some(bytes) => output.add(&bytes),
                        None => output.add_unknown(&directive),
                    }
                }
            }
        }
        Ok(output)
    }

    /// The argument of a directive, if it is known.
    fn directive(
        &self,
        state: &State,
        call: &ModelCall,
        directive: &mut Directive,
        next: &mut usize,
        matters: bool,
        reads: &mut Vec<(u64, u64)>,
    ) -> Result<Option<Printed>, Stop> {
        let mut take = || -> Result<Option<Value>, Stop> {
            let value = call.arguments.get(*next).map(|(value, _)| value.clone());
            *next += 1;
            match value {
                Some(Value::Unknown(Unknown::Open(open))) if matters => Err(Stop::Choose(open)),
                Some(Value::Unknown(_)) | None => Ok(None),
                value => Ok(value),
            }
        };
        // Arguments that say how wide it is come first, as numbers of 32 bits.
        let mut is_known = true;
        if directive.width == Some(Count::Argument) {
            match take()? {
                Some(Value::Integer(width)) => {
                    is_known &= directive.set_width(i128::from(width as i32)).is_some();
                }
                _ => is_known = false,
            }
        }
        if directive.precision == Some(Count::Argument) {
            match take()? {
                Some(Value::Integer(precision)) => {
                    let precision = i128::from(precision as i32);
                    is_known &= directive.set_precision(precision).is_some();
                }
                _ => is_known = false,
            }
        }
        if directive.conversion == b'm' {
            return Ok(None);
        }
        let value = take()?;
        if !is_known {
            return Ok(None);
        }
        Ok(match value {
            Some(Value::Integer(0)) if directive.conversion == b's' => {
                Some(Printed::Text(directive.null_text().to_vec()))
            }
            Some(Value::Integer(address)) if directive.conversion == b's' => {
                let address = address as u64;
                let most = directive.most_text();
                let text = self.printed_text(state, address, most, matters)?;
                if let Some(text) = &text {
                    let end = text.len() + 1;
                    let looked_at = most.map_or(end, |most| end.min(most));
                    reads.push((address, looked_at as u64));
                }
                text.map(Printed::Text)
            }
            Some(Value::Integer(number)) => Some(Printed::Integer(number)),
            Some(Value::Float(number)) => Some(Printed::Float(number)),
            _ => None,
        })
    }

    /// A string that is printed; `None` if some of it is not known.
    fn printed_text(
        &self,
        state: &State,
        address: u64,
        most: Option<usize>,
        matters: bool,
    ) -> Result<Option<Vec<u8>>, Stop> {
        match self.text(state, address, most.map(|most| most as u64)) {
            Ok(text) => Ok(Some(text)),
            Err(Stop::Choose(_)) if !matters => Ok(None),
            Err(Stop::Limit(_)) => Ok(None),
            Err(stop) => Err(stop),
        }
    }
}

impl Output {
    fn add(&mut self, bytes: &[u8]) {
        if self.is_whole {
            self.known.extend(bytes);
        }
        self.least += bytes.len();
        self.most = self.most.map(|most| most + bytes.len());
    }

    fn add_unknown(&mut self, directive: &Directive) {
        let (least, most) = directive.bounds();
        self.is_whole = false;
        self.least += least;
        self.most = self.most.zip(most).map(|(sum, most)| sum + most);
    }
}
