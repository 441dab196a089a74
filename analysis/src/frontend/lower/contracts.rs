//! Reads clang's thread-safety attributes: which lock they name, in terms of what they stand at.

use super::Lowerer;
use crate::ir::*;
use lang_c::ast::{
    Attribute, Declarator, DeclaratorKind, DerivedDeclarator, Expression, MemberExpression,
    MemberOperator, UnaryOperator as Unary,
};
use lang_c::span::Node;
use ustr::Ustr;

/// An attribute as it was found, before the names in it are looked up: they may be declared further down.
pub(super) struct FoundAttribute {
    pub subject: ContractSubject,
    pub attribute: Attribute,
    pub names: AttributeNames,
}

/// What the names in an attribute can mean besides variables at file scope.
#[derive(Clone)]
pub(super) enum AttributeNames {
    Members(RecordRef),
    Parameters(Vec<(Option<Ustr>, Ty)>),
}

/// A place while its expression is read, with its type. `&x` is the place `x` that is pointed to already.
struct Named {
    lock: LockName,
    ty: Ty,
    is_address: bool,
}

impl Lowerer<'_> {
    /// What the attribute says; one contract for each lock that it names.
    pub(super) fn contracts(&mut self, found: &FoundAttribute) -> Vec<Contract> {
        let (name, arguments) = (&found.attribute.name.node, &found.attribute.arguments);
        let locks = |lowerer: &mut Self, arguments: &[Node<Expression>]| -> Vec<LockName> {
            let locks = arguments.iter();
            locks
                .filter_map(|argument| lowerer.lock_name(&argument.node, &found.names))
                .collect()
        };
        let mut each = |make: &dyn Fn(LockName) -> Contract| {
            locks(self, arguments).into_iter().map(make).collect()
        };
        let shared = name.contains("shared");
        match name.as_str() {
            "guarded_by" => each(&Contract::GuardedBy),
            "pt_guarded_by" => each(&Contract::PointeeGuardedBy),
            "requires_capability"
            | "requires_shared_capability"
            | "exclusive_locks_required"
            | "shared_locks_required" => each(&|lock| Contract::Requires { lock, shared }),
            "acquire_capability"
            | "acquire_shared_capability"
            | "exclusive_lock_function"
            | "shared_lock_function" => each(&|lock| Contract::Acquires { lock, shared }),
            "release_capability"
            | "release_shared_capability"
            | "release_generic_capability"
            | "unlock_function" => each(&Contract::Releases),
            "try_acquire_capability"
            | "try_acquire_shared_capability"
            | "exclusive_trylock_function"
            | "shared_trylock_function" => {
                let Some((success, arguments)) = arguments.split_first() else {
                    return Vec::new();
                };
                let Some(on) = self.constant(success).map(|value| value != 0) else {
                    return Vec::new();
                };
                let locks = locks(self, arguments).into_iter();
                locks
                    .map(|lock| Contract::TriesToAcquire { lock, shared, on })
                    .collect()
            }
            "no_thread_safety_analysis" => vec![Contract::NotAnalysed],
            _ => Vec::new(),
        }
    }

    /// The lock that an expression names, or points to.
    fn lock_name(&mut self, expression: &Expression, names: &AttributeNames) -> Option<LockName> {
        let mut named = self.named_lock(expression, names)?;
        if named.ty.pointee().is_some() && !named.is_address {
            named.lock.steps.push(LockStep::Deref);
        }
        Some(named.lock)
    }

    fn named_lock(&mut self, expression: &Expression, names: &AttributeNames) -> Option<Named> {
        match expression {
            Expression::Identifier(name) => self.named_by(Ustr::from(&name.node.name), names),
            Expression::UnaryOperator(unary) => {
                let operand = self.named_lock(&unary.node.operand.node, names)?;
                match unary.node.operator.node {
                    Unary::Address if !operand.is_address => Some(Named {
                        is_address: true,
                        ..operand
                    }),
                    Unary::Indirection => operand.dereferenced(),
                    _ => None,
                }
            }
            Expression::Member(member) => self.named_member(&member.node, names),
            _ => None,
        }
    }

    fn named_by(&mut self, name: Ustr, names: &AttributeNames) -> Option<Named> {
        let begin = |base: LockBase, ty: &Ty| Named {
            lock: LockName {
                base,
                steps: Vec::new(),
            },
            ty: ty.clone(),
            is_address: false,
        };
        match names {
            AttributeNames::Members(record) => {
                let object = begin(LockBase::Object, &Ty::new(TyKind::Record(*record)));
                if let Some(member) = self.with_field(object, name) {
                    return Some(member);
                }
            }
            AttributeNames::Parameters(parameters) => {
                let index = parameters
                    .iter()
                    .position(|(known, _)| *known == Some(name));
                if let Some(index) = index {
                    let base = LockBase::Parameter(index as u32);
                    return Some(begin(base, &parameters[index].1));
                }
            }
        }
        let (global, ty) = self.file_scope_variable(name)?;
        Some(begin(LockBase::Global(global), &ty))
    }

    fn named_member(&mut self, member: &MemberExpression, names: &AttributeNames) -> Option<Named> {
        let object = self.named_lock(&member.expression.node, names)?;
        let object = match member.operator.node {
            MemberOperator::Direct if object.is_address => return None,
            MemberOperator::Direct => object,
            MemberOperator::Indirect => object.dereferenced()?,
        };
        self.with_field(object, Ustr::from(&member.identifier.node.name))
    }

    fn with_field(&self, mut object: Named, name: Ustr) -> Option<Named> {
        for (record, field) in self.field_path(&object.ty, name)? {
            let name = field.name;
            object.lock.steps.push(LockStep::Field { record, name });
            object.ty = field.ty;
        }
        Some(object)
    }
}

/// The names that a function's declarator gives to its parameters, with their types.
pub(super) fn parameters(declarator: &Declarator, ty: &Ty) -> Vec<(Option<Ustr>, Ty)> {
    let TyKind::Function(function) = ty.kind() else {
        return Vec::new();
    };
    let names = parameter_names(declarator);
    let names = names.into_iter().chain(std::iter::repeat(None));
    names.zip(function.parameters.iter().cloned()).collect()
}

fn parameter_names(declarator: &Declarator) -> Vec<Option<Ustr>> {
    let function = declarator
        .derived
        .iter()
        .find_map(|derived| match &derived.node {
            DerivedDeclarator::Function(function) => Some(&function.node),
            _ => None,
        });
    match (function, &declarator.kind.node) {
        (Some(function), _) => function
            .parameters
            .iter()
            .map(|parameter| declared_name(&parameter.node.declarator.as_ref()?.node))
            .collect(),
        (None, DeclaratorKind::Declarator(inner)) => parameter_names(&inner.node),
        (None, _) => Vec::new(),
    }
}

fn declared_name(declarator: &Declarator) -> Option<Ustr> {
    match &declarator.kind.node {
        DeclaratorKind::Abstract => None,
        DeclaratorKind::Identifier(name) => Some(Ustr::from(&name.node.name)),
        DeclaratorKind::Declarator(inner) => declared_name(&inner.node),
    }
}

impl Named {
    /// `*&x` is `x`.
    fn dereferenced(mut self) -> Option<Named> {
        if self.is_address {
            self.is_address = false;
            return Some(self);
        }
        self.ty = self.ty.pointee()?.clone();
        self.lock.steps.push(LockStep::Deref);
        Some(self)
    }
}
