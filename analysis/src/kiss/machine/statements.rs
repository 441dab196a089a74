//! One step of one thread.

use super::image::{LABELS, Machine, type_of};
use super::memory::Content;
use super::state::{Activation, End, Frame, State};
use super::stop::{Fault, Limit, Stop};
use super::value::{Closed, Unknown, Value, binary, convert, is_true, unary, wrap};
use crate::ir::{
    BinaryOperator, Callee, LocalId, Operand, Rvalue, Statement, StatementId, Terminator, Ty,
};

impl Machine<'_> {
    /// Makes the thread's next step, which must not be blocked. If it cannot be made, the state is as before.
    pub fn step(&self, state: &mut State, thread: usize) -> Result<(), Stop> {
        match state.threads[thread].stack.last() {
            Some(Activation::Model(_)) => self.effect_step(state, thread),
            Some(Activation::Frame(frame)) => {
                let body = self.body(frame.body).clone();
                let block = &body.blocks[frame.block as usize];
                match block.statements.get(frame.index as usize) {
                    Some(statement) => self.statement(state, thread, statement),
                    None => self.terminator(state, thread, &block.terminator),
                }
            }
            None => Ok(()),
        }
    }

    /// Makes one statement and goes on to the next; a call goes on when it returns.
    pub(super) fn statement(
        &self,
        state: &mut State,
        thread: usize,
        statement: &Statement,
    ) -> Result<(), Stop> {
        let frame = self.frame(state, thread)?;
        let body = self.body(frame.body).clone();
        match statement {
            Statement::Load {
                target, place, ty, ..
            } => {
                let address = self.address(state, thread, frame, place)?;
                let value = self.load(state, address, ty)?;
                self.advance(state, thread, Some((*target, value)));
            }
            Statement::Store {
                place, value, ty, ..
            } => {
                let address = self.address(state, thread, frame, place)?;
                let value = self.operand(frame, value)?;
                self.store(state, address, &value, ty)?;
                self.advance(state, thread, None);
            }
            Statement::Update {
                target,
                place,
                operator,
                value,
                ty,
            } => {
                let address = self.address(state, thread, frame, place)?;
                let old = self.known(self.load(state, address, ty)?)?;
                let mut by = self.known(self.operand(frame, value)?)?;
                if let (Some(pointee), Value::Integer(count)) = (ty.pointee(), &by) {
                    let size = i128::from(self.size_of(pointee)?);
                    by = Value::Integer(wrap(self.program.data_model, count * size, ty));
                }
                let new = binary(self.program.data_model, *operator, &old, &by, ty);
                let new = convert(self.program.data_model, new, ty);
                self.store(state, address, &new, ty)?;
                self.advance(state, thread, Some((*target, old)));
            }
            Statement::Assign { target, value } => {
                if let Rvalue::StackAllocate { bytes } = value {
                    let Value::Integer(size) = self.known(self.operand(frame, bytes)?)? else {
                        return Err(Limit::Unsupported("such a size of an array").into());
                    };
                    let size = u64::try_from(size).map_err(|_| Fault::OutOfMemory)?;
                    let address =
                        state
                            .memory
                            .allocate(thread + 1, size, Content::UNINITIALISED)?;
                    if let Some(Activation::Frame(frame)) =
                        state.thread_mut(thread).stack.last_mut()
                    {
                        frame.dynamic.push(address);
                    }
                    let value = Value::Integer(i128::from(address));
                    self.advance(state, thread, Some((*target, value)));
                    return Ok(());
                }
                let value = self.rvalue(state, thread, frame, value, type_of(&body, *target))?;
                self.advance(state, thread, Some((*target, value)));
            }
            Statement::Call {
                target,
                callee,
                arguments,
            } => {
                let function = match callee {
                    Callee::Direct(function) => *function,
                    Callee::Indirect(pointer) => self.function_at(self.pointer(frame, pointer)?)?,
                };
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    let ty = match argument {
                        Operand::Local(local) => type_of(&body, *local).clone(),
                        _ => Ty::unknown(),
                    };
                    values.push((self.operand(frame, argument)?, ty));
                }
                let result = target.map_or_else(Ty::void, |target| type_of(&body, target).clone());
                self.call(state, thread, function, values, &result)?;
            }
            Statement::Assembly { harmless: true, .. } => self.advance(state, thread, None),
            // It may be a lock, or what gives one back.
            Statement::Assembly { .. } => {
                return Err(Limit::Unsupported("inline assembly").into());
            }
        }
        Ok(())
    }

    fn terminator(
        &self,
        state: &mut State,
        thread: usize,
        terminator: &Terminator,
    ) -> Result<(), Stop> {
        let frame = self.frame(state, thread)?;
        let next = match terminator {
            Terminator::Goto(target) => *target,
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                let value = self.known(self.operand(frame, condition)?)?;
                match is_true(&value) {
                    Some(true) => *then,
                    Some(false) => *otherwise,
                    None => return Err(Limit::Unsupported("such a condition").into()),
                }
            }
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                let Value::Integer(number) = self.known(self.operand(frame, value)?)? else {
                    return Err(Limit::Unsupported("such a switch").into());
                };
                let case = cases
                    .iter()
                    .find(|case| (case.low..=case.high).contains(&number));
                case.map_or(*default, |case| case.target)
            }
            Terminator::ComputedGoto { address, targets } => {
                let address = self.pointer(frame, address)?;
                let found = targets
                    .iter()
                    .find(|target| LABELS + u64::from(target.0) == address);
                *found.ok_or(Fault::InvalidPointer)?
            }
            Terminator::Return(value) => {
                let value = match value {
                    Some(value) => self.operand(frame, value)?,
                    None => Value::closed(Closed::Unrepresented),
                };
                return self.return_from(state, thread, value);
            }
            Terminator::Unreachable => return Err(Fault::Unreachable.into()),
        };
        if let Some(Activation::Frame(frame)) = state.thread_mut(thread).stack.last_mut() {
            frame.block = next.0;
            frame.index = 0;
        }
        Ok(())
    }

    /// Sets the target and goes on to the next statement of the innermost frame.
    pub(super) fn advance(&self, state: &mut State, thread: usize, set: Option<(LocalId, Value)>) {
        if let Some(Activation::Frame(frame)) = state.thread_mut(thread).stack.last_mut() {
            if let Some((target, value)) = set {
                frame.registers[target.0 as usize] = value;
            }
            frame.index += 1;
        }
    }

    pub(super) fn frame<'s>(&self, state: &'s State, thread: usize) -> Result<&'s Frame, Stop> {
        match state.threads[thread].stack.last() {
            Some(Activation::Frame(frame)) => Ok(frame),
            _ => Err(Limit::Unsupported("a thread that has ended").into()),
        }
    }

    pub(super) fn operand(&self, frame: &Frame, operand: &Operand) -> Result<Value, Stop> {
        Ok(match operand {
            Operand::Local(local) => frame.registers[local.0 as usize].clone(),
            Operand::Integer(number) => Value::Integer(*number),
            Operand::Float(bits) => Value::Float(f64::from_bits(*bits)),
            Operand::String(string) => match self.string(frame.body, *string) {
                Some(address) => Value::Integer(i128::from(address)),
                None => Value::closed(Closed::Unrepresented),
            },
            Operand::Function(function) => match self.function_address(*function) {
                Some(address) => Value::Integer(i128::from(address)),
                None => Value::closed(Closed::Unrepresented),
            },
            Operand::Unknown => Value::closed(Closed::Unrepresented),
        })
    }

    fn rvalue(
        &self,
        state: &State,
        thread: usize,
        frame: &Frame,
        value: &Rvalue,
        ty: &Ty,
    ) -> Result<Value, Stop> {
        let model = self.program.data_model;
        Ok(match value {
            Rvalue::Use(operand) => self.operand(frame, operand)?,
            Rvalue::Unary(operator, operand) => {
                let value = self.computable(self.operand(frame, operand)?)?;
                match value {
                    Value::Unknown(_) => value,
                    value => unary(model, *operator, value, ty),
                }
            }
            Rvalue::Binary {
                operator,
                left,
                right,
                ty,
            } => {
                let left = self.computable(self.operand(frame, left)?)?;
                let right = self.computable(self.operand(frame, right)?)?;
                if let Some(pointers) = self.pointer_comparison(*operator, &left, &right, ty) {
                    return Ok(pointers);
                }
                match (&left, &right) {
                    (Value::Unknown(_), _) => left,
                    (_, Value::Unknown(_)) => right,
                    _ => binary(model, *operator, &left, &right, ty),
                }
            }
            Rvalue::Convert { value, from } => {
                let value = self.operand(frame, value)?;
                // The same bits stay the same unknown value.
                let keeps = self.program.size_of(from) == self.program.size_of(ty)
                    && from.is_float() == ty.is_float()
                    && !matches!(ty.kind(), crate::ir::TyKind::Bool)
                    && from.pointee().is_some() == ty.pointee().is_some()
                    && from.kind() == ty.kind();
                match value {
                    Value::Unknown(Unknown::Open(_)) if keeps => value,
                    value => match self.computable(value)? {
                        value @ Value::Unknown(_) => value,
                        value => convert(model, value, ty),
                    },
                }
            }
            Rvalue::AddressOf(place) => {
                let address = self.address(state, thread, frame, place)?;
                Value::Integer(i128::from(address.first))
            }
            Rvalue::PointerAdd { base, index, size } => {
                let base = self.computable(self.operand(frame, base)?)?;
                let index = self.computable(self.operand(frame, index)?)?;
                match (base, index) {
                    (Value::Integer(base), Value::Integer(index)) => {
                        let moved = base.wrapping_add(index.wrapping_mul(i128::from(*size)));
                        Value::Integer(wrap(model, moved, ty))
                    }
                    (unknown @ Value::Unknown(_), _) | (_, unknown @ Value::Unknown(_)) => unknown,
                    _ => Value::closed(Closed::Unrepresented),
                }
            }
            Rvalue::PointerDifference { left, right, size } => {
                let left = self.computable(self.operand(frame, left)?)?;
                let right = self.computable(self.operand(frame, right)?)?;
                match (left, right) {
                    (Value::Integer(left), Value::Integer(right))
                        if *size > 0
                            && super::memory::object_of(left as u64)
                                == super::memory::object_of(right as u64) =>
                    {
                        Value::Integer(wrap(model, (left - right) / i128::from(*size), ty))
                    }
                    (unknown @ Value::Unknown(_), _) | (_, unknown @ Value::Unknown(_)) => unknown,
                    _ => Value::closed(Closed::Undefined),
                }
            }
            Rvalue::LabelAddress(block) => Value::Integer(i128::from(LABELS + u64::from(block.0))),
            Rvalue::StackAllocate { .. } | Rvalue::VariableArgument(_) => {
                Value::closed(Closed::Unrepresented)
            }
        })
    }

    /// A value that arithmetic can use, or a closed one, which stays closed whatever is computed with it.
    fn computable(&self, value: Value) -> Result<Value, Stop> {
        match value {
            Value::Unknown(Unknown::Open(open)) => Err(Stop::Choose(open)),
            value => Ok(value),
        }
    }

    /// Which of two objects comes first in memory is nothing that a program could know.
    fn pointer_comparison(
        &self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
        ty: &Ty,
    ) -> Option<Value> {
        use BinaryOperator::{Greater, GreaterOrEqual, Less, LessOrEqual};
        let orders = matches!(operator, Less | LessOrEqual | Greater | GreaterOrEqual);
        let (Value::Integer(left), Value::Integer(right)) = (left, right) else {
            return None;
        };
        let different =
            super::memory::object_of(*left as u64) != super::memory::object_of(*right as u64);
        (orders && ty.pointee().is_some() && different).then(|| Value::closed(Closed::Undefined))
    }

    /// The statement that the thread is at, in its innermost function of the program.
    pub fn position(&self, state: &State, thread: usize) -> Option<(u32, StatementId)> {
        let frame = state.threads[thread].frame()?;
        let statement = StatementId {
            block: crate::ir::BlockId(frame.block),
            index: frame.index,
        };
        Some((frame.body, statement))
    }

    /// Ends the whole program.
    pub(super) fn end(&self, state: &mut State, end: End) {
        state.end = Some(end);
    }
}
