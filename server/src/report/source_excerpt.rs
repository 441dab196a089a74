//! Excerpts of source files with marks in them, in the form that the renderer of texts takes.

use super::PathBase;
use crate::project::Place;
use annotate_snippets::{Annotation, AnnotationKind, Element, Level, Origin, Snippet};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A place to underline, and what to write there.
pub(super) struct Mark {
    pub place: Place,
    /// Characters; 0 if that is not known.
    pub length: u32,
    /// What stands there, if that is known; it gives the length where that is not.
    pub expression: Option<String>,
    pub label: String,
    /// What the message is about, rather than something that helps to understand it.
    pub is_primary: bool,
}

/// Source files by path, read when they are first asked for.
#[derive(Default)]
pub(super) struct SourceTexts(RefCell<HashMap<PathBuf, Option<Rc<SourceLines>>>>);

/// Marks that are further apart get excerpts of their own, so that the cost of an excerpt does not
/// depend on the length of its file.
const LINES_IN_ONE_EXCERPT: u32 = 200;

impl SourceTexts {
    /// The excerpts that show all marks. The one with the first mark comes first.
    pub fn excerpts(&self, marks: &[Mark], base: &PathBase) -> Vec<Element<'static>> {
        let mut elements = Vec::new();
        for cluster in clusters(marks) {
            let path = &marks[cluster[0]].place.path;
            let marks = cluster.iter().map(|&index| &marks[index]);
            match self.lines(path, base) {
                Some(lines) => elements.extend(excerpt(&lines, marks, &base.shown(path))),
                None => elements.extend(marks.flat_map(|mark| without_source(mark, base))),
            }
        }
        elements
    }

    /// A file's lines; None if it cannot be read, or is none of the program's.
    pub fn lines(&self, path: &Path, base: &PathBase) -> Option<Rc<SourceLines>> {
        let mut files = self.0.borrow_mut();
        if let Some(known) = files.get(path) {
            return known.clone();
        }
        let text = crate::project::read_shown(path, base.directory());
        let lines = text.map(|text| Rc::new(SourceLines::new(text)));
        files.insert(path.to_owned(), lines.clone());
        lines
    }
}

/// The marks by file and nearness, as indices; each cluster in the order of the marks.
fn clusters(marks: &[Mark]) -> Vec<Vec<usize>> {
    let mut by_place: Vec<usize> = (0..marks.len()).collect();
    by_place.sort_by(|&left, &right| marks[left].place.cmp(&marks[right].place));
    let mut clusters: Vec<Vec<usize>> = Vec::new();
    for index in by_place {
        let place = &marks[index].place;
        let is_near = |last: &Place| {
            last.path == place.path && place.line - last.line <= LINES_IN_ONE_EXCERPT
        };
        match clusters.last_mut() {
            Some(cluster)
                if cluster
                    .last()
                    .is_some_and(|&last| is_near(&marks[last].place)) =>
            {
                cluster.push(index);
            }
            _ => clusters.push(vec![index]),
        }
    }
    for cluster in &mut clusters {
        cluster.sort_unstable();
    }
    clusters.sort();
    clusters
}

fn excerpt<'m>(
    lines: &SourceLines,
    marks: impl Iterator<Item = &'m Mark>,
    path: &str,
) -> Vec<Element<'static>> {
    let (inside, outside): (Vec<&Mark>, Vec<&Mark>) =
        marks.partition(|mark| lines.range(mark.place.line).is_some());
    let mut elements = Vec::new();
    let numbers = inside.iter().map(|mark| mark.place.line);
    if let (Some(first), Some(last)) = (numbers.clone().min(), numbers.max())
        && let (Some(start), Some(end)) = (lines.range(first), lines.range(last))
    {
        let range = start.start..end.end;
        let annotations: Vec<Annotation<'static>> = inside
            .iter()
            .filter_map(|mark| {
                let span = lines.span(mark)?;
                let kind = if mark.is_primary {
                    AnnotationKind::Primary
                } else {
                    AnnotationKind::Context
                };
                let span = span.start - range.start..span.end - range.start;
                Some(kind.span(span).label(harmless(&mark.label)))
            })
            .collect();
        let snippet = Snippet::source(lines.text[range].to_owned())
            .path(harmless(path))
            .line_start(first as usize)
            .annotations(annotations);
        elements.push(snippet.into());
    }
    // The file is not what it was when it was analysed.
    let outside = outside.into_iter();
    elements.extend(outside.flat_map(|mark| bare(mark, path)));
    elements
}

fn without_source(mark: &Mark, base: &PathBase) -> [Element<'static>; 2] {
    bare(mark, &base.shown(&mark.place.path))
}

fn bare(mark: &Mark, path: &str) -> [Element<'static>; 2] {
    let origin = Origin::path(harmless(path))
        .line(mark.place.line as usize)
        .char_column(mark.place.column as usize);
    [
        origin.into(),
        Level::NOTE.message(harmless(&mark.label)).into(),
    ]
}

/// Names may come from a hostile file: what could command a terminal becomes visible instead. What
/// stands in several lines of the source gets one.
pub(super) fn harmless(text: &str) -> String {
    let lines: Vec<&str> = match text.contains('\n') {
        true => text.lines().map(str::trim).collect(),
        false => vec![text],
    };
    annotate_snippets::normalize_untrusted_str(&lines.join(" "))
}

/// A text and where its lines begin.
pub(super) struct SourceLines {
    text: String,
    starts: Vec<usize>,
}

impl SourceLines {
    fn new(text: String) -> SourceLines {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0)
            .chain(newlines.map(|(offset, _)| offset + 1))
            .collect();
        SourceLines { text, starts }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of a line, without what ends it.
    pub fn range(&self, line: u32) -> Option<Range<usize>> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = self
            .starts
            .get(index + 1)
            .map_or(self.text.len(), |next| next - 1);
        let line = &self.text[start..end];
        let content = line.strip_suffix('\r').unwrap_or(line);
        Some(start..start + content.len())
    }

    /// The bytes to underline. They never leave the line, whatever the mark says.
    fn span(&self, mark: &Mark) -> Option<Range<usize>> {
        self.marked(&mark.place, mark.length, mark.expression.as_deref())
    }

    /// The same, for what stands at a place with so many characters.
    pub fn marked(
        &self,
        place: &Place,
        length: u32,
        expression: Option<&str>,
    ) -> Option<Range<usize>> {
        let range = self.range(place.line)?;
        let line = &self.text[range.clone()];
        let offset = |characters: usize| {
            line.char_indices()
                .nth(characters)
                .map_or(line.len(), |(offset, _)| offset)
        };
        let column = place.column.saturating_sub(1) as usize;
        let start = offset(column);
        let end = match (length, expression) {
            (0, Some(expression)) if line[start..].starts_with(expression) => {
                start + expression.len()
            }
            (0, _) => start + word_length(&line[start..]),
            (length, _) => offset(column + length as usize),
        };
        Some(range.start + start..range.start + end)
    }
}

/// How long the word at the beginning is; another character stands for itself.
fn word_length(text: &str) -> usize {
    let is_in_word = |character: char| character.is_alphanumeric() || character == '_';
    match text.find(|character| !is_in_word(character)) {
        Some(0) => text.chars().next().map_or(0, char::len_utf8),
        Some(length) => length,
        None => text.len(),
    }
}
