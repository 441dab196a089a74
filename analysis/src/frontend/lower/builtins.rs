//! Functions that the compiler itself knows, and the words of the normaliser.

use super::super::normalise::{
    ANY, ASSEMBLY, ASSEMBLY_CLOBBERS, ASSEMBLY_IS_HARMLESS, ASSEMBLY_OUTPUT, COMPUTED_GOTO,
    LABEL_ADDRESS,
};
use super::Lowerer;
use super::conversions::Value;
use super::lvalues::Designator;
use crate::ir::*;
use lang_c::ast::{CallExpression, Expression};
use lang_c::span::Node;
use ustr::Ustr;

impl Lowerer<'_> {
    /// Lowers a call that is not a call; `None` for all others.
    pub(super) fn builtin_call(
        &mut self,
        expression: &Node<Expression>,
        name: Ustr,
        call: &CallExpression,
    ) -> Option<Value> {
        let arguments = call.arguments.as_slice();
        if !name.starts_with("__") {
            return None;
        }
        match (name.as_str(), arguments) {
            (ASSEMBLY, _) => Some(self.assembly(expression, arguments)),
            (LABEL_ADDRESS, [label]) => {
                let Expression::Identifier(label) = &label.node else {
                    return None;
                };
                let label = Ustr::from(&label.node.name);
                Some(Value::new(
                    self.label_address(label),
                    Ty::void().pointer_to(),
                ))
            }
            (COMPUTED_GOTO, [address]) => {
                let address = self.value(address).operand;
                self.at(expression);
                self.computed_goto(address);
                Some(Value::void())
            }
            (ANY, []) => Some(Value::new(Operand::Unknown, Ty::int())),
            ("__builtin_expect" | "__builtin_expect_with_probability", [value, ..]) => {
                let value = self.value(value);
                let long = Ty::integer(IntRank::Long, true);
                let operand = self.convert(value, &long);
                Some(Value::new(operand, long))
            }
            ("__builtin_assume_aligned", [pointer, ..]) => Some(self.value(pointer)),
            ("__builtin_constant_p", [_]) => {
                Some(Value::int(self.constant(expression).unwrap_or(0)))
            }
            ("__builtin_choose_expr", [condition, then, otherwise]) => {
                let chosen = if self.constant(condition).unwrap_or(1) != 0 {
                    then
                } else {
                    otherwise
                };
                Some(self.value(chosen))
            }
            ("__builtin_object_size" | "__builtin_dynamic_object_size", _) => Some(Value::new(
                Operand::Integer(-1),
                Ty::integer(IntRank::Long, false),
            )),
            ("__builtin_unreachable" | "__builtin_trap", []) => {
                self.builder.terminate(Terminator::Unreachable);
                Some(Value::void())
            }
            ("__builtin_alloca" | "__builtin_alloca_with_align", [bytes, ..]) => {
                let bytes = self.value(bytes).operand;
                self.at(expression);
                let ty = Ty::void().pointer_to();
                Some(Value::new(
                    self.builder
                        .assign(ty.clone(), Rvalue::StackAllocate { bytes }),
                    ty,
                ))
            }
            ("__builtin_types_compatible_p" | "__builtin_classify_type", _) => Some(Value::int(0)),
            _ => None,
        }
    }

    fn assembly(&mut self, expression: &Node<Expression>, operands: &[Node<Expression>]) -> Value {
        let flags = operands.first().and_then(|flags| self.constant(flags));
        let flags = flags.unwrap_or_default();
        let mut outputs: Vec<(Designator, &Node<Expression>)> = Vec::new();
        for operand in operands.iter().skip(1) {
            if let Expression::Call(call) = &operand.node
                && let Expression::Identifier(name) = &call.node.callee.node
                && name.node.name == ASSEMBLY_OUTPUT
                && let [target] = call.node.arguments.as_slice()
            {
                outputs.push((self.designator(target), target));
            } else {
                self.value(operand);
            }
        }
        self.at(expression);
        self.builder.push(Statement::Assembly {
            memory_clobber: flags & ASSEMBLY_CLOBBERS != 0,
            harmless: flags & ASSEMBLY_IS_HARMLESS != 0,
        });
        for (output, node) in outputs {
            self.at(node);
            self.store(output, Operand::Unknown);
        }
        Value::void()
    }

    /// The type of what an undeclared function returns: built-ins by their name, others `int`.
    pub(super) fn builtin_result(&mut self, callee: &Callee, call: &CallExpression) -> Ty {
        let Callee::Direct(function) = callee else {
            return Ty::unknown();
        };
        let name = function.name.as_str();
        let Some(operation) = name
            .strip_prefix("__atomic_")
            .or_else(|| name.strip_prefix("__sync_"))
        else {
            return match name.strip_prefix("__builtin_") {
                Some(builtin) => builtin_type(builtin),
                None => Ty::int(),
            };
        };
        match operation {
            "load" | "store" | "store_n" | "exchange" | "clear" | "thread_fence"
            | "signal_fence" | "synchronize" | "lock_release" => Ty::void(),
            "compare_exchange"
            | "compare_exchange_n"
            | "test_and_set"
            | "bool_compare_and_swap"
            | "always_lock_free"
            | "is_lock_free" => Ty::new(TyKind::Bool),
            // fetch_add, add_fetch, fetch_and_add, load_n, exchange_n, val_compare_and_swap, …
            _ => match call.arguments.first() {
                Some(pointer) => {
                    let pointer = self.type_of(pointer).decayed();
                    pointer.pointee().map_or_else(Ty::unknown, Ty::unqualified)
                }
                None => Ty::unknown(),
            },
        }
    }
}

fn builtin_type(name: &str) -> Ty {
    let pointer = || Ty::void().pointer_to();
    match name {
        "memcpy"
        | "memmove"
        | "memset"
        | "mempcpy"
        | "malloc"
        | "calloc"
        | "realloc"
        | "return_address"
        | "frame_address"
        | "strcpy"
        | "strncpy"
        | "strcat"
        | "strncat"
        | "strchr"
        | "strrchr"
        | "strstr"
        | "memchr"
        | "stpcpy"
        | "strdup"
        | "__memcpy_chk"
        | "__memmove_chk"
        | "__memset_chk"
        | "__strcpy_chk"
        | "__strncpy_chk"
        | "__strcat_chk"
        | "__strncat_chk"
        | "__stpcpy_chk"
        | "extract_return_addr"
        | "apply_args" => pointer(),
        "va_start" | "va_end" | "va_copy" | "prefetch" | "__clear_cache" | "ia32_pause"
        | "free" | "ia32_mfence" | "ia32_lfence" | "ia32_sfence" => Ty::void(),
        "bswap64" | "strlen" | "strspn" | "strcspn" => Ty::integer(IntRank::Long, false),
        "bswap32" => Ty::integer(IntRank::Int, false),
        "bswap16" => Ty::integer(IntRank::Short, false),
        "fabs" | "sqrt" | "huge_val" | "inf" | "nan" | "floor" | "ceil" | "log" | "exp" | "pow"
        | "copysign" | "fmax" | "fmin" | "trunc" | "round" | "rint" => {
            Ty::new(TyKind::Float(FloatTy::Double))
        }
        "fabsf" | "sqrtf" | "huge_valf" | "inff" | "nanf" | "copysignf" | "fmaxf" | "fminf" => {
            Ty::new(TyKind::Float(FloatTy::Single))
        }
        name if name.starts_with("ia32_") => Ty::unknown(),
        _ => Ty::int(),
    }
}
