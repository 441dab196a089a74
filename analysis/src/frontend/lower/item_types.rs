//! The types of everything that one file-scope declaration declares.

use super::super::declaration::ParsedDeclaration;
use super::super::names::NameSpace;
use super::contracts::{AttributeNames, FoundAttribute, parameters};
use super::scopes::{Binding, TagBinding};
use super::tags::{RecordNaming, display_name};
use super::types::{Declared, Specifiers};
use super::{Constant, Environment, Lowerer};
use crate::ir::*;
use lang_c::ast::{Declaration, Declarator, ExternalDeclaration};
use std::sync::Arc;
use ustr::{Ustr, UstrMap};

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ItemTypes {
    pub typedefs: Vec<(Ustr, Ty)>,
    pub values: Vec<(Ustr, ValueType)>,
    pub enumerators: Vec<(Ustr, Constant)>,
    pub enums: Vec<(Ustr, Ty)>,
    pub records: Vec<(RecordRef, Arc<RecordLayout>)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueType {
    pub ty: Ty,
    pub is_noreturn: bool,
}

/// Computes the types that `declaration`, whose content has the given mark, declares.
pub fn item_types(
    environment: &dyn Environment,
    declaration: &Arc<ParsedDeclaration>,
    mark: u64,
) -> ItemTypes {
    let lowered = lowered_types(environment, declaration, mark);
    lowered.map(|(_, types)| types).unwrap_or_default()
}

/// What `declaration` promises about locks. It looks names up that the types of the declaration do not need, and is
/// asked for separately, so that these names cannot make a type depend on itself.
pub fn item_contracts(
    environment: &dyn Environment,
    declaration: &Arc<ParsedDeclaration>,
    mark: u64,
) -> Vec<(ContractSubject, Contract)> {
    let Some((mut lowerer, types)) = lowered_types(environment, declaration, mark) else {
        return Vec::new();
    };
    lowerer.local_layouts = types.records;
    let mut contracts = Vec::new();
    for found in std::mem::take(&mut lowerer.attributes) {
        let said = lowerer.contracts(&found);
        contracts.extend(said.into_iter().map(|contract| (found.subject, contract)));
    }
    contracts
}

fn lowered_types<'e>(
    environment: &'e dyn Environment,
    declaration: &'e Arc<ParsedDeclaration>,
    mark: u64,
) -> Option<(Lowerer<'e>, ItemTypes)> {
    let parsed = declaration.parsed.as_ref().ok()?;
    let tree = parsed.declaration.as_ref()?;
    let nameless = FunctionRef {
        name: Ustr::from(""),
        scope: GlobalScope::External,
    };
    let mut lowerer = Lowerer::new(environment, Some(parsed), nameless);
    let owner = declaration.clone();
    lowerer.records = RecordNaming::FileScope(Box::new(move |start, _, _| {
        let index = owner.records.iter().position(|head| head.start == start)?;
        record_reference(&owner, mark, index)
    }));
    let mut types = ItemTypes::default();
    // Enumerators and tags that the declaration binds are read off its scope afterwards.
    lowerer.scopes.enter();
    match tree {
        ExternalDeclaration::Declaration(tree) => {
            lowerer.file_scope_types(&tree.node, declaration, &mut types)
        }
        ExternalDeclaration::FunctionDefinition(definition) => {
            let specifiers = lowerer.declaration_specifiers(&definition.node.specifiers);
            let declarator = &definition.node.declarator.node;
            let declared = lowerer.declarator(specifiers.ty.clone(), declarator);
            lowerer.note_contracts(&specifiers, &declared, declarator);
            push_value(&mut types, declared, specifiers.is_noreturn);
        }
        ExternalDeclaration::StaticAssert(_) => {}
    }
    lowerer.scopes.bound(|name, binding| {
        if let Binding::Enumerator(value) = binding {
            types.enumerators.push((name, value.clone()));
        }
    });
    lowerer.scopes.bound_tags(|name, binding| {
        if let TagBinding::Enum(ty) = binding {
            types.enums.push((name, ty.clone()));
        }
    });
    types.records = std::mem::take(&mut lowerer.local_layouts);
    Some((lowerer, types))
}

/// The identity of a record that a file-scope declaration defines. It names the declaration, so
/// that its layout can be found again from the reference alone.
pub fn record_reference(
    declaration: &ParsedDeclaration,
    mark: u64,
    index: usize,
) -> Option<RecordRef> {
    let head = declaration.records.get(index)?;
    let (space, anchor) = declaration.anchor?;
    let around = match space {
        NameSpace::Tag => format!("struct {anchor}"),
        _ => anchor.to_string(),
    };
    let display = display_name(head.is_union, head.tag, Some(&around));
    Some(RecordRef::anchored(&display, mark, index, anchor))
}

impl Lowerer<'_> {
    fn note_contracts(
        &mut self,
        specifiers: &Specifiers,
        declared: &Declared,
        declarator: &Declarator,
    ) {
        let Some(name) = declared.name else {
            return;
        };
        let attributes = specifiers.contracts.iter().chain(&declared.contracts);
        let found = attributes.map(|attribute| FoundAttribute {
            subject: ContractSubject::Name(name),
            attribute: attribute.clone(),
            names: AttributeNames::Parameters(parameters(declarator, &declared.ty)),
        });
        self.attributes.extend(found);
    }

    fn file_scope_types(
        &mut self,
        tree: &Declaration,
        declaration: &ParsedDeclaration,
        types: &mut ItemTypes,
    ) {
        let lengths: UstrMap<u64> = declaration.array_lengths.iter().copied().collect();
        let specifiers = self.declaration_specifiers(&tree.specifiers);
        for declarator in &tree.declarators {
            let mut declared =
                self.declarator(specifiers.ty.clone(), &declarator.node.declarator.node);
            self.note_contracts(&specifiers, &declared, &declarator.node.declarator.node);
            let Some(name) = declared.name else { continue };
            if specifiers.is_typedef {
                types.typedefs.push((name, declared.ty.clone()));
                self.scopes.bind(name, Binding::Typedef(declared.ty));
                continue;
            }
            if let (
                TyKind::Array {
                    element,
                    length: ArrayLength::Unknown,
                },
                Some(&length),
            ) = (declared.ty.kind(), lengths.get(&name))
            {
                declared.ty = Ty::new(TyKind::Array {
                    element: element.clone(),
                    length: ArrayLength::Known(length),
                });
            } else if let Some(initializer) = &declarator.node.initializer {
                declared.ty = self.completed(declared.ty, &initializer.node);
            }
            push_value(types, declared, specifiers.is_noreturn);
        }
    }
}

fn push_value(types: &mut ItemTypes, declared: Declared, is_noreturn: bool) {
    if let Some(name) = declared.name {
        let is_noreturn = is_noreturn || declared.is_noreturn;
        types.values.push((
            name,
            ValueType {
                ty: declared.ty,
                is_noreturn,
            },
        ));
    }
}
