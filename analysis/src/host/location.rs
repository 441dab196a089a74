//! From a span in a body to the file, line and column that the user wrote.

use super::{Analysis, PlacedFunction};
use crate::db::{Function, FunctionKind};
use crate::frontend::lex::{Token, lex};
use crate::frontend::markers::LineOrigin;
use crate::frontend::normalise::{Attributes, Part, normalise};
use crate::ir::Span;
use std::sync::Arc;
use ustr::Ustr;

/// A place in a source file. Lines and columns count from 1, columns in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Location {
    pub file: Ustr,
    pub line: u32,
    pub column: u32,
    /// The end, behind the last byte, on the same line where possible.
    pub end_line: u32,
    pub end_column: u32,
    /// The text stands in the body of a macro, and this is where the macro is used.
    pub in_macro: bool,
}

/// Gives the text of source files, by which columns are found. Without a text, columns are 1.
pub type SourceTexts<'s> = dyn Fn(Ustr) -> Option<Arc<str>> + 's;

impl Analysis {
    /// Where a span of a function's normalised text comes from.
    pub fn location(
        &self,
        function: Function,
        span: Span,
        sources: &SourceTexts<'_>,
    ) -> Option<Location> {
        let table = self
            .program
            .units
            .get(&function.unit(&self.db).path(&self.db))?;
        let placed = table
            .functions
            .iter()
            .find(|placed| placed.function == function)?;
        self.place(table, placed, function, span, sources)
    }

    fn place(
        &self,
        table: &super::UnitTable,
        placed: &PlacedFunction,
        function: Function,
        span: Span,
        sources: &SourceTexts<'_>,
    ) -> Option<Location> {
        if placed.kept {
            return None;
        }
        let group = &table.groups[placed.group as usize];
        let item = &group.group.items[placed.item as usize];
        let text = group.group.item_text(item);
        let part = match function.kind(&self.db) {
            FunctionKind::Function => Part::Function,
            FunctionKind::Initialiser => Part::Declaration,
        };
        let normalised = normalise(text, &lex(text), part, Attributes::Meaningful);
        let (start, end) = normalised.origin(span.start, span.end)?;
        let (start, end) = (item.start + start, item.start + end);
        let first = group.origin_of(start);
        let last = group.origin_of(end.saturating_sub(1).max(start));
        let source = sources(first.file);
        let (column, width, in_macro) = column(&group.group.text, start, first, source.as_deref());
        let (end_line, end_column) =
            if last.file == first.file && last.line >= first.line && end > start {
                let end_token = last_token_start(&group.group.text, start, end);
                let (column, width, _) =
                    self::column(&group.group.text, end_token, last, source.as_deref());
                (last.line, column + width)
            } else {
                (first.line, column + width)
            };
        let (end_line, end_column) = (end_line, end_column).max((first.line, column + width));
        Some(Location {
            file: first.file,
            line: first.line,
            column,
            end_line,
            end_column,
            in_macro,
        })
    }
}

fn last_token_start(text: &str, start: u32, end: u32) -> u32 {
    let range = &text[start as usize..end as usize];
    lex(range).last().map_or(start, |token| start + token.start)
}

/// The column and width, in the source line, of the token at `offset` of the preprocessed text, and
/// whether it comes out of a macro.
fn column(text: &str, offset: u32, origin: LineOrigin, source: Option<&str>) -> (u32, u32, bool) {
    let Some(line) =
        source.and_then(|source| source.lines().nth(origin.line.saturating_sub(1) as usize))
    else {
        return (1, 1, false);
    };
    // The preprocessed tokens of the same source line. A line marker for the same line may cut a
    // line in two (gcc writes one behind a macro from a system header), so look across.
    let (start, end) = same_line_range(text, offset as usize);
    let output = &text[start..end];
    let output_tokens = lex(output);
    let index = output_tokens
        .iter()
        .position(|token| token.end as usize + start > offset as usize)
        .unwrap_or(0);
    let source_tokens = lex(line);
    if source_tokens.is_empty() {
        return (1, 1, true);
    }
    let matched = align(output, &output_tokens, line, &source_tokens);
    if let Some(found) = matched.get(index).copied().flatten() {
        let token = source_tokens[found];
        return (token.start + 1, token.end - token.start, false);
    }
    // Out of a macro: the first source token that no output token stands for, behind the last one
    // in front that does.
    let behind = matched[..index.min(matched.len())]
        .iter()
        .rev()
        .find_map(|found| *found)
        .map_or(0, |found| found + 1);
    let used = |position: usize| matched.contains(&Some(position));
    let invocation = (behind..source_tokens.len())
        .find(|&position| !used(position))
        .unwrap_or(behind.min(source_tokens.len() - 1));
    let token = source_tokens[invocation];
    (token.start + 1, token.end - token.start, true)
}

fn same_line_range(text: &str, offset: usize) -> (usize, usize) {
    let start = text[..offset].rfind('\n').map_or(0, |found| found + 1);
    let end = text[offset..]
        .find('\n')
        .map_or(text.len(), |found| offset + found);
    (start, end)
}

/// For each output token, the source token it is, by a longest common subsequence.
fn align(
    output: &str,
    output_tokens: &[Token],
    source: &str,
    source_tokens: &[Token],
) -> Vec<Option<usize>> {
    let (rows, columns) = (output_tokens.len(), source_tokens.len());
    // Machine-written lines can have many thousands of tokens: beyond this, match by prefix.
    if rows * columns > 4_000_000 {
        let mut next = 0;
        return output_tokens
            .iter()
            .map(|token| {
                let found = (next..columns)
                    .find(|&at| source_tokens[at].text(source) == token.text(output))?;
                next = found + 1;
                Some(found)
            })
            .collect();
    }
    let same = |row: usize, column: usize| {
        output_tokens[row].text(output) == source_tokens[column].text(source)
    };
    let mut lengths = vec![0u32; (rows + 1) * (columns + 1)];
    let at = |row: usize, column: usize| row * (columns + 1) + column;
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            lengths[at(row, column)] = if same(row, column) {
                lengths[at(row + 1, column + 1)] + 1
            } else {
                lengths[at(row + 1, column)].max(lengths[at(row, column + 1)])
            };
        }
    }
    let mut matched = vec![None; rows];
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        if same(row, column) && lengths[at(row, column)] == lengths[at(row + 1, column + 1)] + 1 {
            matched[row] = Some(column);
            row += 1;
            column += 1;
        } else if lengths[at(row + 1, column)] >= lengths[at(row, column + 1)] {
            row += 1;
        } else {
            column += 1;
        }
    }
    matched
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, output: &str, token: &str) -> (u32, bool) {
        let offset = output.find(token).unwrap() as u32;
        let origin = LineOrigin {
            file: Ustr::from("a.c"),
            line: 1,
            system: false,
        };
        let (column, _, in_macro) = column(output, offset, origin, Some(source));
        (column, in_macro)
    }

    #[test]
    fn a_token_that_the_user_wrote_has_its_own_column() {
        assert_eq!(
            check("\tx  = c->hits + 1;", "x = c->hits + 1;", "hits"),
            (10, false)
        );
    }

    #[test]
    fn a_token_of_a_macro_stands_where_the_macro_is_used() {
        assert_eq!(
            check(
                "a = LOCK(c) + b;",
                "a = pthread_mutex_lock(&(c)->m) + b;",
                "pthread_mutex_lock"
            ),
            (5, true)
        );
        assert_eq!(
            check(
                "a = LOCK(c) + b;",
                "a = pthread_mutex_lock(&(c)->m) + b;",
                "b;"
            ),
            (15, false)
        );
    }
}
