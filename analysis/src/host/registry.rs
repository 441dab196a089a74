//! Keeps one entity for each function, however many units include it.

use super::program::FunctionKey;
use crate::db::{Function, RootDatabase, Unit, lowered};
use crate::frontend::groups::ItemSource;
use rustc_hash::FxHashMap;
use salsa::{Durability, Setter};
use smallvec::SmallVec;
use ustr::Ustr;

/// All functions by identity. A header's function that different units see with different text
/// has one variant for each text.
// UNSOUND: units that see the same text of a header's function, but different meanings of the
// names in it, share the body that the first of them gives it.
#[derive(Default)]
pub(super) struct Registry {
    variants: FxHashMap<FunctionKey, SmallVec<[Variant; 1]>>,
    /// Entities that nobody uses; salsa cannot delete an input.
    free: Vec<Function>,
    /// Those that got another text, and may still be known by the one before.
    replaced: Vec<Function>,
}

struct Variant {
    function: Function,
    /// The units that hold it. The first by path is where its names are looked up.
    holders: Vec<(Ustr, Unit)>,
}

impl Registry {
    /// The entity for a function with this text in this unit. `before` is what the unit had.
    pub fn place(
        &mut self,
        db: &mut RootDatabase,
        key: FunctionKey,
        unit: Unit,
        before: Option<Function>,
        source: ItemSource,
    ) -> Function {
        let variants = self.variants.entry(key).or_default();
        if let Some(variant) = variants
            .iter_mut()
            .find(|variant| *variant.function.source(db) == source)
        {
            let function = variant.function;
            variant.join(db, unit);
            if let Some(before) = before.filter(|before| *before != function) {
                self.leave(db, key, unit, before);
            }
            return function;
        }
        if let Some(before) = before {
            let alone = variants
                .iter()
                .any(|variant| variant.function == before && variant.holders.len() == 1);
            if alone {
                replace_source(db, before, source);
                self.replaced.push(before);
                return before;
            }
            self.leave(db, key, unit, before);
        }
        let function = match self.free.pop() {
            Some(function) => {
                function.set_name(db).to(key.name);
                function.set_kind(db).to(key.kind);
                function.set_unit(db).to(unit);
                function.set_source(db).to(source);
                function.set_last_good(db).to(None);
                function
            }
            // Most functions are never edited, and need not be looked at when others are.
            None => Function::builder(key.name, key.kind, unit, source, None)
                .durability(Durability::MEDIUM)
                .new(db),
        };
        let holders = vec![(unit.path(db), unit)];
        self.variants
            .entry(key)
            .or_default()
            .push(Variant { function, holders });
        function
    }

    /// Functions whose new text parses need no earlier one. Otherwise one that had been good before would come back when a
    /// declaration goes without which the present one does not parse.
    pub fn settle(&mut self, db: &mut RootDatabase) {
        self.replaced.retain(|function| {
            let is_broken = lowered(db, *function).error.is_some();
            if !is_broken && function.last_good(db).is_some() {
                let last_good = function.set_last_good(db);
                last_good.with_durability(Durability::LOW).to(None);
            }
            is_broken
        });
    }

    /// The unit no longer has this function.
    pub fn leave(
        &mut self,
        db: &mut RootDatabase,
        key: FunctionKey,
        unit: Unit,
        function: Function,
    ) {
        let Some(variants) = self.variants.get_mut(&key) else {
            return;
        };
        let Some(index) = variants
            .iter()
            .position(|variant| variant.function == function)
        else {
            return;
        };
        let variant = &mut variants[index];
        variant.holders.retain(|(_, holder)| *holder != unit);
        match variant.holders.first() {
            Some(&(_, first)) => set_unit(db, function, first),
            None => {
                variants.remove(index);
                self.free.push(function);
            }
        }
        if variants.is_empty() {
            self.variants.remove(&key);
        }
    }
}

impl Variant {
    fn join(&mut self, db: &mut RootDatabase, unit: Unit) {
        let path = unit.path(db);
        if let Err(index) = self.holders.binary_search_by_key(&path, |(path, _)| *path) {
            self.holders.insert(index, (path, unit));
        }
        set_unit(db, self.function, self.holders[0].1);
    }
}

fn set_unit(db: &mut RootDatabase, function: Function, unit: Unit) {
    if function.unit(db) != unit {
        function.set_unit(db).to(unit);
    }
}

/// Gives a function its new text and keeps the old one if it was good.
fn replace_source(db: &mut RootDatabase, function: Function, source: ItemSource) {
    if lowered(db, function).error.is_none() {
        let good = function.source(db).clone();
        let last_good = function.set_last_good(db);
        last_good.with_durability(Durability::LOW).to(Some(good));
    }
    let text = function.set_source(db);
    text.with_durability(Durability::LOW).to(source);
}
