//! Reads a model file: the library's name, and `[[model]]` tables that each describe some functions.

use super::effect_reader;
use super::error::ModelError;
use super::table_reader::{FileReader, Table};
use super::value_syntax::MOST_ARGUMENTS;
use super::vocabulary::*;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use ustr::Ustr;

/// The functions of one file, each name or pattern once.
pub type FileModels = Vec<(String, Arc<FunctionModel>)>;

/// Reads a file. All errors but those of syntax are found at once, to be corrected at once.
pub fn read(file: &str, text: &str) -> Result<FileModels, Vec<ModelError>> {
    let mut reader = FileReader::new(file, text);
    let (document, errors) = DeTable::parse_recoverable(text);
    // What is read behind a syntax error is a guess; complaints about it would only mislead.
    let first = errors
        .into_iter()
        .min_by_key(|error| error.span().map_or(0, |span| span.start));
    if let Some(error) = first {
        let span = error.span().unwrap_or_default();
        let message = format!("this is not valid TOML: {}", error.message().trim());
        reader.error(span, message, "correct the syntax; see https://toml.io");
        return Err(reader.into_errors());
    }
    let mut models = Vec::new();
    let mut table = Table::new("a model file".into(), document.get_ref(), 0..0);
    let library = reader.string(&mut table, "library");
    let library = Ustr::from(library.unwrap_or(file));
    if let Some(list) = table.get("model") {
        match list.get_ref().as_array() {
            Some(elements) => {
                let mut seen = FxHashSet::default();
                for element in elements {
                    model(&mut reader, library, element, &mut seen, &mut models);
                }
            }
            None => reader.wrong_type("`model`", list, "a list of tables: `[[model]]`"),
        }
    }
    reader.finish(table);
    if reader.has_errors() {
        Err(reader.into_errors())
    } else {
        Ok(models)
    }
}

fn model<'d>(
    reader: &mut FileReader<'_>,
    library: Ustr,
    value: &'d Spanned<DeValue<'d>>,
    seen: &mut FxHashSet<&'d str>,
    models: &mut FileModels,
) {
    let Some(mut table) = reader.table("a model", value) else {
        return;
    };
    let names = functions(reader, &mut table, seen);
    // Before everything that names arguments.
    reader.arguments = argument_count(reader, &mut table);
    reader.variadic = reader.flag(&mut table, "variadic", false);
    let effects = effects(reader, &mut table);
    let returns = returns(reader, &mut table, &effects);
    let model = Arc::new(FunctionModel {
        library,
        arguments: reader.arguments,
        variadic: reader.variadic,
        effects,
        returns,
        noreturn: reader.flag(&mut table, "noreturn", false),
        pure: reader.flag(&mut table, "pure", true),
        replaces_body: reader.flag(&mut table, "replaces_body", false),
    });
    reader.finish(table);
    models.extend(
        names
            .into_iter()
            .map(|name| (name.to_owned(), model.clone())),
    );
}

fn functions<'d>(
    reader: &mut FileReader<'_>,
    table: &mut Table<'d>,
    seen: &mut FxHashSet<&'d str>,
) -> Vec<&'d str> {
    let Some(value) = table.get("functions") else {
        reader.missing(table, "functions");
        return Vec::new();
    };
    let elements: Vec<&Spanned<DeValue<'_>>> = match value.get_ref() {
        DeValue::Array(elements) => elements.iter().collect(),
        _ => vec![value],
    };
    let mut names = Vec::new();
    for element in elements {
        let Some(name) = element.get_ref().as_str() else {
            reader.wrong_type("the name of a function", element, "a string");
            continue;
        };
        let plain = name.strip_suffix('*').unwrap_or(name);
        if plain.is_empty() || !plain.bytes().all(is_identifier_byte) {
            reader.error(
                element.span(),
                format!("`{name}` is not the name of a function"),
                "write a C name, or its beginning and `*`",
            );
        } else if seen.insert(name) {
            names.push(name);
        } else {
            reader.error(
                element.span(),
                format!("`{name}` is described twice in this file"),
                "put all its effects into one model",
            );
        }
    }
    names
}

fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

fn argument_count(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Option<u8> {
    let value = table.get("arguments")?;
    if value.get_ref().as_integer().is_none() {
        reader.wrong_type("`arguments`", value, "a whole number");
        return None;
    }
    let count = u8::try_from(reader.integer(value)?).ok();
    let count = count.filter(|count| *count <= MOST_ARGUMENTS + 1);
    if count.is_none() {
        reader.error(
            value.span(),
            "no function has so many arguments".to_owned(),
            format!("write a number from 0 to {}", MOST_ARGUMENTS + 1),
        );
    }
    count
}

fn effects(reader: &mut FileReader<'_>, table: &mut Table<'_>) -> Box<[Effect]> {
    let Some(value) = table.get("effects") else {
        return Box::default();
    };
    let Some(elements) = value.get_ref().as_array() else {
        reader.wrong_type("`effects`", value, "a list");
        return Box::default();
    };
    let effects = elements
        .iter()
        .filter_map(|element| effect_reader::effect(reader, element));
    effects.collect()
}

fn returns(reader: &mut FileReader<'_>, table: &mut Table<'_>, effects: &[Effect]) -> Returns {
    let Some(value) = table.get("returns") else {
        let allocates = effects.iter().any(|effect| {
            matches!(&effect.action, Action::Allocate { result, .. } if *result == Value::result())
        });
        return if allocates {
            Returns::Fresh
        } else {
            Returns::Unknown
        };
    };
    let Some(text) = value.get_ref().as_str() else {
        reader.wrong_type("`returns`", value, "a string");
        return Returns::Unknown;
    };
    match text {
        "fresh" => Returns::Fresh,
        "zero" => Returns::Zero,
        "unknown" => Returns::Unknown,
        text => reader
            .parse_text(text, value.span())
            .map_or(Returns::Unknown, Returns::Value),
    }
}
