//! What a command is about: a finding by its id, or a position.

use crate::lsp::driver::View;
use crate::lsp::file_uri;
use crate::report::Race;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tower_lsp::ls_types::{Position, Range, Uri};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    Race(String),
    Position(PathBuf, Position),
}

/// The arguments are `[raceId]` or `[uri, position]`.
pub fn asked(command: &str, arguments: &[Value]) -> Result<Asked, String> {
    let expected = || format!("{command} wants [raceId] or [uri, position]");
    match arguments {
        [Value::String(id)] => Ok(Asked::Race(id.clone())),
        [Value::String(uri), position] => {
            let uri: Uri = uri.parse().map_err(|_| expected())?;
            let path =
                file_uri::to_path(&uri).ok_or_else(|| format!("{} is no file", uri.as_str()))?;
            let position: Position =
                serde_json::from_value(position.clone()).map_err(|_| expected())?;
            Ok(Asked::Position(path, position))
        }
        _ => Err(expected()),
    }
}

impl Asked {
    /// The file that it is about, whose text has to be the one that was asked about.
    pub fn path(&self) -> Option<PathBuf> {
        match self {
            Asked::Race(_) => None,
            Asked::Position(path, _) => Some(path.clone()),
        }
    }

    /// The id of the race. If several meet at a position, the first one of the list.
    pub fn race(&self, view: &View<'_>) -> Result<String, String> {
        match self {
            Asked::Race(id) => {
                let found = view.programs().any(|program| program.race(id).is_some());
                let gone = || {
                    format!(
                        "there is no race {id} any more: the id changes when the code of a race does"
                    )
                };
                found.then(|| id.clone()).ok_or_else(gone)
            }
            Asked::Position(file, position) => race_at(view, file, *position)
                .ok_or_else(|| "no race was found at this place".to_owned()),
        }
    }
}

/// The race with an access at a position, or at least in its line.
fn race_at(view: &View<'_>, file: &Path, position: Position) -> Option<String> {
    let (program, name) = view.program_of(file)?;
    let findings = || program.report.races.iter().filter(|race| race.is_finding());
    let ranges = |race: &Race| -> Vec<Range> {
        let accesses = race.accesses.iter();
        let here = accesses.filter(|access| access.place.path == name);
        here.map(|access| program.range(&access.place, access.length))
            .collect()
    };
    let is_exact = |range: &Range| range.start <= position && position <= range.end;
    let is_in_line = |range: &Range| range.start.line == position.line;
    let found = findings().find(|race| ranges(race).iter().any(is_exact));
    let found = found.or_else(|| findings().find(|race| ranges(race).iter().any(is_in_line)));
    found.map(|race| race.id.clone())
}
