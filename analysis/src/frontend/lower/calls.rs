//! Function calls.

use super::Lowerer;
use super::conversions::Value;
use super::lvalues::Designator;
use super::scopes::Binding;
use crate::ir::*;
use lang_c::ast::{CallExpression, Expression};
use lang_c::span::Node;
use ustr::Ustr;

impl Lowerer<'_> {
    pub(super) fn call(&mut self, expression: &Node<Expression>, call: &CallExpression) -> Value {
        if let Expression::Identifier(name) = &call.callee.node {
            let name = Ustr::from(&name.node.name);
            if self.scopes.lookup(name).is_none()
                && let Some(value) = self.builtin_call(expression, name, call)
            {
                return value;
            }
        }
        let (callee, ty) = self.callee(&call.callee);
        let function = ty.as_function().cloned();
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for (index, argument) in call.arguments.iter().enumerate() {
            let value = self.value(argument);
            self.at(argument);
            let parameter = function
                .as_ref()
                .filter(|function| !function.unspecified)
                .and_then(|function| function.parameters.get(index));
            arguments.push(match parameter {
                Some(parameter) if !parameter.is_unknown() => self.convert(value, parameter),
                _ => self.promote_argument(value).operand,
            });
        }
        self.at(expression);
        let result = match &function {
            Some(function) => function.result.unqualified(),
            None => self.builtin_result(&callee, call),
        };
        let target = (!result.is_void()).then(|| self.builder.temporary(result.clone()));
        let returns = !self.never_returns(&callee);
        self.builder.push(Statement::Call {
            target,
            callee,
            arguments,
        });
        if !returns {
            self.builder.terminate(Terminator::Unreachable);
        }
        match target {
            Some(target) => Value::new(Operand::Local(target), result),
            None => Value::void(),
        }
    }

    fn callee(&mut self, expression: &Node<Expression>) -> (Callee, Ty) {
        match self.designator(expression) {
            Designator::Function(function, ty) => (Callee::Direct(function), ty),
            // A name that nothing declares is a function of another file.
            Designator::Memory(
                Place {
                    base: Base::Global(global),
                    path,
                },
                ty,
            ) if ty.is_unknown() && path.is_empty() => (
                Callee::Direct(FunctionRef {
                    name: global.name,
                    scope: global.scope,
                }),
                ty,
            ),
            designator => {
                self.at(expression);
                let value = self.take(designator);
                match value.operand {
                    Operand::Function(function) => (Callee::Direct(function), value.ty),
                    operand => (Callee::Indirect(operand), value.ty),
                }
            }
        }
    }

    fn never_returns(&mut self, callee: &Callee) -> bool {
        let Callee::Direct(function) = callee else {
            return false;
        };
        if let Some(Binding::External(external)) = self.scopes.lookup(function.name)
            && external.is_noreturn
        {
            return true;
        }
        let Some(binding) = &self.environment.bindings(function.name).value else {
            return false;
        };
        // One declaration that says so is enough; the definition often does not repeat it.
        [Some(&binding.source), binding.noreturn.as_ref()]
            .into_iter()
            .flatten()
            .any(|source| {
                let types = self.environment.item_types(source);
                types
                    .values
                    .iter()
                    .any(|(name, value)| *name == function.name && value.is_noreturn)
            })
    }
}
