//! Says in the declaration which lock guards the variable, so that every access without it is reported.

use super::Fix;
use super::declaration::declarations;
use super::edit::Edits;
use crate::lsp::driver::Program;
use crate::report::{Access, Race};

/// The macro that programs hide the attribute behind, since gcc does not know it.
const MACRO: &str = "GUARDED_BY";

pub fn fix(program: &Program<'_>, race: &Race, _: &Access) -> Option<Fix> {
    let mut accesses = race.accesses.iter();
    let lock = accesses.find_map(|access| access.locks.iter().find(|lock| !lock.shared))?;
    let own = lock.name.rsplit(['.', '>']).next()?;
    let is_name = own.chars().all(|it| it.is_alphanumeric() || it == '_');
    // A lock of another object cannot be named in a declaration.
    let is_member = race.location.contains(['.', '>']);
    if !is_name || is_member != (own != lock.name) {
        return None;
    }
    let mut edits = Edits::default();
    for declaration in declarations(program, &race.location) {
        let text = declaration.source.text();
        let (start, end) = (declaration.name_start, declaration.declarator_end);
        let rest = text[end..].split(';').next().unwrap_or_default();
        if text[start..end].contains(MACRO) || rest.contains("guarded_by") || rest.contains(MACRO) {
            return None;
        }
        let attribute = if text.contains(MACRO) {
            format!(" {MACRO}({own})")
        } else {
            format!(" __attribute__((guarded_by({own})))")
        };
        edits.insert(program, &declaration.file, text, end, &attribute);
    }
    (!edits.is_empty()).then(|| Fix {
        title: format!("Say that `{own}` guards `{}`", race.location),
        edits,
        is_preferred: false,
    })
}
