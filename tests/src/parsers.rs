//! Compares our own parser with lang-c, item by item, on whole preprocessed programs.

use crate::random::Random;
use racelens_analysis::frontend::lex::{Token, lex};
use racelens_analysis::frontend::names::{NameSpace, declared_names};
use racelens_analysis::frontend::normalise::{
    Attributes, BUILTIN_TYPE_NAMES, Part, canonical_identifier, normalise,
};
use racelens_analysis::frontend::parse::{Agreement, compare_parsers, mentioned_typedefs};
use racelens_analysis::frontend::split::{Item, ItemKind, split};
use std::collections::HashSet;
use ustr::Ustr;

/// One item as the parsers get it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ParserInput {
    pub is_function: bool,
    pub typedefs: Vec<&'static str>,
    pub text: String,
    /// The tokens that the normaliser made along with the text.
    pub tokens: Vec<Token>,
}

impl ParserInput {
    /// `None` if the item is nested too deeply to be parsed at all. Tokens that are not those of the
    /// text make a difference too.
    pub fn agreement(&self) -> Option<Agreement> {
        if self.tokens != lex(&self.text) {
            return Some(Agreement::Different);
        }
        compare_parsers(&self.typedefs, &self.text)
    }

    /// The item with a few of its tokens changed, or other names as types; mostly no C any more.
    pub fn damaged(&self, random: &mut Random) -> ParserInput {
        let mut words: Vec<&str> = self.text.split(' ').collect();
        let mut typedefs = self.typedefs.clone();
        for _ in 0..1 + random.below(3) {
            let at = random.below(words.len());
            let other = words[random.below(words.len())];
            match random.below(7) {
                0 => drop(words.remove(at)),
                1 => words.insert(at, other),
                2 => words[at] = other,
                3 => words.insert(at, random.pick(VOCABULARY)),
                4 => words[at] = random.pick(VOCABULARY),
                // A variable or function becomes a type, which makes expressions ambiguous.
                5 if is_name(other) => typedefs.push(Ustr::from(other).as_str()),
                _ => typedefs.truncate(typedefs.len().saturating_sub(1)),
            }
            if words.is_empty() {
                words.push(";");
            }
        }
        typedefs.sort_unstable();
        typedefs.dedup();
        let text = words.join(" ");
        ParserInput {
            is_function: self.is_function,
            typedefs,
            tokens: lex(&text),
            text,
        }
    }
}

fn is_name(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// What is put into items: whatever has a meaning of its own to the grammar.
const VOCABULARY: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ":",
    "?",
    ".",
    "->",
    "...",
    "++",
    "--",
    "&",
    "*",
    "+",
    "-",
    "~",
    "!",
    "/",
    "<<",
    "<",
    "==",
    "^",
    "|",
    "&&",
    "||",
    "=",
    "+=",
    "1",
    "0x1p3",
    "1.5e",
    "08",
    "\"s\"",
    "'c'",
    "L'c'",
    "@",
    "typedef",
    "extern",
    "static",
    "const",
    "volatile",
    "_Atomic",
    "inline",
    "void",
    "struct",
    "union",
    "enum",
    "char",
    "int",
    "unsigned",
    "typeof",
    "__typeof__",
    "__typeof",
    "asm",
    "__asm__",
    "if",
    "else",
    "switch",
    "while",
    "do",
    "for",
    "goto",
    "break",
    "return",
    "case",
    "default",
    "sizeof",
    "_Alignof",
    "_Generic",
    "__func__",
    "__extension__",
    "__attribute__ (( packed ))",
    "__attribute__ ( ( packed ) )",
    "( T )",
    "( T * )",
    "T",
    "T x",
    "int T",
    "typedef int T ;",
    "T : ",
    "( T ) ( x )",
    "({ ; })",
    "( { T x ; } )",
    "__builtin_va_list",
    "__builtin_va_arg",
    "__builtin_offsetof ( T , a )",
    "_Static_assert ( 1 , \"s\" ) ;",
    "( int ( * ) ( int T ) )",
    "for ( T * x = 1 ;",
    "for ( T * x ;",
    "f ( a , b )",
    "{ 1 , }",
    "{ }",
    ". x =",
    "[ 1 ] =",
    "[ 1 ... 2 ] =",
    "x :",
];

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
        let mut add = |is_function: bool, tokens: &[Token], part: Part, is_header: bool| {
            let mut normalised = normalise(source, tokens, part, Attributes::Meaningful);
            if is_header {
                normalised.append_semicolon();
            }
            let typedefs = mentioned_typedefs(&normalised, &|name| {
                typedefs.contains(name.as_str()) && !own.iter().any(|own| *own == name.as_str())
            });
            inputs.push(ParserInput {
                is_function,
                typedefs,
                text: normalised.text,
                tokens: normalised.tokens,
            });
        };
        let all = &tokens[item.start..item.end];
        if item.kind == ItemKind::Function {
            let header = &tokens[item.start..item.body];
            add(true, all, Part::Function, false);
            add(false, header, Part::Declaration, true);
        } else {
            add(false, all, Part::Declaration, false);
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
