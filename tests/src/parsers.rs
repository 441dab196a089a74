//! Compares our own parser with lang-c, item by item, on whole preprocessed programs.

use racelens_analysis::frontend::declaration::mentioned_typedefs;
use racelens_analysis::frontend::lex::{Token, lex};
use racelens_analysis::frontend::names::{NameSpace, declared_names};
use racelens_analysis::frontend::normalise::{
    Attributes, BUILTIN_TYPE_NAMES, Part, canonical_identifier, normalise,
};
use racelens_analysis::frontend::parse::{Agreement, compare_parsers};
use racelens_analysis::frontend::split::{Item, ItemKind, split};
use std::collections::HashSet;

/// One item as the parsers get it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ParserInput {
    pub is_function: bool,
    pub typedefs: Vec<&'static str>,
    pub text: String,
}

impl ParserInput {
    /// `None` if the item is nested too deeply to be parsed at all.
    pub fn agreement(&self) -> Option<Agreement> {
        compare_parsers(&self.typedefs, &self.text)
    }
}

/// How often the two parsers agree, and the items about which they do not.
#[derive(Default, Debug)]
pub struct Comparison {
    pub same: usize,
    pub left_to_lang_c: Vec<ParserInput>,
    pub different: Vec<ParserInput>,
}

impl Comparison {
    pub fn add(&mut self, input: ParserInput) {
        match input.agreement() {
            Some(Agreement::Same) => self.same += 1,
            Some(Agreement::LeftToLangC) => self.left_to_lang_c.push(input),
            Some(Agreement::Different) => self.different.push(input),
            None => {}
        }
    }
}

/// The items of a preprocessed program: functions with their bodies, their headers alone, and
/// declarations.
pub fn parser_inputs(source: &str) -> Vec<ParserInput> {
    let tokens = lex(source);
    let (items, _) = split(source, &tokens, true);
    let mut typedefs: HashSet<String> = BUILTIN_TYPE_NAMES
        .iter()
        .map(|&name| name.to_owned())
        .collect();
    for item in items.iter().filter(|item| item.kind == ItemKind::Typedef) {
        for (name, space) in names(source, &tokens, item) {
            if space == NameSpace::Typedef {
                typedefs.insert(name);
            }
        }
    }
    let mut inputs = Vec::new();
    for item in &items {
        let own: Vec<String> = match item.kind {
            ItemKind::Function | ItemKind::Declaration => Vec::new(),
            // A typedef must not see its own name.
            ItemKind::Typedef => names(source, &tokens, item)
                .into_iter()
                .map(|(name, _)| name)
                .collect(),
            ItemKind::Assembly | ItemKind::StaticAssert | ItemKind::Empty => continue,
        };
        let mut add = |is_function: bool, tokens: &[Token], part: Part, end: &str| {
            let text = normalise(source, tokens, part, Attributes::Meaningful).text + end;
            let typedefs = mentioned_typedefs(&text, &|name| {
                typedefs.contains(name.as_str()) && !own.iter().any(|own| *own == name.as_str())
            });
            inputs.push(ParserInput {
                is_function,
                typedefs,
                text,
            });
        };
        let all = &tokens[item.start..item.end];
        if item.kind == ItemKind::Function {
            let header = &tokens[item.start..item.body];
            add(true, all, Part::Function, "");
            add(false, header, Part::Declaration, " ;");
        } else {
            add(false, all, Part::Declaration, "");
        }
    }
    inputs
}

fn names(source: &str, tokens: &[Token], item: &Item) -> Vec<(String, NameSpace)> {
    let mut names = Vec::new();
    let tokens = &tokens[item.start..item.end];
    declared_names(source, item.kind, tokens, &mut |name, space| {
        names.push((canonical_identifier(&name).into_owned(), space));
    });
    names
}
