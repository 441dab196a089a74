//! What is accessed, as its reader would write it.

use super::checked::Checked;
use crate::workspace::Stretch;
use racelens_analysis::accesses::Access;
use racelens_analysis::callgraph::FunctionId;
use racelens_analysis::ir::{Base, Body, Operand, Place, Statement};
use racelens_analysis::symexec::{Path, Targets};

/// Longer texts than this are shown by the name of what they mean.
const LONGEST_TEXT: usize = 40;

/// The text of the source where that is the accessed thing itself, and else its name.
pub(super) fn expression(
    checked: &Checked<'_>,
    function: FunctionId,
    access: &Access,
    stretch: &Stretch,
) -> String {
    let body = checked.program().functions.body(function);
    let is_call = matches!(body.statement(access.statement), Statement::Call { .. });
    let text = stretch
        .text
        .as_deref()
        .filter(|text| text.len() <= LONGEST_TEXT);
    match (text, &access.place) {
        // A call is more than what it accesses.
        (Some(text), _) if !is_call => quotable(text),
        (_, Targets::Exactly(path)) => name(checked, function, path),
        (Some(text), _) => quotable(text),
        (None, _) => "memory behind a pointer".to_owned(),
    }
}

/// Names stand between backquotes wherever they are shown, and what is behind them may be a link. A text in the
/// program that has backquotes must not end them.
fn quotable(text: &str) -> String {
    text.replace('`', "\u{2cb}")
}

/// A place or a lock by the names of a function.
pub(super) fn name(checked: &Checked<'_>, function: FunctionId, path: &Path) -> String {
    checked.program().names(function).path(path)
}

/// A place of a body by the names of its variables.
pub(super) fn name_of(body: &Body, place: &Place) -> String {
    match &place.base {
        Base::Global(global) => global.name.to_string(),
        Base::Local(local) | Base::Deref(Operand::Local(local)) => {
            let name = body.local(*local).name;
            name.map_or_else(|| "a value".to_owned(), |name| name.to_string())
        }
        Base::Deref(_) => "memory behind a pointer".to_owned(),
    }
}
