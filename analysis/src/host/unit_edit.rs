//! Gives one unit its new text: finds which functions and declarations changed, and what to keep
//! while something is being typed.

use super::program::{FunctionKey, PlacedFunction, UnitTable};
use super::{AnalysisHost, Touched, UnitChange};
use crate::db::{Function, FunctionKind, Unit, syntax_error};
use crate::frontend::groups::{Group, ItemSource};
use crate::frontend::layout::DataModel;
use crate::frontend::names::NameSpace;
use crate::frontend::placement::{PlacedGroup, Placement};
use crate::frontend::scope::{Scope, declaration_marks};
use rustc_hash::{FxHashMap, FxHashSet};
use salsa::{Durability, Setter};
use std::sync::{Arc, OnceLock};
use ustr::Ustr;

impl AnalysisHost {
    /// Everything here costs what the edit touched: groups that stayed in place keep their
    /// functions without being looked at.
    pub(super) fn place_unit(
        &mut self,
        change: UnitChange,
        placement: Placement,
        touched: &mut Touched,
    ) {
        let UnitChange {
            path,
            text,
            data_model,
        } = change;
        let Some(old) = self.program.units.get(&path).cloned() else {
            return self.place_new_unit(path, data_model, placement, touched);
        };
        let unit = old.unit;
        let kept = KeptFunctions::new(&old, &placement);
        let mut previous: FxHashMap<FunctionKey, Function> = kept
            .displaced
            .iter()
            .map(|placed| (placed.key, placed.function))
            .collect();
        let middle = functions_of(&placement, &kept.front, &kept.back);
        let mut functions = kept.front;
        for (key, source, group, item) in middle {
            let before = previous.remove(&key);
            let function = self.function(key, unit, before, source, touched);
            functions.push(PlacedFunction {
                key,
                function,
                group,
                item,
                kept: false,
            });
        }
        functions.extend(kept.back);
        // Only now: whether the old text of a function was good is asked in the old scope.
        self.rescope_edit(unit, &old, &placement, data_model, touched);
        let mut vanished: Vec<(FunctionKey, Function)> = previous.into_iter().collect();
        vanished.sort_by_key(|(key, _)| *key);
        let lost = self.lost_declarations(unit, &old, &placement);
        let (broken_groups, keeps) = if vanished.is_empty() && lost.is_empty() {
            (Vec::new(), Keeps::default())
        } else {
            self.broken_groups(unit, &old, &placement)
        };
        let was_kept = |placed: &PlacedGroup| {
            let mut earlier = old.kept_groups.iter();
            earlier.any(|kept| Arc::ptr_eq(&kept.group, &placed.group))
        };
        let kept_groups: Vec<PlacedGroup> = lost
            .into_iter()
            .filter(|placed| keeps.keeps(was_kept(placed)))
            .collect();
        if !kept_groups.is_empty() {
            let with_kept: Vec<PlacedGroup> = placement
                .groups
                .iter()
                .chain(&kept_groups)
                .cloned()
                .collect();
            self.rescope(unit, Scope::new(&with_kept), data_model, touched);
        }
        let kept_earlier: FxHashSet<Function> = old
            .functions
            .iter()
            .filter(|placed| placed.kept)
            .map(|placed| placed.function)
            .collect();
        let mut still_known = Vec::new();
        for (key, function) in vanished {
            if keeps.keeps(kept_earlier.contains(&function)) {
                still_known.push(PlacedFunction {
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
        insert_in_order(&mut functions, still_known, &old.functions);
        let table = UnitTable {
            unit,
            text,
            groups: placement.groups,
            kept_groups,
            broken_groups,
            has_kept: functions.iter().any(|placed| placed.kept),
            functions,
            contracts: OnceLock::new(),
            files: OnceLock::new(),
        };
        Arc::make_mut(&mut self.program)
            .units
            .insert(path, Arc::new(table));
    }

    fn place_new_unit(
        &mut self,
        path: Ustr,
        data_model: DataModel,
        placement: Placement,
        touched: &mut Touched,
    ) {
        let unit = Unit::builder(path, data_model, Arc::new(Scope::new(&placement.groups)))
            .durability(Durability::MEDIUM)
            .path_durability(Durability::HIGH)
            .new(&self.db);
        touched.rescoped.push(unit);
        let functions = functions_of(&placement, &[], &[])
            .into_iter()
            .map(|(key, source, group, item)| {
                let function = self.function(key, unit, None, source, touched);
                PlacedFunction {
                    key,
                    function,
                    group,
                    item,
                    kept: false,
                }
            })
            .collect();
        let table = UnitTable {
            unit,
            text: None,
            groups: placement.groups,
            kept_groups: Vec::new(),
            broken_groups: Vec::new(),
            functions,
            has_kept: false,
            contracts: OnceLock::new(),
            files: OnceLock::new(),
        };
        Arc::make_mut(&mut self.program)
            .units
            .insert(path, Arc::new(table));
    }

    fn function(
        &mut self,
        key: FunctionKey,
        unit: Unit,
        before: Option<Function>,
        source: ItemSource,
        touched: &mut Touched,
    ) -> Function {
        if let Some(function) = before
            && *function.source(&self.db) == source
        {
            return function;
        }
        let function = self.registry.place(&mut self.db, key, unit, before, source);
        touched.changed.push(function);
        function
    }

    /// Sets the scope if a declaration changed where the edit was.
    fn rescope_edit(
        &mut self,
        unit: Unit,
        old: &UnitTable,
        placement: &Placement,
        data_model: DataModel,
        touched: &mut Touched,
    ) {
        let displaced = &old.groups[placement.kept_front..old.groups.len() - placement.kept_back];
        let new = &placement.groups[placement.middle()];
        let same =
            old.kept_groups.is_empty() && declaration_marks(displaced).eq(declaration_marks(new));
        if same && unit.data_model(&self.db) == data_model {
            return;
        }
        self.rescope(unit, Scope::new(&placement.groups), data_model, touched);
    }

    fn rescope(&mut self, unit: Unit, scope: Scope, data_model: DataModel, touched: &mut Touched) {
        let same_scope = unit.scope(&self.db).declares_the_same(&scope);
        let same_model = unit.data_model(&self.db) == data_model;
        if !same_scope {
            // It stays as durable as it was: what becomes less so counts as changed for all who read it.
            unit.set_scope(&mut self.db).to(Arc::new(scope));
        }
        if !same_model {
            unit.set_data_model(&mut self.db).to(data_model);
        }
        if !(same_scope && same_model) {
            touched.rescoped.push(unit);
        }
    }

    /// Groups of the old text that declared something which nothing declares any more. If their
    /// place does not parse, they stay known: otherwise every function that mentions them would
    /// fail while one character is being typed.
    fn lost_declarations(
        &self,
        unit: Unit,
        old: &UnitTable,
        placement: &Placement,
    ) -> Vec<PlacedGroup> {
        let displaced = &old.groups[placement.kept_front..old.groups.len() - placement.kept_back];
        let new: FxHashSet<*const Group> = placement.groups[placement.middle()]
            .iter()
            .map(|placed| Arc::as_ptr(&placed.group))
            .collect();
        let scope = unit.scope(&self.db);
        let is_lost = |placed: &&PlacedGroup| {
            !new.contains(&Arc::as_ptr(&placed.group))
                && placed
                    .group
                    .declared
                    .iter()
                    .any(|declared| !scope.declares(declared.name, declared.space))
        };
        displaced
            .iter()
            .chain(&old.kept_groups)
            .filter(is_lost)
            .cloned()
            .collect()
    }

    /// The groups with an item that does not parse: new ones, and old ones that are still there. And what that means
    /// for things that are gone.
    fn broken_groups(
        &self,
        unit: Unit,
        old: &UnitTable,
        placement: &Placement,
    ) -> (Vec<Arc<Group>>, Keeps) {
        let is_broken = |group: &Arc<Group>| {
            (0..group.items.len() as u32).any(|index| {
                let source = ItemSource {
                    group: group.clone(),
                    index,
                };
                syntax_error(&self.db, unit, &source).is_some()
            })
        };
        let new = placement.groups[placement.middle()]
            .iter()
            .map(|placed| &placed.group)
            .filter(|group| is_broken(group));
        let mut broken: Vec<Arc<Group>> = new.cloned().collect();
        let is_broken_here = !broken.is_empty();
        // What did not parse may do so now because a declaration elsewhere is mended.
        let still_broken = |group: &&Arc<Group>| {
            let mut groups = placement.groups.iter();
            groups.any(|placed| Arc::ptr_eq(&placed.group, group)) && is_broken(group)
        };
        let earlier: Vec<Arc<Group>> = { old.broken_groups.iter() }
            .filter(still_broken)
            .cloned()
            .collect();
        let is_mended = earlier.len() < old.broken_groups.len();
        broken.extend(earlier);
        let keeps = Keeps {
            new: is_broken_here,
            earlier: is_broken_here || (!broken.is_empty() && !is_mended),
        };
        (broken, keeps)
    }
}

/// What stays known although it is gone. Something that does not parse for good, elsewhere in the file, is no reason:
/// then all that anybody ever typed would stay.
#[derive(Clone, Copy, Default)]
struct Keeps {
    /// What this edit has removed: where it was, something does not parse now.
    new: bool,
    /// What stayed known after earlier edits: what did not parse then still does not.
    earlier: bool,
}

impl Keeps {
    fn keeps(self, is_from_earlier: bool) -> bool {
        if is_from_earlier {
            self.earlier
        } else {
            self.new
        }
    }
}

/// Puts functions that are not in the text at the moment where they stood, so that all others keep their numbers.
fn insert_in_order(
    functions: &mut Vec<PlacedFunction>,
    mut still_known: Vec<PlacedFunction>,
    old: &[PlacedFunction],
) {
    if still_known.is_empty() {
        return;
    }
    let places = old.iter().enumerate();
    let places: FxHashMap<Function, usize> = places
        .map(|(place, placed)| (placed.function, place))
        .collect();
    still_known.sort_by_key(|placed| places.get(&placed.function).copied());
    for placed in still_known {
        let place = places.get(&placed.function).copied().unwrap_or(0);
        let in_front = |known: &PlacedFunction| {
            let known = places.get(&known.function);
            known.is_some_and(|known| *known < place)
        };
        let at = functions.iter().rposition(in_front).map_or(0, |at| at + 1);
        functions.insert(at, placed);
    }
}

/// The functions of a unit before an edit, by what happened to the groups they stand in.
struct KeptFunctions {
    front: Vec<PlacedFunction>,
    back: Vec<PlacedFunction>,
    /// In groups that are gone, or kept from an earlier text.
    displaced: Vec<PlacedFunction>,
}

impl KeptFunctions {
    fn new(old: &UnitTable, placement: &Placement) -> KeptFunctions {
        let first_back = old.groups.len() - placement.kept_back;
        let shift = placement.groups.len() as i64 - old.groups.len() as i64;
        let mut kept = KeptFunctions {
            front: Vec::with_capacity(old.functions.len() + 1),
            back: Vec::new(),
            displaced: Vec::new(),
        };
        for placed in &old.functions {
            let group = placed.group as usize;
            if placed.kept {
                kept.displaced.push(*placed);
            } else if group < placement.kept_front {
                kept.front.push(*placed);
            } else if group >= first_back {
                kept.back.push(PlacedFunction {
                    group: (group as i64 + shift) as u32,
                    ..*placed
                });
            } else {
                kept.displaced.push(*placed);
            }
        }
        kept
    }
}

/// The functions and initialisers in the new groups of a unit, except those of system headers.
fn functions_of(
    placement: &Placement,
    front: &[PlacedFunction],
    back: &[PlacedFunction],
) -> Vec<(FunctionKey, ItemSource, u32, u32)> {
    let mut functions = Vec::new();
    for position in placement.middle() {
        let placed = &placement.groups[position];
        if placed.is_system() {
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
            if !system {
                let key = FunctionKey {
                    file,
                    kind,
                    name,
                    ordinal: 0,
                };
                let source = ItemSource {
                    group: placed.group.clone(),
                    index: index as u32,
                };
                functions.push((key, source, position as u32, index as u32));
            }
        }
    }
    number_namesakes(&mut functions, front, back);
    functions
}

/// Gives functions of the same name in one file different ordinals.
fn number_namesakes(
    functions: &mut [(FunctionKey, ItemSource, u32, u32)],
    front: &[PlacedFunction],
    back: &[PlacedFunction],
) {
    let new_keys: FxHashSet<FunctionKey> = functions.iter().map(|(key, ..)| *key).collect();
    let mut used: FxHashSet<FunctionKey> = front
        .iter()
        .chain(back)
        .map(|placed| placed.key)
        .filter(|key| new_keys.contains(&FunctionKey { ordinal: 0, ..*key }))
        .collect();
    for (key, ..) in functions {
        while !used.insert(*key) {
            key.ordinal += 1;
        }
    }
}
