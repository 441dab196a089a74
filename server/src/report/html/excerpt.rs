//! Some lines of a source file on the page, with one place marked.

use super::super::text::words;
use super::Page;
use crate::project::Place;
use maud::{Markup, html};

/// Lines in front of the place, and behind it.
const AROUND: u32 = 4;

impl Page<'_> {
    /// The lines around a place; its name alone if the file is not what it was.
    pub(super) fn excerpt(&self, place: &Place, length: u32, expression: Option<&str>) -> Markup {
        let lines = self.sources.lines(&place.path, self.base);
        let span = lines
            .as_ref()
            .and_then(|lines| lines.marked(place, length, expression));
        let (Some(lines), Some(marked)) = (lines, span) else {
            return html! { p.source { (words::place(place, self.base)) } };
        };
        let first = place.line.saturating_sub(AROUND).max(1);
        html! {
            figure {
                figcaption { (words::place(place, self.base)) }
                pre {
                    @for number in first..=place.line + AROUND {
                        @if let Some(range) = lines.range(number) {
                            span.line.marked[number == place.line] {
                                span.number { (number) }
                                @if number == place.line {
                                    code {
                                        (lines.text()[range.start..marked.start])
                                        mark { (lines.text()[marked.clone()]) }
                                        (lines.text()[marked.end..range.end])
                                    }
                                } @else {
                                    code { (lines.text()[range]) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
