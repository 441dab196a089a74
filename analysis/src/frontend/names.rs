//! Finds the names that an item declares, from its tokens alone.
//!
//! Resolving a name must not require parsing every header, so this runs before any parser. The
//! tests compare it with what lang-c finds.

use super::lex::{Token, TokenKind, skip_group};
use super::split::{ItemKind, is_attribute_word, is_tag_keyword};
use ustr::Ustr;

/// What kind of thing a name stands for at file scope.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum NameSpace {
    Typedef,
    /// `struct`, `union` or `enum` tags *with* a body.
    Tag,
    /// A variable or function that is declared.
    Value,
    /// A function that is defined here.
    FunctionDefinition,
    Enumerator,
}

/// What the specifiers of a declaration say about storage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct StorageWords {
    pub is_static: bool,
    pub is_extern: bool,
    pub is_thread_local: bool,
    /// `noreturn` in one of its spellings, somewhere in the declaration.
    pub mentions_noreturn: bool,
}

/// Reads the storage words outside all brackets, up to an initialiser.
pub fn storage_words(source: &str, tokens: &[Token]) -> StorageWords {
    let mut words = StorageWords::default();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token.kind {
            TokenKind::Punctuation(b'(' | b'[' | b'{') => {
                let end = skip_group(tokens, at);
                if !token.is(b'{') {
                    words.mentions_noreturn |= tokens[at..end]
                        .iter()
                        .any(|inner| matches!(inner.text(source), "noreturn" | "__noreturn__"));
                }
                at = end;
                continue;
            }
            TokenKind::Punctuation(b'=') => break,
            TokenKind::Identifier => match token.text(source) {
                "static" => words.is_static = true,
                "extern" => words.is_extern = true,
                "_Noreturn" | "noreturn" => words.mentions_noreturn = true,
                "__thread" | "_Thread_local" | "thread_local" => words.is_thread_local = true,
                _ => {}
            },
            _ => {}
        }
        at += 1;
    }
    words
}

/// Calls `sink` for every name that the item declares at file scope.
pub fn declared_names(
    source: &str,
    kind: ItemKind,
    tokens: &[Token],
    sink: &mut dyn FnMut(Ustr, NameSpace),
) {
    match kind {
        ItemKind::Assembly | ItemKind::StaticAssert | ItemKind::Empty => return,
        ItemKind::Function | ItemKind::Typedef | ItemKind::Declaration => {}
    }
    tags_and_enumerators(source, tokens, sink);
    let space = match kind {
        ItemKind::Typedef => NameSpace::Typedef,
        ItemKind::Function => NameSpace::FunctionDefinition,
        _ => NameSpace::Value,
    };
    let mut done = false;
    declarators(source, tokens, &mut |name| {
        // Behind an old-style definition's first declarator stand its parameters.
        if !done {
            sink(name, space);
        }
        done = kind == ItemKind::Function;
    });
}

/// Tags that get a body and the enumerators of enums, at any depth of the item.
fn tags_and_enumerators(source: &str, tokens: &[Token], sink: &mut dyn FnMut(Ustr, NameSpace)) {
    for (index, token) in tokens.iter().enumerate() {
        if token.kind != TokenKind::Identifier || !is_tag_keyword(token.text(source)) {
            continue;
        }
        let is_enum = token.text(source) == "enum";
        let mut at = index + 1;
        let mut tag = None;
        while let Some(next) = tokens.get(at) {
            match next.kind {
                TokenKind::Identifier if is_attribute_word(next.text(source)) => {
                    at = skip_group(tokens, at + 1)
                }
                TokenKind::Identifier => {
                    tag = tag.or(Some(next.text(source)));
                    at += 1;
                }
                TokenKind::Punctuation(b'[')
                    if tokens.get(at + 1).is_some_and(|inner| inner.is(b'[')) =>
                {
                    at = skip_group(tokens, at);
                }
                TokenKind::Punctuation(b':') if is_enum => at += 1,
                _ => break,
            }
        }
        if !tokens.get(at).is_some_and(|next| next.is(b'{')) {
            continue;
        }
        if let Some(tag) = tag {
            sink(Ustr::from(tag), NameSpace::Tag);
        }
        if is_enum {
            enumerators(source, &tokens[at + 1..], sink);
        }
    }
}

fn enumerators(source: &str, tokens: &[Token], sink: &mut dyn FnMut(Ustr, NameSpace)) {
    let mut expect_name = true;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token.kind {
            TokenKind::Identifier if expect_name => {
                sink(Ustr::from(token.text(source)), NameSpace::Enumerator);
                expect_name = false;
            }
            TokenKind::Punctuation(b',') => expect_name = true,
            TokenKind::Punctuation(b'(' | b'[' | b'{') => {
                at = skip_group(tokens, at);
                continue;
            }
            TokenKind::Punctuation(b'}') => return,
            _ => {}
        }
        at += 1;
    }
}

/// The names of the declarators of one declaration.
///
/// A declarator's name is the last identifier before `,`, `;`, `=`, `[` or the parameter list; or
/// the first one inside a group such as `(*name)`.
fn declarators(source: &str, tokens: &[Token], sink: &mut dyn FnMut(Ustr)) {
    let mut candidate: Option<&str> = None;
    let mut decided = false;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token.kind {
            TokenKind::Identifier => {
                let text = token.text(source);
                let takes_group = is_attribute_word(text) || text == "_Atomic";
                if takes_group && tokens.get(at + 1).is_some_and(|next| next.is(b'(')) {
                    at = skip_group(tokens, at + 1);
                    continue;
                }
                if !decided && !is_specifier(text) {
                    candidate = Some(text);
                } else if !decided && is_tag_keyword(text) {
                    // The tag that follows names no variable.
                    at += 1;
                    while let Some(next) = tokens.get(at)
                        && next.kind == TokenKind::Identifier
                        && is_attribute_word(next.text(source))
                    {
                        at = skip_group(tokens, at + 1);
                    }
                    if tokens
                        .get(at)
                        .is_some_and(|next| next.kind == TokenKind::Identifier)
                    {
                        at += 1;
                    }
                    continue;
                }
            }
            TokenKind::Punctuation(b'{') => {
                at = skip_group(tokens, at);
                continue;
            }
            TokenKind::Punctuation(b'[') => {
                decided |= candidate.is_some();
                at = skip_group(tokens, at);
                continue;
            }
            TokenKind::Punctuation(b'(') => {
                let end = skip_group(tokens, at);
                if !decided {
                    if opens_inner_declarator(source, tokens, at, end, candidate.is_some()) {
                        candidate = inner_name(source, &tokens[at + 1..end]).or(candidate);
                    }
                    decided = true;
                }
                at = end;
                continue;
            }
            TokenKind::Punctuation(b'=') => {
                at = initialiser_end(tokens, at + 1);
                decided = true;
                continue;
            }
            TokenKind::Punctuation(b',' | b';') => {
                if let Some(name) = candidate.take() {
                    sink(Ustr::from(name));
                }
                decided = false;
            }
            _ => {}
        }
        at += 1;
    }
    // A function definition has no `;` before its body.
    if let Some(name) = candidate {
        sink(Ustr::from(name));
    }
}

fn initialiser_end(tokens: &[Token], mut at: usize) -> usize {
    while let Some(token) = tokens.get(at) {
        match token.kind {
            TokenKind::Punctuation(b',' | b';') => return at,
            TokenKind::Punctuation(b'(' | b'[' | b'{') => at = skip_group(tokens, at),
            _ => at += 1,
        }
    }
    at
}

/// Distinguishes `(*name)(…)` and `(name)(…)` from a parameter list.
fn opens_inner_declarator(
    source: &str,
    tokens: &[Token],
    open: usize,
    end: usize,
    has_candidate: bool,
) -> bool {
    let first = tokens.get(open + 1).map_or("", |token| token.text(source));
    let follow = tokens.get(end).map_or("", |token| token.text(source));
    matches!(first, "*" | "(" | "^")
        || (is_attribute_word(first) && follow == "(")
        || matches!(follow, "(" | "[")
        || !has_candidate
}

fn inner_name<'t>(source: &'t str, tokens: &[Token]) -> Option<&'t str> {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if token.kind == TokenKind::Identifier {
            let text = token.text(source);
            if is_attribute_word(text) {
                at = skip_group(tokens, at + 1);
                continue;
            }
            if !is_specifier(text) {
                return Some(text);
            }
        }
        at += 1;
    }
    None
}

/// Words that can stand in a declaration and are never the name it declares.
pub(super) fn is_specifier(text: &str) -> bool {
    matches!(
        text,
        "typedef"
            | "extern"
            | "static"
            | "auto"
            | "register"
            | "inline"
            | "__inline"
            | "__inline__"
            | "_Noreturn"
            | "noreturn"
            | "const"
            | "volatile"
            | "restrict"
            | "__const"
            | "__const__"
            | "__volatile"
            | "__volatile__"
            | "__restrict"
            | "__restrict__"
            | "_Atomic"
            | "_Thread_local"
            | "__thread"
            | "thread_local"
            | "constexpr"
            | "void"
            | "char"
            | "short"
            | "int"
            | "long"
            | "float"
            | "double"
            | "signed"
            | "unsigned"
            | "__signed"
            | "__signed__"
            | "_Bool"
            | "bool"
            | "_Complex"
            | "__complex__"
            | "__complex"
            | "struct"
            | "union"
            | "enum"
            | "__extension__"
            | "__int128"
            | "_Nonnull"
            | "_Nullable"
            | "_Null_unspecified"
            | "__auto_type"
            | "_Float16"
            | "_Float32"
            | "_Float64"
            | "_Float128"
            | "_Float32x"
            | "_Float64x"
            | "_Decimal32"
            | "_Decimal64"
            | "_Decimal128"
            | "__float128"
            | "__int128_t"
            | "__uint128_t"
            | "__bf16"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::lex::lex;
    use crate::frontend::split::split;
    use expect_test::{Expect, expect};

    fn check(source: &str, expected: Expect) {
        let tokens = lex(source);
        let (items, _) = split(source, &tokens, true);
        let mut shown = Vec::new();
        for item in items {
            let declaration = &tokens[item.start..item.body];
            declared_names(source, item.kind, declaration, &mut |name, space| {
                shown.push(format!("{space:?} {name}"))
            });
        }
        expected.assert_eq(&shown.join(", "));
    }

    #[test]
    fn variables_functions_and_function_pointers() {
        check(
            "int a = 1, *b[3], (*c)(int x); static int f(int y); int (*g(void))(int); void (*signal(int s, void (*h)(int)))(int);",
            expect!["Value a, Value b, Value c, Value f, Value g, Value signal"],
        );
    }

    #[test]
    fn typedefs_tags_and_enumerators() {
        check(
            "typedef struct node { enum { RED, BLACK = 2 } colour; struct node *next; } node, *node_ptr; enum e { A, B }; struct fwd; struct fwd *p;",
            expect![
                "Tag node, Enumerator RED, Enumerator BLACK, Typedef node, Typedef node_ptr, Tag e, Enumerator A, Enumerator B, Value p"
            ],
        );
    }

    #[test]
    fn attributes_do_not_name_anything() {
        check(
            "typedef int v4 __attribute__((vector_size(16))); __attribute__((noinline)) static int h(void) { return 0; } extern int k(void) __asm__(\"kk\"); typedef __typeof__(sizeof(int)) size; struct __attribute__((packed)) q { int x; } z;",
            expect!["Typedef v4, FunctionDefinition h, Value k, Typedef size, Tag q, Value z"],
        );
    }

    #[test]
    fn old_style_definitions_name_the_function() {
        check(
            "int old(a, b) int a; char *b; { return a; }",
            expect!["FunctionDefinition old"],
        );
    }
}
