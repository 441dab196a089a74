//! The single writer of the database: takes new text, finds out what changed, and sets only that.

mod alignment;
mod location;
mod program;
mod registry;
mod source_file;
mod syntax;

pub use location::{FunctionLocations, Location, SourceFiles};
pub use program::{PlacedFunction, Program, UnitTable};
pub use source_file::SourceFile;
pub use syntax::{ProblemKind, SyntaxProblem};

use crate::db::{Function, FunctionKind, Lowered, RootDatabase, Unit, body, lowered};
use crate::frontend::groups::{ItemSource, PlacedGroup};
use crate::frontend::layout::DataModel;
use crate::frontend::names::NameSpace;
use crate::frontend::scope::Scope;
use crate::ir::Body;
use program::FunctionKey;
use rayon::prelude::*;
use registry::Registry;
use rustc_hash::FxHashMap;
use salsa::{Durability, Setter};
use std::sync::Arc;
use ustr::Ustr;

/// Owns the database. Reading happens on [`Analysis`] snapshots.
#[derive(Default)]
pub struct AnalysisHost {
    db: RootDatabase,
    program: Arc<Program>,
    registry: Registry,
    edits_since_collection: usize,
}

/// New text for some translation units.
#[derive(Default)]
pub struct Change {
    pub units: Vec<UnitChange>,
}

pub struct UnitChange {
    /// The file that is compiled, as line markers name it.
    pub path: Ustr,
    /// Its preprocessed text; `None` if the unit is gone.
    pub text: Option<Arc<str>>,
    pub data_model: DataModel,
}

/// Which functions a change touched. Functions that only moved are not among them.
#[derive(Default, Debug)]
pub struct Touched {
    pub changed: Vec<Function>,
    pub removed: usize,
    /// Units of which a declaration changed, so that any function in them may mean something else.
    pub rescoped: Vec<Unit>,
}

/// An immutable view of the program at one moment.
#[derive(Clone)]
pub struct Analysis {
    db: RootDatabase,
    program: Arc<Program>,
}

/// How often groups of text that nobody uses any more are thrown away.
const COLLECT_AFTER: usize = 256;

impl AnalysisHost {
    pub fn with_database(db: RootDatabase) -> AnalysisHost {
        AnalysisHost {
            db,
            ..AnalysisHost::default()
        }
    }

    /// A view of the program as it is now. It must be dropped before the next change is applied.
    pub fn analysis(&self) -> Analysis {
        Analysis {
            db: self.db.clone(),
            program: self.program.clone(),
        }
    }

    /// Makes the change; what did not change keeps its results.
    pub fn apply(&mut self, change: Change) -> Touched {
        let mut touched = Touched::default();
        let groups = self.db.groups();
        let placed: Vec<(UnitChange, Vec<PlacedGroup>)> = change
            .units
            .into_par_iter()
            .map(|unit| {
                let placed = unit
                    .text
                    .as_deref()
                    .map(|text| groups.place(text, unit.path))
                    .unwrap_or_default();
                (unit, placed)
            })
            .collect();
        for (unit, groups) in placed {
            match unit.text {
                Some(_) => self.place_unit(unit.path, unit.data_model, groups, &mut touched),
                None => self.remove_unit(unit.path, &mut touched),
            }
        }
        self.edits_since_collection += 1;
        if self.edits_since_collection > COLLECT_AFTER {
            self.edits_since_collection = 0;
            self.db.groups().collect_garbage();
        }
        touched
    }

    /// Frees what can be computed again: trees of declarations and indices of names.
    pub fn shrink(&mut self) {
        crate::db::Db::declarations(&self.db).clear();
        for table in self.program.units.values() {
            table.unit.scope(&self.db).forget_index();
        }
    }

    fn place_unit(
        &mut self,
        path: Ustr,
        data_model: DataModel,
        placed: Vec<PlacedGroup>,
        touched: &mut Touched,
    ) {
        let scope = Scope::new(&placed);
        let old = self.program.units.get(&path).cloned();
        let unit = match &old {
            Some(table) => {
                let unit = table.unit;
                if !unit.scope(&self.db).declares_the_same(&scope) {
                    unit.set_scope(&mut self.db).to(Arc::new(scope));
                    touched.rescoped.push(unit);
                }
                if unit.data_model(&self.db) != data_model {
                    unit.set_data_model(&mut self.db).to(data_model);
                    touched.rescoped.push(unit);
                }
                unit
            }
            None => {
                let unit = Unit::builder(path, data_model, Arc::new(scope))
                    .path_durability(Durability::HIGH)
                    .new(&self.db);
                touched.rescoped.push(unit);
                unit
            }
        };
        let mut previous: FxHashMap<FunctionKey, Function> = old
            .iter()
            .flat_map(|table| {
                table
                    .functions
                    .iter()
                    .map(|function| (function.key, function.function))
            })
            .collect();
        let mut functions = Vec::with_capacity(previous.len());
        for (key, source, group, item) in functions_of(&placed) {
            let function = match previous.remove(&key) {
                Some(function) if *function.source(&self.db) == source => function,
                before => {
                    let function = self.registry.place(&mut self.db, key, unit, before, source);
                    touched.changed.push(function);
                    function
                }
            };
            functions.push(PlacedFunction {
                key,
                function,
                group,
                item,
                kept: false,
            });
        }
        // A function that vanished while something else does not parse is only being edited.
        let is_broken =
            !previous.is_empty() && self.has_syntax_errors(&placed, old.as_deref(), unit);
        let mut vanished: Vec<(FunctionKey, Function)> = previous.into_iter().collect();
        vanished.sort_by_key(|(key, _)| *key);
        for (key, function) in vanished {
            if is_broken {
                functions.push(PlacedFunction {
                    key,
                    function,
                    group: 0,
                    item: 0,
                    kept: true,
                });
            } else {
                self.registry.leave(&mut self.db, key, unit, function);
                touched.removed += 1;
            }
        }
        let table = Arc::new(UnitTable {
            unit,
            groups: placed,
            functions,
        });
        Arc::make_mut(&mut self.program).units.insert(path, table);
    }

    fn remove_unit(&mut self, path: Ustr, touched: &mut Touched) {
        let Some(table) = Arc::make_mut(&mut self.program).units.remove(&path) else {
            return;
        };
        for placed in &table.functions {
            self.registry
                .leave(&mut self.db, placed.key, table.unit, placed.function);
            touched.removed += 1;
        }
    }

    /// Whether one of the items that are new in the unit does not parse.
    fn has_syntax_errors(
        &self,
        placed: &[PlacedGroup],
        old: Option<&UnitTable>,
        unit: Unit,
    ) -> bool {
        let Some(old) = old else { return false };
        let known: rustc_hash::FxHashSet<*const crate::frontend::groups::Group> = old
            .groups
            .iter()
            .map(|placed| Arc::as_ptr(&placed.group))
            .collect();
        placed
            .iter()
            .filter(|placed| !known.contains(&Arc::as_ptr(&placed.group)))
            .any(|placed| {
                (0..placed.group.items.len()).any(|index| {
                    let source = ItemSource {
                        group: placed.group.clone(),
                        index: index as u32,
                    };
                    crate::db::syntax_error(&self.db, unit, &source).is_some()
                })
            })
    }
}

/// The functions and initialisers of a unit, except those of system headers.
fn functions_of(placed: &[PlacedGroup]) -> Vec<(FunctionKey, ItemSource, u32, u32)> {
    let mut functions = Vec::new();
    let mut seen: FxHashMap<(Ustr, FunctionKind, Ustr), u32> = FxHashMap::default();
    for (position, placed) in placed.iter().enumerate() {
        if placed.origin.system && !placed.group.has_markers {
            continue;
        }
        for (index, item) in placed.group.items.iter().enumerate() {
            let (kind, name) = match item.function {
                Some(name) => (FunctionKind::Function, name),
                None if item.initialises => {
                    let variable = placed.group.declared.iter().find(|declared| {
                        declared.item == index as u32 && declared.space == NameSpace::Value
                    });
                    let Some(variable) = variable else { continue };
                    (FunctionKind::Initialiser, variable.name)
                }
                None => continue,
            };
            let (file, system) = placed.file_of(item);
            if system {
                continue;
            }
            let count = seen.entry((file, kind, name)).or_default();
            let key = FunctionKey {
                file,
                kind,
                name,
                ordinal: *count,
            };
            *count += 1;
            let source = ItemSource {
                group: placed.group.clone(),
                index: index as u32,
            };
            functions.push((key, source, position as u32, index as u32));
        }
    }
    functions
}

impl Analysis {
    pub fn program(&self) -> &Program {
        &self.program
    }

    pub fn database(&self) -> &RootDatabase {
        &self.db
    }

    /// Every function once, in the order of files and lines; shared headers' functions count once.
    pub fn functions(&self) -> Vec<Function> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut functions = Vec::new();
        for table in self.program.units.values() {
            for placed in &table.functions {
                if seen.insert(placed.function) {
                    functions.push(placed.function);
                }
            }
        }
        functions
    }

    pub fn lowered(&self, function: Function) -> &Lowered {
        lowered(&self.db, function)
    }

    pub fn body(&self, function: Function) -> Option<Arc<Body>> {
        body(&self.db, function)
    }

    /// Runs `work` and returns `None` if a change came in between.
    pub fn cancellable<T>(
        &self,
        work: impl FnOnce(&Analysis) -> T + std::panic::UnwindSafe,
    ) -> Option<T> {
        let this = std::panic::AssertUnwindSafe(self);
        salsa::Cancelled::catch(move || work(*this)).ok()
    }
}
