//! The functions of the program as the whole-program analysis wants them: by number, with what each says about pointers.
//! After an edit only those of the edited units are looked at.

use super::numbering::{Numbering, Part, ROOM};
use super::program::{PlacedFunction, Program, UnitTable};
use super::{Analysis, CheckedProgram};
use crate::callgraph::{FunctionId, Functions};
use crate::db::{Function, FunctionKind, RootDatabase, body, unit_environment};
use crate::frontend::layout::DataModel;
use crate::frontend::lower::Environment;
use crate::frontend::scope::Scope;
use crate::ir::{Body, FunctionRef, GlobalScope};
use crate::models::Models;
use crate::points_to::{Constraints, constraints_with_layouts};
use crate::races::{AllConstraints, NamedConstraints};
use crate::shared_list::SharedList;
use crate::stop::{self, Aside, Stop};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, LazyLock};

/// All functions and initialisers, at one moment.
pub(super) struct KnownFunctions {
    /// The units that they were found in.
    units: Arc<Program>,
    /// Shared with the moment before an edit that adds and removes nothing.
    entities: Arc<Entities>,
    /// What each entity says about pointers, by its position; `None` if it has no body, or if nobody is there.
    pointers: SharedList<Option<Arc<Pointers>>>,
    /// The same by name, of nobody where there is nothing.
    pub constraints: AllConstraints,
}

/// Who is who. It does not depend on what is in the bodies.
#[derive(Default)]
struct Entities {
    numbering: Numbering,
    /// Names of their own, for those whose name an earlier one has already: the programs of a project have a `main` each.
    renamed: FxHashMap<Function, FunctionRef>,
}

/// What a function says about pointers, and what that was read from.
struct Pointers {
    /// As the database knows it.
    read: Arc<Body>,
    /// The same, perhaps under another name.
    body: Arc<Body>,
    scope: Arc<Scope>,
    data_model: DataModel,
    constraints: Arc<Constraints>,
}

impl KnownFunctions {
    /// The functions of the program as it is now, with their bodies by number. `before` was found with the same models. If edits are to follow,
    /// some numbers are left for functions that come.
    pub fn new(
        analysis: &Analysis,
        models: &Models,
        before: Option<&CheckedProgram>,
        expects_edits: bool,
    ) -> (KnownFunctions, Functions) {
        let again = before.and_then(|before| KnownFunctions::again(analysis, models, before));
        again.unwrap_or_else(|| {
            let before = before.map(|before| &before.known);
            KnownFunctions::afresh(analysis, models, before, expects_edits)
        })
    }

    /// As `new`, if all functions that stay keep their places and names, and there is room for those that come.
    fn again(
        analysis: &Analysis,
        models: &Models,
        before: &CheckedProgram,
    ) -> Option<(KnownFunctions, Functions)> {
        let known = &before.known;
        let db = analysis.database();
        let edited = edited_units(&known.units, &analysis.program)?;
        let entities = match edited.iter().all(EditedUnit::has_its_functions) {
            true => known.entities.clone(),
            false => Arc::new(Entities {
                numbering: known.entities.numbering.with(&analysis.entities())?,
                renamed: known.entities.renamed.clone(),
            }),
        };
        let mut again = KnownFunctions {
            units: analysis.program.clone(),
            entities: entities.clone(),
            pointers: known.pointers.clone(),
            constraints: known.constraints.clone(),
        };
        let mut functions = before.program.functions.clone();
        // Those that come or go.
        let mut others: FxHashSet<FunctionRef> = FxHashSet::default();
        for position in entities.numbering.left_since(&known.entities.numbering) {
            let gone = &known.pointers[position];
            others.extend(gone.as_ref().map(|gone| gone.body.function));
            again.put(position, None, &mut functions);
        }
        let mut seen = FxHashSet::default();
        let in_edited = edited.iter().flat_map(|unit| &unit.now.functions);
        for placed in in_edited.filter(|placed| seen.insert(placed.function)) {
            stop::ask();
            let position = entities.numbering.position(placed.function)?;
            let old = &known.pointers[position];
            let name = entities.renamed.get(&placed.function).copied();
            let new = Pointers::of(db, placed.function, models, old.as_ref(), name);
            match (old, &new) {
                (None, None) => continue,
                (Some(old), Some(new)) if Arc::ptr_eq(old, new) => continue,
                (Some(old), Some(new)) if old.body.function == new.body.function => {}
                (Some(_), Some(_)) => return None,
                (None, Some(one)) | (Some(one), None) => {
                    others.insert(one.body.function);
                }
            }
            again.put(position, new, &mut functions);
        }
        if !others.is_empty() {
            functions.forget_names();
            again.name(&mut functions);
            // Which of several has the name for itself depends on all of them.
            let are_several = |functions: &Functions, name: &FunctionRef| {
                name.scope.is_external() && functions.resolve(name.declared()).len() > 1
            };
            let before = &before.program.functions;
            let mut others = others.iter();
            if others.any(|name| are_several(&functions, name) || are_several(before, name)) {
                return None;
            }
        }
        Some((again, functions))
    }

    /// What an entity says now, at its position.
    fn put(&mut self, position: usize, pointers: Option<Arc<Pointers>>, functions: &mut Functions) {
        let body = body_of(pointers.as_ref());
        match self.entities.numbering.places()[position].part {
            Part::Function(id) => functions.replace(id, body),
            Part::Initialiser(index) => functions.initialisers.set(index as usize, body),
        }
        let said = said_by(pointers.as_ref());
        let known = &self.constraints[position];
        if known.0 != said.0 || !Arc::ptr_eq(&known.1, &said.1) {
            self.constraints.set(position, said);
        }
        self.pointers.set(position, pointers);
    }

    fn afresh(
        analysis: &Analysis,
        models: &Models,
        before: Option<&KnownFunctions>,
        expects_edits: bool,
    ) -> (KnownFunctions, Functions) {
        let all = analysis.entities();
        let db = analysis.database();
        let stop = Stop::of_this_thread();
        let found: Vec<Aside<Option<Arc<Pointers>>>> = all
            .par_iter()
            .map_with(db.clone(), |db, (entity, _)| {
                stop.check();
                let old = before.and_then(|before| before.pointers_of(*entity));
                stop.aside(Pointers::of(db, *entity, models, old, None))
            })
            .collect();
        let found = found.into_iter().map(Aside::into_inner);
        let mut found: Aside<Vec<Option<Arc<Pointers>>>> = stop.aside(found.collect());
        let mut entities = Entities {
            numbering: Numbering::new(&all, if expects_edits { ROOM } else { 0 }),
            ..Entities::default()
        };
        let mut names = FxHashSet::default();
        for (&(function, kind), pointers) in all.iter().zip(found.iter_mut()) {
            stop.check();
            let Some(name) = pointers.as_ref().map(|known| known.body.function) else {
                continue;
            };
            if kind == FunctionKind::Function
                && !names.insert(name)
                && name.scope == GlobalScope::External
            {
                let scope = GlobalScope::OneOfSeveral(function.unit(db).path(db));
                let name = FunctionRef { scope, ..name };
                let old = before.and_then(|before| before.pointers_of(function));
                *pointers = Pointers::of(db, function, models, old, Some(name));
                entities.renamed.insert(function, name);
            }
        }
        let mut functions = Functions::default();
        let mut found = found.into_inner().into_iter();
        let mut pointers: Vec<Option<Arc<Pointers>>> = Vec::new();
        for place in entities.numbering.places() {
            stop.check();
            let known = place.entity.and_then(|_| found.next()).flatten();
            let body = body_of(known.as_ref());
            match place.part {
                Part::Function(_) => {
                    functions.add(body);
                }
                Part::Initialiser(_) => functions.initialisers.push(body),
            }
            pointers.push(known);
        }
        let said = pointers.iter().map(|pointers| said_by(pointers.as_ref()));
        let known = KnownFunctions {
            units: analysis.program.clone(),
            entities: Arc::new(entities),
            constraints: said.collect(),
            pointers: pointers.into_iter().collect(),
        };
        known.name(&mut functions);
        (known, functions)
    }

    /// A static function has a name of its own in each unit that includes it.
    fn name(&self, functions: &mut Functions) {
        for (path, table) in &self.units.units {
            for placed in &table.functions {
                let Some(id) = self.id(placed.function) else {
                    continue;
                };
                let name = functions.body(id).function;
                let scope = match name.scope {
                    GlobalScope::Unit(_) => GlobalScope::Unit(*path),
                    GlobalScope::OneOfSeveral(_) => {
                        functions.name(name, id);
                        GlobalScope::External
                    }
                    scope => scope,
                };
                functions.name(FunctionRef { scope, ..name }, id);
            }
        }
    }

    /// The number of a function that has a body.
    pub fn id(&self, function: Function) -> Option<FunctionId> {
        match self.entities.numbering.part(function)? {
            Part::Function(id) => self.pointers_of(function).map(|_| id),
            Part::Initialiser(_) => None,
        }
    }

    /// Whether functions that both have, have the same numbers.
    pub fn numbers_as(&self, other: &KnownFunctions) -> bool {
        Arc::ptr_eq(&self.entities, &other.entities)
            || self
                .entities
                .numbering
                .goes_on_from(&other.entities.numbering)
    }

    /// A function as the database knows it; nothing if it has no body, or if nobody has this number.
    pub fn function(&self, number: FunctionId) -> Option<Function> {
        let function = self.entities.numbering.function(number)?;
        self.pointers_of(function).map(|_| function)
    }

    /// How many functions and initialisers there are, with or without a body.
    pub fn count(&self) -> usize {
        self.entities.numbering.count()
    }

    fn pointers_of(&self, entity: Function) -> Option<&Arc<Pointers>> {
        let position = self.entities.numbering.position(entity)?;
        self.pointers[position].as_ref()
    }
}

/// What the analysis sees of an entity, or of a place with nobody in it.
fn body_of(pointers: Option<&Arc<Pointers>>) -> Arc<Body> {
    pointers.map_or_else(Body::of_nobody, |known| known.body.clone())
}

fn said_by(pointers: Option<&Arc<Pointers>>) -> NamedConstraints {
    static NOTHING: LazyLock<Arc<Constraints>> = LazyLock::new(Arc::default);
    let nobody = || (FunctionRef::nobody(), NOTHING.clone());
    pointers.map_or_else(nobody, |known| {
        (known.body.function, known.constraints.clone())
    })
}

impl Pointers {
    /// What did not change stays the same, and is seen to at once. `name` is a name of its own, if it has one.
    fn of(
        db: &RootDatabase,
        function: Function,
        models: &Models,
        known: Option<&Arc<Pointers>>,
        name: Option<FunctionRef>,
    ) -> Option<Arc<Pointers>> {
        // Whoever waits for an answer of the database would not learn why there is none.
        let read = Stop::unheard(|| body(db, function))?;
        let unit = function.unit(db);
        let scope = unit.scope(db);
        let name = name.unwrap_or(read.function);
        let known = known.filter(|known| known.body.function == name);
        if let Some(known) = known
            && Arc::ptr_eq(&known.read, &read)
            && Arc::ptr_eq(&known.scope, scope)
            && known.data_model == unit.data_model(db)
        {
            return Some(known.clone());
        }
        let body = match known {
            Some(known) if known.read == read => known.body.clone(),
            _ if read.function == name => read.clone(),
            _ => Arc::new(Body {
                function: name,
                ..Body::clone(&read)
            }),
        };
        let environment = unit_environment(db, unit);
        let layouts = |record| environment.record_layout(record);
        let constraints = Arc::new(constraints_with_layouts(&body, models, &layouts));
        let same = known.filter(|known| known.constraints == constraints);
        Some(Arc::new(Pointers {
            constraints: same.map_or(constraints, |known| known.constraints.clone()),
            read,
            body,
            scope: scope.clone(),
            data_model: unit.data_model(db),
        }))
    }
}

/// A unit whose text is another one.
struct EditedUnit<'p> {
    before: &'p UnitTable,
    now: &'p UnitTable,
}

impl EditedUnit<'_> {
    /// Whether it has the functions that it had, in the same order.
    fn has_its_functions(&self) -> bool {
        let (before, now) = (&self.before.functions, &self.now.functions);
        let is_same = |(old, new): (&PlacedFunction, &PlacedFunction)| {
            old.function == new.function && old.key.kind == new.key.kind
        };
        before.len() == now.len() && before.iter().zip(now).all(is_same)
    }
}

/// The units whose text is another one; `None` if there are other units.
fn edited_units<'p>(before: &'p Program, now: &'p Program) -> Option<Vec<EditedUnit<'p>>> {
    if before.units.len() != now.units.len() {
        return None;
    }
    let mut edited = Vec::new();
    for ((old_path, old), (path, new)) in before.units.iter().zip(&now.units) {
        if old_path != path {
            return None;
        }
        if !Arc::ptr_eq(old, new) {
            edited.push(EditedUnit {
                before: old,
                now: new,
            });
        }
    }
    Some(edited)
}
