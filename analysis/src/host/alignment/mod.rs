//! Finds, for each token of the preprocessor's output, the source token that it comes from.
//!
//! The macros are not known here, only their effect. A source token either comes out as it is, or
//! it is (the name of) a macro, alone or with its arguments, and any run of the output may stand
//! for that. Of all such explanations of the output the one with the fewest macros is taken; among
//! those, the one where expansions contain their own arguments.

mod table;

use crate::frontend::lex::{Token, TokenKind};
use table::Table;

/// A text and its tokens.
#[derive(Clone, Copy)]
pub(super) struct Tokens<'t> {
    pub text: &'t str,
    pub tokens: &'t [Token],
}

impl<'t> Tokens<'t> {
    fn len(self) -> usize {
        self.tokens.len()
    }

    fn get(self, index: usize) -> &'t str {
        self.tokens[index].text(self.text)
    }

    fn is_name(self, index: usize) -> bool {
        self.tokens[index].kind == TokenKind::Identifier
    }
}

/// Where a token of the output comes from, by indices of source tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// The user wrote it.
    Token(usize),
    /// It stands in the body of the macro that is used at `first..end`.
    Macro { first: usize, end: usize },
    /// Nothing in the source explains it.
    Unknown,
}

/// The origin of each output token. `None` if the source is not what the output was made from.
pub(super) fn align(output: Tokens<'_>, source: Tokens<'_>) -> Option<Vec<Origin>> {
    let is_same = output.len() == source.len()
        && (0..output.len()).all(|index| output.get(index) == source.get(index));
    if is_same {
        return Some((0..output.len()).map(Origin::Token).collect());
    }
    if (output.len() + 1) * (source.len() + 1) > MOST_CELLS {
        return Some(align_greedily(output, source));
    }
    let table = Table::new(output, source);
    let (mut origins, unexplained) = table.trace();
    let written = origins
        .iter()
        .filter(|origin| matches!(origin, Origin::Token(_)))
        .count();
    // One name may stand for anything; what speaks for the source is what came out as it is.
    if unexplained > written {
        return None;
    }
    find_arguments(output, source, &mut origins);
    Some(origins)
}

/// Machine-written lines can have many thousands of tokens; beyond this many pairs they are only
/// matched from the left.
const MOST_CELLS: usize = 400_000;

fn align_greedily(output: Tokens<'_>, source: Tokens<'_>) -> Vec<Origin> {
    /// How far ahead a token is looked for before it counts as a macro's.
    const REACH: usize = 64;
    let mut next = 0;
    (0..output.len())
        .map(|index| {
            let reach = source.len().min(next + REACH);
            match (next..reach).find(|&at| source.get(at) == output.get(index)) {
                Some(found) => {
                    next = found + 1;
                    Origin::Token(found)
                }
                None if next < source.len() => Origin::Macro {
                    first: next,
                    end: next + 1,
                },
                None => Origin::Unknown,
            }
        })
        .collect()
}

/// Gives the tokens of an expansion that came in through an argument the place of the argument.
fn find_arguments(output: Tokens<'_>, source: Tokens<'_>, origins: &mut [Origin]) {
    let mut from = 0;
    while from < origins.len() {
        let Origin::Macro { first, end } = origins[from] else {
            from += 1;
            continue;
        };
        let to = (from..origins.len())
            .find(|&at| origins[at] != Origin::Macro { first, end })
            .unwrap_or(origins.len());
        // Between the brackets; an expansion without arguments has nothing there.
        let arguments = (first + 2).min(end)..end.saturating_sub(1).max((first + 2).min(end));
        let mut column = from;
        let mut last = None;
        while column < to {
            let run_at = |column| find_run(output, column..to, source, arguments.clone(), last);
            // A bracket of the macro's may look like the beginning of an argument, but then a
            // longer run begins right behind it.
            let next_length = run_at(column + 1).map_or(0, |(_, length)| length);
            match run_at(column).filter(|(_, length)| *length >= next_length) {
                Some((row, length)) => {
                    for step in 0..length {
                        origins[column + step] = Origin::Token(row + step);
                    }
                    last = Some(row + length - 1);
                    column += length;
                }
                None => column += 1,
            }
        }
        from = to;
    }
}

/// The longest run of argument tokens that the output goes on with, by where it begins and its
/// length. Of several equal ones the first behind `last` is taken, so that equal arguments come in
/// turn.
fn find_run(
    output: Tokens<'_>,
    columns: std::ops::Range<usize>,
    source: Tokens<'_>,
    rows: std::ops::Range<usize>,
    last: Option<usize>,
) -> Option<(usize, usize)> {
    rows.clone()
        .filter_map(|row| {
            let length = columns
                .clone()
                .zip(row..rows.end)
                .take_while(|&(column, row)| output.get(column) == source.get(row))
                .count();
            let has_name = (row..row + length).any(|row| source.is_name(row));
            let borders = [row - 1, row + length].map(|at| {
                matches!(
                    source.tokens.get(at).map(|token| token.kind),
                    Some(TokenKind::Punctuation(b'(' | b')' | b',')) | None
                )
            });
            // A lone name in the middle of an argument may as well be one of the macro's own.
            let is_certain = borders == [true, true] || length >= 2;
            (has_name && is_certain).then_some((row, length))
        })
        .max_by_key(|&(row, length)| {
            let is_behind = last.is_some_and(|last| row > last);
            (length, is_behind, std::cmp::Reverse(row))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::lex::lex;
    use expect_test::{Expect, expect};

    /// Shows the output with the source offset of each token that the user wrote, and with each
    /// expansion in braces behind the macro's name.
    fn check(source: &str, output: &str, expected: Expect) {
        let (source_tokens, output_tokens) = (lex(source), lex(output));
        let source = Tokens {
            text: source,
            tokens: &source_tokens,
        };
        let output = Tokens {
            text: output,
            tokens: &output_tokens,
        };
        let Some(origins) = align(output, source) else {
            return expected.assert_eq("no alignment");
        };
        let mut words = Vec::new();
        let mut inside = 0..0;
        for (column, origin) in origins.iter().enumerate() {
            let token = output.get(column);
            let (row, word) = match *origin {
                Origin::Token(row) => (row, format!("{token}@{}", source.tokens[row].start)),
                Origin::Macro { first, .. } => (first, token.to_owned()),
                Origin::Unknown => (inside.start, format!("{token}?")),
            };
            if !inside.is_empty() && !inside.contains(&row) {
                words.push("}".to_owned());
                inside = 0..0;
            }
            if let Origin::Macro { first, end } = *origin
                && inside.is_empty()
            {
                inside = first..end;
                words.push(format!("{} {{", source.get(first)));
            }
            words.push(word);
        }
        if !inside.is_empty() {
            words.push("}".to_owned());
        }
        expected.assert_eq(&words.join(" "));
    }

    #[test]
    fn tokens_that_the_user_wrote_keep_their_places() {
        check(
            "x =  c->hits+x;",
            "x = c->hits+x;",
            expect!["x@0 =@2 c@5 ->@6 hits@8 +@12 x@13 ;@14"],
        );
    }

    #[test]
    fn a_macro_takes_what_its_neighbours_leave() {
        check(
            "a = GET(b) + b;",
            "a = ((b)->v + (b)) + b;",
            expect!["a@0 =@2 GET { ( ( b@8 ) -> v + ( b@8 ) ) } +@11 b@13 ;@14"],
        );
        check(
            "p = NULL; q = p;",
            "p = ((void *)0); q = p;",
            expect!["p@0 =@2 NULL { ( ( void * ) 0 ) } ;@8 q@10 =@12 p@14 ;@15"],
        );
        check("NOTHING a = 1;", "a = 1;", expect!["a@8 =@10 1@12 ;@13"]);
    }

    #[test]
    fn equal_macros_on_one_line_take_their_own_arguments() {
        let output = "lock(&m); (a)++; unlock(&m); lock(&m); (b)++; unlock(&m);";
        check(
            "INC(a); INC(b);",
            output,
            expect![
                "INC { lock ( & m ) ; ( a@4 ) ++ } ;@6 INC { unlock ( & m ) ; lock ( & m ) ; ( b@12 ) ++ ; unlock ( & m ) } ;@14"
            ],
        );
        check(
            "X(a) X(b)",
            "int a; int b;",
            expect!["X { int a@2 } X { ; int b@7 ; }"],
        );
    }

    #[test]
    fn an_argument_that_comes_twice_is_found_twice() {
        let output = "m = ((g) > (p->n + 4) ? (g) : (p->n + 4));";
        check(
            "m = MAX(g, p->n + K);",
            output,
            expect![
                "m@0 =@2 MAX { ( ( g@8 ) > ( p@11 ->@12 n@14 +@16 4 ) ? ( g@8 ) : ( p@11 ->@12 n@14 +@16 4 ) ) } ;@20"
            ],
        );
        check(
            "CHECK(c->n == 0 && SIZE(c->m))",
            "((c->n == 0 && ((c->m)->s)) ? 0 : fail())",
            expect![
                "CHECK { ( ( c@6 ->@7 n@9 ==@11 0@14 &&@16 ( (@23 c@24 ->@25 m@27 )@28 -> s ) ) ? 0 : fail ( ) ) }"
            ],
        );
        check(
            "MAX(g, g)",
            "((g) > (g) ? (g) : (g))",
            expect!["MAX { ( ( g@4 ) > ( g@7 ) ? ( g@4 ) : ( g@7 ) ) }"],
        );
    }

    #[test]
    fn a_function_is_not_taken_for_a_macro_because_of_its_arguments() {
        let output = "if (f(((e)->v), ((void *)0), 4) == 3) g(c->n & (1<<2));";
        check(
            "if (f(VALUE(e), NULL, FOUR) == THREE) g(c->n & FLAG);",
            output,
            expect![
                "if@0 (@3 f@4 (@5 VALUE { ( ( e@12 ) -> v ) } ,@14 NULL { ( ( void * ) 0 ) } ,@20 FOUR { 4 } )@26 ==@28 THREE { 3 } )@36 g@38 (@39 c@40 ->@41 n@43 &@45 FLAG { ( 1 << 2 ) } )@51 ;@52"
            ],
        );
        check(
            "lock(x);",
            "lock(x, 12, 3);",
            expect!["lock@0 (@4 x { x , 12 , 3 } )@6 ;@7"],
        );
    }

    #[test]
    fn a_macro_may_leave_a_bracket_open() {
        let output = "{ lock(); x = y; unlock(); }";
        check(
            "BEGIN x = y; END",
            output,
            expect!["BEGIN { { lock ( ) ; } x@6 =@8 y@10 ;@11 END { unlock ( ) ; } }"],
        );
    }

    #[test]
    fn a_part_of_a_line_is_found_in_it() {
        let source = "int a; int f(void) { return a; }";
        check(
            source,
            "int f(void) { return a; }",
            expect!["int@7 f@11 (@12 void@13 )@17 {@19 return@21 a@28 ;@29 }@31"],
        );
    }

    #[test]
    fn another_text_is_not_matched() {
        check(
            "int unrelated(void) {",
            "x = 1 + 2;",
            expect!["no alignment"],
        );
    }
}
