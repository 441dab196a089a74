//! Says which bounds of the analysis a program goes beyond, and what that means for the report.

use super::checked::Checked;
use crate::project::{Note, Place};
use racelens_analysis::races::{Limit, LimitReached};

pub(super) fn notes(checked: &Checked<'_>) -> Vec<Note> {
    let limits = checked.program().limits();
    let notes = limits.iter().map(|reached| note(checked, reached));
    notes.collect()
}

fn note(checked: &Checked<'_>, reached: &LimitReached) -> Note {
    let LimitReached { limit, name, .. } = reached;
    let (many, others) = (limit.most(), others(reached));
    match limit {
        Limit::Threads => warning(
            checked,
            reached,
            format!(
                "`{name}` starts threads at more than {many} places{others}: from the first start on all of them are taken to run, also \
                 when they have been joined, so that more races are reported than there are"
            ),
        ),
        Limit::Locks => warning(
            checked,
            reached,
            format!(
                "`{name}` holds or releases {many} locks or more at once{others}: the others are taken not to be held, so that more races \
                 are reported than there are"
            ),
        ),
        Limit::Accesses => warning(
            checked,
            reached,
            format!(
                "`{name}` is accessed more than {many} times, counted once for each way to get there{others}: only the first ways are \
                 compared, so that races may be missing"
            ),
        ),
        Limit::Situations => warning(
            checked,
            reached,
            format!(
                "`{name}` is accessed in more than {many} situations{others}: only the first ones are compared, so that races may be missing"
            ),
        ),
        Limit::Pairs => warning(
            checked,
            reached,
            format!(
                "`{name}` races in more than {many} pairs of accesses{others}: the rest is not listed"
            ),
        ),
        // Large programs have such calls and such groups, so that nothing is wrong with one of them.
        Limit::Targets => information(
            checked,
            reached,
            format!(
                "a call in `{name}` may reach more than {many} functions{others}: it is taken to write only to what its arguments point to"
            ),
        ),
        Limit::Group => information(
            checked,
            reached,
            format!(
                "`{name}` belongs to more than {many} functions that call each other{others}: their calls are taken to change no pointer"
            ),
        ),
    }
}

fn others(reached: &LimitReached) -> String {
    match reached.others {
        0 => String::new(),
        1 => " (there is 1 more like that)".to_owned(),
        more => format!(" (there are {more} more like that)"),
    }
}

fn warning(checked: &Checked<'_>, reached: &LimitReached, message: String) -> Note {
    let note = Note::warning(message).with_help("limits.md of the manual lists all limits");
    match place(checked, reached) {
        Some(place) => note.at(place),
        None => note,
    }
}

/// Of the whole program, and not a remark at one of its lines.
fn information(checked: &Checked<'_>, reached: &LimitReached, message: String) -> Note {
    Note::information(match place(checked, reached) {
        Some(place) => format!("{message} (the first is at {place})"),
        None => message,
    })
}

fn place(checked: &Checked<'_>, reached: &LimitReached) -> Option<Place> {
    match reached.statement {
        Some(statement) => {
            let function = checked.entity(reached.function);
            checked.places.statement_place(function, statement)
        }
        None => {
            let function = checked.entity(reached.function);
            checked.places.function_place(function)
        }
    }
}
