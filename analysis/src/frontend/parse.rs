//! Parses one normalised item, with our own parser where it knows everything, else with lang-c.

use super::lex::{Token, TokenKind, lex};
use super::names::is_specifier;
use super::nesting::nesting;
use super::normalise::{Attributes, BUILTIN_TYPE_NAMES, Normalised, Part, normalise};
use super::parser::{can_name_type, parse_item};
use super::ways::reread_tokens;
use lang_c::ast::{ExternalDeclaration, TranslationUnit};
use lang_c::driver::{Config, Flavor, parse_preprocessed};
use lang_c::span::Node;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::fmt;
use std::sync::LazyLock;
use ustr::Ustr;

/// The parsed item and how its spans lead back to the normalised text.
#[derive(Debug)]
pub struct Parsed {
    /// `None` for an item that declares nothing, such as a lone attribute.
    pub declaration: Option<ExternalDeclaration>,
    /// The length of what was put in front of the item's own text.
    prefix: usize,
    /// Present if the text had to be normalised once more.
    renormalised: Option<Normalised>,
}

/// Why an item did not parse. Offsets count from the start of the item's normalised text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SyntaxError {
    pub offset: u32,
    pub message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Parses `item` where `is_typedef` tells the names that stand for types, and hands the result to
/// `consume` on a stack that is deep enough for the item, on which it is also dropped.
pub fn with_parsed<T>(
    is_typedef: &dyn Fn(Ustr) -> bool,
    item: &Normalised,
    part: Part,
    consume: impl FnOnce(Result<Parsed, SyntaxError>) -> T,
) -> T {
    match nesting(&item.text, &item.tokens) {
        Ok(depth) => on_deep_stack(depth, || consume(parse(is_typedef, item, part))),
        Err(too_deep) => consume(Err(SyntaxError {
            offset: 0,
            message: format!("nested too deeply to be analysed: {too_deep}"),
        })),
    }
}

/// What our own parser and lang-c make of the same item.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Agreement {
    /// Both build the same tree, with the same spans.
    Same,
    /// Our own parser leaves the item to lang-c.
    LeftToLangC,
    /// Our own parser accepts what lang-c refuses, or builds another tree. This must not happen.
    Different,
}

/// Parses `text` both ways. `None` if it is nested too deeply for either, if lang-c would not come to an end, or if a
/// word of the language is among the names of types, which [`with_parsed`] prevents.
pub fn compare_parsers(typedef_names: &[&str], text: &str) -> Option<Agreement> {
    if !typedef_names.iter().all(|name| can_name_type(name)) {
        return None;
    }
    let tokens = lex(text);
    let depth = nesting(text, &tokens).ok()?;
    let is_typedef = |name: &str| typedef_names.contains(&name);
    reread_tokens(text, &tokens, &is_typedef).ok()?;
    Some(on_deep_stack(depth, || {
        let prefix = typedef_prefix(typedef_names).len();
        let Some(own) = parse_item(text, &tokens, &is_typedef, prefix) else {
            return Agreement::LeftToLangC;
        };
        match parse_with_lang_c(typedef_names, text, &tokens) {
            Ok((Some(declaration), _)) if declaration == own => Agreement::Same,
            _ => Agreement::Different,
        }
    }))
}

fn on_deep_stack<T>(depth: usize, work: impl FnOnce() -> T) -> T {
    let needed = SHALLOW_STACK + depth * STACK_PER_STEP;
    stacker::maybe_grow(needed, needed, work)
}

/// What an item of ordinary depth needs.
const SHALLOW_STACK: usize = 512 * 1024;
/// What lang-c and the lowering use for one step of nesting, in a debug build, with a reserve.
const STACK_PER_STEP: usize = 8 * 1024;

static CONFIGURATION: LazyLock<Config> = LazyLock::new(|| Config {
    cpp_command: String::new(),
    cpp_options: Vec::new(),
    flavor: Flavor::GnuC11,
});

fn parse(
    is_typedef: &dyn Fn(Ustr) -> bool,
    item: &Normalised,
    part: Part,
) -> Result<Parsed, SyntaxError> {
    match parse_text(is_typedef, item) {
        Ok((declaration, prefix)) => Ok(Parsed {
            declaration,
            prefix,
            renormalised: None,
        }),
        // lang-c accepts attributes in fewer places than compilers do.
        Err(_) if item.text.contains("__attribute__") => {
            let mut renormalised = normalise(&item.text, &item.tokens, part, Attributes::Dropped);
            let (declaration, prefix) =
                parse_text(is_typedef, &renormalised).map_err(|mut error| {
                    error.offset = renormalised
                        .origin(error.offset, error.offset)
                        .map_or(0, |origin| origin.0);
                    error
                })?;
            // Only the way back to the item's text is needed from now on.
            renormalised.tokens = Vec::new();
            Ok(Parsed {
                declaration,
                prefix,
                renormalised: Some(renormalised),
            })
        }
        Err(error) => Err(error),
    }
}

/// The declaration, and the length of what was put in front of the text.
type Tree = (Option<ExternalDeclaration>, usize);

fn parse_text(is_typedef: &dyn Fn(Ustr) -> bool, item: &Normalised) -> Result<Tree, SyntaxError> {
    let names_type = |name: &str| is_typedef(Ustr::from(name)) && may_name_type(name);
    match parse_item(&item.text, &item.tokens, &names_type, 0) {
        Some(declaration) => Ok((Some(declaration), 0)),
        None => {
            let typedef_names = mentioned_typedefs(item, is_typedef);
            parse_with_lang_c(&typedef_names, &item.text, &item.tokens)
        }
    }
}

/// How many tokens an item has for each name that is new in it, roughly.
const TOKENS_PER_NAME: usize = 8;

/// The names in a normalised item that stand for types, sorted.
pub fn mentioned_typedefs(
    normalised: &Normalised,
    is_typedef: &dyn Fn(Ustr) -> bool,
) -> Vec<&'static str> {
    let mut seen = FxHashSet::with_capacity_and_hasher(
        normalised.tokens.len() / TOKENS_PER_NAME,
        FxBuildHasher,
    );
    let mut names = Vec::new();
    let mut names_member = false;
    for token in &normalised.tokens {
        let text = token.text(&normalised.text);
        // A member's name has a name space of its own.
        let is_new = token.kind == TokenKind::Identifier && !names_member && seen.insert(text);
        if is_new && may_name_type(text) {
            let name = Ustr::from(text);
            if is_typedef(name) {
                names.push(name.as_str());
            }
        }
        names_member = token.is(b'.') || text == "->";
    }
    names.sort_unstable();
    names
}

/// Words of the language are no names of types, even if a header says so.
fn may_name_type(word: &str) -> bool {
    can_name_type(word) && (!is_specifier(word) || BUILTIN_TYPE_NAMES.contains(&word))
}

/// lang-c learns the names of types from a declaration of them in front of the item.
fn typedef_prefix(typedef_names: &[&str]) -> String {
    if typedef_names.is_empty() {
        return String::new();
    }
    format!("typedef int {};\n", typedef_names.join(","))
}

fn parse_with_lang_c(
    typedef_names: &[&str],
    text: &str,
    tokens: &[Token],
) -> Result<Tree, SyntaxError> {
    let names: FxHashSet<&str> = typedef_names.iter().copied().collect();
    reread_tokens(text, tokens, &|name| names.contains(name)).map_err(|too_many| SyntaxError {
        offset: too_many.offset,
        message: too_many.to_string(),
    })?;
    let mut source = typedef_prefix(typedef_names);
    let prefix = source.len();
    source.push_str(text);
    let TranslationUnit(mut declarations) = parse_preprocessed(&CONFIGURATION, source)
        .map_err(|error| SyntaxError {
            offset: error.offset.saturating_sub(prefix) as u32,
            message: describe(text, error.offset.saturating_sub(prefix)),
        })?
        .unit;
    let own = usize::from(!typedef_names.is_empty());
    let declaration = if declarations.len() > own {
        declarations.swap_remove(own).node.into()
    } else {
        None
    };
    Ok((declaration, prefix))
}

/// lang-c lists every token it would have accepted, up to forty; the place says more.
fn describe(text: &str, offset: usize) -> String {
    let rest = text.get(offset..).unwrap_or("").trim_start();
    match lex(rest).first() {
        Some(token) => format!("`{}` is not expected here", token.text(rest)),
        None => "the text ends too early".into(),
    }
}

impl Parsed {
    /// The range of the item's normalised text that a node of the tree stands for.
    pub fn span<T>(&self, node: &Node<T>) -> crate::ir::Span {
        self.range(node.span.start, node.span.end)
    }

    pub fn range(&self, start: usize, end: usize) -> crate::ir::Span {
        let start = start.saturating_sub(self.prefix) as u32;
        let end = end.saturating_sub(self.prefix) as u32;
        match &self.renormalised {
            None => crate::ir::Span { start, end },
            Some(normalised) => match normalised.origin(start, end) {
                Some((start, end)) => crate::ir::Span { start, end },
                None => crate::ir::Span { start, end },
            },
        }
    }
}
