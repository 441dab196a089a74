//! Reads the tables of a model file key by key, and collects every error with its place.

use super::error::ModelError;
use super::spelling;
use super::value_syntax;
use super::vocabulary::{Root, Size, Value, Words};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What is known while one file is read.
pub struct FileReader<'t> {
    file: &'t str,
    text: &'t str,
    errors: Vec<ModelError>,
    /// How many arguments the function at hand has, to check `arg3` against.
    pub arguments: Option<u8>,
    pub variadic: bool,
}

/// A table whose keys are asked for one by one. What nobody asked for is an unknown key.
pub struct Table<'d> {
    /// What the table describes, for messages.
    name: String,
    entries: &'d DeTable<'d>,
    span: Range<usize>,
    asked: Vec<&'static str>,
}

impl<'t> FileReader<'t> {
    pub fn new(file: &'t str, text: &'t str) -> FileReader<'t> {
        FileReader {
            file,
            text,
            errors: Vec::new(),
            arguments: None,
            variadic: false,
        }
    }

    pub fn into_errors(self) -> Vec<ModelError> {
        let mut errors = self.errors;
        errors.sort_by_key(|error| (error.line, error.column));
        errors
    }

    pub fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    pub fn error(&mut self, span: Range<usize>, message: String, help: impl Into<String>) {
        let error = ModelError::at_offset(self.file, self.text, span.start, message, help.into());
        self.errors.push(error);
    }

    pub fn table<'d>(
        &mut self,
        name: impl Into<String>,
        value: &'d Spanned<DeValue<'d>>,
    ) -> Option<Table<'d>> {
        let name = name.into();
        let Some(entries) = value.get_ref().as_table() else {
            self.wrong_type(&name, value, "a table");
            return None;
        };
        Some(Table::new(name, entries, value.span()))
    }

    /// Complains about the keys that nobody asked for.
    pub fn finish(&mut self, table: Table<'_>) {
        for (key, _) in table.entries {
            let name: &str = key.get_ref();
            if !table.asked.contains(&name) {
                self.error(
                    key.span(),
                    format!("unknown key `{name}` in {}", table.name),
                    spelling::help(name, &table.asked),
                );
            }
        }
    }

    pub fn wrong_type(&mut self, name: &str, value: &Spanned<DeValue<'_>>, expected: &str) {
        let found = match value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a fraction",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.error(
            value.span(),
            format!("{name} must be {expected}, not {found}"),
            format!("write {expected}"),
        );
    }

    pub fn missing(&mut self, table: &Table<'_>, key: &str) {
        self.error(
            table.span.clone(),
            format!("{} has no `{key}`", table.name),
            format!("add `{key} = …`"),
        );
    }

    pub fn flag(&mut self, table: &mut Table<'_>, key: &'static str, default: bool) -> bool {
        let Some(value) = table.get(key) else {
            return default;
        };
        value.get_ref().as_bool().unwrap_or_else(|| {
            self.wrong_type(&format!("`{key}`"), value, "true or false");
            default
        })
    }

    pub fn string<'d>(&mut self, table: &mut Table<'d>, key: &'static str) -> Option<&'d str> {
        let value = table.get(key)?;
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.wrong_type(&format!("`{key}`"), value, "a string");
        }
        text
    }

    /// A number of arguments or bytes.
    pub fn integer(&mut self, value: &Spanned<DeValue<'_>>) -> Option<i64> {
        let integer = value.get_ref().as_integer()?;
        let parsed = i64::from_str_radix(integer.as_str(), integer.radix()).ok();
        if parsed.is_none() {
            let message = format!("the number `{integer}` is too large");
            self.error(value.span(), message, "write one that fits 64 bits");
        }
        parsed
    }

    pub fn word<W: Words>(&mut self, table: &mut Table<'_>, key: &'static str, default: W) -> W {
        let Some(value) = table.get(key) else {
            return default;
        };
        let Some(text) = value.get_ref().as_str() else {
            self.wrong_type(&format!("`{key}`"), value, "a string");
            return default;
        };
        self.parse_word(text, value.span()).unwrap_or(default)
    }

    pub fn parse_word<W: Words>(&mut self, text: &str, span: Range<usize>) -> Option<W> {
        let found = W::ALL.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let known: Vec<&str> = W::ALL.iter().map(|(word, _)| *word).collect();
            let message = format!("unknown {} `{text}`", W::NAME);
            self.error(span, message, spelling::help(text, &known));
        }
        found.map(|(_, word)| *word)
    }

    /// A pointer that must be there.
    pub fn pointer(&mut self, table: &mut Table<'_>, key: &'static str) -> Option<Value> {
        match table.get(key) {
            Some(value) => self.parse_pointer(key, value),
            None => {
                self.missing(table, key);
                None
            }
        }
    }

    pub fn optional_pointer(&mut self, table: &mut Table<'_>, key: &'static str) -> Option<Value> {
        let value = table.get(key)?;
        self.parse_pointer(key, value)
    }

    /// A value that may also be a number or `unknown`.
    pub fn operand(&mut self, table: &mut Table<'_>, key: &'static str) -> Option<Value> {
        let value = table.get(key)?;
        self.parse_value(key, value)
    }

    pub fn operands(&mut self, table: &mut Table<'_>, key: &'static str) -> Box<[Value]> {
        let Some(value) = table.get(key) else {
            return Box::default();
        };
        let Some(elements) = value.get_ref().as_array() else {
            self.wrong_type(&format!("`{key}`"), value, "a list of values");
            return Box::default();
        };
        let values = elements
            .iter()
            .filter_map(|element| self.parse_value(key, element));
        values.collect()
    }

    pub fn size(&mut self, table: &mut Table<'_>, key: &'static str) -> Size {
        let Some(value) = table.get(key) else {
            return Size::Pointee;
        };
        match value.get_ref() {
            DeValue::Integer(_) => {
                let bytes = self.integer(value).and_then(|bytes| bytes.try_into().ok());
                bytes.map_or(Size::Unknown, Size::Bytes)
            }
            DeValue::String(text) => match &**text {
                "string" => Size::String,
                "pointee" => Size::Pointee,
                "unknown" => Size::Unknown,
                text if !text.contains("arg") => {
                    let help = spelling::help(text, &["string", "pointee", "unknown"]);
                    self.error(value.span(), format!("unknown size `{text}`"), help);
                    Size::Unknown
                }
                text => match text.split_once(" * ") {
                    Some((left, right)) => {
                        let left = self.parse_text(left, value.span());
                        let right = self.parse_text(right, value.span());
                        left.zip(right)
                            .map_or(Size::Unknown, |(left, right)| Size::Product(left, right))
                    }
                    None => self
                        .parse_text(text, value.span())
                        .map_or(Size::Unknown, Size::Value),
                },
            },
            _ => {
                self.wrong_type(&format!("`{key}`"), value, "a number or a string");
                Size::Unknown
            }
        }
    }

    pub fn parse_text(&mut self, text: &str, span: Range<usize>) -> Option<Value> {
        let value = match value_syntax::parse(text) {
            Ok(value) => value,
            Err(message) => {
                self.error(span, message, value_syntax::HELP);
                return None;
            }
        };
        if let Root::Argument(index) | Root::ArgumentsFrom(index) = value.root
            && let Some(arguments) = self.arguments
            && index >= arguments
            && !self.variadic
        {
            let help = match arguments {
                0 => "there are none".to_owned(),
                1 => "the only one is `arg0`".to_owned(),
                _ => format!("the last one is `arg{}`; they count from 0", arguments - 1),
            };
            let message = format!("there is no `arg{index}`: `arguments` is {arguments}");
            self.error(span, message, help);
            return None;
        }
        Some(value)
    }

    /// An argument as it is, without a way on from it.
    pub fn parse_argument(&mut self, text: &str, span: Range<usize>) -> Option<u8> {
        let value = self.parse_text(text, span.clone())?;
        match value.root {
            Root::Argument(index) if value.path.is_empty() => Some(index),
            _ => {
                let message = format!("`{text}` is not a plain argument");
                self.error(span, message, "write one like `arg2`");
                None
            }
        }
    }

    fn parse_value(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Value> {
        match value.get_ref() {
            DeValue::String(text) => self.parse_text(text, value.span()),
            DeValue::Integer(_) => {
                let constant = self.integer(value)?;
                Some(Value {
                    root: Root::Constant(constant),
                    path: Box::default(),
                })
            }
            _ => {
                self.wrong_type(&format!("`{key}`"), value, "a number or a string");
                None
            }
        }
    }

    fn parse_pointer(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Value> {
        let parsed = self.parse_value(key, value)?;
        if matches!(parsed.root, Root::Constant(_) | Root::Unknown) {
            let message = format!("`{key}` must say which object it is, not `{parsed}`");
            self.error(value.span(), message, value_syntax::HELP);
            return None;
        }
        Some(parsed)
    }
}

impl<'d> Table<'d> {
    pub fn new(name: String, entries: &'d DeTable<'d>, span: Range<usize>) -> Table<'d> {
        Table {
            name,
            entries,
            span,
            asked: Vec::new(),
        }
    }

    pub fn get(&mut self, key: &'static str) -> Option<&'d Spanned<DeValue<'d>>> {
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
        self.entries.get(key)
    }

    /// Whether one of the keys is there, right or wrong.
    pub fn mentions(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.entries.contains_key(*key))
    }
}
