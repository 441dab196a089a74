//! Prints a body as text, for people and for tests.

use super::*;
use std::fmt::{self, Display, Formatter};

/// A body that prints as text: one line a statement, temporaries as `%3`.
pub struct Pretty<'b> {
    body: &'b Body,
    /// What to write behind each statement, such as its place in the source.
    comment: Option<&'b dyn Fn(StatementId) -> String>,
}

impl Body {
    pub fn pretty(&self) -> Pretty<'_> {
        Pretty {
            body: self,
            comment: None,
        }
    }

    pub fn pretty_with<'b>(&'b self, comment: &'b dyn Fn(StatementId) -> String) -> Pretty<'b> {
        Pretty {
            body: self,
            comment: Some(comment),
        }
    }
}

impl Display for Pretty<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let body = self.body;
        write!(f, "fn {}(", body.function.name)?;
        for index in 0..body.parameters {
            let local = &body.locals[index];
            let separator = if index > 0 { ", " } else { "" };
            write!(
                f,
                "{separator}{}: {}",
                self.local(LocalId(index as u32)),
                local.ty
            )?;
        }
        writeln!(
            f,
            "{}) {} {{",
            if body.variadic { ", ..." } else { "" },
            body.result
        )?;
        for (index, local) in body.locals.iter().enumerate().skip(body.parameters) {
            let id = LocalId(index as u32);
            match (local.name.is_some(), local.storage) {
                (_, Storage::Memory) => writeln!(f, "  var {}: {}", self.local(id), local.ty)?,
                (true, Storage::Register) => writeln!(f, "  let {}: {}", self.local(id), local.ty)?,
                (false, Storage::Register) => {}
            }
        }
        for statement in &body.statics {
            writeln!(f, "  static {}", self.statement(statement))?;
        }
        for (index, block) in body.blocks.iter().enumerate() {
            writeln!(f, "b{index}:")?;
            for (position, statement) in block.statements.iter().enumerate() {
                let id = StatementId {
                    block: BlockId(index as u32),
                    index: position as u32,
                };
                let text = self.statement(statement);
                match self.comment {
                    Some(comment) => writeln!(f, "  {text:<50} // {}", comment(id))?,
                    None => writeln!(f, "  {text}")?,
                }
            }
            writeln!(f, "  {}", self.terminator(&block.terminator))?;
        }
        f.write_str("}\n")
    }
}

impl Pretty<'_> {
    fn local(&self, id: LocalId) -> String {
        let Some(local) = self.body.locals.get(id.0 as usize) else {
            return format!("%{}", id.0);
        };
        match local.name {
            Some(name) => {
                let twins = self.body.locals[..id.0 as usize]
                    .iter()
                    .filter(|other| other.name == Some(name))
                    .count();
                if twins > 0 {
                    format!("{name}.{twins}")
                } else {
                    name.to_string()
                }
            }
            None => format!("%{}", id.0),
        }
    }

    pub fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Local(local) => self.local(*local),
            Operand::Integer(value) => value.to_string(),
            Operand::Float(bits) => format!("{:?}", f64::from_bits(*bits)),
            Operand::String(id) => match self.body.strings.get(id.0 as usize) {
                Some(bytes) => format!("\"{}\"", bytes.escape_ascii()),
                None => format!("string{}", id.0),
            },
            Operand::Function(function) => function.name.to_string(),
            Operand::Unknown => "?".into(),
        }
    }

    pub fn place(&self, place: &Place) -> String {
        let mut text = match &place.base {
            Base::Local(local) => self.local(*local),
            Base::Global(global) => global.name.to_string(),
            Base::Deref(pointer) => match place.path.first() {
                Some(Projection::Field { .. }) => format!("{}->", self.operand(pointer)),
                Some(Projection::Index(_)) => self.operand(pointer),
                None => return format!("*{}", self.operand(pointer)),
            },
        };
        for (index, projection) in place.path.iter().enumerate() {
            match projection {
                Projection::Field { name, .. }
                    if index == 0 && matches!(place.base, Base::Deref(_)) =>
                {
                    text.push_str(name);
                }
                Projection::Field { name, .. } => {
                    text.push('.');
                    text.push_str(name);
                }
                Projection::Index(index) => text.push_str(&format!("[{}]", self.operand(index))),
            }
        }
        text
    }

    fn statement(&self, statement: &Statement) -> String {
        match statement {
            Statement::Load {
                target,
                place,
                mode,
                ty,
            } => {
                format!(
                    "{} = load{}{} {}",
                    self.local(*target),
                    mode.suffix(),
                    untyped(ty),
                    self.place(place)
                )
            }
            Statement::Store {
                place,
                value,
                mode,
                ty,
            } => {
                format!(
                    "store{}{} {} = {}",
                    mode.suffix(),
                    untyped(ty),
                    self.place(place),
                    self.operand(value)
                )
            }
            Statement::Update {
                target,
                place,
                operator,
                value,
                ..
            } => format!(
                "{} = update {} {}= {}",
                self.local(*target),
                self.place(place),
                operator.symbol(),
                self.operand(value)
            ),
            Statement::Assign { target, value } => {
                format!("{} = {}", self.local(*target), self.rvalue(value))
            }
            Statement::Call {
                target,
                callee,
                arguments,
            } => {
                let callee = match callee {
                    Callee::Direct(function) => function.name.to_string(),
                    Callee::Indirect(pointer) => format!("(*{})", self.operand(pointer)),
                };
                let arguments: Vec<String> = arguments
                    .iter()
                    .map(|argument| self.operand(argument))
                    .collect();
                let call = format!("call {callee}({})", arguments.join(", "));
                match target {
                    Some(target) => format!("{} = {call}", self.local(*target)),
                    None => call,
                }
            }
            Statement::Assembly {
                memory_clobber: true,
                ..
            } => "asm (memory)".into(),
            Statement::Assembly {
                memory_clobber: false,
                ..
            } => "asm".into(),
        }
    }

    fn rvalue(&self, value: &Rvalue) -> String {
        match value {
            Rvalue::Use(operand) => self.operand(operand),
            Rvalue::Unary(operator, operand) => {
                format!("{}{}", operator.symbol(), self.operand(operand))
            }
            Rvalue::Binary {
                operator,
                left,
                right,
                ..
            } => {
                format!(
                    "{} {} {}",
                    self.operand(left),
                    operator.symbol(),
                    self.operand(right)
                )
            }
            Rvalue::Convert { value, from } => {
                format!("convert {} from {from}", self.operand(value))
            }
            Rvalue::AddressOf(place) => format!("&{}", self.place(place)),
            Rvalue::PointerAdd { base, index, size } => {
                format!("{} + {} * {size}", self.operand(base), self.operand(index))
            }
            Rvalue::PointerDifference { left, right, size } => {
                format!(
                    "({} - {}) / {size}",
                    self.operand(left),
                    self.operand(right)
                )
            }
            Rvalue::LabelAddress(block) => format!("&&b{}", block.0),
            Rvalue::StackAllocate { bytes } => format!("stack {}", self.operand(bytes)),
            Rvalue::VariableArgument(list) => format!("va_arg {}", self.operand(list)),
        }
    }

    fn terminator(&self, terminator: &Terminator) -> String {
        match terminator {
            Terminator::Goto(target) => format!("goto b{}", target.0),
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                format!(
                    "if {} goto b{} else b{}",
                    self.operand(condition),
                    then.0,
                    otherwise.0
                )
            }
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                let cases: Vec<String> = cases
                    .iter()
                    .map(|case| {
                        let range = if case.low == case.high {
                            String::new()
                        } else {
                            format!("..={}", case.high)
                        };
                        format!("{}{range}: b{}", case.low, case.target.0)
                    })
                    .collect();
                let separator = if cases.is_empty() { "" } else { ", " };
                format!(
                    "switch {} {{{}{separator}default: b{}}}",
                    self.operand(value),
                    cases.join(", "),
                    default.0
                )
            }
            Terminator::ComputedGoto { address, targets } => {
                let targets: Vec<String> = targets
                    .iter()
                    .map(|target| format!("b{}", target.0))
                    .collect();
                format!("goto *{} [{}]", self.operand(address), targets.join(", "))
            }
            Terminator::Return(Some(value)) => format!("return {}", self.operand(value)),
            Terminator::Return(None) => "return".into(),
            Terminator::Unreachable => "unreachable".into(),
        }
    }
}

/// Marks an access of which the type is not known.
fn untyped(ty: &Ty) -> &'static str {
    if ty.is_unknown() { ".untyped" } else { "" }
}

impl AccessMode {
    fn suffix(self) -> &'static str {
        match self {
            AccessMode::Plain => "",
            AccessMode::Volatile => ".volatile",
            AccessMode::Atomic => ".atomic",
        }
    }
}

impl UnaryOperator {
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOperator::Negate => "-",
            UnaryOperator::Complement => "~",
            UnaryOperator::Not => "!",
        }
    }
}

impl BinaryOperator {
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOperator::Add => "+",
            BinaryOperator::Subtract => "-",
            BinaryOperator::Multiply => "*",
            BinaryOperator::Divide => "/",
            BinaryOperator::Remainder => "%",
            BinaryOperator::ShiftLeft => "<<",
            BinaryOperator::ShiftRight => ">>",
            BinaryOperator::And => "&",
            BinaryOperator::Or => "|",
            BinaryOperator::Xor => "^",
            BinaryOperator::Equal => "==",
            BinaryOperator::NotEqual => "!=",
            BinaryOperator::Less => "<",
            BinaryOperator::LessOrEqual => "<=",
            BinaryOperator::Greater => ">",
            BinaryOperator::GreaterOrEqual => ">=",
        }
    }
}
