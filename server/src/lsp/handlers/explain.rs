//! `racelens.explain`: a race by its id, or a position, as Markdown.

use crate::lsp::driver::View;
use crate::lsp::markdown::Markdown;
use crate::report::Race;
use std::path::Path;
use tower_lsp::ls_types::Position;

pub fn race(view: &View<'_>, id: &str) -> String {
    for program in view.programs() {
        let markdown = Markdown { program: &program };
        let report = program.report;
        let suppressed = report.suppressed.iter().map(|it| &it.race);
        let mut races = report.races.iter().chain(suppressed);
        if let Some(race) = races.find(|race| race.id == id) {
            let full = program.check.race(program.workspace, id);
            return markdown.race(&Race {
                tier: race.tier,
                verified: race.verified.clone(),
                ..full.unwrap_or_else(|| Race::clone(race))
            });
        }
        let mut violations = report.violations.iter();
        if let Some(violation) = violations.find(|violation| violation.id == id) {
            return markdown.violation(violation);
        }
    }
    format!("There is no race `{id}` any more: the id changes when the code of a race does.")
}

pub fn position(view: &View<'_>, file: &Path, position: Position) -> String {
    let hover = super::hover::hover(view, file, position);
    let contents = hover.map(|hover| hover.contents);
    match contents {
        Some(tower_lsp::ls_types::HoverContents::Markup(markup)) => markup.value,
        _ => "Nothing is known about this place: no thread shares anything here.".to_owned(),
    }
}
