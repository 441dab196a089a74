//! Reports as a compiler would print them, for people.

mod explanation;
mod race;
mod statistics;
mod verification;
mod violation;
pub(crate) mod words;

pub use statistics::statistics_text;
pub use verification::{verification_text, verified_in_words, verified_text};
pub use words::{access as access_in_words, lock_taken as lock_taken_in_words};

use super::source_excerpt::SourceTexts;
use super::{PathBase, Report, Tier};
use annotate_snippets::{Level, Message, Renderer};

/// Writes reports and explanations.
pub struct TextWriter {
    renderer: Renderer,
    in_colour: bool,
    /// None if the text goes to no terminal: whoever reads it breaks lines as they like.
    width: Option<usize>,
    base: PathBase,
    sources: SourceTexts,
}

/// How a text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Appearance {
    pub in_colour: bool,
    /// How many columns the terminal has.
    pub width: Option<usize>,
}

/// What a report is shown with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// All accesses and whole call paths, also of what is proven safe.
    pub in_full: bool,
    /// How many findings were left out for their rank, and below which one.
    pub hidden: usize,
    pub min_rank: u8,
}

/// Terminals that claim to be narrower get this.
const LEAST_WIDTH: usize = 40;
/// What stands in front of a remark: the line number's column, `= note: `.
const REMARK_INDENT: usize = 14;

impl TextWriter {
    pub fn new(appearance: Appearance, base: PathBase) -> TextWriter {
        let renderer = if appearance.in_colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let width = appearance.width.map(|width| width.max(LEAST_WIDTH));
        TextWriter {
            renderer: match width {
                Some(width) => renderer.term_width(width),
                None => renderer,
            },
            in_colour: appearance.in_colour,
            width,
            base,
            sources: SourceTexts::default(),
        }
    }

    /// The races in the order of the report, and a summary.
    pub fn report(&self, report: &Report, shown: Shown) -> String {
        let mut text = String::new();
        for race in report.races.iter() {
            if shown.in_full || race.is_finding() {
                text.push_str(&self.race(race, shown.in_full));
                text.push_str("\n\n");
            }
        }
        for violation in &report.violations {
            text.push_str(&self.violation(violation, shown.in_full));
            text.push_str("\n\n");
        }
        if shown.in_full {
            for suppressed in &report.suppressed {
                text.push_str(&self.suppressed(suppressed));
                text.push_str("\n\n");
            }
        } else {
            text.push_str(&self.summary(report, shown));
        }
        text
    }

    fn summary(&self, report: &Report, shown: Shown) -> String {
        let of = |tier| report.races.iter().filter(|race| race.tier == tier).count();
        let (witnessed, possible) = (of(Tier::Witnessed), of(Tier::Possible));
        let new = report.baseline.as_ref().map_or("", |_| "new ");
        let counted = |count, kind: &str| {
            let noun = format!("{new}{kind}data race");
            words::counted(count, &noun, &format!("{noun}s"))
        };
        let mut parts = Vec::new();
        if witnessed > 0 {
            parts.push(format!("{} witnessed", counted(witnessed, "")));
        }
        if possible > 0 {
            parts.push(counted(possible, "possible "));
        }
        if parts.is_empty() {
            parts.push(format!("no {new}data race found"));
        }
        if !report.violations.is_empty() {
            parts.push(words::counted(
                report.violations.len(),
                "violated lock annotation",
                "violated lock annotations",
            ));
        }
        if of(Tier::ProvenSafe) > 0 {
            parts.push(format!("{} proven safe", of(Tier::ProvenSafe)));
        }
        if shown.hidden > 0 {
            let below = format!("{} below rank {} not shown", shown.hidden, shown.min_rank);
            parts.push(below);
        }
        let suppressed = report.suppressed.len() + report.suppressed_violations;
        if suppressed > 0 {
            parts.push(format!("{suppressed} marked as benign"));
        }
        if let Some(baseline) = &report.baseline {
            let known = baseline.known.len() + baseline.known_violations.len();
            if known > 0 {
                parts.push(format!("{known} of the baseline not shown"));
            }
            if !baseline.gone.is_empty() {
                parts.push(format!("{} of the baseline gone", baseline.gone.len()));
            }
        }
        let mut text = format!("{}\n", self.emphasised(&parts.join(", ")));
        let stats = &report.stats;
        text.push_str(&format!("{}, {:.2} s\n", words::size(stats), stats.seconds,));
        if let Some(race) = report.races.iter().find(|race| race.is_finding()) {
            text.push_str(&format!(
                "for all accesses and call paths of a race, and the comment that accepts it: racelens check --explain {}\n",
                race.id
            ));
        }
        if shown.hidden > 0 {
            text.push_str("for races of every rank: racelens check --min-rank 0\n");
        }
        text
    }

    fn emphasised(&self, text: &str) -> String {
        if self.in_colour {
            format!("\x1b[1m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    /// A line behind an excerpt. The text may come from a hostile file.
    fn remark(&self, level: Level<'static>, text: &str) -> Message<'static> {
        let lines: Vec<String> = text
            .lines()
            .map(annotate_snippets::normalize_untrusted_str)
            .collect();
        let text = lines.join("\n");
        level.message(match self.width {
            Some(width) => words::wrapped(&text, width - REMARK_INDENT),
            None => text,
        })
    }
}
