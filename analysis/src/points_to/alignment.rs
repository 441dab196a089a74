//! Gives the classes of an edited program the numbers that they had before the edit, and finds out what has become
//! different about them.

use super::changes::Changes;
use super::differences::Differences;
use super::graph::{NONE, NodeId};
use super::solution::{ClassData, FunctionClasses, Object, PointsTo};
use super::standing::Standing;
use crate::ir::{FunctionRef, GlobalRef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// More dead numbers than living ones, and all are given anew.
const MOST_DEAD_TO_LIVING: usize = 1;

/// Which class of the new relation has which number of the old one.
struct Matching {
    old_of: Vec<u32>,
    new_of: Vec<u32>,
    /// Pairs whose neighbours are still to be matched.
    pending: Vec<(u32, u32)>,
}

impl Matching {
    fn pair(&mut self, old: u32, new: u32) {
        if old == NONE || new == NONE {
            return;
        }
        let (old_of, new_of) = (
            &mut self.old_of[new as usize],
            &mut self.new_of[old as usize],
        );
        if *old_of == NONE && *new_of == NONE {
            *old_of = old;
            *new_of = new;
            self.pending.push((old, new));
        }
    }

    fn functions(&mut self, old: &FunctionClasses, new: &FunctionClasses) {
        for (old, new) in old.registers.iter().zip(&new.registers) {
            self.pair(*old, *new);
        }
        for (local, new) in &new.memory {
            if let Some(old) = old.memory.get(local) {
                self.pair(*old, *new);
            }
        }
        for (string, new) in &new.strings {
            if let Some(old) = old.strings.get(string) {
                self.pair(*old, *new);
            }
        }
    }

    /// Matches what matched classes lead to.
    fn spread(&mut self, before: &[ClassData], now: &[ClassData]) {
        while let Some((old, new)) = self.pending.pop() {
            let (old, new) = (&before[old as usize], &now[new as usize]);
            self.pair(old.target, new.target);
            for (label, child) in &new.fields {
                if let Ok(index) = old.fields.binary_search_by_key(label, |field| field.0) {
                    self.pair(old.fields[index].1, *child);
                }
            }
        }
    }
}

/// The groups that both have in common, with the numbers that their nodes had and have.
fn known_groups<'s>(
    before: &'s Standing,
    now: &'s Standing,
) -> impl Iterator<Item = (usize, &'s [u32], &'s [u32])> {
    let groups = now.solver.groups.iter().enumerate();
    let known = groups.filter(|(_, placed)| placed.is_known);
    known.filter_map(move |(number, placed)| {
        let old = before.solver.groups.get(number)?;
        let count = placed.group.graph.nodes.len();
        let numbers = |standing: &'s Standing, first: NodeId| {
            let first = first as usize;
            &standing.numbers[first..first + count]
        };
        Some((
            number,
            numbers(before, old.place.first),
            numbers(now, placed.place.first),
        ))
    })
}

/// The variables of the program among objects, and which other kinds there are.
fn kinds(objects: &[Object]) -> (Vec<GlobalRef>, [bool; 4]) {
    let mut globals = Vec::new();
    let mut kinds = [false; 4];
    for object in objects {
        match object {
            Object::Global(global) => globals.push(*global),
            Object::Local(..) => kinds[0] = true,
            Object::Heap => kinds[1] = true,
            Object::String => kinds[2] = true,
            Object::Function(_) => kinds[3] = true,
        }
    }
    (globals, kinds)
}

impl PointsTo {
    /// Gives classes the numbers that they had before. `is_same` tells of which functions the text is the same.
    /// `None` if so many numbers have died that it is better to forget them.
    pub fn aligned(
        mut self,
        before: &PointsTo,
        is_same: &dyn Fn(FunctionRef) -> bool,
    ) -> Option<(PointsTo, Changes)> {
        if !self.records.continues(&before.records) {
            return None;
        }
        let mut matching = Matching {
            old_of: vec![NONE; self.classes.len()],
            new_of: vec![NONE; before.classes.len()],
            pending: Vec::new(),
        };
        for (global, new) in &*self.globals {
            if let Some(old) = before.globals.get(global) {
                matching.pair(*old, *new);
            }
        }
        for (function, new) in &*self.function_cells {
            if let Some(old) = before.function_cells.get(function) {
                matching.pair(*old, *new);
            }
        }
        self.match_groups(before, &mut matching);
        let mut others = Vec::new();
        for (function, new, old) in self.functions.with(&before.functions) {
            match is_same(function) {
                true => matching.functions(old, new),
                false => others.push((old, new)),
            }
        }
        matching.spread(&before.classes, &self.classes);
        for (old, new) in others {
            matching.functions(old, new);
        }
        matching.spread(&before.classes, &self.classes);
        let living = self.classes.len();
        let mut next = before.classes.len() as u32;
        for number in &mut matching.old_of {
            if *number == NONE {
                *number = next;
                next += 1;
            }
        }
        if next as usize - living > MOST_DEAD_TO_LIVING * living {
            return None;
        }
        self.renumber(&matching.old_of, next as usize);
        self.take_over_functions(before, is_same)?;
        let changes = self.changes_since(before, &matching.new_of);
        Some((self, changes))
    }

    /// The classes of groups that were a part of the program before.
    fn match_groups(&self, before: &PointsTo, matching: &mut Matching) {
        let (Some(now), Some(old)) = (&self.standing, &before.standing) else {
            return;
        };
        let (Ok(now), Ok(old)) = (now.lock(), old.lock()) else {
            return;
        };
        for (_, old, new) in known_groups(&old, &now) {
            for (old, new) in old.iter().zip(new) {
                matching.pair(*old, *new);
            }
        }
    }

    /// The functions of groups that were a part of the program before are in the classes that they were in, where these have the numbers
    /// that they had. A function that says again what its group has known of it since an earlier edit was something else in between.
    fn take_over_functions(
        &mut self,
        before: &PointsTo,
        is_same: &dyn Fn(FunctionRef) -> bool,
    ) -> Option<()> {
        let Some(now) = &self.standing else {
            return Some(());
        };
        let now = now.lock().ok()?;
        if !now.solver.groups.iter().any(|placed| placed.is_known) {
            return Some(());
        }
        let old = before.standing.as_ref()?.lock().ok()?;
        let own = std::mem::replace(&mut self.functions, before.functions.clone());
        let solver = &now.solver;
        let has_first = |position: usize| {
            let function = solver.bodies[position].function;
            let known = solver.names.by_name.get(&function);
            known.is_none_or(|known| known.first() == Some(&position))
        };
        let groups = solver.groups.iter().enumerate();
        for (number, _) in groups.filter(|(_, placed)| !placed.is_known) {
            for position in solver
                .positions(number)
                .filter(|position| has_first(*position))
            {
                let function = solver.bodies[position].function;
                if let Some(classes) = own.get(function) {
                    self.functions.replace(function, classes.clone());
                }
            }
        }
        for (number, old, new) in known_groups(&old, &now) {
            let has_numbers = old == new;
            let is_other =
                |position: &usize| !has_numbers || !is_same(solver.bodies[*position].function);
            for position in solver
                .positions(number)
                .filter(|position| is_other(position) && has_first(*position))
            {
                let body = &solver.bodies[position];
                let classes = FunctionClasses::of_body(body, &now.numbers);
                let known = self.functions.get(body.function);
                if known.is_none_or(|known| **known != classes) {
                    self.functions.replace(body.function, Arc::new(classes));
                }
            }
        }
        let positions = 0..solver.bodies.len();
        debug_assert!(
            { positions }
                .filter(|position| has_first(*position))
                .all(|position| {
                    let body = &solver.bodies[position];
                    let classes = FunctionClasses::of_body(body, &now.numbers);
                    self.functions.get(body.function).map(|known| &**known) == Some(&classes)
                }),
            "functions are in the classes of their groups"
        );
        Some(())
    }

    fn renumber(&mut self, numbers: &[u32], count: usize) {
        let renumber = |class: &mut u32| {
            if *class != NONE {
                *class = numbers[*class as usize];
            }
        };
        let mut classes: Vec<ClassData> = Vec::new();
        classes.resize_with(count, ClassData::default);
        // Nobody else has them yet.
        let unnumbered = Arc::into_inner(std::mem::take(&mut self.classes)).unwrap_or_default();
        for (index, mut data) in unnumbered.into_iter().enumerate() {
            renumber(&mut data.target);
            for (_, child) in &mut data.fields {
                renumber(child);
            }
            classes[numbers[index] as usize] = data;
        }
        self.classes = Arc::new(classes);
        self.functions.for_each_mut(|classes| {
            let classes = Arc::make_mut(classes);
            classes.registers.iter_mut().for_each(renumber);
            classes.memory.values_mut().for_each(renumber);
            classes.strings.values_mut().for_each(renumber);
        });
        let globals = Arc::make_mut(&mut self.globals);
        globals.values_mut().for_each(renumber);
        let function_cells = Arc::make_mut(&mut self.function_cells);
        function_cells.values_mut().for_each(renumber);
        let standing = self.standing.as_ref().map(|standing| standing.lock());
        if let Some(Ok(mut standing)) = standing {
            standing.renumber(renumber);
        }
    }

    fn changes_since(&self, before: &PointsTo, new_of: &[u32]) -> Changes {
        let mut changes = Changes::of_classes(before.classes.len());
        let mut is_structural = false;
        let mut same_objects: FxHashMap<(usize, usize), bool> = FxHashMap::default();
        for (class, old) in before.classes.iter().enumerate() {
            if new_of[class] == NONE {
                if !old.is_dead() {
                    changes.add(class as u32, Differences::ALL);
                    // What was a part of it is there without it.
                    let mut members = old.fields.iter();
                    is_structural |= members.any(|(_, child)| new_of[*child as usize] != NONE);
                }
                continue;
            }
            let new = &self.classes[class];
            let key = (
                Arc::as_ptr(&old.objects).addr(),
                Arc::as_ptr(&new.objects).addr(),
            );
            let same = key.0 == key.1
                || *{ same_objects.entry(key) }.or_insert_with(|| old.objects == new.objects);
            let differences = old.differences(new);
            is_structural |= !differences.is_none();
            changes.add(class as u32, differences);
            if !same {
                changes.add(class as u32, Differences::OBJECTS);
                is_structural |= kinds(&old.objects) != kinds(&new.objects);
            }
            if old.fields == new.fields {
                continue;
            }
            is_structural = true;
            changes.add(class as u32, Differences::MEMBERS);
            let mine: FxHashSet<_> = old.fields.iter().copied().collect();
            let theirs: FxHashSet<_> = new.fields.iter().copied().collect();
            let others = mine.symmetric_difference(&theirs);
            let others = others.map(|(label, _)| (class as u32, *label));
            changes.add_members(others);
        }
        // A class that stays is not what it was to whoever names something that has left it.
        let globals = before.globals.iter();
        let globals = globals.map(|(global, old)| (*old, self.globals.get(global)));
        let functions = before.function_cells.iter();
        let functions = functions.map(|(function, old)| (*old, self.function_cells.get(function)));
        for (old, now) in globals.chain(functions) {
            if now != Some(&old) {
                changes.add(old, Differences::LEFT);
            }
        }
        changes.set_structural(is_structural);
        changes
    }

    /// The functions whose own pointers are in other classes than before.
    pub fn naming_otherwise(&self, before: &PointsTo) -> FxHashSet<FunctionRef> {
        self.functions.different_from(&before.functions)
    }
}
