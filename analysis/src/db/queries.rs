//! The queries of the front end. Each reads only what its answer depends on.

use super::environment::UnitEnvironment;
use super::internal_error::{guarded, provoked_panic};
use super::{Db, Function, FunctionKind, Unit};
use crate::frontend::groups::{DeclarationSource, ItemSource};
use crate::frontend::lex::lex;
use crate::frontend::lower::{self, Environment, ItemTypes, LoweredBody, lower_item};
use crate::frontend::normalise::{Attributes, BUILTIN_TYPE_NAMES, Part, normalise};
use crate::frontend::parse::{SyntaxError, with_parsed};
use crate::frontend::scope::Bindings;
use crate::frontend::split::ItemKind;
use crate::ir::{
    Body, Contract, ContractSubject, FunctionRef, GlobalScope, RecordLayout, RecordRef,
};
use std::sync::Arc;
use ustr::Ustr;

/// What a name means at the file scope of a unit. This is the barrier: a new scope re-runs it, and
/// if the name means the same as before, nothing that asked is disturbed.
#[salsa::tracked(returns(ref))]
pub fn bindings(db: &dyn Db, unit: Unit, name: Ustr) -> Bindings {
    unit.scope(db).bindings(name)
}

/// The types of what a declaration declares in a unit.
#[salsa::tracked(returns(clone), cycle_result = item_types_cycle)]
pub fn item_types(db: &dyn Db, unit: Unit, source: DeclarationSource) -> Arc<ItemTypes> {
    let_go_of_what_follows(db, unit);
    let environment = UnitEnvironment::new(db, unit);
    let declaration = db
        .declarations()
        .get(&source, &|name| environment.is_typedef(name));
    Arc::new(lower::item_types(&environment, &declaration, source.mark()))
}

/// What a declaration promises about locks in a unit.
pub fn item_contracts(
    db: &dyn Db,
    unit: Unit,
    source: &DeclarationSource,
) -> Vec<(ContractSubject, Contract)> {
    let environment = UnitEnvironment::new(db, unit);
    let declaration = db
        .declarations()
        .get(source, &|name| environment.is_typedef(name));
    lower::item_contracts(&environment, &declaration, source.mark())
}

/// A type that contains itself: the compiler reports it, here it is a type without contents.
fn item_types_cycle(
    _db: &dyn Db,
    _id: salsa::Id,
    _unit: Unit,
    _source: DeclarationSource,
) -> Arc<ItemTypes> {
    Arc::default()
}

/// The record that a tag stands for. It does not need the types of the record's members, so that
/// records can point to themselves.
#[salsa::tracked(returns(copy))]
pub fn tagged_record(
    db: &dyn Db,
    unit: Unit,
    source: DeclarationSource,
    tag: Ustr,
) -> Option<RecordRef> {
    let_go_of_what_follows(db, unit);
    let declaration = db
        .declarations()
        .get(&source, &|name| is_typedef(db, unit, name));
    let index = declaration
        .records
        .iter()
        .position(|head| head.tag == Some(tag))?;
    lower::record_reference(&declaration, source.mark(), index)
}

/// The layout of a record that is defined at file scope. A query of its own, because the analyses ask for it too: what
/// is asked for outside of any query is kept for ever, and types keep the text that they are from.
#[salsa::tracked(returns(clone), cycle_result = record_layout_cycle)]
pub fn record_layout(db: &dyn Db, unit: Unit, record: RecordRef) -> Option<Arc<RecordLayout>> {
    let_go_of_what_follows(db, unit);
    let (mark, _, anchor) = record.anchor()?;
    let bindings = bindings(db, unit, anchor);
    let value = bindings.value.as_ref().map(|value| &value.source);
    let source = [bindings.tag.as_ref(), bindings.typedef.as_ref(), value]
        .into_iter()
        .flatten()
        .find(|source| source.mark() == mark)?;
    let types = item_types(db, unit, source.clone());
    types
        .records
        .iter()
        .find(|(known, _)| *known == record)
        .map(|(_, layout)| layout.clone())
}

fn record_layout_cycle(
    _db: &dyn Db,
    _id: salsa::Id,
    _unit: Unit,
    _record: RecordRef,
) -> Option<Arc<RecordLayout>> {
    None
}

/// Salsa frees the arguments of queries that nobody uses any more, but only those that a query asked for after it had
/// read something that can change. Without this, every text that a declaration ever had would stay.
fn let_go_of_what_follows(db: &dyn Db, unit: Unit) {
    unit.path(db);
}

pub(super) fn is_typedef(db: &dyn Db, unit: Unit, name: Ustr) -> bool {
    names_type(bindings(db, unit, name), name)
}

/// Whether a name with these bindings is that of a type.
pub(super) fn names_type(bindings: &Bindings, name: Ustr) -> bool {
    bindings.typedef.is_some()
        || (bindings.value.is_none() && BUILTIN_TYPE_NAMES.contains(&name.as_str()))
}

/// The result of lowering one function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lowered {
    /// `None` if the function never parsed.
    pub body: Option<Arc<LoweredBody>>,
    /// Why the present text does not parse. The body is then that of the last text that did.
    pub error: Option<SyntaxError>,
}

/// Parses and lowers a function in its unit.
#[salsa::tracked(returns(ref))]
pub fn lowered(db: &dyn Db, function: Function) -> Lowered {
    match lower_source(db, function, function.source(db)) {
        Ok(body) => Lowered {
            body: Some(Arc::new(body)),
            error: None,
        },
        Err(error) => {
            let body = function
                .last_good(db)
                .as_ref()
                .and_then(|source| lower_source(db, function, source).ok());
            Lowered {
                body: body.map(Arc::new),
                error: Some(error),
            }
        }
    }
}

/// The body alone: equal after an edit that changes only how the text is written.
#[salsa::tracked(returns(clone))]
pub fn body(db: &dyn Db, function: Function) -> Option<Arc<Body>> {
    lowered(db, function)
        .body
        .as_ref()
        .map(|lowered| Arc::new(lowered.body.clone()))
}

/// The file scope of a unit as the front end sees it.
pub fn unit_environment(db: &dyn Db, unit: Unit) -> impl Environment + '_ {
    UnitEnvironment::new(db, unit)
}

/// Why an item does not parse in a unit, if it does not.
pub fn syntax_error(db: &dyn Db, unit: Unit, source: &ItemSource) -> Option<SyntaxError> {
    let item = source.item();
    let text = source.group.item_text(item);
    match item.kind {
        ItemKind::Assembly | ItemKind::StaticAssert | ItemKind::Empty => return None,
        ItemKind::Function | ItemKind::Typedef | ItemKind::Declaration => {}
    }
    let part = if item.kind == ItemKind::Function {
        Part::Function
    } else {
        Part::Declaration
    };
    let normalised = normalise(text, &lex(text), part, Attributes::Meaningful);
    // Not by a query: this is asked outside of any, and would be kept for ever.
    let scope = unit.scope(db);
    let is_typedef = |name| names_type(&scope.bindings(name), name);
    if item.kind == ItemKind::Typedef {
        let declarations = db.declarations();
        let declaration = declarations.get(
            &DeclarationSource::new(&source.group, source.index),
            &is_typedef,
        );
        return declaration.parsed.as_ref().err().cloned();
    }
    with_parsed(&is_typedef, &normalised, part, |parsed| parsed.err())
}

fn lower_source(
    db: &dyn Db,
    function: Function,
    source: &ItemSource,
) -> Result<LoweredBody, SyntaxError> {
    guarded(|| lower_unguarded(db, function, source))
}

fn lower_unguarded(
    db: &dyn Db,
    function: Function,
    source: &ItemSource,
) -> Result<LoweredBody, SyntaxError> {
    provoked_panic(&function.name(db));
    let unit = function.unit(db);
    let text = source.group.item_text(source.item());
    let part = match function.kind(db) {
        FunctionKind::Function => Part::Function,
        FunctionKind::Initialiser => Part::Declaration,
    };
    let normalised = normalise(text, &lex(text), part, Attributes::Meaningful);
    let environment = UnitEnvironment::new(db, unit);
    let is_typedef = |name| environment.is_typedef(name);
    let name = function.name(db);
    let is_static = function.kind(db) == FunctionKind::Function
        && bindings(db, unit, name)
            .value
            .as_ref()
            .is_some_and(|value| value.storage.is_static);
    let scope = if is_static {
        GlobalScope::Unit(unit.path(db))
    } else {
        GlobalScope::External
    };
    with_parsed(&is_typedef, &normalised, part, |parsed| {
        let parsed = parsed?;
        lower_item(&environment, &parsed, FunctionRef { name, scope }).ok_or_else(|| SyntaxError {
            offset: 0,
            message: "nothing is defined here".into(),
        })
    })
}
