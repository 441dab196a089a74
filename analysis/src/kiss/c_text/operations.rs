//! Statements as C.

use super::places::FunctionPrinter;
use super::types::operand_type;
use crate::ir::{
    BinaryOperator, Callee, FunctionRef, FunctionTy, IntRank, Operand, Place, Rvalue, Statement,
    Ty, TyKind,
};
use crate::kiss::program::Meaning;

impl FunctionPrinter<'_> {
    pub fn statement(&self, statement: &Statement) -> String {
        match statement {
            Statement::Load {
                target, place, ty, ..
            } => {
                let own = &self.body.local(*target).ty;
                let object = self.object(place, ty);
                if matches!(ty.kind(), TyKind::VaList) {
                    return format!("__builtin_va_copy({}, {object});", self.local(*target));
                }
                let value = self.converted(object, &ty.decayed(), &own.decayed());
                format!("{} = {value};", self.local(*target))
            }
            Statement::Store {
                place, value, ty, ..
            } => self.store(place, value, ty),
            Statement::Update {
                target,
                place,
                operator,
                value,
                ty,
            } => {
                let old = self.local(*target);
                let object = self.object(place, ty);
                let counted = match ty.pointee() {
                    Some(_) => self.plain(value),
                    None => self.operand(value, ty),
                };
                let name = self.printer.type_name(ty);
                format!(
                    "{old} = {object}; {object} = ({name})({old} {} {counted});",
                    operator.symbol()
                )
            }
            Statement::Assign { target, value } => {
                let ty = &self.body.local(*target).ty;
                format!("{} = {};", self.local(*target), self.rvalue(value, ty))
            }
            Statement::Call {
                target,
                callee,
                arguments,
            } => {
                let (call, result) = self.call(
                    callee,
                    arguments,
                    target.map(|target| &self.body.local(target).ty),
                );
                match target {
                    Some(target) => {
                        let own = &self.body.local(*target).ty;
                        let value = self.converted(call, &result, own);
                        format!("{} = {value};", self.local(*target))
                    }
                    None => format!("{call};"),
                }
            }
            Statement::Assembly { .. } => "/* assembly */;".to_owned(),
        }
    }

    /// Whole aggregates are copied, filled with zeros, or begin with a string.
    fn store(&self, place: &Place, value: &Operand, ty: &Ty) -> String {
        let object = self.object(place, ty);
        match value {
            Operand::Local(local) if matches!(ty.kind(), TyKind::VaList) => {
                format!("__builtin_va_copy({object}, {});", self.local(*local))
            }
            Operand::Local(_) => format!("{object} = {};", self.operand(value, ty)),
            Operand::String(string) if ty.is_aggregate() => {
                let length = self.body.strings[string.0 as usize].len() as u64;
                let size = self.printer.program.size_of(ty).unwrap_or(0);
                let text = self.plain(value);
                format!(
                    "__builtin_memset(&{object}, 0, {size}); __builtin_memcpy(&{object}, {text}, {});",
                    length.min(size)
                )
            }
            Operand::Unknown if ty.is_aggregate() => "/* an unknown value */;".to_owned(),
            _ if ty.is_aggregate() => format!("__builtin_memset(&{object}, 0, sizeof {object});"),
            _ => format!("{object} = {};", self.operand(value, ty)),
        }
    }

    fn rvalue(&self, value: &Rvalue, ty: &Ty) -> String {
        match value {
            Rvalue::Use(operand) => self.operand(operand, ty),
            Rvalue::Unary(operator, operand) => {
                let inner = match operator {
                    crate::ir::UnaryOperator::Not => self.plain(operand),
                    _ => self.operand(operand, ty),
                };
                self.narrowed(format!("{}({inner})", operator.symbol()), ty)
            }
            Rvalue::Binary {
                operator,
                left,
                right,
                ty: operands,
            } => {
                let right = match operator {
                    BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => self.plain(right),
                    _ => self.operand(right, operands),
                };
                let left = self.operand(left, operands);
                let computed = if operands.pointee().is_some() && !operator.is_comparison() {
                    format!("(long){left} {} (long){right}", operator.symbol())
                } else {
                    format!("{left} {} {right}", operator.symbol())
                };
                let is_plain = operator.is_comparison()
                    || self.printer.type_name(operands) == self.printer.type_name(ty);
                if is_plain && !is_small(ty) {
                    computed
                } else {
                    self.narrowed(format!("({computed})"), ty)
                }
            }
            Rvalue::Convert { value, from } => {
                let own = match value {
                    Operand::Local(_) | Operand::Integer(_) => operand_type(self.body, value),
                    _ => from.clone(),
                };
                let plain = self.operand(value, &own);
                if matches!(ty.kind(), TyKind::Int(int) if matches!(int.rank, IntRank::BitInt(_))) {
                    return self.narrowed(plain, ty);
                }
                self.converted(plain, &own, ty)
            }
            Rvalue::AddressOf(place) => self.address(place, ty),
            Rvalue::PointerAdd { base, index, size } => {
                let bytes = Ty::integer(IntRank::PlainChar, true).pointer_to();
                let base = self.operand(base, &bytes);
                let index = self.operand(index, &Ty::integer(IntRank::Long, true));
                let moved = if *size == 1 {
                    format!("{base} + {index}")
                } else {
                    format!("{base} + {index} * {size}")
                };
                self.converted(moved, &bytes, ty)
            }
            Rvalue::PointerDifference { left, right, size } => {
                let long = Ty::integer(IntRank::Long, true);
                let [left, right] = [left, right].map(|side| self.operand(side, &long));
                format!("({left} - {right}) / {}L", size.max(&1))
            }
            Rvalue::LabelAddress(block) => {
                self.converted(format!("&&block_{}", block.0), &Ty::void().pointer_to(), ty)
            }
            Rvalue::StackAllocate { bytes } => format!("__builtin_alloca({})", self.plain(bytes)),
            Rvalue::VariableArgument(list) => format!(
                "__builtin_va_arg(*{}, {})",
                self.plain(list),
                self.printer.type_name(ty)
            ),
        }
    }

    /// A computed number brought into the range of a type that is narrower than what C computes with.
    fn narrowed(&self, text: String, ty: &Ty) -> String {
        let name = self.printer.type_name(ty);
        match ty.kind() {
            TyKind::Int(int) => match int.rank {
                IntRank::BitInt(width @ 1..=63) => {
                    let unused = 64 - width;
                    if int.signed {
                        format!(
                            "({name})((long long)((unsigned long long)({text}) << {unused}) >> {unused})"
                        )
                    } else {
                        let mask = (1u64 << width) - 1;
                        format!("({name})((unsigned long long)({text}) & {mask}ULL)")
                    }
                }
                _ => format!("({name})({text})"),
            },
            TyKind::Record(_) | TyKind::Unknown => text,
            _ => format!("({name})({text})"),
        }
    }

    /// A call, and the type of what it gives.
    fn call(&self, callee: &Callee, arguments: &[Operand], wanted: Option<&Ty>) -> (String, Ty) {
        match callee {
            Callee::Direct(function) => self.direct_call(*function, arguments, wanted),
            Callee::Indirect(pointer) => {
                let own = operand_type(self.body, pointer);
                let known = own
                    .as_function()
                    .filter(|known| !known.unspecified)
                    .cloned();
                let called = known.unwrap_or_else(|| FunctionTy {
                    result: wanted.cloned().unwrap_or_else(Ty::void),
                    parameters: arguments
                        .iter()
                        .map(|argument| operand_type(self.body, argument))
                        .collect(),
                    variadic: false,
                    unspecified: false,
                });
                let ty = Ty::new(TyKind::Function(called.clone())).pointer_to();
                let pointer = self.operand(pointer, &ty);
                let arguments = self.arguments(arguments, &called.parameters);
                (format!("({pointer})({arguments})"), called.result)
            }
        }
    }

    fn direct_call(
        &self,
        function: FunctionRef,
        arguments: &[Operand],
        wanted: Option<&Ty>,
    ) -> (String, Ty) {
        let name = self.printer.names.function(function);
        let unknown = || wanted.cloned().unwrap_or_else(Ty::void);
        if let Meaning::Body(body) = self.printer.program.function(function) {
            let parameters: Vec<Ty> = body.locals[..body.parameters]
                .iter()
                .map(|local| local.ty.decayed())
                .collect();
            let printed = self.arguments(arguments, &parameters);
            return (format!("{name}({printed})"), body.result.clone());
        }
        if let "__builtin_va_start" | "__builtin_va_end" | "__builtin_va_copy" =
            function.name.as_str()
        {
            return (self.variable_arguments(function, arguments), Ty::void());
        }
        match self
            .printer
            .program
            .declaration(function)
            .and_then(Ty::as_function)
        {
            Some(declared) => {
                // Qualifiers are left out of casts, and functions that differ in them are different types; a pointer
                // to nothing in particular fits every parameter.
                let parameter = |ty: &Ty| match ty.as_function() {
                    Some(_) => Ty::void().pointer_to(),
                    None => self.printer.external_parameter(ty).decayed(),
                };
                let parameters: Vec<Ty> = match declared.unspecified {
                    true => Vec::new(),
                    false => declared.parameters.iter().map(parameter).collect(),
                };
                let printed = self.arguments(arguments, &parameters);
                let call = format!("{name}({printed})");
                let result = declared.result.clone();
                // What points to a constant elsewhere does not do so here.
                if result.pointee().is_some() && wanted.is_some() {
                    return (
                        format!("({}){call}", self.printer.type_name(&result)),
                        result,
                    );
                }
                (call, result)
            }
            None => (
                format!("{name}({})", self.arguments(arguments, &[])),
                unknown(),
            ),
        }
    }

    /// The compiler's own functions take the list itself, where the representation has its address.
    fn variable_arguments(&self, function: FunctionRef, arguments: &[Operand]) -> String {
        let lists = match function.name.as_str() {
            "__builtin_va_copy" => 2,
            _ => 1,
        };
        let arguments: Vec<String> = arguments
            .iter()
            .enumerate()
            .map(|(index, argument)| {
                let text = self.plain(argument);
                if index < lists {
                    format!("*{text}")
                } else {
                    text
                }
            })
            .collect();
        format!("{}({})", function.name, arguments.join(", "))
    }

    fn arguments(&self, arguments: &[Operand], parameters: &[Ty]) -> String {
        let printed: Vec<String> = arguments
            .iter()
            .enumerate()
            .map(
                |(index, argument)| match (parameters.get(index), argument) {
                    (Some(parameter), _) => self.operand(argument, &parameter.decayed()),
                    // Nobody converts a variable argument; a negative one must have all its bits.
                    (None, Operand::Integer(number)) if *number < 0 => {
                        self.operand(argument, &Ty::integer(IntRank::Long, true))
                    }
                    (None, _) => self.plain(argument),
                },
            )
            .collect();
        printed.join(", ")
    }
}

/// C computes in `int` what is narrower.
fn is_small(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Int(int) => !matches!(
            int.rank,
            IntRank::Int | IntRank::Long | IntRank::LongLong | IntRank::Int128
        ),
        _ => false,
    }
}
