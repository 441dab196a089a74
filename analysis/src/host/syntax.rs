//! What of the program does not parse, with the place and the reason.

use super::location::{FunctionLocations, Location, SourceFiles};
use super::syntax_memory::{GroupErrors, GroupKey, Known, UnitErrors, group_key};
use super::{Analysis, UnitTable};
use crate::db::{Function, FunctionKind, RootDatabase, lowered};
use crate::frontend::groups::ItemSource;
use crate::frontend::normalise::Part;
use crate::frontend::parse::SyntaxError;
use crate::frontend::split::ItemKind;
use crate::ir::Span;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use ustr::Ustr;

/// Something that could not be understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxProblem {
    pub kind: ProblemKind,
    /// What is defined or declared there, if that much could be read.
    pub name: Option<Ustr>,
    /// `None` if the text is not there any more, only its last good version.
    pub location: Option<Location>,
    pub reason: String,
}

/// What kind of thing it is; functions and initialisers are then missing from the analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum ProblemKind {
    Function,
    Initialiser,
    Typedef,
    Declaration,
    /// The function is analysed, but a type that it uses is not known.
    Types,
}

/// An item, by the indices of its group in the unit and of itself in the group.
type ItemIndex = (u32, u32);

impl Analysis {
    /// Everything in the user's own files that does not parse, by place. An item of a header that
    /// several units include comes once, as the first of them by path sees it.
    pub fn syntax_problems(&self, sources: &SourceFiles<'_>) -> Vec<SyntaxProblem> {
        let known = self.unit_errors();
        let mut problems = Vec::new();
        for (table, errors) in known.failing() {
            for (position, found) in &errors.groups {
                problems.extend(found.errors.iter().map(|(item, error)| {
                    item_problem(table, (*position, *item), error.clone(), sources)
                }));
            }
        }
        let mut seen = FxHashSet::default();
        let functions = known.failing().flat_map(|(_, errors)| &errors.functions);
        for &function in functions.filter(|function| seen.insert(**function)) {
            problems.extend(self.function_problem(function, sources));
        }
        self.syntax_memory.put(known);
        problems.sort_by_key(|problem| (problem.location, problem.name, problem.kind));
        problems
    }

    fn function_problem(
        &self,
        function: Function,
        sources: &SourceFiles<'_>,
    ) -> Option<SyntaxProblem> {
        let lowered = self.lowered(function);
        let name = Some(function.name(&self.db));
        let Some(error) = &lowered.error else {
            let cut = lowered.body.as_ref()?.type_cut?;
            return Some(SyntaxProblem {
                kind: ProblemKind::Types,
                name,
                location: self.location(function, Span::default(), sources),
                reason: cut.to_string(),
            });
        };
        Some(SyntaxProblem {
            kind: match function.kind(&self.db) {
                FunctionKind::Function => ProblemKind::Function,
                FunctionKind::Initialiser => ProblemKind::Initialiser,
            },
            name,
            location: self.location(function, span_of(error), sources),
            reason: error.message.clone(),
        })
    }

    /// What does not parse in each unit. Only units that were edited are looked at, as long as they include the same text
    /// of other files as before.
    fn unit_errors(&self) -> Known {
        let mut known = self.syntax_memory.take();
        let edited = known.edited(&self.program.units).filter(|edited| {
            edited.iter().all(|(path, table)| {
                let before = known.get(*path);
                // A file that is a unit and a part of another one has its errors told by the first of them.
                !known.is_included(*path)
                    && before.is_some_and(|(before, _)| includes_the_same(before, table, *path))
            })
        });
        let mut seen: FxHashSet<GroupKey> = FxHashSet::default();
        let (units, knows_others) = match edited {
            Some(edited) => (edited, true),
            None => {
                let units = self.program.units.iter();
                (units.map(|(path, table)| (*path, table)).collect(), false)
            }
        };
        let mut work = Vec::new();
        for (path, table) in units {
            let before = known.get(path).filter(|_| knows_others);
            let mut first = FxHashSet::default();
            let is_first = &mut |key: GroupKey| {
                let is_first = match before {
                    Some((_, before)) if key.1 != path => before.first.contains(&key),
                    _ => seen.insert(key),
                };
                if is_first {
                    first.insert(key);
                }
                is_first
            };
            let items = items_to_check(table, is_first);
            work.push((path, table, first, items));
        }
        let found: Vec<(Ustr, Arc<UnitTable>, UnitErrors)> = work
            .into_par_iter()
            .map_with(self.db.clone(), |db, (path, table, first, groups)| {
                let before = known.get(path).map(|(_, before)| before.by_group());
                let (groups, functions) = errors_in(db, table, groups, &before.unwrap_or_default());
                let files = table.groups.iter().map(|placed| placed.origin_of(0).file);
                let errors = UnitErrors {
                    first,
                    included: files.filter(|file| *file != path).collect(),
                    groups,
                    functions,
                };
                (path, table.clone(), errors)
            })
            .collect();
        if !knows_others {
            known = Known::default();
        }
        for (path, table, errors) in found {
            known.insert(path, table, errors);
        }
        known
    }
}

/// Whether an edited unit has the same text of other files, and of its own perhaps another one.
fn includes_the_same(before: &Arc<UnitTable>, now: &Arc<UnitTable>, path: Ustr) -> bool {
    fn included(table: &UnitTable, path: Ustr) -> impl Iterator<Item = GroupKey> {
        let keys = table.groups.iter().map(group_key);
        keys.filter(move |(_, file, _)| *file != path)
    }
    Arc::ptr_eq(before, now) || included(before, path).eq(included(now, path))
}

/// Looks at these groups of a unit, and at its functions.
fn errors_in(
    db: &RootDatabase,
    table: &Arc<UnitTable>,
    groups: ItemsByGroup,
    known: &FxHashMap<usize, &Arc<GroupErrors>>,
) -> (Vec<(u32, Arc<GroupErrors>)>, Vec<Function>) {
    let group = |position: u32| &table.groups[position as usize];
    let functions = table.functions.iter().map(|placed| placed.function);
    let has_problem = |function: &Function| {
        let lowered = lowered(db, *function);
        let body = lowered.body.as_ref();
        lowered.error.is_some() || body.is_some_and(|body| body.type_cut.is_some())
    };
    let groups = groups.into_iter().map(|(position, items)| {
        let errors = GroupErrors::of(db, table, &group(position).group, items, known);
        (position, errors)
    });
    (groups.collect(), functions.filter(has_problem).collect())
}

fn item_problem(
    table: &UnitTable,
    index: ItemIndex,
    error: SyntaxError,
    sources: &SourceFiles<'_>,
) -> SyntaxProblem {
    let source = item_source(table, index);
    let (kind, part) = match source.item().kind {
        ItemKind::Function => (ProblemKind::Function, Part::Function),
        ItemKind::Typedef => (ProblemKind::Typedef, Part::Declaration),
        _ => (ProblemKind::Declaration, Part::Declaration),
    };
    let declared = &source.group.declared;
    SyntaxProblem {
        kind,
        name: declared
            .iter()
            .find(|declared| declared.item == source.index)
            .map(|declared| declared.name),
        location: FunctionLocations::new(table, index, part, sources).location(span_of(&error)),
        reason: error.message,
    }
}

fn item_source(table: &UnitTable, (group, index): ItemIndex) -> ItemSource {
    ItemSource {
        group: table.groups[group as usize].group.clone(),
        index,
    }
}

fn span_of(error: &SyntaxError) -> Span {
    Span {
        start: error.offset,
        end: error.offset + 1,
    }
}

/// Numbers of groups in a unit, each with the numbers of items in it.
type ItemsByGroup = Vec<(u32, Vec<u32>)>;

/// By the position of their group: the items of a unit that no function of the program stands for and that no unit
/// before had.
fn items_to_check(table: &UnitTable, is_first: &mut dyn FnMut(GroupKey) -> bool) -> ItemsByGroup {
    let functions: FxHashSet<ItemIndex> = table
        .functions
        .iter()
        .filter(|placed| !placed.kept)
        .map(|placed| (placed.group, placed.item))
        .collect();
    let mut groups = Vec::new();
    for (position, placed) in table.groups.iter().enumerate() {
        let is_first = is_first(group_key(placed));
        if placed.is_system() || !is_first {
            continue;
        }
        let position = position as u32;
        let items = placed.group.items.iter().zip(0..);
        let items = items.filter(|(item, index)| {
            !functions.contains(&(position, *index)) && !placed.file_of(item).1
        });
        let items: Vec<u32> = items.map(|(_, index)| index).collect();
        if !items.is_empty() {
            groups.push((position, items));
        }
    }
    groups
}
