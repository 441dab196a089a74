//! What of the program does not parse, with the place and the reason.

use super::location::{FunctionLocations, Location, SourceFiles};
use super::syntax_memory::GroupErrors;
use super::{Analysis, UnitTable};
use crate::db::FunctionKind;
use crate::frontend::groups::{Group, ItemSource};
use crate::frontend::normalise::Part;
use crate::frontend::parse::SyntaxError;
use crate::frontend::split::ItemKind;
use crate::ir::Span;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
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
        let mut problems: Vec<SyntaxProblem> = self
            .item_errors()
            .into_iter()
            .map(|(table, index, error)| item_problem(table, index, error, sources))
            .collect();
        for function in self.functions() {
            let lowered = self.lowered(function);
            let Some(error) = &lowered.error else {
                let cut = lowered.body.as_ref().and_then(|body| body.type_cut);
                problems.extend(cut.map(|cut| SyntaxProblem {
                    kind: ProblemKind::Types,
                    name: Some(function.name(&self.db)),
                    location: self.location(function, Span::default(), sources),
                    reason: cut.to_string(),
                }));
                continue;
            };
            problems.push(SyntaxProblem {
                kind: match function.kind(&self.db) {
                    FunctionKind::Function => ProblemKind::Function,
                    FunctionKind::Initialiser => ProblemKind::Initialiser,
                },
                name: Some(function.name(&self.db)),
                location: self.location(function, span_of(error), sources),
                reason: error.message.clone(),
            });
        }
        problems.sort_by_key(|problem| (problem.location, problem.name, problem.kind));
        problems
    }

    /// The items that do not parse, besides the functions of the program.
    fn item_errors(&self) -> Vec<(&UnitTable, ItemIndex, SyntaxError)> {
        let mut seen = FxHashSet::default();
        let work: Vec<(&UnitTable, ItemsByGroup)> = self
            .program
            .units
            .values()
            .map(|table| (&**table, items_to_check(table, &mut seen)))
            .collect();
        let known = self.syntax_memory.take();
        let found: Vec<(&UnitTable, u32, Arc<GroupErrors>)> = work
            .into_par_iter()
            .map_with(self.db.clone(), |db, (table, groups)| {
                let of_group = |(position, items): (u32, Vec<u32>)| {
                    let group = &table.groups[position as usize].group;
                    let errors = GroupErrors::of(db, table, group, items, &known);
                    (table, position, errors)
                };
                groups.into_iter().map(of_group).collect::<Vec<_>>()
            })
            .flatten_iter()
            .collect();
        let entries = found
            .iter()
            .map(|(table, _, errors)| (errors.key(table.unit.path(&self.db)), errors.clone()));
        self.syntax_memory.put(entries.collect());
        let errors = found.iter().flat_map(|(table, position, errors)| {
            let errors = errors.errors.iter();
            errors.map(|(item, error)| (*table, (*position, *item), error.clone()))
        });
        errors.collect()
    }
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
fn items_to_check(
    table: &UnitTable,
    seen: &mut FxHashSet<(*const Group, Ustr, u32)>,
) -> ItemsByGroup {
    let functions: FxHashSet<ItemIndex> = table
        .functions
        .iter()
        .filter(|placed| !placed.kept)
        .map(|placed| (placed.group, placed.item))
        .collect();
    let mut groups = Vec::new();
    for (position, placed) in table.groups.iter().enumerate() {
        let origin = placed.origin_of(0);
        let is_new = seen.insert((Arc::as_ptr(&placed.group), origin.file, origin.line));
        if placed.is_system() || !is_new {
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
