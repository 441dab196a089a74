//! Brace-enclosed initialisers, with designators and left-out braces.

use super::Lowerer;
use super::lvalues::Designator as Target;
use crate::ir::*;
use lang_c::ast::{Designator, Expression, Initializer, InitializerListItem, UnaryOperator};
use lang_c::span::Node;
use ustr::Ustr;

/// Arrays of more constants than this are stored as a whole, as data of unknown value.
const LARGEST_SPELLED_OUT: usize = 64;

type Items<'i> = &'i [Node<InitializerListItem>];

/// Whether the list belongs to the aggregate that is being filled.
#[derive(Clone, Copy, PartialEq)]
enum Braces<'i> {
    Own,
    /// The items are those of an aggregate around it. The first item's designators have been
    /// followed as far as this aggregate, and these are left.
    LeftOut(&'i [Node<Designator>]),
}

impl Lowerer<'_> {
    /// Fills a struct, union or array; what the list leaves out is zero.
    pub(super) fn initialise_list(&mut self, place: &Place, ty: &Ty, list: Items<'_>) {
        if ty.is_scalar() {
            // `(int){ 3 }`: braces around a single value.
            return match list.first() {
                Some(first) => {
                    let target = Target::Memory(place.clone(), ty.clone());
                    self.initialise(target, &first.node.initializer.node);
                }
                None => self.store_part(place.clone(), ty, Operand::Integer(0)),
            };
        }
        if let [only] = list
            && only.node.designation.is_empty()
            && let Initializer::Expression(expression) = &only.node.initializer.node
            && let Expression::StringLiteral(_) = expression.node
            && ty.element().is_some_and(Ty::is_integer)
        {
            // `char s[4] = { "abc" }`: the braces change nothing.
            let target = Target::Memory(place.clone(), ty.clone());
            return self.initialise(target, &only.node.initializer.node);
        }
        if list.len() > LARGEST_SPELLED_OUT && list.iter().all(|item| is_plain_data(&item.node)) {
            return self.store_part(place.clone(), ty, Operand::Unknown);
        }
        if !self.covers_everything(place, ty, list) {
            self.store_part(place.clone(), ty, Operand::Integer(0));
        }
        let mut next = 0;
        self.fill(place, ty, list, &mut next, Braces::Own);
    }

    fn store_part(&mut self, place: Place, ty: &Ty, value: Operand) {
        self.builder.push(Statement::Store {
            place,
            value,
            ty: ty.unqualified(),
            mode: AccessMode::Plain,
        });
    }

    /// Whether each member or element gets a value of its own from the list.
    fn covers_everything(&mut self, place: &Place, ty: &Ty, list: Items<'_>) -> bool {
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
        if wanted != Some(list.len()) || list.is_empty() {
            return false;
        }
        list.iter().enumerate().all(|(position, item)| {
            item.node.designation.is_empty()
                && match (self.part(place, ty, position), &item.node.initializer.node) {
                    (Some((_, part)), Initializer::Expression(expression)) => {
                        !part.is_aggregate() || self.fits_whole(&part, expression)
                    }
                    (part, Initializer::List(_)) => part.is_some(),
                    (None, _) => false,
                }
        })
    }

    /// Takes items from the list for one aggregate; returns how many of its parts they reach.
    fn fill(
        &mut self,
        place: &Place,
        ty: &Ty,
        list: Items<'_>,
        next: &mut usize,
        braces: Braces<'_>,
    ) -> usize {
        let mut position = 0usize;
        let mut reached = 0usize;
        let mut inherited = match braces {
            Braces::Own => None,
            Braces::LeftOut(designation) => Some(designation),
        };
        while let Some(item) = list.get(*next) {
            let designation = match inherited.take() {
                Some(designation) => designation,
                // A designator is meant for the aggregate whose braces it stands in.
                None if braces != Braces::Own && !item.node.designation.is_empty() => break,
                None => item.node.designation.as_slice(),
            };
            if let Some((first, rest)) = designation.split_first() {
                self.at(first);
                position = match self.designated(place, ty, designation, rest, list, next) {
                    Some(position) => position,
                    None => {
                        // A designator that fits nothing; the compiler has said so.
                        *next += 1;
                        continue;
                    }
                };
            } else if let Some((part, part_ty)) = self.part(place, ty, position) {
                self.fill_part(part, part_ty, list, next);
                position += 1;
            } else if braces == Braces::Own {
                // More values than there is room for; the compiler has warned.
                *next += 1;
                continue;
            } else {
                break;
            }
            reached = reached.max(position);
        }
        reached
    }

    /// Initialises one member or element with the next item, or with several of them if it is an
    /// aggregate whose braces were left out.
    fn fill_part(&mut self, place: Place, ty: Ty, list: Items<'_>, next: &mut usize) {
        let item = &list[*next];
        if self.counts_initialisers {
            let is_whole = match &item.node.initializer.node {
                Initializer::List(_) => true,
                Initializer::Expression(expression) => {
                    !ty.is_aggregate() || self.fits_whole(&ty, expression)
                }
            };
            if is_whole {
                *next += 1;
                return;
            }
        }
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
                self.fill(&place, &ty, list, next, Braces::LeftOut(&[]));
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
                Some((place, field.value_type()))
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

    /// Initialises what a designator names, and what follows it inside the same part; returns the
    /// position behind it.
    fn designated(
        &mut self,
        place: &Place,
        ty: &Ty,
        designation: &[Node<Designator>],
        rest: &[Node<Designator>],
        list: Items<'_>,
        next: &mut usize,
    ) -> Option<usize> {
        match &designation.first()?.node {
            Designator::Member(name) => {
                let name = Ustr::from(&name.node.name);
                let layout = self.layout(ty.record()?)?;
                let path = self.field_path(ty, name)?;
                let (record, top) = path.first()?;
                let position = layout.fields.iter().position(|field| field == top)?;
                let part = place.clone().then(Projection::Field {
                    record: *record,
                    name: top.name,
                });
                // A member of an unnamed member: the designator is meant for the inner one.
                let rest = if path.len() > 1 { designation } else { rest };
                self.designated_part(part, top.value_type(), rest, list, next);
                Some(position + 1)
            }
            Designator::Index(index) => {
                let index = self.constant(index)?;
                let element = ty.element()?.clone();
                let part = element_place(place, index);
                self.designated_part(part, element, rest, list, next);
                usize::try_from(index).ok().map(|index| index + 1)
            }
            Designator::Range(range) => {
                let from = self.constant(&range.node.from)?;
                let to = self.constant(&range.node.to)?;
                let element = ty.element()?.clone();
                self.range(place, &element, (from, to), rest, list, next);
                usize::try_from(to).ok().map(|index| index + 1)
            }
        }
    }

    fn designated_part(
        &mut self,
        place: Place,
        ty: Ty,
        rest: &[Node<Designator>],
        list: Items<'_>,
        next: &mut usize,
    ) {
        if rest.is_empty() {
            return self.fill_part(place, ty, list, next);
        }
        let before = *next;
        self.fill(&place, &ty, list, next, Braces::LeftOut(rest));
        if *next == before {
            *next += 1;
        }
    }

    /// `[from ... to] = value`: the value is computed once.
    fn range(
        &mut self,
        place: &Place,
        element: &Ty,
        (from, to): (i128, i128),
        rest: &[Node<Designator>],
        list: Items<'_>,
        next: &mut usize,
    ) {
        let start = *next;
        if to - from >= LARGEST_SPELLED_OUT as i128 {
            let part = place.clone().then(Projection::Index(Operand::Unknown));
            return self.designated_part(part, element.clone(), rest, list, next);
        }
        if let Initializer::Expression(expression) = &list[start].node.initializer.node
            && rest.is_empty()
            && !element.is_aggregate()
            && !self.counts_initialisers
        {
            *next += 1;
            let span = self.builder.span;
            let value = self.value(expression);
            let operand = self.convert(value, element);
            self.builder.span = span;
            for index in from..=to {
                self.store_part(element_place(place, index), element, operand.clone());
            }
            return;
        }
        for index in from..=to {
            *next = start;
            self.designated_part(
                element_place(place, index),
                element.clone(),
                rest,
                list,
                next,
            );
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
        let length = match self.spelled_out_length(element, list) {
            Some(length) => length,
            None => {
                // Left-out braces: filling an array without end tells how many elements there are.
                let nowhere = Place::deref(Operand::Unknown);
                let counting = std::mem::replace(&mut self.counts_initialisers, true);
                let reached = self.fill(&nowhere, &ty, list, &mut 0, Braces::Own);
                self.counts_initialisers = counting;
                reached as u64
            }
        };
        let element = element.clone();
        let length = ArrayLength::Known(length);
        Ty::new(TyKind::Array { element, length }).qualified(ty.qualifiers)
    }

    /// The length of an array each of whose elements is one item.
    fn spelled_out_length(&mut self, element: &Ty, list: Items<'_>) -> Option<u64> {
        let mut length = 0u64;
        for item in list {
            if !item.node.designation.is_empty() {
                return None;
            }
            if let Initializer::Expression(expression) = &item.node.initializer.node {
                if let Expression::StringLiteral(literal) = &expression.node
                    && element.is_integer()
                {
                    let TyKind::Array {
                        length: ArrayLength::Known(length),
                        ..
                    } = *super::literals::string_type(&literal.node).kind()
                    else {
                        return None;
                    };
                    return Some(length);
                }
                if element.is_aggregate() && !self.fits_whole(element, expression) {
                    return None;
                }
            }
            length += 1;
        }
        Some(length)
    }
}

fn element_place(place: &Place, index: i128) -> Place {
    place
        .clone()
        .then(Projection::Index(Operand::Integer(index)))
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
