//! Reads TOML values by their expected type, and says exactly where one is not what it should be.

use std::ops::{Range, RangeInclusive};
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::note::{Note, Place};
use super::suggest;

/// A value with its full key (`project.sources`) and its place in the text.
#[derive(Clone)]
pub struct Item<'t> {
    pub key: String,
    value: DeValue<'t>,
    span: Range<usize>,
}

/// Collects what is wrong with a document instead of stopping at the first error.
pub struct Reader<'t> {
    path: &'t Path,
    text: &'t str,
    notes: Vec<Note>,
}

impl<'t> Reader<'t> {
    pub fn new(path: &'t Path, text: &'t str) -> Reader<'t> {
        Reader {
            path,
            text,
            notes: Vec::new(),
        }
    }

    pub fn into_notes(self) -> Vec<Note> {
        let mut notes = self.notes;
        notes.sort_by(|left, right| left.place.cmp(&right.place));
        notes
    }

    /// Visits the top-level tables, which must be among `known`.
    pub fn document(&mut self, known: &[&str], visit: impl FnMut(&mut Reader<'t>, Item<'t>)) {
        let (document, errors) = DeTable::parse_recoverable(self.text);
        for error in errors {
            let offset = error.span().map_or(0, |span| span.start);
            self.push(
                offset,
                format!("this is not valid TOML: {}", error.message().trim()),
                "correct the syntax; see https://toml.io",
            );
        }
        let syntax_errors = self.notes.len();
        self.members("", document.into_inner(), known, &[], visit);
        // What was read around a syntax error is a guess; complaints about it would only mislead.
        if syntax_errors > 0 {
            self.notes.truncate(syntax_errors);
        }
    }

    /// Visits the members of a table, whose keys must be among `known`.
    pub fn table<'i>(
        &mut self,
        item: &Item<'i>,
        known: &[&str],
        visit: impl FnMut(&mut Reader<'t>, Item<'i>),
    ) {
        self.table_with_extra(item, known, &[], visit);
    }

    /// As `table`, with further keys that are visited but never suggested.
    pub fn table_with_extra<'i>(
        &mut self,
        item: &Item<'i>,
        known: &[&str],
        extra: &[&str],
        visit: impl FnMut(&mut Reader<'t>, Item<'i>),
    ) {
        match &item.value {
            DeValue::Table(table) => self.members(&item.key, table.clone(), known, extra, visit),
            _ => self.wrong_type(item, "a table"),
        }
    }

    pub fn string(&mut self, item: &Item<'_>) -> Option<String> {
        match &item.value {
            DeValue::String(text) if text.is_empty() => {
                self.error(
                    item,
                    format!("`{}` is empty", item.key),
                    "give it a value, or remove it",
                );
                None
            }
            DeValue::String(text) => Some(text.clone().into_owned()),
            _ => {
                self.wrong_type(item, "a string");
                None
            }
        }
    }

    pub fn boolean(&mut self, item: &Item<'_>) -> Option<bool> {
        let value = item.value.as_bool();
        if value.is_none() {
            self.wrong_type(item, "true or false");
        }
        value
    }

    pub fn integer(&mut self, item: &Item<'_>, range: RangeInclusive<u64>) -> Option<u64> {
        let Some(integer) = item.value.as_integer() else {
            self.wrong_type(item, "a whole number");
            return None;
        };
        let value = u64::from_str_radix(integer.as_str(), integer.radix()).ok();
        let value = value.filter(|value| range.contains(value));
        if value.is_none() {
            self.error(
                item,
                format!("`{}` is out of range", item.key),
                format!("write a number from {} to {}", range.start(), range.end()),
            );
        }
        value
    }

    /// The strings of a list, each with its own place. Elements of another type are reported and left out.
    pub fn strings<'i>(&mut self, item: &Item<'i>) -> Vec<(String, Item<'i>)> {
        let elements = self.list(item, "a list of strings");
        let mut strings = Vec::new();
        for element in elements {
            if let Some(text) = self.string(&element) {
                strings.push((text, element));
            }
        }
        strings
    }

    pub fn list<'i>(&mut self, item: &Item<'i>, expected: &str) -> Vec<Item<'i>> {
        let DeValue::Array(elements) = &item.value else {
            self.wrong_type(item, expected);
            return Vec::new();
        };
        elements
            .iter()
            .map(|element| Item {
                key: format!(
                    "an element of {}",
                    item.key.trim_start_matches("an element of ")
                ),
                value: element.get_ref().clone(),
                span: element.span(),
            })
            .collect()
    }

    pub fn error(&mut self, item: &Item<'_>, message: impl Into<String>, help: impl Into<String>) {
        self.push(item.span.start, message.into(), help);
    }

    fn members<'i>(
        &mut self,
        parent: &str,
        table: DeTable<'i>,
        known: &[&str],
        extra: &[&str],
        mut visit: impl FnMut(&mut Reader<'t>, Item<'i>),
    ) {
        for (key, value) in table {
            let name: &str = key.get_ref();
            if known.contains(&name) || extra.contains(&name) {
                let item = self.item(parent, name, value);
                visit(self, item);
            } else {
                self.unknown_key(parent, name, key.span(), known);
            }
        }
    }

    fn item<'i>(&self, parent: &str, name: &str, value: Spanned<DeValue<'i>>) -> Item<'i> {
        Item {
            key: full_key(parent, name),
            span: value.span(),
            value: value.into_inner(),
        }
    }

    fn unknown_key(&mut self, parent: &str, name: &str, span: Range<usize>, known: &[&str]) {
        let help = match suggest::nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known here: {}", known.join(", ")),
        };
        self.push(
            span.start,
            format!("unknown key `{}`", full_key(parent, name)),
            help,
        );
    }

    fn wrong_type(&mut self, item: &Item<'_>, expected: &str) {
        let message = format!(
            "`{}` must be {expected}, not {}",
            item.key,
            kind(&item.value)
        );
        self.push(item.span.start, message, format!("change it to {expected}"));
    }

    fn push(&mut self, offset: usize, message: String, help: impl Into<String>) {
        let place = Place::at_offset(self.path, self.text, offset);
        self.notes
            .push(Note::error(message).at(place).with_help(help));
    }
}

fn full_key(parent: &str, name: &str) -> String {
    if parent.is_empty() {
        name.to_owned()
    } else {
        format!("{parent}.{name}")
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
