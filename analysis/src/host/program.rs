//! What stands where: the units of the program, their text and their functions.

use crate::contracts::Contracts;
use crate::db::{Function, FunctionKind, Unit};
use crate::frontend::groups::Group;
use crate::frontend::placement::PlacedGroup;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use ustr::Ustr;

/// The whole program by its units, sorted by path.
#[derive(Clone, Default)]
pub struct Program {
    pub units: BTreeMap<Ustr, Arc<UnitTable>>,
}

/// One unit's text and functions, with their places.
pub struct UnitTable {
    pub unit: Unit,
    /// The text, once the unit has been edited: then it probably will be again.
    pub text: Option<Arc<str>>,
    pub groups: Vec<PlacedGroup>,
    /// Groups of an earlier text, for declarations that do not parse at the moment.
    pub kept_groups: Vec<PlacedGroup>,
    /// Groups with an item that does not parse, as far as that mattered for what is kept.
    pub broken_groups: Vec<Arc<Group>>,
    /// In the order of the text.
    pub functions: Vec<PlacedFunction>,
    /// Whether one of them is not in the text at the moment.
    pub has_kept: bool,
    /// What its declarations promise about locks, found when it is asked for.
    pub(super) contracts: OnceLock<Contracts>,
    /// Found when they are asked for.
    pub(super) files: OnceLock<Box<[Ustr]>>,
}

impl UnitTable {
    /// The files that its functions stand in, each once.
    pub fn files(&self) -> &[Ustr] {
        self.files.get_or_init(|| {
            let mut seen = FxHashSet::default();
            let files = self.functions.iter().map(|placed| placed.key.file);
            files.filter(|file| seen.insert(*file)).collect()
        })
    }
}

/// A function and the item that holds its present text.
#[derive(Clone, Copy)]
pub struct PlacedFunction {
    pub key: FunctionKey,
    pub function: Function,
    pub group: u32,
    pub item: u32,
    /// The function is not in the text at the moment, but that does not parse.
    pub kept: bool,
}

/// What makes a function the same one after an edit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct FunctionKey {
    pub file: Ustr,
    pub kind: FunctionKind,
    pub name: Ustr,
    /// Tells several of the same name in one file apart.
    pub ordinal: u32,
}
