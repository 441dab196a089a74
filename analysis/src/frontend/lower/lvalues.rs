//! Expressions that name a piece of memory, a register or a function.

use super::conversions::Value;
use super::literals::{string_bytes, string_type};
use super::scopes::{Binding, External};
use super::{Lowerer, TypeCut};
use crate::ir::Statement;
use crate::ir::*;
use lang_c::ast::*;
use lang_c::span::Node;
use ustr::Ustr;

/// What an expression designates before its value is taken.
#[derive(Clone, Debug)]
pub(super) enum Designator {
    Register(LocalId, Ty),
    Memory(Place, Ty),
    Function(FunctionRef, Ty),
    /// Not an lvalue at all.
    Value(Value),
}

impl Designator {
    pub fn ty(&self) -> &Ty {
        match self {
            Designator::Register(_, ty)
            | Designator::Memory(_, ty)
            | Designator::Function(_, ty) => ty,
            Designator::Value(value) => &value.ty,
        }
    }
}

impl Lowerer<'_> {
    pub(super) fn designator(&mut self, expression: &Node<Expression>) -> Designator {
        match &expression.node {
            Expression::Identifier(name) => self.named(Ustr::from(&name.node.name)),
            Expression::Member(member) => self.member_access(expression, &member.node),
            Expression::UnaryOperator(unary)
                if unary.node.operator.node == lang_c::ast::UnaryOperator::Indirection =>
            {
                self.indirection(expression, &unary.node.operand)
            }
            Expression::BinaryOperator(binary)
                if binary.node.operator.node == lang_c::ast::BinaryOperator::Index =>
            {
                self.element(expression, &binary.node)
            }
            Expression::CompoundLiteral(literal) => {
                self.compound_literal(expression, &literal.node)
            }
            Expression::StringLiteral(literal) => self.string_literal(&literal.node),
            Expression::GenericSelection(selection) => match self.generic_choice(&selection.node) {
                Some(chosen) => self.designator(chosen),
                None => Designator::Value(Value::unknown()),
            },
            _ => Designator::Value(self.value(expression)),
        }
    }

    fn named(&mut self, name: Ustr) -> Designator {
        match self.scopes.lookup(name).cloned() {
            Some(Binding::Local(local)) => {
                let declared = &self.builder.locals[local.0 as usize];
                match declared.storage {
                    Storage::Register => Designator::Register(local, declared.ty.clone()),
                    Storage::Memory => Designator::Memory(Place::local(local), declared.ty.clone()),
                }
            }
            Some(Binding::Static(global, ty)) => Designator::Memory(Place::global(global), ty),
            Some(Binding::Enumerator(constant)) => Designator::Value(constant.into()),
            Some(Binding::External(external)) => self.external(name, external),
            Some(Binding::Typedef(_)) => Designator::Value(Value::unknown()),
            None => self.file_scope_name(name),
        }
    }

    /// The variable that a name at file scope stands for.
    pub(super) fn file_scope_variable(&mut self, name: Ustr) -> Option<(GlobalRef, Ty)> {
        match self.file_scope_name(name) {
            Designator::Memory(place, ty) => match place.base {
                Base::Global(global) => Some((global, ty)),
                _ => None,
            },
            _ => None,
        }
    }

    fn file_scope_name(&mut self, name: Ustr) -> Designator {
        let Some(binding) = &self.environment.bindings(name).value else {
            return match name.as_str() {
                "__func__" => {
                    let quoted = format!("\"{}\"", self.function.name);
                    self.string_literal(&[quoted])
                }
                "true" => Designator::Value(Value::int(1)),
                "false" => Designator::Value(Value::int(0)),
                // A name that nothing declares: a variable or function of another file.
                _ => Designator::Memory(
                    Place::global(GlobalRef {
                        name,
                        scope: GlobalScope::External,
                        thread_local: false,
                    }),
                    Ty::unknown(),
                ),
            };
        };
        let types = self.environment.item_types(&binding.source);
        if binding.is_enumerator {
            let known = types.enumerators.iter().find(|(bound, _)| *bound == name);
            return Designator::Value(
                known.map_or_else(Value::unknown, |(_, constant)| constant.clone().into()),
            );
        }
        let ty = types
            .values
            .iter()
            .find(|(bound, _)| *bound == name)
            .map_or_else(Ty::unknown, |(_, value)| value.ty.clone());
        if ty.is_cut() {
            self.type_cut.set(Some(TypeCut::Parts));
        }
        let scope = if binding.storage.is_static {
            GlobalScope::Unit(self.environment.unit())
        } else {
            GlobalScope::External
        };
        if matches!(ty.kind(), TyKind::Function(_)) {
            return Designator::Function(FunctionRef { name, scope }, ty);
        }
        Designator::Memory(
            Place::global(GlobalRef {
                name,
                scope,
                thread_local: binding.storage.is_thread_local,
            }),
            ty,
        )
    }

    /// What an `extern` declaration inside a function names.
    fn external(&mut self, name: Ustr, external: External) -> Designator {
        let scope = GlobalScope::External;
        match self.file_scope_name(name) {
            Designator::Memory(_, known) if known.is_unknown() => match external.ty.kind() {
                TyKind::Function(_) => {
                    Designator::Function(FunctionRef { name, scope }, external.ty)
                }
                _ => {
                    let global = GlobalRef {
                        name,
                        scope,
                        thread_local: external.is_thread_local,
                    };
                    Designator::Memory(Place::global(global), external.ty)
                }
            },
            found => found,
        }
    }

    /// The function that a name stands for where it is called or passed.
    pub(super) fn function_reference(&mut self, name: Ustr) -> FunctionRef {
        match self.named(name) {
            Designator::Function(function, _) => function,
            _ => FunctionRef {
                name,
                scope: GlobalScope::External,
            },
        }
    }

    fn member_access(
        &mut self,
        expression: &Node<Expression>,
        member: &MemberExpression,
    ) -> Designator {
        let name = Ustr::from(&member.identifier.node.name);
        let (place, ty) = match member.operator.node {
            MemberOperator::Indirect => {
                let pointer = self.value(&member.expression);
                let pointee = pointer.ty.pointee().cloned().unwrap_or_else(Ty::unknown);
                (Place::deref(pointer.operand), pointee)
            }
            MemberOperator::Direct => match self.designator(&member.expression) {
                Designator::Memory(place, ty) => (place, ty),
                other => {
                    // A struct that a function returned: it gets a place of its own.
                    let value = self.take(other);
                    self.in_memory(value)
                }
            },
        };
        self.at(expression);
        self.project(place, &ty, name)
    }

    /// Follows a member, through unnamed members where it lies in one.
    pub(super) fn project(&mut self, mut place: Place, ty: &Ty, name: Ustr) -> Designator {
        match self.field_path(ty, name) {
            Some(path) => {
                let mut qualifiers = ty.qualifiers;
                let mut member = Ty::unknown();
                for (record, field) in path {
                    qualifiers = qualifiers.with(field.ty.qualifiers);
                    place = place.then(Projection::Field {
                        record,
                        name: field.name,
                    });
                    member = field.value_type();
                }
                Designator::Memory(place, member.qualified(qualifiers))
            }
            None => {
                let record = ty.record().unwrap_or_else(|| RecordRef::opaque("?"));
                Designator::Memory(
                    place.then(Projection::Field { record, name }),
                    Ty::unknown(),
                )
            }
        }
    }

    /// The members to go through to reach the one of that name.
    pub(super) fn field_path(&self, ty: &Ty, name: Ustr) -> Option<Vec<(RecordRef, Field)>> {
        let record = ty.record()?;
        let layout = self.layout(record)?;
        if let Some(field) = layout.fields.iter().find(|field| field.name == name) {
            return Some(vec![(record, field.clone())]);
        }
        layout
            .fields
            .iter()
            .filter(|field| field.anonymous)
            .find_map(|field| {
                let mut path = vec![(record, field.clone())];
                path.extend(self.field_path(&field.ty, name)?);
                Some(path)
            })
    }

    fn indirection(
        &mut self,
        expression: &Node<Expression>,
        operand: &Node<Expression>,
    ) -> Designator {
        // `*(p + i)` is `p[i]`.
        if let Expression::BinaryOperator(binary) = &operand.node
            && binary.node.operator.node == lang_c::ast::BinaryOperator::Plus
        {
            return self.element(expression, &binary.node);
        }
        let designator = self.designator(operand);
        // `*a` is `a[0]`.
        if let Designator::Memory(place, ty) = &designator
            && let TyKind::Array { element, .. } = ty.kind()
        {
            let first = place.clone().then(Projection::Index(Operand::Integer(0)));
            return Designator::Memory(first, element.clone().qualified(ty.qualifiers));
        }
        self.at(operand);
        let pointer = self.take(designator);
        self.at(expression);
        self.pointed_to(pointer)
    }

    fn pointed_to(&mut self, pointer: Value) -> Designator {
        match pointer.ty.pointee().cloned() {
            Some(pointee) if matches!(pointee.kind(), TyKind::Function(_)) => {
                Designator::Value(pointer)
            }
            // Behind a pointer to an array the first index counts arrays, so that `(*p)[1]` and
            // `p[1]` are different places.
            Some(pointee) if matches!(pointee.kind(), TyKind::Array { .. }) => {
                self.counted_from(pointer, Operand::Integer(0), pointee)
            }
            Some(pointee) => Designator::Memory(Place::deref(pointer.operand), pointee),
            None => Designator::Memory(Place::deref(pointer.operand), Ty::unknown()),
        }
    }

    /// The element that lies `index` elements behind the one that a pointer points to.
    fn counted_from(&mut self, pointer: Value, index: Operand, element: Ty) -> Designator {
        let pointer = self.with_own_type(pointer);
        Designator::Memory(
            Place::deref(pointer).then(Projection::Index(index)),
            element,
        )
    }

    /// A register of the pointer's type: how far an index reaches is told by the type of the
    /// register that it counts from, and casts between pointers leave no statement.
    fn with_own_type(&mut self, pointer: Value) -> Operand {
        let known = match &pointer.operand {
            Operand::Local(local) => self.builder.locals[local.0 as usize].ty.pointee().cloned(),
            Operand::String(_) => Some(Ty::integer(IntRank::PlainChar, true)),
            _ => None,
        };
        let wanted = pointer.ty.pointee().map(Ty::unqualified);
        if known.is_some_and(|known| Some(known.unqualified()) == wanted) {
            return pointer.operand;
        }
        self.builder
            .assign(pointer.ty.unqualified(), Rvalue::Use(pointer.operand))
    }

    /// `a[i]`, where `a` is an array or a pointer, in either order.
    fn element(
        &mut self,
        expression: &Node<Expression>,
        binary: &BinaryOperatorExpression,
    ) -> Designator {
        let base = self.designator(&binary.lhs);
        if let Designator::Memory(place, ty) = &base
            && let Some(element) = ty.element()
        {
            let (place, element) = (place.clone(), element.clone().qualified(ty.qualifiers));
            let index = self.value(&binary.rhs);
            self.at(expression);
            let index = self.widen_index(index);
            return Designator::Memory(place.then(Projection::Index(index)), element);
        }
        self.at(&binary.lhs);
        let left = self.take(base);
        let right = self.value(&binary.rhs);
        self.at(expression);
        let (pointer, index) = if left.ty.pointee().is_some() || right.ty.pointee().is_none() {
            (left, right)
        } else {
            (right, left)
        };
        let Some(element) = pointer.ty.pointee().cloned() else {
            return Designator::Memory(
                Place::deref(pointer.operand).then(Projection::Index(index.operand)),
                Ty::unknown(),
            );
        };
        if matches!(index.operand, Operand::Integer(0)) {
            return self.pointed_to(pointer);
        }
        let index = self.widen_index(index);
        self.counted_from(pointer, index, element)
    }

    /// Indices keep their own width and sign: that is what tells them apart.
    fn widen_index(&mut self, index: Value) -> Operand {
        self.promote(index).operand
    }

    fn compound_literal(
        &mut self,
        expression: &Node<Expression>,
        literal: &CompoundLiteral,
    ) -> Designator {
        let ty = self.type_name(&literal.type_name.node);
        let ty = self.completed_by_initialiser(ty, &literal.initializer_list);
        self.at(expression);
        let local = self.builder.new_local(None, ty.clone(), Storage::Memory);
        let place = Place::local(local);
        self.initialise_list(&place, &ty, &literal.initializer_list);
        self.at(expression);
        Designator::Memory(place, ty)
    }

    pub(super) fn string_literal(&mut self, parts: &[String]) -> Designator {
        let (bytes, _) = string_bytes(parts);
        let string = self.builder.string(bytes);
        Designator::Memory(Place::deref(Operand::String(string)), string_type(parts))
    }

    /// Puts a value into memory of its own.
    pub(super) fn in_memory(&mut self, value: Value) -> (Place, Ty) {
        let local = self
            .builder
            .new_local(None, value.ty.clone(), Storage::Memory);
        let place = Place::local(local);
        self.builder.push(Statement::Store {
            place: place.clone(),
            value: value.operand,
            ty: value.ty.clone(),
            mode: AccessMode::Plain,
        });
        (place, value.ty)
    }

    /// The association of a `_Generic` whose type fits, or the default.
    pub(super) fn generic_choice<'e>(
        &mut self,
        selection: &'e GenericSelection,
    ) -> Option<&'e Node<Expression>> {
        // The normaliser's form of `__builtin_types_compatible_p`, which compares types as they are.
        let compares_types = matches!(selection.expression.node, Expression::VaArg(_));
        let ty = self.type_of(&selection.expression);
        let ty = if compares_types {
            ty.unqualified()
        } else {
            ty.decayed()
        };
        let mut default = None;
        for association in &selection.associations {
            match &association.node {
                GenericAssociation::Default(expression) => default = Some(&**expression),
                GenericAssociation::Type(association) => {
                    let mut candidate = self.type_name(&association.node.type_name.node);
                    if compares_types {
                        candidate = candidate.unqualified();
                    }
                    if candidate.is_compatible(&ty) {
                        return Some(&association.node.expression);
                    }
                }
            }
        }
        default
    }

    /// The type of an expression that is not evaluated.
    pub(super) fn type_of(&mut self, expression: &Node<Expression>) -> Ty {
        let checkpoint = self.builder.checkpoint();
        let control = self.control.checkpoint();
        let ty = self.designator(expression).ty().clone();
        self.builder.restore(checkpoint);
        self.control.restore(control);
        ty
    }
}
