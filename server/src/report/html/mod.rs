//! Reports as one page for a browser: everything is inside, and nothing on it runs.

mod access;
mod excerpt;
mod interleaving;
mod race;

use super::source_excerpt::SourceTexts;
use super::text::words;
use super::{PathBase, Report, Tier};
use crate::project::Note;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("style.css");

/// Names and sources may come from a hostile file. They are escaped, and if one got through all the same, a browser
/// neither runs nor loads anything for it.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The report as a page of its own. Files below `base` are named relative to it.
pub fn html(report: &Report, base: &PathBase) -> String {
    let page = Page {
        base,
        sources: SourceTexts::default(),
    };
    page.report(report).into_string()
}

/// What all parts of the page need.
struct Page<'p> {
    base: &'p PathBase,
    sources: SourceTexts,
}

impl Page<'_> {
    fn report(&self, report: &Report) -> Markup {
        let findings = report.races.len();
        let are_all_possible = report.races.iter().all(|race| race.tier == Tier::Possible);
        let title = match findings {
            0 => "no data race was found".to_owned(),
            count if are_all_possible => {
                words::counted(count, "possible data race", "possible data races")
            }
            count => words::counted(count, "data race", "data races"),
        };
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { "Racelens: " (title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header {
                        h1 { (title) }
                        p { (words::size(&report.stats)) }
                    }
                    @if findings > 0 { (self.contents(report)) }
                    main {
                        @for race in report.races.iter() { (self.race(race)) }
                        (self.violations(report))
                        (self.suppressed(report))
                        (self.notes(&report.notes))
                    }
                }
            }
        }
    }

    /// All races in one table, each of them a link.
    fn contents(&self, report: &Report) -> Markup {
        html! {
            nav aria-label="Races" {
                table {
                    thead { tr { th { "Rank" } th { "Location" } th { "Tier" } th { "First access" } th { "Second access" } } }
                    tbody {
                        @for race in report.races.iter() {
                            tr {
                                td.number { (race.rank) }
                                td { a href={ "#" (race.id) } { code { (race.location) } } }
                                td { (race::tier(race.tier)) }
                                @for index in 0..2 {
                                    td { @if let Some(access) = race.accesses.get(index) { (words::place(&access.place, self.base)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn violations(&self, report: &Report) -> Markup {
        html! {
            @for violation in &report.violations {
                section.race id=(violation.id) {
                    h2 { code { (violation.subject) } " " span.tier { (violation.code) } }
                    p { (prose(&violation.message)) }
                    (self.excerpt(&violation.place, violation.length, None))
                }
            }
        }
    }

    fn suppressed(&self, report: &Report) -> Markup {
        html! {
            @if !report.suppressed.is_empty() {
                details {
                    summary { (words::counted(report.suppressed.len(), "accepted race", "accepted races")) }
                    ul {
                        @for suppressed in &report.suppressed {
                            li {
                                code { (suppressed.race.location) }
                                @for comment in &suppressed.suppressions {
                                    ": " (comment.reason) " (" (words::place(&comment.place, self.base)) ")"
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn notes(&self, notes: &[Note]) -> Markup {
        html! {
            @if !notes.is_empty() {
                details {
                    summary { (words::counted(notes.len(), "note", "notes")) }
                    ul {
                        @for note in notes {
                            li {
                                (prose(&note.message))
                                @if let Some(place) = &note.place { " (" (words::place(place, self.base)) ")" }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A sentence in which names stand between backquotes.
fn prose(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 0 { (part) } @else { code { (part) } }
        }
    }
}
