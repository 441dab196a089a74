//! The block scopes of a function.

use super::constants::Constant;
use crate::ir::{GlobalRef, LocalId, RecordRef, Ty};
use ustr::Ustr;

/// What a name stands for inside a function.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    Local(LocalId),
    Static(GlobalRef, Ty),
    /// An `extern` declaration: the variable or function of that name at file scope.
    External(External),
    Typedef(Ty),
    Enumerator(Constant),
}

/// What a declaration inside a function says about a name of the file or the program.
#[derive(Clone, Debug)]
pub(super) struct External {
    pub ty: Ty,
    pub is_thread_local: bool,
    pub is_noreturn: bool,
}

#[derive(Clone, Debug)]
pub(super) enum TagBinding {
    Record(RecordRef),
    Enum(Ty),
}

/// A variable whose `cleanup` function runs when its scope is left.
#[derive(Clone, Debug)]
pub(super) struct Cleanup {
    pub variable: LocalId,
    pub function: Ustr,
}

/// Names in the order of their declaration; the last one wins.
#[derive(Default)]
pub(super) struct Scopes {
    names: Vec<(Ustr, Binding)>,
    tags: Vec<(Ustr, TagBinding)>,
    pub cleanups: Vec<Cleanup>,
    marks: Vec<(usize, usize, usize)>,
}

impl Scopes {
    pub fn enter(&mut self) {
        self.marks
            .push((self.names.len(), self.tags.len(), self.cleanups.len()));
    }

    /// Leaves the innermost scope and returns the cleanups that fall due, last first.
    pub fn leave(&mut self) -> Vec<Cleanup> {
        let (names, tags, cleanups) = self.marks.pop().unwrap_or_default();
        self.names.truncate(names);
        self.tags.truncate(tags);
        let mut due = self.cleanups.split_off(cleanups);
        due.reverse();
        due
    }

    pub fn bind(&mut self, name: Ustr, binding: Binding) {
        self.names.push((name, binding));
    }

    /// Replaces what the name stands for.
    pub fn rebind(&mut self, name: Ustr, binding: Binding) {
        if let Some(known) = self
            .names
            .iter_mut()
            .rev()
            .find(|(bound, _)| *bound == name)
        {
            known.1 = binding;
        }
    }

    pub fn bind_tag(&mut self, name: Ustr, binding: TagBinding) {
        self.tags.push((name, binding));
    }

    pub fn lookup(&self, name: Ustr) -> Option<&Binding> {
        self.names
            .iter()
            .rev()
            .find(|(bound, _)| *bound == name)
            .map(|(_, binding)| binding)
    }

    pub fn lookup_tag(&self, name: Ustr) -> Option<&TagBinding> {
        self.tags
            .iter()
            .rev()
            .find(|(bound, _)| *bound == name)
            .map(|(_, binding)| binding)
    }

    /// Every name that is bound now, first to last.
    pub fn bound(&self, mut visit: impl FnMut(Ustr, &Binding)) {
        self.names
            .iter()
            .for_each(|(name, binding)| visit(*name, binding));
    }

    pub fn bound_tags(&self, mut visit: impl FnMut(Ustr, &TagBinding)) {
        self.tags
            .iter()
            .for_each(|(name, binding)| visit(*name, binding));
    }
}
