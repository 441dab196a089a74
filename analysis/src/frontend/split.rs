//! Cuts a token stream into top-level items, one declaration or definition each.
//!
//! The splitter is the barrier behind which an edit stays local: an unbalanced bracket must cost
//! the item it stands in, not the rest of the file. Where brackets do not match, a `}` in column 0
//! is taken as the end of the item.

use super::lex::{Token, TokenKind, skip_group};

/// What an item is, by its tokens alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ItemKind {
    Function,
    Typedef,
    /// Variables, prototypes, struct, union and enum definitions.
    Declaration,
    Assembly,
    StaticAssert,
    /// A lone `;`.
    Empty,
}

/// One top-level item as a range of tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Item {
    pub kind: ItemKind,
    pub start: usize,
    /// Index of the `{` that opens a function's body; `end` for every other kind.
    pub body: usize,
    pub end: usize,
}

/// Splits as many items off as are certainly complete and returns them with the index of the first
/// token that belongs to none. With `at_end` the text goes no further, and the rest is split as
/// well as it can be.
pub fn split(source: &str, tokens: &[Token], at_end: bool) -> (Vec<Item>, usize) {
    let mut items = Vec::new();
    let mut start = 0;
    while start < tokens.len() {
        let Some(item) = scan_item(source, tokens, start, at_end) else {
            break;
        };
        start = item.end;
        items.push(item);
    }
    (items, start)
}

pub(super) fn is_attribute_word(text: &str) -> bool {
    matches!(
        text,
        "__attribute__"
            | "__attribute"
            | "asm"
            | "__asm__"
            | "__asm"
            | "__typeof__"
            | "typeof"
            | "__typeof"
            | "typeof_unqual"
            | "__typeof_unqual__"
            | "_Alignas"
            | "alignas"
            | "__declspec"
            | "_BitInt"
    )
}

pub(super) fn is_tag_keyword(text: &str) -> bool {
    matches!(text, "struct" | "union" | "enum")
}

fn scan_item(source: &str, tokens: &[Token], start: usize, at_end: bool) -> Option<Item> {
    let mut at = start;
    let mut parens = 0usize;
    let mut is_typedef = false;
    let mut saw_initialiser = false;
    let finish = |end: usize, is_typedef: bool| {
        Some(Item {
            kind: kind_of(source, &tokens[start..end], is_typedef),
            start,
            body: end,
            end,
        })
    };
    while at < tokens.len() {
        let token = tokens[at];
        match token.kind {
            TokenKind::Punctuation(b'(' | b'[') => parens += 1,
            TokenKind::Punctuation(b')' | b']') => parens = parens.saturating_sub(1),
            // No parenthesis reaches over a `;` outside braces: a missing `)` ends here.
            TokenKind::Punctuation(b';') => return finish(at + 1, is_typedef),
            TokenKind::Punctuation(b'}') => return finish(at + 1, is_typedef),
            TokenKind::Punctuation(b'=') if parens == 0 => saw_initialiser = true,
            TokenKind::Punctuation(b'{') => {
                let opens_body = !saw_initialiser
                    && !opens_tag_body(source, tokens, start, at)
                    && !opens_expression(tokens, start, at, parens);
                let braces = Braces {
                    item_start: start,
                    open: at,
                    is_body: opens_body,
                };
                let BraceEnd { end, at_next_item } = brace_end(source, tokens, &braces, at_end)?;
                if at_next_item && !opens_body {
                    return finish(end, is_typedef);
                }
                if opens_body {
                    return Some(Item {
                        kind: ItemKind::Function,
                        start,
                        body: at,
                        end,
                    });
                }
                at = end;
                continue;
            }
            TokenKind::Identifier => {
                let text = token.text(source);
                if text == "typedef" {
                    is_typedef = true;
                } else if parens == 0
                    && at > start
                    && tokens[at - 1].is(b')')
                    && !is_typedef
                    && !saw_initialiser
                    && !is_attribute_word(text)
                    && let Some(body) = old_style_body(source, tokens, start, at)
                {
                    let braces = Braces {
                        item_start: start,
                        open: body,
                        is_body: true,
                    };
                    let BraceEnd { end, .. } = brace_end(source, tokens, &braces, at_end)?;
                    return Some(Item {
                        kind: ItemKind::Function,
                        start,
                        body,
                        end,
                    });
                }
            }
            _ => {}
        }
        at += 1;
    }
    if at_end {
        finish(tokens.len(), is_typedef)
    } else {
        None
    }
}

fn kind_of(source: &str, tokens: &[Token], is_typedef: bool) -> ItemKind {
    let first = tokens.first().map_or("", |token| token.text(source));
    match first {
        ";" if tokens.len() == 1 => ItemKind::Empty,
        "asm" | "__asm__" | "__asm" => ItemKind::Assembly,
        "_Static_assert" | "static_assert" => ItemKind::StaticAssert,
        _ if is_typedef => ItemKind::Typedef,
        _ => ItemKind::Declaration,
    }
}

/// The index behind the `}` that closes the `{` at `open`, or `None` if it is not there yet.
///
/// Strict matching decides wherever it can. It is overruled by the first `}` in column 0 when it
/// finds no end at all (a `{` too many, a `}` too few), or when it ends in the middle of an
/// indented line although a function began in column 0 (a `}` too many).
fn brace_end(source: &str, tokens: &[Token], braces: &Braces, at_end: bool) -> Option<BraceEnd> {
    let open = braces.open;
    let mut depth = 0usize;
    let mut column_zero_end = None;
    let mut at = open;
    while at < tokens.len() {
        match tokens[at].kind {
            TokenKind::Punctuation(b'{') => depth += 1,
            TokenKind::Punctuation(b'}') => {
                depth -= 1;
                if column_zero_end.is_none() && tokens[at].in_column_zero(source) {
                    column_zero_end = Some(at + 1);
                }
                if depth == 0 {
                    break;
                }
            }
            _ => {}
        }
        at += 1;
    }
    if at >= tokens.len() {
        if !at_end {
            return None;
        }
        let next_function = (open + 1..column_zero_end.unwrap_or(tokens.len()))
            .find(|&at| starts_function(source, tokens, at));
        return Some(match next_function {
            Some(next) => BraceEnd {
                end: next,
                at_next_item: true,
            },
            None => BraceEnd::at(column_zero_end.unwrap_or(tokens.len())),
        });
    }
    let strict = at + 1;
    let began_in_column_zero = tokens[braces.item_start].in_column_zero(source);
    if column_zero_end.is_some() || !braces.is_body || !began_in_column_zero {
        return Some(BraceEnd::at(strict));
    }
    let one_line = !source[tokens[open].start as usize..tokens[at].start as usize].contains('\n');
    let plausible = tokens
        .get(strict)
        .is_none_or(|next| next.in_column_zero(source) || next.is(b';'));
    if one_line || plausible {
        return Some(BraceEnd::at(strict));
    }
    let resynchronised = tokens[strict..]
        .iter()
        .take(RESYNCHRONISE_WITHIN)
        .position(|token| token.is(b'}') && token.in_column_zero(source))
        .map(|found| strict + found + 1);
    Some(BraceEnd::at(resynchronised.unwrap_or(strict)))
}

/// A group in braces at the top level of an item.
struct Braces {
    item_start: usize,
    open: usize,
    /// They hold a function's statements, and not members or initialisers.
    is_body: bool,
}

/// Where a group in braces ends.
struct BraceEnd {
    end: usize,
    /// The next item starts here although no brace has closed.
    at_next_item: bool,
}

impl BraceEnd {
    fn at(end: usize) -> BraceEnd {
        BraceEnd {
            end,
            at_next_item: false,
        }
    }
}

/// Whether a function's header stands in column 0, where the body before it should have ended.
fn starts_function(source: &str, tokens: &[Token], start: usize) -> bool {
    let follows_statement = matches!(
        tokens[start - 1].kind,
        TokenKind::Punctuation(b';' | b'}' | b'{')
    ) || tokens[start - 1].kind == TokenKind::String;
    if !follows_statement || !tokens[start].in_column_zero(source) {
        return false;
    }
    let mut words = 0;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token.kind {
            TokenKind::Identifier if is_statement_keyword(token.text(source)) => return false,
            TokenKind::Identifier => words += 1,
            TokenKind::Punctuation(b'*') => {}
            TokenKind::Punctuation(b'(') if words >= 2 => {
                return tokens
                    .get(skip_group(tokens, at))
                    .is_some_and(|next| next.is(b'{'));
            }
            _ => return false,
        }
    }
    false
}

/// Words that start or continue a statement and never a declaration.
pub(super) fn is_statement_keyword(text: &str) -> bool {
    matches!(
        text,
        "if" | "else"
            | "while"
            | "for"
            | "do"
            | "switch"
            | "return"
            | "goto"
            | "case"
            | "default"
            | "break"
            | "continue"
            | "sizeof"
    )
}

/// How many tokens behind a suspicious end a `}` in column 0 is looked for.
const RESYNCHRONISE_WITHIN: usize = 20_000;

/// Whether the `{` at `brace` opens the members of a struct, union or enum.
fn opens_tag_body(source: &str, tokens: &[Token], start: usize, brace: usize) -> bool {
    let mut at = brace;
    while at > start {
        at -= 1;
        match tokens[at].kind {
            TokenKind::Identifier if is_tag_keyword(tokens[at].text(source)) => return true,
            // A name, or the underlying type of a C23 enum.
            TokenKind::Identifier | TokenKind::Punctuation(b':') => {}
            TokenKind::Punctuation(b')' | b']') => {
                let Some(open) = group_start(tokens, start, at) else {
                    return false;
                };
                at = open;
                let is_attribute = tokens[open].is(b'[')
                    || (open > start && is_attribute_word(tokens[open - 1].text(source)));
                if !is_attribute {
                    return false;
                }
            }
            _ => return false,
        }
    }
    false
}

/// Whether the `{` at `brace` belongs to an expression: a statement expression `({…})`, or a
/// compound literal `f((T){…})`. A `{` behind a parameter list that lacks its `)` does not.
fn opens_expression(tokens: &[Token], start: usize, brace: usize, parens: usize) -> bool {
    brace > start
        && match tokens[brace - 1].kind {
            TokenKind::Punctuation(b'(' | b',' | b'=') => true,
            TokenKind::Punctuation(b')') => parens > 0,
            _ => false,
        }
}

/// The opening bracket that the one at `close` closes.
pub(super) fn group_start(tokens: &[Token], start: usize, close: usize) -> Option<usize> {
    let mut depth = 0usize;
    for at in (start..=close).rev() {
        match tokens[at].kind {
            TokenKind::Punctuation(b')' | b']' | b'}') => depth += 1,
            TokenKind::Punctuation(b'(' | b'[' | b'{') => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Recognises `name(a, b) int a; char *b; {` and returns the index of its `{`.
fn old_style_body(
    source: &str,
    tokens: &[Token],
    start: usize,
    first_declaration: usize,
) -> Option<usize> {
    let open = group_start(tokens, start, first_declaration - 1)?;
    let names = &tokens[open + 1..first_declaration - 1];
    let is_name_list = !names.is_empty()
        && names.iter().enumerate().all(|(position, token)| {
            if position % 2 == 0 {
                token.kind == TokenKind::Identifier
            } else {
                token.is(b',')
            }
        });
    if !is_name_list
        || open == start
        || tokens[open - 1].kind != TokenKind::Identifier
        || is_attribute_word(tokens[open - 1].text(source))
        || super::names::is_specifier(tokens[open - 1].text(source))
    {
        return None;
    }
    let mut at = first_declaration;
    while at < tokens.len() {
        match tokens[at].kind {
            TokenKind::Punctuation(b';') => {
                let next = tokens.get(at + 1)?;
                if next.is(b'{') {
                    return Some(at + 1);
                }
                if next.kind != TokenKind::Identifier {
                    return None;
                }
            }
            TokenKind::Punctuation(b'(' | b'[') => {
                at = skip_group(tokens, at);
                continue;
            }
            TokenKind::Identifier | TokenKind::Number | TokenKind::Punctuation(b'*' | b',') => {}
            _ => return None,
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::lex::lex;
    use expect_test::{Expect, expect};

    fn check(source: &str, expected: Expect) {
        let tokens = lex(source);
        let (items, rest) = split(source, &tokens, true);
        assert_eq!(rest, tokens.len());
        let shown: Vec<String> = items
            .iter()
            .map(|item| {
                let words: Vec<&str> = tokens[item.start..item.end]
                    .iter()
                    .map(|token| token.text(source))
                    .collect();
                format!("{:?}: {}", item.kind, words.join(" "))
            })
            .collect();
        expected.assert_eq(&shown.join("\n"));
    }

    #[test]
    fn items_of_each_kind() {
        check(
            "typedef struct s { int a; } s;\nstruct t { int b; } v = { 1 };\nint f(void) { return 1; }\n;\nasm(\"nop\");\nenum e : int { A, B };\n",
            expect![[r#"
                Typedef: typedef struct s { int a ; } s ;
                Declaration: struct t { int b ; } v = { 1 } ;
                Function: int f ( void ) { return 1 ; }
                Empty: ;
                Assembly: asm ( "nop" ) ;
                Declaration: enum e : int { A , B } ;"#]],
        );
    }

    #[test]
    fn an_old_style_definition_is_one_item() {
        check(
            "int main(argc, argv)\nint argc;\nchar **argv;\n{\n  return argc;\n}\nint x;",
            expect![[r#"
                Function: int main ( argc , argv ) int argc ; char * * argv ; { return argc ; }
                Declaration: int x ;"#]],
        );
    }

    #[test]
    fn a_brace_too_many_costs_its_own_function() {
        check(
            "int f(void)\n{\n  if (1) {{ g();\n  }\n}\nint g(void)\n{\n  return 1;\n}\n",
            expect![[r#"
                Function: int f ( void ) { if ( 1 ) { { g ( ) ; } }
                Function: int g ( void ) { return 1 ; }"#]],
        );
    }

    #[test]
    fn a_closing_brace_too_many_costs_its_own_function() {
        check(
            "int f(void)\n{\n  if (1) }\n  x = 2;\n}\nint g(void)\n{\n  return 1;\n}\n",
            expect![[r#"
                Function: int f ( void ) { if ( 1 ) } x = 2 ; }
                Function: int g ( void ) { return 1 ; }"#]],
        );
    }

    #[test]
    fn a_missing_parenthesis_costs_its_own_item() {
        check(
            "int f(int a;\nint g(int b {\n  return b;\n}\nint h(void) { return 2; }\n",
            expect![[r#"
                Declaration: int f ( int a ;
                Function: int g ( int b { return b ; }
                Function: int h ( void ) { return 2 ; }"#]],
        );
    }

    #[test]
    fn a_closing_brace_at_the_end_of_a_line_ends_a_type() {
        check(
            "typedef enum { A,\n  B } kind;\nstruct s\n{\n  int x;\n};\nint table[] = { 1,\n  2 }, *next;\nint f(void)\n{\n}\n",
            expect![[r#"
                Typedef: typedef enum { A , B } kind ;
                Declaration: struct s { int x ; } ;
                Declaration: int table [ ] = { 1 , 2 } , * next ;
                Function: int f ( void ) { }"#]],
        );
    }

    #[test]
    fn a_function_that_is_not_finished_waits_for_more_text() {
        let source = "int a;\nint f(void) {\n";
        let tokens = lex(source);
        let (items, rest) = split(source, &tokens, false);
        assert_eq!((items.len(), rest), (1, 3));
    }
}
