//! The names that variables, functions and records have in the printed text.

use super::{Printing, Used};
use crate::ir::{FunctionRef, GlobalRef, GlobalScope, RecordRef};
use crate::kiss::program::Meaning;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;

/// Every name once; the program's own names are kept as far as that is possible.
pub(super) struct Names {
    globals: FxHashMap<GlobalRef, String>,
    functions: FxHashMap<FunctionRef, String>,
    records: FxHashMap<RecordRef, String>,
    taken: FxHashSet<String>,
}

impl Names {
    pub fn new(printing: &Printing<'_>, used: &Used) -> Names {
        let program = printing.program;
        let mut names = Names {
            globals: FxHashMap::default(),
            functions: FxHashMap::default(),
            records: FxHashMap::default(),
            taken: KEYWORDS.iter().map(|word| (*word).to_owned()).collect(),
        };
        // What the linker knows keeps its name, so it comes first.
        for function in &used.externals {
            names.take(function.name.as_str());
            names
                .functions
                .insert(*function, function.name.as_str().to_owned());
        }
        for body in &used.bodies {
            let function = body.function;
            if function.scope == GlobalScope::External {
                let name = match function.name.as_str() {
                    "main" => printing.main,
                    name => name,
                };
                names.take(name);
                names.functions.insert(function, name.to_owned());
            }
        }
        for global in &used.globals {
            if global.scope == GlobalScope::External {
                let name = names.fresh(global.name.as_str());
                names.globals.insert(*global, name);
            }
        }
        for body in &used.bodies {
            if !names.functions.contains_key(&body.function) {
                let name = names.scoped(body.function.name.as_str(), body.function.scope);
                names.functions.insert(body.function, name);
            }
        }
        for global in &used.globals {
            if !names.globals.contains_key(global) {
                let name = names.scoped(global.name.as_str(), global.scope);
                names.globals.insert(*global, name);
            }
        }
        // Other names of functions that have been named by now.
        let mut aliases: Vec<(FunctionRef, String)> = Vec::new();
        for function in &used.seen_functions {
            if let Meaning::Body(body) = program.function(*function)
                && let Some(name) = names.functions.get(&body.function)
            {
                aliases.push((*function, name.clone()));
            }
        }
        names.functions.extend(aliases);
        names.name_records(printing);
        names
    }

    fn name_records(&mut self, printing: &Printing<'_>) {
        let mut records: Vec<RecordRef> = printing
            .program
            .layouts()
            .map(|(record, _)| record)
            .collect();
        records.sort_unstable();
        // Tags are a name space of their own.
        let mut tags: FxHashSet<String> = KEYWORDS.iter().map(|word| (*word).to_owned()).collect();
        for record in records {
            let tag = identifier(bare_tag(record));
            let tag = unused(&tag, &tags);
            tags.insert(tag.clone());
            self.records.insert(record, tag);
        }
    }

    fn take(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    fn fresh(&mut self, wanted: &str) -> String {
        let name = unused(&identifier(wanted), &self.taken);
        self.take(&name);
        name
    }

    /// A name that is known in a part of the program only says in which if it is not the only one.
    fn scoped(&mut self, name: &str, scope: GlobalScope) -> String {
        let wanted = match scope {
            GlobalScope::Function { function, .. } => format!("{function}__{name}"),
            GlobalScope::Unit(unit) if self.taken.contains(name) => {
                let stem = Path::new(unit.as_str()).file_stem();
                let stem = stem.map_or_else(Default::default, |stem| stem.to_string_lossy());
                format!("{name}__{stem}")
            }
            GlobalScope::Unit(_) | GlobalScope::OneOfSeveral(_) | GlobalScope::External => {
                name.to_owned()
            }
        };
        self.fresh(&wanted)
    }

    pub fn global(&self, global: GlobalRef) -> &str {
        self.globals
            .get(&global)
            .map_or_else(|| global.name.as_str(), String::as_str)
    }

    pub fn function(&self, function: FunctionRef) -> &str {
        self.functions
            .get(&function)
            .map_or_else(|| function.name.as_str(), String::as_str)
    }

    /// The tag of a record without the word in front of it.
    pub fn record(&self, record: RecordRef) -> String {
        let known = self.records.get(&record).cloned();
        known.unwrap_or_else(|| identifier(bare_tag(record)))
    }

    /// Names for the locals of one function, none of which hides a global name.
    pub fn locals(&self, wanted: impl Iterator<Item = Option<&'static str>>) -> Vec<String> {
        let mut own: FxHashSet<String> = FxHashSet::default();
        wanted
            .enumerate()
            .map(|(index, name)| {
                let wanted = name.map_or_else(|| format!("t{index}"), identifier);
                let mut name = unused(&wanted, &own);
                while self.taken.contains(&name) || own.contains(&name) {
                    name.push('_');
                }
                own.insert(name.clone());
                name
            })
            .collect()
    }
}

fn bare_tag(record: RecordRef) -> &'static str {
    let display = record.display();
    let tag = display.strip_prefix("struct ");
    let tag = tag.or_else(|| display.strip_prefix("union "));
    let tag = tag.unwrap_or(display);
    // `in NAME` is a record without a tag in what declares NAME.
    tag.strip_prefix("in ").unwrap_or(tag)
}

/// The name as C knows names.
fn identifier(text: &str) -> String {
    let mut name: String = text
        .chars()
        .map(|character| match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => character,
            _ => '_',
        })
        .collect();
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        name.insert(0, '_');
    }
    name
}

fn unused(wanted: &str, taken: &FxHashSet<String>) -> String {
    if !taken.contains(wanted) {
        return wanted.to_owned();
    }
    let mut number = 2;
    loop {
        let name = format!("{wanted}_{number}");
        if !taken.contains(&name) {
            return name;
        }
        number += 1;
    }
}

const KEYWORDS: &[&str] = &[
    "asm",
    "auto",
    "bool",
    "break",
    "case",
    "char",
    "const",
    "constexpr",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "false",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "linux",
    "long",
    "nullptr",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "true",
    "typedef",
    "typeof",
    "union",
    "unix",
    "unsigned",
    "void",
    "volatile",
    "while",
];
