//! Checks JSON against the part of JSON Schema (2020-12) that the repository's schema uses.
//!
//! A keyword that is not known here is an error, so that nothing of the schema is passed over, and
//! so is a member of the JSON that the schema does not describe.

use serde_json::Value;

/// All that is wrong, each with its place in `value`.
pub fn errors(schema: &Value, value: &Value) -> Vec<String> {
    let mut checker = Checker {
        root: schema,
        errors: Vec::new(),
    };
    checker.check(schema, value, "$");
    checker.errors
}

/// The schema that users get.
pub fn of_reports() -> Value {
    serde_json::from_str(include_str!("../../docs/report.schema.json")).unwrap()
}

/// The schema of explanations.
#[allow(dead_code)] // Only some of the tests that share this file ask for explanations.
pub fn of_explanations() -> Value {
    serde_json::from_str(include_str!("../../docs/explanation.schema.json")).unwrap()
}

/// The schema of what `racelens stats` prints.
#[allow(dead_code)] // The same.
pub fn of_statistics() -> Value {
    serde_json::from_str(include_str!("../../docs/stats.schema.json")).unwrap()
}

struct Checker<'s> {
    root: &'s Value,
    errors: Vec<String>,
}

impl Checker<'_> {
    fn check(&mut self, schema: &Value, value: &Value, at: &str) {
        for (keyword, expected) in schema.as_object().unwrap() {
            let is_right = match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" => true,
                "$ref" => {
                    let pointer = expected.as_str().unwrap().strip_prefix('#').unwrap();
                    let target = self.root.pointer(pointer);
                    let target = target.unwrap_or_else(|| panic!("{expected} leads nowhere"));
                    self.check(&target.clone(), value, at);
                    true
                }
                "type" => match expected {
                    Value::Array(types) => types.iter().any(|one| has_type(one, value)),
                    one => has_type(one, value),
                },
                "const" => value == expected,
                "enum" => expected.as_array().unwrap().contains(value),
                "anyOf" => expected.as_array().unwrap().iter().any(|schema| {
                    let mut inner = Checker {
                        root: self.root,
                        errors: Vec::new(),
                    };
                    inner.check(schema, value, at);
                    inner.errors.is_empty()
                }),
                "minimum" => value.as_f64() >= expected.as_f64(),
                "maximum" => value.as_f64() <= expected.as_f64(),
                "minLength" => value.as_str().map(|text| text.len() as u64) >= expected.as_u64(),
                "pattern" => value.as_str().is_some_and(|text| matches(expected, text)),
                "required" => self.required(expected, value, at),
                "properties" => self.properties(expected, value, at),
                "items" => {
                    for (index, element) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(expected, element, &format!("{at}[{index}]"));
                    }
                    true
                }
                _ => panic!("the keyword `{keyword}` is not known here"),
            };
            if !is_right {
                self.errors
                    .push(format!("{at}: {value} against {keyword} {expected}"));
            }
        }
    }

    fn required(&mut self, names: &Value, value: &Value, at: &str) -> bool {
        for name in names.as_array().unwrap() {
            let name = name.as_str().unwrap();
            if value.get(name).is_none() {
                self.errors.push(format!("{at}: {name} is missing"));
            }
        }
        true
    }

    fn properties(&mut self, properties: &Value, value: &Value, at: &str) -> bool {
        for (name, member) in value.as_object().into_iter().flatten() {
            match properties.get(name) {
                Some(schema) => self.check(schema, member, &format!("{at}.{name}")),
                None => self.errors.push(format!("{at}: {name} is not described")),
            }
        }
        true
    }
}

fn has_type(expected: &Value, value: &Value) -> bool {
    match expected.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("the type `{other}` is not known here"),
    }
}

fn matches(pattern: &Value, text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    match pattern.as_str().unwrap() {
        "^[0-9a-f]{12}$" => {
            text.len() == 12 && text.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
        }
        "^[a-z][a-z0-9_]*$" => {
            text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(is_word)
        }
        other => panic!("the pattern `{other}` is not known here"),
    }
}
