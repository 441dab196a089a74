//! From a span in a body to the file, line and column that the user wrote.

use super::alignment::{Origin, Tokens, align};
use super::source_file::SourceFile;
use super::{Analysis, UnitTable};
use crate::db::{Function, FunctionKind};
use crate::frontend::lex::{Token, TokenKind, lex, skip_group};
use crate::frontend::markers::LineOrigin;
use crate::frontend::normalise::{Attributes, Normalised, Part, normalise};
use crate::frontend::placement::PlacedGroup;
use crate::ir::Span;
use std::cell::OnceCell;
use std::sync::Arc;
use ustr::Ustr;

/// A place in a source file. Lines and columns count from 1, columns in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Location {
    pub file: Ustr,
    pub line: u32,
    pub column: u32,
    /// The end, behind the last byte.
    pub end_line: u32,
    pub end_column: u32,
    /// The text stands in the body of a macro, and this is where the macro is used.
    pub in_macro: bool,
}

impl Location {
    fn start(&self) -> (u32, u32) {
        (self.line, self.column)
    }

    fn end(&self) -> (u32, u32) {
        (self.end_line, self.end_column)
    }

    /// Whether the other place of the same file lies inside this one.
    fn contains(&self, other: &Location) -> bool {
        self.start() <= other.start() && other.end() <= self.end()
    }
}

/// Gives source files, by which columns are found. Without a file, columns are 1.
pub type SourceFiles<'s> = dyn Fn(Ustr) -> Option<Arc<SourceFile>> + 's;

impl Analysis {
    /// Where a span of a function's normalised text comes from.
    pub fn location(
        &self,
        function: Function,
        span: Span,
        sources: &SourceFiles<'_>,
    ) -> Option<Location> {
        self.locations(function, sources)?.location(span)
    }

    /// The unit in whose text a function is found.
    pub fn unit_of(&self, function: Function) -> Ustr {
        function.unit(&self.db).path(&self.db)
    }

    /// Whether what is known of a function is what its text says now, and not what an earlier text said, because it does not
    /// parse or is not to be found.
    pub fn stands_in_text(&self, function: Function) -> bool {
        if self.lowered(function).error.is_some() {
            return false;
        }
        let table = self.program.units.get(&self.unit_of(function));
        table.is_some_and(|table| {
            let is_kept = || {
                let mut kept = table.functions.iter().filter(|placed| placed.kept);
                kept.any(|placed| placed.function == function)
            };
            !(table.has_kept && is_kept())
        })
    }

    /// Finds places in one function; asking for many of them costs little more than for one.
    /// `None` if the function is not in the text at the moment.
    pub fn locations(
        &self,
        function: Function,
        sources: &SourceFiles<'_>,
    ) -> Option<FunctionLocations<'_>> {
        let table = self.program.units.get(&self.unit_of(function))?;
        let placed = table
            .functions
            .iter()
            .find(|placed| placed.function == function && !placed.kept)?;
        let part = match function.kind(&self.db) {
            FunctionKind::Function => Part::Function,
            FunctionKind::Initialiser => Part::Declaration,
        };
        Some(FunctionLocations::new(
            table,
            (placed.group, placed.item),
            part,
            sources,
        ))
    }
}

/// The way back from one item's normalised text to its source.
pub struct FunctionLocations<'a> {
    group: &'a PlacedGroup,
    start: u32,
    normalised: Normalised,
    /// In the order of the text.
    windows: Vec<Window>,
}

impl<'a> FunctionLocations<'a> {
    /// For the item with these indices: of its group in the unit, and of itself in the group.
    pub(super) fn new(
        table: &'a UnitTable,
        (group, item): (u32, u32),
        part: Part,
        sources: &SourceFiles<'_>,
    ) -> FunctionLocations<'a> {
        let group = &table.groups[group as usize];
        let item = &group.group.items[item as usize];
        let text = group.group.item_text(item);
        let lines = output_lines(group, item.start as usize, item.end as usize);
        FunctionLocations {
            group,
            start: item.start,
            normalised: normalise(text, &lex(text), part, Attributes::Meaningful),
            windows: windows(&lines, sources),
        }
    }

    /// The whole item.
    pub fn whole(&self) -> Option<Location> {
        self.location(Span {
            start: 0,
            end: self.normalised.text.len() as u32,
        })
    }

    /// Where a name first stands in the item: for a function's own name, where it is defined.
    pub fn name(&self, name: &str) -> Option<Location> {
        let text = &self.normalised.text;
        let tokens = lex(text);
        let mut tokens = tokens.iter();
        let token = tokens.find(|token| &text[token.start as usize..token.end as usize] == name)?;
        self.location(Span {
            start: token.start,
            end: token.end,
        })
    }

    /// Whether code of the item stands on a line of a file, rather than being left out by `#if`.
    pub fn has_line(&self, file: Ustr, line: u32) -> bool {
        self.windows.iter().any(|window| {
            let first = window.lines[0].origin;
            first.file == file && (first.line..=window.last).contains(&line)
        })
    }

    pub fn location(&self, span: Span) -> Option<Location> {
        let (start, end) = self.normalised.origin(span.start, span.end)?;
        let (start, end) = self.without_brackets(self.start + start, self.start + end);
        let first = self.token_at(start)?;
        let last = self.token_at(end.saturating_sub(1).max(start))?;
        // A span that ends in another file (an include in the middle) is cut to its first token.
        let last = if last.file == first.file { last } else { first };
        // What begins with an argument and goes on in the macro's body is the macro's.
        let first = if last.in_macro && last.contains(&first) {
            last
        } else {
            first
        };
        let (end_line, end_column) = last.end().max(first.end());
        Some(Location {
            end_line,
            end_column,
            ..first
        })
    }

    /// `(x)` is an access of `x`; brackets around it are often those of a macro, not the user's.
    fn without_brackets(&self, start: u32, end: u32) -> (u32, u32) {
        let text = &self.group.group.text[start as usize..end as usize];
        if !text.starts_with('(') {
            return (start, end);
        }
        let tokens = lex(text);
        let mut inside = &tokens[..];
        while let [open, middle @ .., close] = inside
            && open.is(b'(')
            && close.is(b')')
            && !middle.is_empty()
            && skip_group(inside, 0) == inside.len()
        {
            inside = middle;
        }
        match inside {
            [first, .., last] => (start + first.start, start + last.end),
            [only] => (start + only.start, start + only.end),
            [] => (start, end),
        }
    }

    /// Where the token that covers a byte of the group's text comes from.
    fn token_at(&self, offset: u32) -> Option<Location> {
        let index = self
            .windows
            .partition_point(|window| window.start <= offset as usize)
            .checked_sub(1)?;
        Some(self.windows[index].location(&self.group.group.text, offset))
    }
}

/// A line of the preprocessor's output: its byte range, and where it comes from.
#[derive(Clone, Copy)]
struct OutputLine {
    start: usize,
    end: usize,
    origin: LineOrigin,
}

/// The lines of a group's text that are not empty, from the one with `start` to the one with `end`.
fn output_lines(group: &PlacedGroup, start: usize, end: usize) -> Vec<OutputLine> {
    let text = &*group.group.text;
    let mut lines = Vec::new();
    for (range, mut origin) in group.pieces() {
        let mut at = range.start;
        // A group can be long, and its lines short: those in front are only counted.
        if let Some(front) = text.as_bytes().get(range.start..start.min(range.end))
            && let Some(last) = memchr::memrchr(b'\n', front)
        {
            origin.line += memchr::memchr_iter(b'\n', front).count() as u32;
            at += last + 1;
        }
        while at < range.end.min(end) {
            let newline = memchr::memchr(b'\n', &text.as_bytes()[at..range.end]);
            let line_end = newline.map_or(range.end, |found| at + found);
            if line_end > start && !text[at..line_end].trim_ascii().is_empty() {
                lines.push(OutputLine {
                    start: at,
                    end: line_end,
                    origin,
                });
                origin.enters = false;
            }
            origin.line += 1;
            at = line_end + 1;
        }
    }
    lines
}

/// Some lines of one source file, and all that the preprocessor made of them.
///
/// A line of the source may be several lines of the output, with markers between them (gcc writes
/// one behind each macro from a system header), and several lines of the source may be one line of
/// the output, if a macro's arguments or a backslash goes over a line's end.
struct Window {
    /// Where its output begins.
    start: usize,
    lines: Vec<OutputLine>,
    file: Option<Arc<SourceFile>>,
    /// The last source line.
    last: u32,
    aligned: OnceCell<Option<(Vec<Token>, Vec<Origin>)>>,
}

fn windows(lines: &[OutputLine], sources: &SourceFiles<'_>) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::new();
    for line in lines {
        if let Some(window) = windows.last_mut() {
            let first = window.lines[0].origin;
            let previous = window.lines[window.lines.len() - 1].origin;
            let belongs = first.file == line.origin.file
                && !line.origin.enters
                && (previous.line..=window.last).contains(&line.origin.line);
            if belongs {
                window.lines.push(*line);
                continue;
            }
        }
        let file = sources(line.origin.file);
        windows.push(Window {
            start: line.start,
            lines: vec![*line],
            last: file.as_ref().map_or(line.origin.line, |file| {
                last_joined_line(file, line.origin.line)
            }),
            file,
            aligned: OnceCell::new(),
        });
    }
    windows
}

/// More lines than this are not taken for one statement.
const MOST_JOINED_LINES: u32 = 200;

/// The last line that a bracket or a backslash joins to `first`.
fn last_joined_line(file: &SourceFile, first: u32) -> u32 {
    let limit = file
        .line_count()
        .min(first.saturating_add(MOST_JOINED_LINES));
    let mut depth = 0i32;
    let mut line = first;
    loop {
        let tokens = file.tokens(line, line);
        for token in tokens {
            match token.kind {
                TokenKind::Punctuation(b'(') => depth += 1,
                TokenKind::Punctuation(b')') => depth = (depth - 1).max(0),
                _ => {}
            }
        }
        let ends_with_name = tokens
            .last()
            .is_some_and(|token| token.kind == TokenKind::Identifier);
        let arguments_follow = ends_with_name
            && file
                .tokens(line + 1, line + 1)
                .first()
                .is_some_and(|token| token.is(b'('));
        let is_joined = depth > 0 || arguments_follow || file.is_continued(line);
        if !is_joined || line >= limit {
            return line;
        }
        line += 1;
    }
}

impl Window {
    fn location(&self, text: &str, offset: u32) -> Location {
        let index = self
            .lines
            .partition_point(|line| line.start <= offset as usize);
        let origin = self.lines[index.saturating_sub(1)].origin;
        let unaligned = Location {
            file: origin.file,
            line: origin.line,
            column: 1,
            end_line: origin.line,
            end_column: 2,
            in_macro: false,
        };
        let Some(file) = &self.file else {
            return unaligned;
        };
        let Some((output, origins)) = self.aligned.get_or_init(|| self.align(text, file)) else {
            return unaligned;
        };
        let source = file.tokens(self.lines[0].origin.line, self.last);
        let index = output
            .partition_point(|token| token.end <= offset)
            .min(origins.len().saturating_sub(1));
        let (first, end, in_macro) = match origins[..=index].last() {
            Some(&Origin::Token(token)) => (token, token + 1, false),
            Some(&Origin::Macro { first, end }) => (first, end, true),
            // Nobody knows better than that it stands behind what is in front of it.
            _ => match origins[..index]
                .iter()
                .rev()
                .find_map(|origin| end_of(*origin))
            {
                Some(end) => (end - 1, end, true),
                None => return unaligned,
            },
        };
        let (line, column) = file.position(source[first].start);
        let (end_line, end_column) = file.position(source[end - 1].end);
        Location {
            file: origin.file,
            line,
            column,
            end_line,
            end_column,
            in_macro,
        }
    }

    fn align(&self, text: &str, file: &SourceFile) -> Option<(Vec<Token>, Vec<Origin>)> {
        let mut output = Vec::new();
        for line in &self.lines {
            let shift = line.start as u32;
            output.extend(
                lex(&text[line.start..line.end])
                    .into_iter()
                    .map(|token| Token {
                        start: token.start + shift,
                        end: token.end + shift,
                        ..token
                    }),
            );
        }
        let source = Tokens {
            text: file.text(),
            tokens: file.tokens(self.lines[0].origin.line, self.last),
        };
        let origins = align(
            Tokens {
                text,
                tokens: &output,
            },
            source,
        )?;
        (!origins.is_empty()).then_some((output, origins))
    }
}

fn end_of(origin: Origin) -> Option<usize> {
    match origin {
        Origin::Token(token) => Some(token + 1),
        Origin::Macro { end, .. } => Some(end),
        Origin::Unknown => None,
    }
}
