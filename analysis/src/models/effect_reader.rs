//! Reads one effect of a model: `{ acquire = { lock = "arg0", when = "zero" } }`.

use super::spelling;
use super::table_reader::{FileReader, Table};
use super::vocabulary::*;
use std::ops::Range;
use toml::Spanned;
use toml::de::DeValue;

type ReadAction = fn(&mut FileReader<'_>, &mut Table<'_>) -> Option<Action>;

/// The effects with parameters, and how to read each.
const EFFECTS: &[(&str, ReadAction)] = &[
    ("acquire", acquire),
    ("release", release),
    ("wait", wait),
    ("initialise_lock", initialise_lock),
    ("destroy_lock", destroy_lock),
    ("start", start),
    ("join", join),
    ("detach", detach),
    ("end_thread", end_thread),
    ("once", once),
    ("call", call),
    ("read", read),
    ("write", write),
    ("copy", copy),
    ("allocate", allocate),
    ("free", free),
    ("atomic", atomic),
    ("post", post),
    ("wait_for", wait_for),
    ("initialise_signal", initialise_signal),
];

/// The effects that may be a plain word.
const PLAIN: &[(&str, Action)] = &[("end_thread", Action::EndThread), ("body", Action::Body)];

pub fn effect(reader: &mut FileReader<'_>, value: &Spanned<DeValue<'_>>) -> Option<Effect> {
    match value.get_ref() {
        DeValue::String(word) => plain_effect(reader, word, value),
        DeValue::Table(entries) => {
            // An effect has one name; a second key is a second effect, whose order is not said.
            let Some((name, parameters)) = entries.iter().next().filter(|_| entries.len() == 1)
            else {
                reader.error(
                    value.span(),
                    format!("an effect has one name, not {}", entries.len()),
                    "write one `{ … }` per effect, in the order in which they happen",
                );
                return None;
            };
            let known = EFFECTS.iter().find(|(known, _)| *known == name.get_ref());
            let Some((name, read)) = known else {
                unknown(reader, name.get_ref(), name.span());
                return None;
            };
            let mut table = reader.table(format!("`{name}`"), parameters)?;
            let when = condition(reader, &mut table);
            let action = read(reader, &mut table);
            reader.finish(table);
            Some(Effect {
                when,
                action: action?,
            })
        }
        _ => {
            reader.wrong_type("an effect", value, "a table or a word");
            None
        }
    }
}

fn plain_effect(
    reader: &mut FileReader<'_>,
    word: &str,
    value: &Spanned<DeValue<'_>>,
) -> Option<Effect> {
    if let Some((_, action)) = PLAIN.iter().find(|(known, _)| *known == word) {
        return Some(Effect {
            when: When::Always,
            action: action.clone(),
        });
    }
    if EFFECTS.iter().any(|(known, _)| *known == word) {
        reader.error(
            value.span(),
            format!("`{word}` needs to know of what"),
            format!("write `{{ {word} = {{ … }} }}`"),
        );
    } else {
        unknown(reader, word, value.span());
    }
    None
}

fn unknown(reader: &mut FileReader<'_>, name: &str, span: Range<usize>) {
    let mut known: Vec<&str> = EFFECTS.iter().map(|(known, _)| *known).collect();
    known.push("body");
    let help = spelling::help(name, &known);
    reader.error(span, format!("unknown effect `{name}`"), help);
}

/// When the effect happens: `zero` is about the result, `arg2 zero` about an argument.
fn condition(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> When {
    let Some(value) = table.get("when") else {
        return When::Always;
    };
    let Some(text) = value.get_ref().as_str() else {
        reader.wrong_type("`when`", value, "a string");
        return When::Always;
    };
    if text == "always" {
        return When::Always;
    }
    let Some((argument, test)) = text.split_once(' ') else {
        let test = reader.parse_word(text, value.span());
        return test.map_or(When::Always, When::Result);
    };
    let argument = reader.parse_argument(argument, value.span());
    let test = reader.parse_word(test, value.span());
    argument.zip(test).map_or(When::Always, |(argument, test)| {
        When::Argument(argument, test)
    })
}

fn acquire(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let lock = reader.pointer(table, "lock");
    let mode = reader.word(table, "mode", Mode::Exclusive);
    let kind = reader.word(table, "kind", LockKind::Mutex);
    let recursive = reader.flag(table, "recursive", false);
    let blocking = reader.flag(table, "blocking", true);
    Some(Action::Acquire {
        lock: lock?,
        mode,
        kind,
        recursive,
        blocking,
    })
}

fn release(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let lock = reader.pointer(table, "lock")?;
    Some(Action::Release { lock })
}

fn wait(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let lock = reader.pointer(table, "lock");
    let mode = reader.word(table, "mode", Mode::Exclusive);
    let on = reader.optional_pointer(table, "on");
    Some(Action::Wait {
        lock: lock?,
        mode,
        on,
    })
}

fn initialise_lock(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let lock = reader.pointer(table, "lock");
    let kind = reader.word(table, "kind", LockKind::Mutex);
    let recursive = reader.flag(table, "recursive", false);
    let count = reader.operand(table, "count");
    Some(Action::InitialiseLock {
        lock: lock?,
        kind,
        recursive,
        count,
    })
}

fn destroy_lock(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let lock = reader.pointer(table, "lock")?;
    Some(Action::DestroyLock { lock })
}

fn start(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let entry = reader.pointer(table, "entry");
    let arguments = reader.operands(table, "arguments");
    let handle = reader.optional_pointer(table, "handle");
    let context = reader.word(table, "context", Context::Thread);
    let many = reader.flag(table, "many", false);
    Some(Action::Start {
        entry: entry?,
        arguments,
        handle,
        context,
        many,
    })
}

fn join(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let handle = reader.optional_pointer(table, "handle");
    let entry = reader.optional_pointer(table, "entry");
    if handle.is_none() && entry.is_none() && !table.mentions(&["handle", "entry"]) {
        reader.missing(table, "handle");
        return None;
    }
    Some(Action::Join { handle, entry })
}

fn detach(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let handle = reader.pointer(table, "handle")?;
    Some(Action::Detach { handle })
}

/// Written as a table only to say when.
fn end_thread(_: &mut FileReader<'_>, _: &mut Table<'_>) -> Option<Action> {
    Some(Action::EndThread)
}

fn once(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let control = reader.pointer(table, "control");
    let entry = reader.pointer(table, "entry");
    let arguments = reader.operands(table, "arguments");
    Some(Action::Once {
        control: control?,
        entry: entry?,
        arguments,
    })
}

fn call(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let function = reader.pointer(table, "function");
    let arguments = reader.operands(table, "arguments");
    Some(Action::Call {
        function: function?,
        arguments,
    })
}

fn read(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let pointer = reader.pointer(table, "pointer");
    let size = reader.size(table, "size");
    Some(Action::Read {
        pointer: pointer?,
        size,
    })
}

fn write(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let pointer = reader.pointer(table, "pointer");
    let size = reader.size(table, "size");
    let value = reader.operand(table, "value");
    Some(Action::Write {
        pointer: pointer?,
        size,
        value,
    })
}

fn copy(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let to = reader.pointer(table, "to");
    let from = reader.pointer(table, "from");
    let size = reader.size(table, "size");
    Some(Action::Copy {
        to: to?,
        from: from?,
        size,
    })
}

fn allocate(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let result = match table.get("result") {
        Some(_) => reader.pointer(table, "result"),
        None => Some(Value::result()),
    };
    let zeroed = reader.flag(table, "zeroed", false);
    Some(Action::Allocate {
        result: result?,
        zeroed,
    })
}

fn free(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let pointer = reader.pointer(table, "pointer")?;
    Some(Action::Free { pointer })
}

fn atomic(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let named = table.get("operation").is_some();
    if !named {
        reader.missing(table, "operation");
    }
    let operation = reader.word(table, "operation", AtomicOperation::Load);
    let pointer = match operation {
        AtomicOperation::Fence => None,
        _ => reader.pointer(table, "pointer"),
    };
    let complete = named && (operation == AtomicOperation::Fence || pointer.is_some());
    let atomic = Atomic {
        operation,
        pointer,
        value: reader.operand(table, "value"),
        expected: reader.operand(table, "expected"),
        result: reader.word(table, "result", AtomicResult::None),
        order: order(reader, table),
        out: reader.optional_pointer(table, "out"),
    };
    complete.then_some(Action::Atomic(atomic))
}

/// The order of an atomic operation: a word, or the argument that says it.
fn order(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Order {
    let default = Order::Fixed(Ordering::SequentiallyConsistent);
    let Some(value) = table.get("order") else {
        return default;
    };
    let Some(text) = value.get_ref().as_str() else {
        reader.wrong_type("`order`", value, "a string");
        return default;
    };
    if !text.starts_with("arg") {
        let ordering = reader.parse_word(text, value.span());
        return ordering.map_or(default, Order::Fixed);
    }
    let argument = reader.parse_argument(text, value.span());
    argument.map_or(default, Order::Argument)
}

fn post(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let object = reader.pointer(table, "object")?;
    Some(Action::Post { object })
}

fn wait_for(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let object = reader.pointer(table, "object")?;
    Some(Action::WaitFor { object })
}

fn initialise_signal(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<Action> {
    let object = reader.pointer(table, "object");
    let count = reader.operand(table, "count");
    Some(Action::InitialiseSignal {
        object: object?,
        count,
    })
}
