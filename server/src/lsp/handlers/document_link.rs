//! `textDocument/documentLink`: from a comment that accepts a race to the access on the other side.

use crate::lsp::driver::{Program, View};
use crate::report::{Access, Race, Suppression};
use std::path::Path;
use tower_lsp::ls_types::{DocumentLink, Uri};

pub fn links(view: &View<'_>, file: &Path) -> Vec<DocumentLink> {
    let Some((program, name)) = view.program_of(file) else {
        return Vec::new();
    };
    let mut links: Vec<DocumentLink> = Vec::new();
    for suppressed in &program.report.suppressed {
        let comments = suppressed.suppressions.iter();
        for comment in comments.filter(|comment| comment.place.path == name) {
            let link = link(&program, &suppressed.race, comment);
            // A comment may accept several races: it has one place, which leads to the first one.
            let is_new = |link: &DocumentLink| !links.iter().any(|it| it.range == link.range);
            links.extend(link.filter(is_new));
        }
    }
    links.sort_by_key(|link| link.range.start);
    links
}

fn link(program: &Program<'_>, race: &Race, comment: &Suppression) -> Option<DocumentLink> {
    let other = other_access(race, comment)?;
    let location = program.location(&other.place, other.length)?;
    let start = location.range.start;
    // As editors write a place in a file.
    let target: Uri = format!(
        "{}#L{},{}",
        location.uri.as_str(),
        start.line + 1,
        start.character + 1
    )
    .parse()
    .ok()?;
    Some(DocumentLink {
        range: program.range(&comment.place, 0),
        target: Some(target),
        tooltip: Some(format!(
            "Go to the other access of the race on `{}`",
            race.location
        )),
        data: None,
    })
}

/// The access that the comment does not stand at: neither above it nor in its line.
fn other_access<'r>(race: &'r Race, comment: &Suppression) -> Option<&'r Access> {
    let is_here = |access: &&Access| {
        access.place.path == comment.place.path
            && (comment.place.line..=comment.place.line + 1).contains(&access.place.line)
    };
    let mut pair = race.accesses.iter().take(2);
    pair.find(|access| !is_here(access))
}
