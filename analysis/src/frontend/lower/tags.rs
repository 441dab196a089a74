//! Structs, unions and enums: their identity, their members and their layout.

use super::super::layout::{LayoutAttributes, Member, record_layout};
use super::super::normalise::{ALIGNED, PACKED, UNDERLYING};
use super::Lowerer;
use super::constants::Constant;
use super::contracts::{AttributeNames, FoundAttribute};
use super::scopes::{Binding, TagBinding};
use crate::ir::*;
use lang_c::ast::*;
use lang_c::span::Node;
use std::sync::Arc;
use ustr::Ustr;

/// How records that are defined in the item get their identity.
pub(super) enum RecordNaming {
    /// Inside a function: by counting.
    Local { function: Ustr, count: usize },
    /// At file scope: by the declaration that holds them.
    FileScope(Box<dyn Fn(usize, bool, Option<Ustr>) -> Option<RecordRef>>),
}

impl Lowerer<'_> {
    pub(super) fn record_type(&mut self, record: &Node<StructType>) -> Ty {
        let is_union = record.node.kind.node == StructKind::Union;
        let tag = record
            .node
            .identifier
            .as_ref()
            .map(|identifier| Ustr::from(&identifier.node.name));
        let Some(declarations) = &record.node.declarations else {
            return Ty::new(TyKind::Record(self.tag_reference(is_union, tag)));
        };
        let reference = self.new_record(record.span.start, is_union, tag);
        if let Some(tag) = tag {
            self.scopes.bind_tag(tag, TagBinding::Record(reference));
        }
        let mut members = Vec::new();
        for declaration in declarations {
            if let StructDeclaration::Field(field) = &declaration.node {
                self.members(reference, &field.node, &mut members);
            }
        }
        // The normaliser put the record's own attributes among the members.
        let mut attributes = LayoutAttributes::default();
        members.retain(|member| {
            let name = member.field.name.as_str();
            attributes.packed |= name == PACKED;
            if name == ALIGNED {
                attributes.aligned = attributes.aligned.max(member.extent.map(|it| it.size));
            }
            name != PACKED && name != ALIGNED
        });
        // UNSOUND: `#pragma pack` and an alignment that a typedef asks for change no layout.
        let layout = record_layout(members, is_union, attributes);
        self.local_layouts.push((reference, Arc::new(layout)));
        Ty::new(TyKind::Record(reference))
    }

    fn new_record(&mut self, start: usize, is_union: bool, tag: Option<Ustr>) -> RecordRef {
        match &mut self.records {
            RecordNaming::Local { function, count } => {
                *count += 1;
                let unit = self.environment.unit();
                let mark = rapidhash::v3::rapidhash_v3(format!("{unit}\0{function}").as_bytes());
                RecordRef::defined(&display_name(is_union, tag, None), mark, *count)
            }
            RecordNaming::FileScope(name) => name(start, is_union, tag)
                .unwrap_or_else(|| RecordRef::opaque(&display_name(is_union, tag, None))),
        }
    }

    fn tag_reference(&mut self, is_union: bool, tag: Option<Ustr>) -> RecordRef {
        let display = display_name(is_union, tag, None);
        let Some(tag) = tag else {
            return RecordRef::opaque(&display);
        };
        if let Some(TagBinding::Record(record)) = self.scopes.lookup_tag(tag) {
            return *record;
        }
        self.environment
            .bindings(tag)
            .tag
            .as_ref()
            .and_then(|source| self.environment.tagged_record(source, tag))
            .unwrap_or_else(|| RecordRef::opaque(&display))
    }

    fn members(&mut self, record: RecordRef, field: &StructField, members: &mut Vec<Member>) {
        let (base, common, contracts) = self.specifier_qualifiers(&field.specifiers);
        if field.declarators.is_empty() {
            // An unnamed struct or union: its members are reached through it.
            let is_padding = base.record().is_none();
            self.member(None, base.clone(), None, is_padding, common, members);
        }
        for declarator in &field.declarators {
            let (name, ty, own) = match &declarator.node.declarator {
                Some(inner) => {
                    let declared = self.declarator(base.clone(), &inner.node);
                    let contracts = contracts.iter().cloned().chain(declared.contracts);
                    let name = declared.name;
                    self.attributes.extend(contracts.filter_map(|attribute| {
                        Some(FoundAttribute {
                            subject: ContractSubject::Member(record, name?),
                            attribute,
                            names: AttributeNames::Members(record),
                        })
                    }));
                    (declared.name, declared.ty, declared.layout)
                }
                None => (None, base.clone(), LayoutAttributes::default()),
            };
            let width = declarator.node.bit_width.as_ref().map(|width| {
                self.constant(width)
                    .and_then(|value| u32::try_from(value).ok())
                    .unwrap_or(1)
            });
            self.member(name, ty, width, name.is_none(), common.and(own), members);
        }
    }

    fn member(
        &mut self,
        name: Option<Ustr>,
        ty: Ty,
        bit_width: Option<u32>,
        is_padding: bool,
        attributes: LayoutAttributes,
        members: &mut Vec<Member>,
    ) {
        let extent = self.extent(&ty);
        let anonymous = name.is_none();
        let name = name.unwrap_or_else(|| Ustr::from(&format!("<{}>", members.len())));
        let field = Field {
            name,
            anonymous,
            ty,
            offset: 0,
            bits: None,
        };
        members.push(Member {
            field,
            extent,
            bit_width,
            is_padding,
            attributes,
        });
    }

    pub(super) fn enum_type(&mut self, enumeration: &EnumType) -> Ty {
        let tag = enumeration
            .identifier
            .as_ref()
            .map(|identifier| Ustr::from(&identifier.node.name));
        if enumeration.enumerators.is_empty() {
            let Some(tag) = tag else { return Ty::int() };
            if let Some(TagBinding::Enum(ty)) = self.scopes.lookup_tag(tag) {
                return ty.clone();
            }
            let found = self
                .environment
                .bindings(tag)
                .tag
                .as_ref()
                .and_then(|source| {
                    let types = self.environment.item_types(source);
                    types
                        .enums
                        .iter()
                        .find(|(bound, _)| *bound == tag)
                        .map(|(_, ty)| ty.clone())
                });
            return found.unwrap_or_else(|| Ty::integer(IntRank::Int, false));
        }
        let ty = self.enumerators(&enumeration.enumerators);
        if let Some(tag) = tag {
            self.scopes.bind_tag(tag, TagBinding::Enum(ty.clone()));
        }
        ty
    }

    /// Binds the names of an enum and returns its type, as gcc chooses it.
    fn enumerators(&mut self, enumerators: &[Node<Enumerator>]) -> Ty {
        let mut bound = Vec::with_capacity(enumerators.len());
        let mut next = 0i128;
        let (mut lowest, mut highest) = (0, 0);
        let mut packed = false;
        let mut underlying = None;
        for enumerator in enumerators {
            let name = Ustr::from(&enumerator.node.identifier.node.name);
            if name.as_str() == PACKED {
                packed = true;
                continue;
            }
            if name.as_str() == UNDERLYING {
                let expression = enumerator.node.expression.as_ref();
                underlying = expression.map(|expression| match &expression.node {
                    Expression::Cast(cast) => self.type_name(&cast.node.type_name.node),
                    _ => self.type_of(expression),
                });
                continue;
            }
            if let Some(expression) = &enumerator.node.expression {
                next = self.constant(expression).unwrap_or(next);
            }
            lowest = lowest.min(next);
            highest = highest.max(next);
            // Later enumerators may refer to this one before the enum has a type.
            let ty = match i32::try_from(next) {
                Ok(_) => Ty::int(),
                Err(_) => self.smallest_integer(next, next, IntRank::Int),
            };
            self.scopes
                .bind(name, Binding::Enumerator(Constant::new(next, ty)));
            bound.push((name, next));
            next = next.saturating_add(1);
        }
        let least = if packed { IntRank::Char } else { IntRank::Int };
        let ty = underlying.unwrap_or_else(|| self.smallest_integer(lowest, highest, least));
        for (name, value) in bound {
            // What fits an `int` is one; the others have the type of the enum.
            if i32::try_from(value).is_err() {
                let constant = Constant::new(value, ty.clone());
                self.scopes.rebind(name, Binding::Enumerator(constant));
            }
        }
        ty
    }

    /// The smallest type from `least` on that holds both values; unsigned if none is negative.
    fn smallest_integer(&self, lowest: i128, highest: i128, least: IntRank) -> Ty {
        let signed = lowest < 0;
        let model = self.environment.data_model();
        let ranks = [
            IntRank::Char,
            IntRank::Short,
            IntRank::Int,
            IntRank::Long,
            IntRank::LongLong,
        ];
        let rank = ranks.into_iter().find(|&rank| {
            let ty = Ty::integer(rank, signed);
            rank >= least
                && self.wrap(lowest, &ty) == lowest
                && self.wrap(highest, &ty) == highest
                && (rank != IntRank::LongLong || model.long_bytes < 8)
        });
        Ty::integer(rank.unwrap_or(IntRank::Long), signed)
    }
}

/// `struct conn`, or for an unnamed record what it is part of.
pub(super) fn display_name(is_union: bool, tag: Option<Ustr>, around: Option<&str>) -> String {
    let keyword = if is_union { "union" } else { "struct" };
    match (tag, around) {
        (Some(tag), _) => format!("{keyword} {tag}"),
        (None, Some(around)) => format!("{keyword} in {around}"),
        (None, None) => format!("{keyword} <unnamed>"),
    }
}
