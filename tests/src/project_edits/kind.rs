//! All that is done to a project, by kind.

use super::files::FileEdit;
use super::flags::{change_command, change_configured_flags, change_threads};
use super::functions::FunctionEdit;
use super::headers::HeaderEdit;
use super::names::{Named, rename};
use super::state::State;
use super::statements::{LineEdit, edit_body};
use crate::body_edits::BodyEdit;
use crate::random::Random;
use std::path::PathBuf;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EditKind {
    Body(BodyEdit),
    Line(LineEdit),
    Function(FunctionEdit),
    Header(HeaderEdit),
    File(FileEdit),
    /// With another name in one file.
    Name(Named),
    /// In all files.
    NameEverywhere(Named),
    /// Flags of compile commands.
    Command,
    /// Flags that the configuration gives every file.
    ConfiguredFlags,
    /// Where threads begin, by the configuration.
    Threads,
    /// What an editor has of a file is written to the disk.
    Saving,
    /// An editor closes a file and forgets what was not saved.
    Closing,
    /// The project is again what it was when everything parsed.
    Mending,
    /// It is what it was some edits ago.
    Undoing,
}

impl EditKind {
    /// Those that need no earlier state.
    pub const FORWARD: [EditKind; 43] = [
        EditKind::Body(BodyEdit::Remark),
        EditKind::Body(BodyEdit::Number),
        EditKind::Body(BodyEdit::Repetition),
        EditKind::Body(BodyEdit::Removal),
        EditKind::Body(BodyEdit::Variable),
        EditKind::Body(BodyEdit::Condition),
        EditKind::Body(BodyEdit::Half),
        EditKind::Body(BodyEdit::Lock),
        EditKind::Line(LineEdit::Copy),
        EditKind::Line(LineEdit::Move),
        EditKind::Line(LineEdit::LockPair),
        EditKind::Line(LineEdit::Thread),
        EditKind::Line(LineEdit::BraceGone),
        EditKind::Line(LineEdit::BraceTooMany),
        EditKind::Line(LineEdit::Any),
        EditKind::Function(FunctionEdit::Addition),
        EditKind::Function(FunctionEdit::Copy),
        EditKind::Function(FunctionEdit::Deletion),
        EditKind::Function(FunctionEdit::Move),
        EditKind::Function(FunctionEdit::Emigration),
        EditKind::Header(HeaderEdit::Declaration),
        EditKind::Header(HeaderEdit::Member),
        EditKind::Header(HeaderEdit::Number),
        EditKind::Header(HeaderEdit::LineGone),
        EditKind::Header(HeaderEdit::Half),
        EditKind::Header(HeaderEdit::EmptyLine),
        EditKind::Header(HeaderEdit::Gone),
        EditKind::File(FileEdit::Addition),
        EditKind::File(FileEdit::Removal),
        EditKind::File(FileEdit::Renaming),
        EditKind::Name(Named::Function),
        EditKind::Name(Named::Variable),
        EditKind::Name(Named::Member),
        EditKind::NameEverywhere(Named::Function),
        EditKind::NameEverywhere(Named::Variable),
        EditKind::NameEverywhere(Named::Member),
        EditKind::Command,
        EditKind::ConfiguredFlags,
        EditKind::Threads,
        EditKind::Saving,
        EditKind::Closing,
        EditKind::Saving,
        EditKind::Closing,
    ];

    pub fn word(self) -> &'static str {
        match self {
            EditKind::Body(edit) => edit.word(),
            EditKind::Line(LineEdit::Copy) => "statement copied",
            EditKind::Line(LineEdit::Move) => "statement moved",
            EditKind::Line(LineEdit::LockPair) => "lock pair",
            EditKind::Line(LineEdit::Thread) => "thread started",
            EditKind::Line(LineEdit::BraceGone) => "brace gone",
            EditKind::Line(LineEdit::BraceTooMany) => "brace too many",
            EditKind::Line(LineEdit::Any) => "any line",
            EditKind::Function(FunctionEdit::Addition) => "function added",
            EditKind::Function(FunctionEdit::Copy) => "function copied",
            EditKind::Function(FunctionEdit::Deletion) => "function deleted",
            EditKind::Function(FunctionEdit::Move) => "function moved",
            EditKind::Function(FunctionEdit::Emigration) => "function to other file",
            EditKind::Header(HeaderEdit::Declaration) => "header declaration",
            EditKind::Header(HeaderEdit::Member) => "header member",
            EditKind::Header(HeaderEdit::Number) => "header number",
            EditKind::Header(HeaderEdit::LineGone) => "header line gone",
            EditKind::Header(HeaderEdit::Half) => "header half a line",
            EditKind::Header(HeaderEdit::EmptyLine) => "header empty line",
            EditKind::Header(HeaderEdit::Gone) => "header gone",
            EditKind::File(FileEdit::Addition) => "file added",
            EditKind::File(FileEdit::Removal) => "file removed",
            EditKind::File(FileEdit::Renaming) => "file renamed",
            EditKind::Name(Named::Function) => "function renamed",
            EditKind::Name(Named::Variable) => "variable renamed",
            EditKind::Name(Named::Member) => "member renamed",
            EditKind::NameEverywhere(Named::Function) => "function renamed everywhere",
            EditKind::NameEverywhere(Named::Variable) => "variable renamed everywhere",
            EditKind::NameEverywhere(Named::Member) => "member renamed everywhere",
            EditKind::Command => "flags of a command",
            EditKind::ConfiguredFlags => "flags of the configuration",
            EditKind::Threads => "threads of the configuration",
            EditKind::Saving => "saved",
            EditKind::Closing => "closed without saving",
            EditKind::Mending => "mended",
            EditKind::Undoing => "undone",
        }
    }

    /// The project after such an edit, and the file that it is mostly about. `None` if there was no place for it.
    pub fn apply(self, before: &State, random: &mut Random) -> Option<(State, PathBuf)> {
        let mut state = before.clone();
        let random_state = &mut *random;
        let file = match self {
            EditKind::Body(edit) => edit_body(&mut state, edit, random_state),
            EditKind::Line(edit) => edit.apply(&mut state, random_state),
            EditKind::Function(edit) => edit.apply(&mut state, random_state),
            EditKind::Header(edit) => edit.apply(&mut state, random_state),
            EditKind::File(edit) => edit.apply(&mut state, random_state),
            EditKind::Name(named) => rename(&mut state, named, false, random_state),
            EditKind::NameEverywhere(named) => rename(&mut state, named, true, random_state),
            EditKind::Command => change_command(&mut state, random_state),
            EditKind::ConfiguredFlags => change_configured_flags(&mut state, random_state),
            EditKind::Threads => change_threads(&mut state, random_state),
            EditKind::Saving | EditKind::Closing => leave_editor(&mut state, self, random_state),
            EditKind::Mending | EditKind::Undoing => None,
        }?;
        if self != EditKind::Saving && random.one_in(2) {
            open_changed(before, &mut state);
        }
        (state != *before).then_some((state, file))
    }
}

/// Saves or closes one of the open files.
fn leave_editor(state: &mut State, kind: EditKind, random: &mut Random) -> Option<PathBuf> {
    let files: Vec<&PathBuf> = state.open.keys().collect();
    let file = (*files.get(random.below(files.len().max(1)))?).clone();
    let text = state.open[&file].clone();
    if kind == EditKind::Saving {
        state.disk.insert(file.clone(), text);
    }
    if kind == EditKind::Closing || random.one_in(2) {
        state.open.remove(&file);
    }
    Some(file)
}

/// What was done to sources on the disk is done in the editor, and nothing is saved.
fn open_changed(before: &State, state: &mut State) {
    for file in state.changed_on_disk(before) {
        let is_source = file.extension().is_some_and(|extension| extension == "c");
        if let (true, Some(old)) = (is_source, before.disk.get(&file))
            && let Some(new) = state.disk.get_mut(&file)
        {
            let new = std::mem::replace(new, old.clone());
            state.open.insert(file, new);
        }
    }
}
