//! The notation of values in model files: `arg0`, `*arg0`, `&arg0->lock`, `return`, `global rcu`.

use super::vocabulary::{Root, Step, Value};
use std::fmt::{self, Display, Formatter};
use ustr::Ustr;

/// C promises 127 parameters; nobody writes half as many.
pub const MOST_ARGUMENTS: u8 = 63;

/// How to write a value, for error messages.
pub const HELP: &str = "write an argument like `arg0`, what it points to `*arg0`, a member \
                        `arg0->member` or its address `&arg0->member`, `arg0 element`, `arg2..`, \
                        `return` or `global NAME`";

/// Reads a value, or says what is wrong with it.
pub fn parse(text: &str) -> Result<Value, String> {
    let wrong = || format!("`{text}` is not a value");
    let mut rest = text.trim();
    if let Some(name) = rest.strip_prefix("global ") {
        return match name.trim() {
            "" => Err(wrong()),
            name => Ok(Value {
                root: Root::Global(Ustr::from(name)),
                path: Box::default(),
            }),
        };
    }
    if rest == "unknown" {
        return Ok(Value {
            root: Root::Unknown,
            path: Box::default(),
        });
    }
    let element = rest.strip_suffix(" element");
    rest = element.unwrap_or(rest).trim_end();
    let stars = rest.len() - rest.trim_start_matches('*').len();
    rest = &rest[stars..];
    let address = rest.strip_prefix('&');
    rest = address.unwrap_or(rest);

    let end = rest.find(['-', '.']).unwrap_or(rest.len());
    let (name, members) = rest.split_at(end);
    let (root, members) = match (name, members) {
        ("return", members) => (Root::Result, members),
        (name, "..") => (Root::ArgumentsFrom(index(name, &wrong)?), ""),
        (name, members) => (Root::Argument(index(name, &wrong)?), members),
    };
    let mut path = Vec::new();
    member_steps(members, &mut path).ok_or_else(wrong)?;
    let has_members = !path.is_empty();
    match address {
        // The address of an argument is no value that outlives the call.
        Some(_) if !has_members || stars > 0 => return Err(wrong()),
        None if has_members => path.push(Step::Dereference),
        _ => {}
    }
    path.extend(element.map(|_| Step::Element));
    path.extend(std::iter::repeat_n(Step::Dereference, stars));
    Ok(Value {
        root,
        path: path.into(),
    })
}

fn index(name: &str, wrong: &dyn Fn() -> String) -> Result<u8, String> {
    let digits = name.strip_prefix("arg").ok_or_else(wrong)?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    match digits.parse() {
        Ok(index) if index <= MOST_ARGUMENTS => Ok(index),
        _ => Err(format!("no function has an argument `{name}`")),
    }
}

/// Reads `->a.b->c`: the first step must be an arrow, because values are pointers.
fn member_steps(mut text: &str, path: &mut Vec<Step>) -> Option<()> {
    while !text.is_empty() {
        let (arrow, after) = match text.strip_prefix("->") {
            Some(after) => (true, after),
            None => (false, text.strip_prefix('.')?),
        };
        if path.is_empty() && !arrow {
            return None;
        }
        let end = after.find(['-', '.']).unwrap_or(after.len());
        let (name, following) = after.split_at(end);
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return None;
        }
        if arrow && !path.is_empty() {
            path.push(Step::Dereference);
        }
        path.push(Step::Field(Ustr::from(name)));
        text = following;
    }
    Some(())
}

/// Prints a value in the notation in which it is read.
impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut text = match self.root {
            Root::Argument(index) => format!("arg{index}"),
            Root::ArgumentsFrom(index) => format!("arg{index}.."),
            Root::Result => "return".to_owned(),
            Root::Global(name) => format!("global {name}"),
            Root::Constant(value) => value.to_string(),
            Root::Unknown => "unknown".to_owned(),
        };
        for step in &self.path {
            text = match (step, text.strip_prefix('&')) {
                (Step::Dereference, Some(place)) => place.to_owned(),
                (Step::Dereference, None) => format!("*{text}"),
                (Step::Field(name) | Step::Member(_, name), Some(place)) => {
                    format!("&{place}.{name}")
                }
                (Step::Field(name) | Step::Member(_, name), None) => format!("&{text}->{name}"),
                (Step::Element, _) => format!("{text} element"),
            };
        }
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_prints_as_it_was_written() {
        for text in [
            "arg0",
            "*arg0",
            "**arg1",
            "arg2..",
            "return",
            "*return",
            "global rcu",
            "unknown",
            "arg0 element",
            "*arg0 element",
            "arg0->items element",
            "arg0->lock",
            "&arg0->lock",
            "*arg0->lock",
            "&arg0->inner.lock",
            "arg0->next->inner.lock",
            "return->lock",
        ] {
            let value = parse(text).unwrap();
            assert_eq!(value.to_string(), text, "{value:?}");
        }
    }

    #[test]
    fn steps_lead_from_pointer_to_pointer() {
        let field = |name: &str| Step::Field(Ustr::from(name));
        for (text, path) in [
            ("&arg0->a.b", vec![field("a"), field("b")]),
            (
                "arg0->a->b",
                vec![field("a"), Step::Dereference, field("b"), Step::Dereference],
            ),
            ("*arg0 element", vec![Step::Element, Step::Dereference]),
        ] {
            assert_eq!(*parse(text).unwrap().path, *path, "{text}");
        }
    }

    #[test]
    fn what_is_not_a_value_is_refused() {
        for text in [
            "",
            "arg",
            "argx",
            "arg+1",
            "0",
            "argument0",
            "&arg0",
            "*&arg0->a",
            "arg0.a",
            "arg0->",
            "arg0->a-b",
            "arg0[]",
            "arg0->a..",
            "global ",
            "arg64",
            "arg999",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
