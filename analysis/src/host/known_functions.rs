//! The functions of the program as the whole-program analysis wants them: by number, with what each says about pointers.
//! After an edit that leaves the functions and their names as they are, only those of the edited units are looked at.

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
use crate::stop::{Aside, Stop};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// All functions and initialisers that have a body, at one moment.
pub(super) struct KnownFunctions {
    /// The units that they were found in.
    units: Arc<Program>,
    /// Shared with the moment before an edit that adds and removes nothing.
    entities: Arc<Entities>,
    /// What each entity says about pointers, by its position; `None` if it has no body.
    pointers: SharedList<Option<Arc<Pointers>>>,
    /// The same of those that have a body, in the order of the program.
    pub constraints: AllConstraints,
}

/// Who is who. It does not depend on what is in the bodies.
#[derive(Default)]
struct Entities {
    /// In the order of the program, with the position among those that have a body.
    parts: Vec<(Part, u32)>,
    positions: FxHashMap<Function, u32>,
    /// By number.
    functions: Vec<Function>,
    /// Names of their own, for those whose name an earlier one has already: the programs of a project have a `main` each.
    renamed: FxHashMap<Function, FunctionRef>,
}

/// What an entity is to the analysis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// It has no body.
    Nothing,
    Function(FunctionId),
    /// By its position among the initialisers.
    Initialiser(u32),
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
    /// The functions of the program as it is now, with their bodies by number. `before` was found with the same models.
    pub fn new(
        analysis: &Analysis,
        models: &Models,
        before: Option<&CheckedProgram>,
    ) -> (KnownFunctions, Functions) {
        let again = before.and_then(|before| KnownFunctions::again(analysis, models, before));
        again.unwrap_or_else(|| {
            let before = before.map(|before| &before.known);
            KnownFunctions::afresh(analysis, models, before)
        })
    }

    /// As `new`, if the program has the functions that it had, under the names that they had.
    fn again(
        analysis: &Analysis,
        models: &Models,
        before: &CheckedProgram,
    ) -> Option<(KnownFunctions, Functions)> {
        let known = &before.known;
        let edited = edited_units(&known.units, &analysis.program)?;
        let entities = &known.entities;
        let mut pointers = known.pointers.clone();
        let mut constraints = known.constraints.clone();
        let mut functions = before.program.functions.clone();
        let mut seen = FxHashSet::default();
        let in_edited = edited.iter().flat_map(|table| &table.functions);
        for placed in in_edited.filter(|placed| seen.insert(placed.function)) {
            let position = *entities.positions.get(&placed.function)? as usize;
            let old = &known.pointers[position];
            let name = entities.renamed.get(&placed.function).copied();
            let new = Pointers::of(
                analysis.database(),
                placed.function,
                models,
                old.as_ref(),
                name,
            );
            let (part, place) = entities.parts[position];
            match (part, old, &new) {
                (Part::Nothing, None, None) => continue,
                (_, Some(old), Some(new)) if Arc::ptr_eq(old, new) => continue,
                (part, Some(old), Some(new)) if old.body.function == new.body.function => {
                    match part {
                        Part::Function(id) => functions.replace(id, new.body.clone()),
                        Part::Initialiser(index) => {
                            let initialisers = &mut functions.initialisers;
                            initialisers.set(index as usize, new.body.clone());
                        }
                        Part::Nothing => return None,
                    }
                    if !Arc::ptr_eq(&old.constraints, &new.constraints) {
                        constraints.set(place as usize, new.said());
                    }
                }
                _ => return None,
            }
            pointers.set(position, new);
        }
        let known = KnownFunctions {
            units: analysis.program.clone(),
            entities: entities.clone(),
            pointers,
            constraints,
        };
        Some((known, functions))
    }

    fn afresh(
        analysis: &Analysis,
        models: &Models,
        before: Option<&KnownFunctions>,
    ) -> (KnownFunctions, Functions) {
        let all = analysis.functions();
        let db = analysis.database();
        let stop = Stop::of_this_thread();
        let pointers: Vec<Aside<Option<Arc<Pointers>>>> = all
            .par_iter()
            .map_with(db.clone(), |db, function| {
                stop.check();
                let old = before.and_then(|before| before.pointers_of(*function));
                stop.aside(Pointers::of(db, *function, models, old, None))
            })
            .collect();
        let pointers = pointers.into_iter().map(Aside::into_inner);
        let mut pointers: Aside<Vec<Option<Arc<Pointers>>>> = stop.aside(pointers.collect());
        let mut functions = Functions::default();
        let mut entities = Entities::default();
        let mut names = FxHashSet::default();
        for (&function, pointers) in all.iter().zip(pointers.iter_mut()) {
            stop.check();
            let Some(name) = pointers.as_ref().map(|known| known.body.function) else {
                continue;
            };
            if function.kind(db) == FunctionKind::Function
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
        let mut said: Vec<NamedConstraints> = Vec::new();
        for (position, (&function, pointers)) in all.iter().zip(pointers.iter()).enumerate() {
            stop.check();
            let body = pointers.as_ref().map(|pointers| pointers.body.clone());
            let part = match (body, function.kind(db)) {
                (None, _) => Part::Nothing,
                (Some(body), FunctionKind::Function) => {
                    entities.functions.push(function);
                    Part::Function(functions.add(body))
                }
                (Some(body), FunctionKind::Initialiser) => {
                    functions.initialisers.push(body);
                    Part::Initialiser(functions.initialisers.len() as u32 - 1)
                }
            };
            entities.parts.push((part, said.len() as u32));
            said.extend(pointers.as_deref().map(Pointers::said));
            entities.positions.insert(function, position as u32);
        }
        entities.name(&mut functions, &analysis.program);
        let known = KnownFunctions {
            units: analysis.program.clone(),
            entities: Arc::new(entities),
            pointers: pointers.into_inner().into_iter().collect(),
            constraints: said.into_iter().collect(),
        };
        (known, functions)
    }

    pub fn id(&self, function: Function) -> Option<FunctionId> {
        self.entities.id(function)
    }

    /// Whether functions have the numbers that they had there.
    pub fn numbers_as(&self, other: &KnownFunctions) -> bool {
        Arc::ptr_eq(&self.entities, &other.entities)
    }

    /// The functions as the database knows them, by number.
    pub fn by_id(&self) -> &[Function] {
        &self.entities.functions
    }

    /// How many functions and initialisers there are, with or without a body.
    pub fn count(&self) -> usize {
        self.entities.parts.len()
    }

    fn pointers_of(&self, function: Function) -> Option<&Arc<Pointers>> {
        let position = *self.entities.positions.get(&function)?;
        self.pointers[position as usize].as_ref()
    }
}

impl Entities {
    fn id(&self, function: Function) -> Option<FunctionId> {
        match self.parts[*self.positions.get(&function)? as usize].0 {
            Part::Function(id) => Some(id),
            Part::Nothing | Part::Initialiser(_) => None,
        }
    }

    /// A static function has a name of its own in each unit that includes it.
    fn name(&self, functions: &mut Functions, program: &Program) {
        for (path, table) in &program.units {
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
}

impl Pointers {
    fn said(&self) -> NamedConstraints {
        (self.body.function, self.constraints.clone())
    }

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

/// The units whose text is another one; `None` if there are other units, or other functions in one of them.
fn edited_units<'p>(before: &Program, now: &'p Program) -> Option<Vec<&'p UnitTable>> {
    if before.units.len() != now.units.len() {
        return None;
    }
    let mut edited = Vec::new();
    for ((old_path, old), (path, new)) in before.units.iter().zip(&now.units) {
        if old_path != path {
            return None;
        }
        if Arc::ptr_eq(old, new) {
            continue;
        }
        let is_same = |(old, new): (&PlacedFunction, &PlacedFunction)| {
            old.function == new.function && old.key.kind == new.key.kind
        };
        if old.functions.len() != new.functions.len()
            || !old.functions.iter().zip(&new.functions).all(is_same)
        {
            return None;
        }
        edited.push(&**new);
    }
    Some(edited)
}
