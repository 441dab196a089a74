//! Brace-enclosed initialisers, with designators and left-out braces.

use super::Lowerer;
use super::conversions::Value;
use super::lvalues::Designator as Target;
use crate::ir::*;
use lang_c::ast::{Designator, Expression, Initializer, InitializerListItem, UnaryOperator};
use lang_c::span::Node;
use ustr::Ustr;

/// Arrays of more constants than this are stored as a whole, as data of unknown value.
const LARGEST_SPELLED_OUT: usize = 64;

type Items<'i> = &'i [Node<InitializerListItem>];

impl Lowerer<'_> {
    /// Fills a struct, union or array; what the list leaves out is zero.
    pub(super) fn initialise_list(&mut self, place: &Place, ty: &Ty, list: Items<'_>) {
        if list.len() > LARGEST_SPELLED_OUT && list.iter().all(|item| is_plain_data(&item.node)) {
            return self.store_part(place.clone(), ty, Operand::Unknown);
        }
        if !self.covers_everything(ty, list) {
            self.store_part(place.clone(), ty, Operand::Integer(0));
        }
        let mut next = 0;
        self.fill(place, ty, list, &mut next, true);
    }

    fn store_part(&mut self, place: Place, ty: &Ty, value: Operand) {
        self.builder.push(Statement::Store {
            place,
            value,
            ty: ty.unqualified(),
            mode: AccessMode::Plain,
        });
    }

    fn covers_everything(&self, ty: &Ty, list: Items<'_>) -> bool {
        let plain = list.iter().all(|item| item.node.designation.is_empty());
        let wanted = match ty.kind() {
            TyKind::Record(record) if !record.is_union() => {
                self.layout(*record).map(|layout| layout.fields.len())
            }
            TyKind::Array {
                length: ArrayLength::Known(length),
                ..
            } => usize::try_from(*length).ok(),
            _ => None,
        };
        plain && wanted.is_some_and(|wanted| list.len() >= wanted && wanted > 0)
    }

    /// Takes items from the list for one aggregate. `braced` tells whether the list is its own, so
    /// that designators in it are meant for it.
    fn fill(&mut self, place: &Place, ty: &Ty, list: Items<'_>, next: &mut usize, braced: bool) {
        let mut position = 0usize;
        while let Some(item) = list.get(*next) {
            let designation = &item.node.designation;
            if !designation.is_empty() {
                if !braced {
                    return;
                }
                *next += 1;
                match self.designated(place, ty, designation, &item.node.initializer.node) {
                    Some(behind) => position = behind,
                    None => continue,
                }
                continue;
            }
            let Some((part, part_ty)) = self.part(place, ty, position) else {
                // More values than there is room for; the compiler has warned.
                if braced {
                    *next += 1;
                    continue;
                }
                return;
            };
            self.fill_part(part, part_ty, list, next);
            position += 1;
            if ty.record().is_some_and(RecordRef::is_union) && !braced {
                return;
            }
        }
    }

    /// Initialises one member or element with the next item, or with several of them if it is an
    /// aggregate whose braces were left out.
    fn fill_part(&mut self, place: Place, ty: Ty, list: Items<'_>, next: &mut usize) {
        let item = &list[*next];
        self.at(item);
        match &item.node.initializer.node {
            Initializer::List(inner) => {
                *next += 1;
                if ty.is_aggregate() {
                    self.initialise_list(&place, &ty, inner);
                } else if let Some(first) = inner.first() {
                    self.initialise(Target::Memory(place, ty), &first.node.initializer.node);
                } else {
                    self.store_part(place, &ty, Operand::Integer(0));
                }
            }
            Initializer::Expression(expression) => {
                if !ty.is_aggregate() || self.fits_whole(&ty, expression) {
                    *next += 1;
                    self.initialise(Target::Memory(place, ty), &item.node.initializer.node);
                    return;
                }
                let before = *next;
                self.fill(&place, &ty, list, next, false);
                if *next == before {
                    // An aggregate without room for anything: skip the item rather than loop.
                    *next += 1;
                }
            }
        }
    }

    /// Whether the expression initialises the aggregate as a whole: a struct value, or a string.
    fn fits_whole(&mut self, ty: &Ty, expression: &Node<Expression>) -> bool {
        match &expression.node {
            Expression::StringLiteral(_) => ty.element().is_some_and(Ty::is_integer),
            Expression::Constant(_) => false,
            Expression::UnaryOperator(unary)
                if unary.node.operator.node == UnaryOperator::Address =>
            {
                false
            }
            _ => ty.record().is_some() && self.type_of(expression).record() == ty.record(),
        }
    }

    /// The member or element at a position.
    fn part(&mut self, place: &Place, ty: &Ty, position: usize) -> Option<(Place, Ty)> {
        match ty.kind() {
            TyKind::Record(record) => {
                let layout = self.layout(*record)?;
                if record.is_union() && position > 0 {
                    return None;
                }
                let field = layout.fields.get(position)?;
                let place = place.clone().then(Projection::Field {
                    record: *record,
                    name: field.name,
                });
                Some((place, field.ty.clone()))
            }
            TyKind::Array { element, length } => {
                if let ArrayLength::Known(length) = length
                    && position as u64 >= *length
                {
                    return None;
                }
                let index = Operand::Integer(position as i128);
                Some((
                    place.clone().then(Projection::Index(index)),
                    element.clone(),
                ))
            }
            TyKind::Vector { element, .. } => {
                let index = Operand::Integer(position as i128);
                Some((
                    place.clone().then(Projection::Index(index)),
                    element.clone(),
                ))
            }
            _ => None,
        }
    }

    /// Initialises what a designator names and returns the position behind it.
    fn designated(
        &mut self,
        place: &Place,
        ty: &Ty,
        designation: &[Node<Designator>],
        initializer: &Initializer,
    ) -> Option<usize> {
        let (first, rest) = designation.split_first()?;
        match &first.node {
            Designator::Member(name) => {
                let name = Ustr::from(&name.node.name);
                let record = ty.record()?;
                let layout = self.layout(record)?;
                let path = self.field_path(ty, name)?;
                let top = path.first()?.1.name;
                let position = layout.fields.iter().position(|field| field.name == top)?;
                self.at(first);
                let Target::Memory(part, part_ty) = self.project(place.clone(), ty, name) else {
                    return None;
                };
                self.designated_part(part, part_ty, rest, initializer);
                Some(position + 1)
            }
            Designator::Index(index) => {
                let index = self.constant(index)?;
                self.at(first);
                let element = ty.element()?.clone();
                let part = place
                    .clone()
                    .then(Projection::Index(Operand::Integer(index)));
                self.designated_part(part, element, rest, initializer);
                usize::try_from(index).ok().map(|index| index + 1)
            }
            Designator::Range(range) => {
                let from = self.constant(&range.node.from)?;
                let to = self.constant(&range.node.to)?;
                let element = ty.element()?.clone();
                if to - from >= LARGEST_SPELLED_OUT as i128 {
                    let part = place.clone().then(Projection::Index(Operand::Unknown));
                    self.designated_part(part, element, rest, initializer);
                } else {
                    for index in from..=to {
                        let part = place
                            .clone()
                            .then(Projection::Index(Operand::Integer(index)));
                        self.designated_part(part, element.clone(), rest, initializer);
                    }
                }
                usize::try_from(to).ok().map(|index| index + 1)
            }
        }
    }

    fn designated_part(
        &mut self,
        place: Place,
        ty: Ty,
        rest: &[Node<Designator>],
        initializer: &Initializer,
    ) {
        if !rest.is_empty() {
            self.designated(&place, &ty, rest, initializer);
            return;
        }
        match initializer {
            Initializer::Expression(expression)
                if ty.is_aggregate() && !self.fits_whole(&ty, expression) =>
            {
                // `.point = 1, 2` without braces: the first scalar inside takes the value.
                let value = self.value(expression);
                self.store_into_first(place, &ty, value);
            }
            _ => self.initialise(Target::Memory(place, ty), initializer),
        }
    }

    fn store_into_first(&mut self, place: Place, ty: &Ty, value: Value) {
        if !ty.is_aggregate() {
            let operand = self.convert(value, ty);
            return self.store_part(place, ty, operand);
        }
        if let Some((part, part_ty)) = self.part(&place, ty, 0) {
            self.store_into_first(part, &part_ty, value);
        }
    }

    /// `int a[] = { … }`: the list says how long the array is.
    pub(super) fn completed_by_initialiser(&mut self, ty: Ty, list: Items<'_>) -> Ty {
        let TyKind::Array {
            element,
            length: ArrayLength::Unknown,
        } = ty.kind()
        else {
            return ty;
        };
        let mut position = 0i128;
        let mut length = 0i128;
        for item in list {
            if let Some(designator) = item.node.designation.first() {
                let last = match &designator.node {
                    Designator::Index(index) => self.constant(index),
                    Designator::Range(range) => self.constant(&range.node.to),
                    Designator::Member(_) => None,
                };
                position = last.unwrap_or(position);
            }
            if let Initializer::Expression(expression) = &item.node.initializer.node {
                if let Expression::StringLiteral(literal) = &expression.node
                    && element.is_integer()
                {
                    length =
                        length.max(super::lvalues::string_bytes(&literal.node).len() as i128 + 1);
                    continue;
                }
                // Left-out braces: how many items make an element depends on the element.
                if element.is_aggregate()
                    && item.node.designation.is_empty()
                    && !self.fits_whole(element, expression)
                {
                    return ty;
                }
            }
            position += 1;
            length = length.max(position);
        }
        let length = ArrayLength::Known(u64::try_from(length).unwrap_or(0));
        Ty::new(TyKind::Array {
            element: element.clone(),
            length,
        })
        .qualified(ty.qualifiers)
    }
}

/// Whether an item is nothing but numbers and text: tables of data, with no address in them.
fn is_plain_data(item: &InitializerListItem) -> bool {
    fn is_data(initializer: &Initializer) -> bool {
        match initializer {
            Initializer::List(list) => list.iter().all(|item| is_data(&item.node.initializer.node)),
            Initializer::Expression(expression) => is_number(&expression.node),
        }
    }
    fn is_number(expression: &Expression) -> bool {
        match expression {
            Expression::Constant(_) => true,
            Expression::StringLiteral(_) => false,
            Expression::UnaryOperator(unary) => {
                matches!(
                    unary.node.operator.node,
                    UnaryOperator::Minus | UnaryOperator::Plus | UnaryOperator::Complement
                ) && is_number(&unary.node.operand.node)
            }
            Expression::BinaryOperator(binary) => {
                is_number(&binary.node.lhs.node) && is_number(&binary.node.rhs.node)
            }
            Expression::Cast(cast) => is_number(&cast.node.expression.node),
            _ => false,
        }
    }
    is_data(&item.initializer.node)
}
