//! What library functions read and write themselves.

use super::library::synchronises;
use super::rewriting::Rewriting;
use super::writer::long;
use crate::ir::{AccessKind, BinaryOperator, Operand, Rvalue, StatementId};
use crate::models::{Action, AtomicOperation, FunctionModel, Root, Size, Value};

impl Rewriting<'_, '_> {
    /// What a library function reads and writes itself.
    pub fn data_effects(&mut self, at: StatementId, model: &FunctionModel, arguments: &[Operand]) {
        let is_checked = self.shared.noticed.is_checked(self.function, at);
        let mut is_noticed = false;
        for effect in &model.effects {
            let whole = Size::Pointee;
            let accesses: Vec<(&Value, &Size, AccessKind, bool)> = match &effect.action {
                Action::Read { pointer, size } => vec![(pointer, size, AccessKind::Read, false)],
                Action::Write { pointer, size, .. } => {
                    vec![(pointer, size, AccessKind::Write, false)]
                }
                Action::Copy { to, from, size } => vec![
                    (from, size, AccessKind::Read, false),
                    (to, size, AccessKind::Write, false),
                ],
                Action::Atomic(atomic) => match &atomic.pointer {
                    Some(pointer) => {
                        let kind = match atomic.operation {
                            AtomicOperation::Load => AccessKind::Read,
                            _ => AccessKind::Update,
                        };
                        vec![(pointer, &whole, kind, true)]
                    }
                    None => Vec::new(),
                },
                _ => Vec::new(),
            };
            for (pointer, size, kind, is_atomic) in accesses {
                let (Root::Argument(index), true) = (pointer.root, pointer.path.is_empty()) else {
                    continue;
                };
                let Some(operand) = arguments.get(usize::from(index)) else {
                    continue;
                };
                if !self
                    .shared
                    .noticed
                    .is_pointee_shared(self.function, operand)
                {
                    continue;
                }
                is_noticed = true;
                if is_checked && let Some(size) = self.size(size, operand, arguments) {
                    let address = self.writer.as_pointer(operand.clone());
                    self.check_bytes(at, address, size, kind, is_atomic);
                }
            }
        }
        if is_noticed && !is_checked && !synchronises(model) {
            self.point(at);
        }
    }

    fn size(&mut self, size: &Size, pointer: &Operand, arguments: &[Operand]) -> Option<Operand> {
        let argument = |value: &Value| match value.root {
            Root::Argument(index) if value.path.is_empty() => {
                arguments.get(usize::from(index)).cloned()
            }
            Root::Constant(number) => Some(Operand::Integer(i128::from(number))),
            _ => None,
        };
        match size {
            Size::Bytes(bytes) => Some(Operand::Integer(i128::from(*bytes))),
            Size::Value(value) => argument(value),
            Size::Product(left, right) => {
                let (left, right) = (argument(left)?, argument(right)?);
                let value = Rvalue::Binary {
                    operator: BinaryOperator::Multiply,
                    left,
                    right,
                    ty: long(),
                };
                Some(self.writer.assign(long(), value))
            }
            Size::String => Some(Operand::Integer(-1)),
            Size::Pointee | Size::Unknown => {
                let ty = self.type_of(pointer);
                let size = ty.pointee().and_then(|ty| self.shared.program.size_of(ty));
                Some(Operand::Integer(i128::from(size.unwrap_or(1).max(1))))
            }
        }
    }
}
