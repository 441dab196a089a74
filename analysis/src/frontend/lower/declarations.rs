//! Declarations inside functions, and the formals of a function.

use super::Lowerer;
use super::conversions::Value;
use super::lvalues::Designator;
use super::scopes::{Binding, Cleanup, External};
use super::types::Specifiers;
use crate::ir::Statement;
use crate::ir::*;
use lang_c::ast::{self, *};
use lang_c::span::Node;
use lang_c::visit::Visit;
use rustc_hash::FxHashSet;
use ustr::Ustr;

impl Lowerer<'_> {
    pub(super) fn function_definition(&mut self, definition: &FunctionDefinition) {
        let mut addressed = AddressedNames::default();
        let nowhere = lang_c::span::Span::none();
        addressed.visit_statement(&definition.statement.node, &nowhere);
        self.addressed = addressed.0;
        let specifiers = self.declaration_specifiers(&definition.specifiers);
        self.scopes.enter();
        let declared = self.declarator(specifiers.ty, &definition.declarator.node);
        let function = declared.ty.as_function().cloned();
        self.result = function
            .as_ref()
            .map_or_else(Ty::unknown, |function| function.result.clone());
        self.variadic = function.is_some_and(|function| function.variadic);
        self.formals(definition);
        self.builder.parameters = self.builder.locals.len();
        self.copy_addressed_formals();
        self.statement(&definition.statement);
        self.at(&definition.statement);
        self.leave_scope();
        self.builder.terminate(Terminator::Return(None));
    }

    /// The innermost function declarator holds the parameters of the function being defined.
    fn formals(&mut self, definition: &FunctionDefinition) {
        let mut declarator = &definition.declarator.node;
        while let DeclaratorKind::Declarator(inner) = &declarator.kind.node {
            declarator = &inner.node;
        }
        let mut outer = &definition.declarator.node;
        loop {
            let holds_parameters = |derived: &Node<DerivedDeclarator>| {
                matches!(
                    derived.node,
                    DerivedDeclarator::Function(_) | DerivedDeclarator::KRFunction(_)
                )
            };
            if let Some(derived) = declarator
                .derived
                .iter()
                .find(|derived| holds_parameters(derived))
            {
                return self.formals_of(&derived.node, &definition.declarations);
            }
            // `(f)(int a)`: the parameters stand outside the parentheses.
            let DeclaratorKind::Declarator(inner) = &outer.kind.node else {
                break;
            };
            if let Some(derived) = outer
                .derived
                .iter()
                .find(|derived| holds_parameters(derived))
            {
                return self.formals_of(&derived.node, &definition.declarations);
            }
            outer = &inner.node;
        }
    }

    fn formals_of(&mut self, derived: &DerivedDeclarator, declarations: &[Node<Declaration>]) {
        match derived {
            DerivedDeclarator::Function(function) => {
                for parameter in &function.node.parameters {
                    self.at(parameter);
                    let (name, ty) = self.parameter(&parameter.node);
                    if name.is_none() && ty.is_void() {
                        continue;
                    }
                    self.formal(name, ty);
                }
            }
            DerivedDeclarator::KRFunction(names) => {
                let mut types: Vec<(Ustr, Ty)> = Vec::new();
                for declaration in declarations {
                    let specifiers = self.declaration_specifiers(&declaration.node.specifiers);
                    for declarator in &declaration.node.declarators {
                        let declared = self
                            .declarator(specifiers.ty.clone(), &declarator.node.declarator.node);
                        if let Some(name) = declared.name {
                            let ty = match declared.ty.kind() {
                                TyKind::Array { .. } | TyKind::Function(_) => declared.ty.decayed(),
                                _ => declared.ty,
                            };
                            types.push((name, ty));
                        }
                    }
                }
                for name in names {
                    self.at(name);
                    let name = Ustr::from(&name.node.name);
                    let ty = types
                        .iter()
                        .find(|(declared, _)| *declared == name)
                        .map_or_else(Ty::int, |(_, ty)| ty.clone());
                    self.formal(Some(name), ty);
                }
            }
            _ => {}
        }
    }

    fn formal(&mut self, name: Option<Ustr>, ty: Ty) {
        let local = self.builder.new_local(name, ty, Storage::Register);
        if let Some(name) = name {
            self.scopes.bind(name, Binding::Local(local));
        }
    }

    /// Formals arrive in registers; those that need an address get a variable in memory.
    fn copy_addressed_formals(&mut self) {
        for index in 0..self.builder.parameters {
            let formal = self.builder.locals[index].clone();
            let Some(name) = formal.name else { continue };
            if self.storage_for(name, &formal.ty) == Storage::Register {
                continue;
            }
            self.builder.span = self.builder.local_spans[index];
            let local = self
                .builder
                .new_local(Some(name), formal.ty.clone(), Storage::Memory);
            self.builder.push(Statement::Store {
                place: Place::local(local),
                value: Operand::Local(LocalId(index as u32)),
                ty: formal.ty.unqualified(),
                mode: AccessMode::Plain,
            });
            self.scopes.bind(name, Binding::Local(local));
        }
    }

    fn storage_for(&self, name: Ustr, ty: &Ty) -> Storage {
        let in_register = ty.is_scalar()
            && !ty.is_volatile()
            && !ty.is_atomic()
            && !self.addressed.contains(&name);
        if in_register {
            Storage::Register
        } else {
            Storage::Memory
        }
    }

    pub(super) fn local_declaration(&mut self, declaration: &Declaration) {
        let specifiers = self.declaration_specifiers(&declaration.specifiers);
        for declarator in &declaration.declarators {
            self.at(declarator);
            self.local_declarator(&specifiers, declarator);
        }
    }

    fn local_declarator(&mut self, specifiers: &Specifiers, declarator: &Node<InitDeclarator>) {
        let base = if specifiers.infers {
            match &declarator.node.initializer {
                Some(initializer) => match &initializer.node {
                    Initializer::Expression(expression) => self.type_of(expression).decayed(),
                    Initializer::List(_) => Ty::unknown(),
                },
                None => Ty::unknown(),
            }
            .qualified(specifiers.ty.qualifiers)
        } else {
            specifiers.ty.clone()
        };
        self.evaluate_lengths(&declarator.node.declarator.node);
        let declared = self.declarator(base, &declarator.node.declarator.node);
        let Some(name) = declared.name else { return };
        if specifiers.is_typedef {
            self.scopes.bind(name, Binding::Typedef(declared.ty));
            return;
        }
        if specifiers.is_extern || matches!(declared.ty.kind(), TyKind::Function(_)) {
            let external = External {
                ty: declared.ty,
                is_thread_local: specifiers.is_thread_local,
                is_noreturn: specifiers.is_noreturn || declared.is_noreturn,
            };
            self.scopes.bind(name, Binding::External(external));
            return;
        }
        let ty = match &declarator.node.initializer {
            Some(initializer) => self.completed(declared.ty, &initializer.node),
            None => declared.ty,
        };
        self.at(&declarator.node.declarator);
        if specifiers.is_static {
            return self.static_local(name, ty, specifiers.is_thread_local, declarator);
        }
        let cleanup = declared.cleanup.or(specifiers.cleanup);
        let storage = if cleanup.is_some() {
            Storage::Memory
        } else {
            self.storage_for(name, &ty)
        };
        let local = self.builder.new_local(Some(name), ty.clone(), storage);
        self.scopes.bind(name, Binding::Local(local));
        if let Some(initializer) = &declarator.node.initializer {
            let target = match storage {
                Storage::Register => Designator::Register(local, ty),
                Storage::Memory => Designator::Memory(Place::local(local), ty),
            };
            self.initialise(target, &initializer.node);
        }
        if let Some(function) = cleanup {
            self.scopes.cleanups.push(Cleanup {
                variable: local,
                function,
            });
        }
    }

    /// The lengths of variable arrays are computed where the array is declared.
    fn evaluate_lengths(&mut self, declarator: &Declarator) {
        for derived in &declarator.derived {
            if let DerivedDeclarator::Array(array) = &derived.node
                && let ArraySize::VariableExpression(size) = &array.node.size
                && self.constant(size).is_none()
            {
                self.value(size);
            }
        }
        if let DeclaratorKind::Declarator(inner) = &declarator.kind.node {
            self.evaluate_lengths(&inner.node);
        }
    }

    /// A `static` local is a global with a private name. Its initialiser runs before the program.
    fn static_local(
        &mut self,
        name: Ustr,
        ty: Ty,
        thread_local: bool,
        declarator: &Node<InitDeclarator>,
    ) {
        let ordinal = self.static_locals;
        self.static_locals += 1;
        let scope = GlobalScope::Function {
            unit: self.environment.unit(),
            function: self.function.name,
            ordinal,
        };
        let global = GlobalRef {
            name,
            scope,
            thread_local,
        };
        self.builder.static_locals.push((global, ty.clone()));
        self.scopes.bind(name, Binding::Static(global, ty.clone()));
        if let Some(initializer) = &declarator.node.initializer {
            self.static_initialiser(global, &ty, &initializer.node);
        }
    }

    /// Static initialisers run before the program: they stand beside the blocks, not in them.
    fn static_initialiser(&mut self, global: GlobalRef, ty: &Ty, initializer: &Initializer) {
        let resume = self.builder.current;
        let detached = self.builder.new_block();
        self.builder.switch_to(detached);
        self.initialise(
            Designator::Memory(Place::global(global), ty.clone()),
            initializer,
        );
        self.builder.keep_as_statics(detached);
        self.builder.switch_to(resume);
    }

    pub(super) fn file_scope_initialisers(&mut self, declaration: &Declaration) {
        let specifiers = self.declaration_specifiers(&declaration.specifiers);
        for declarator in &declaration.declarators {
            let declared = self.declarator(specifiers.ty.clone(), &declarator.node.declarator.node);
            let (Some(name), Some(initializer)) = (declared.name, &declarator.node.initializer)
            else {
                continue;
            };
            self.at(&declarator.node.declarator);
            let scope = if specifiers.is_static || self.is_static_name(name) {
                GlobalScope::Unit(self.environment.unit())
            } else {
                GlobalScope::External
            };
            let global = GlobalRef {
                name,
                scope,
                thread_local: specifiers.is_thread_local,
            };
            let ty = self.completed(declared.ty, &initializer.node);
            self.initialise(
                Designator::Memory(Place::global(global), ty),
                &initializer.node,
            );
        }
        self.builder.terminate(Terminator::Return(None));
    }

    fn is_static_name(&self, name: Ustr) -> bool {
        self.environment
            .bindings(name)
            .value
            .as_ref()
            .is_some_and(|binding| binding.storage.is_static)
    }

    /// Assigns an initialiser's value or values.
    pub(super) fn initialise(&mut self, target: Designator, initializer: &Initializer) {
        let span = self.builder.span;
        match initializer {
            Initializer::Expression(expression) => {
                let ty = target.ty().clone();
                if ty.element().is_some()
                    && let Designator::Memory(place, _) = &target
                {
                    // `char s[] = "…"` fills the array in one step.
                    let value = self.value(expression);
                    self.builder.span = span;
                    self.builder.push(Statement::Store {
                        place: place.clone(),
                        value: value.operand,
                        ty,
                        mode: AccessMode::Plain,
                    });
                    return;
                }
                let value = self.value(expression);
                self.at(expression);
                let operand = if ty.is_unknown() {
                    value.operand
                } else {
                    self.convert(value, &ty)
                };
                self.builder.span = span;
                self.store_initial(target, operand);
            }
            Initializer::List(list) => match target {
                Designator::Memory(place, ty) if !ty.is_scalar() => {
                    self.initialise_list(&place, &ty, list)
                }
                target => match list.first() {
                    Some(first) => self.initialise(target, &first.node.initializer.node),
                    None => self.store_initial(target, Operand::Integer(0)),
                },
            },
        }
    }

    /// Initialising an `_Atomic` variable is not an atomic operation.
    pub(super) fn store_initial(&mut self, target: Designator, value: Operand) {
        match target {
            Designator::Memory(place, ty) => {
                self.builder.push(Statement::Store {
                    place,
                    value,
                    ty: ty.unqualified(),
                    mode: AccessMode::Plain,
                });
            }
            target => self.store(target, value),
        }
    }

    /// An array of unknown length gets that of its initialiser.
    pub(super) fn completed(&mut self, ty: Ty, initializer: &Initializer) -> Ty {
        match initializer {
            Initializer::List(list) => self.completed_by_initialiser(ty, list),
            Initializer::Expression(expression) => self.completed_by_string(ty, expression),
        }
    }

    /// `char s[] = "abc"` has room for its string.
    fn completed_by_string(&mut self, ty: Ty, expression: &Node<Expression>) -> Ty {
        let TyKind::Array {
            element,
            length: ArrayLength::Unknown,
        } = ty.kind()
        else {
            return ty;
        };
        let Expression::StringLiteral(literal) = &expression.node else {
            return ty;
        };
        let TyKind::Array { length, .. } = *super::literals::string_type(&literal.node).kind()
        else {
            return ty;
        };
        let element = element.clone();
        Ty::new(TyKind::Array { element, length }).qualified(ty.qualifiers)
    }

    pub(super) fn returned(&mut self, expression: &Node<Expression>) -> Option<Operand> {
        let value: Value = self.value(expression);
        self.at(expression);
        let result = self.result.clone();
        if result.is_void() {
            return None;
        }
        Some(if result.is_unknown() {
            value.operand
        } else {
            self.convert(value, &result)
        })
    }
}

/// Names whose address is taken with `&` anywhere in a function, whichever variable they mean.
#[derive(Default)]
struct AddressedNames(FxHashSet<Ustr>);

impl<'ast> Visit<'ast> for AddressedNames {
    fn visit_unary_operator_expression(
        &mut self,
        node: &'ast UnaryOperatorExpression,
        span: &'ast lang_c::span::Span,
    ) {
        if node.operator.node == ast::UnaryOperator::Address {
            let mut operand = &node.operand.node;
            loop {
                match operand {
                    Expression::Identifier(name) => {
                        self.0.insert(Ustr::from(&name.node.name));
                        break;
                    }
                    Expression::GenericSelection(selection) => {
                        match selection.node.associations.first().map(|first| &first.node) {
                            Some(GenericAssociation::Default(expression)) => {
                                operand = &expression.node
                            }
                            Some(GenericAssociation::Type(association)) => {
                                operand = &association.node.expression.node
                            }
                            None => break,
                        }
                    }
                    _ => break,
                }
            }
        }
        lang_c::visit::visit_unary_operator_expression(self, node, span);
    }
}
