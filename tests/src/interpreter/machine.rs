//! Executes bodies, statement by statement.

use std::collections::HashMap;

use racelens_analysis::ir::{
    BlockId, Body, Callee, FunctionRef, GlobalRef, LocalId, Operand, Rvalue, Statement, Storage,
    Terminator, Ty,
};

use super::arithmetic::{binary, convert, is_of_type, is_true, unary};
use super::memory::{Content, Memory};
use super::places::Address;
use super::{Fault, Program, TOO_LONG, Value};

pub struct Machine<'p> {
    pub(super) program: &'p Program,
    pub(super) memory: Memory,
    /// What the program handed to `out`.
    pub output: Vec<i64>,
    globals: HashMap<GlobalRef, u64>,
    strings: HashMap<(FunctionRef, u32), u64>,
    /// The bytes of each string, by its address.
    string_bytes: HashMap<u64, Vec<u8>>,
    steps: u64,
    depth: usize,
}

/// One activation of a function.
pub(super) struct Frame<'b> {
    body: &'b Body,
    registers: Vec<Option<Value>>,
    /// Where each variable in memory lies; zero for registers.
    pub objects: Vec<u64>,
}

/// A program that runs longer has lost its way.
const MOST_STEPS: u64 = 200_000;
const DEEPEST_CALL: usize = 100;
/// Functions and labels have addresses too, far from those of objects.
const FUNCTIONS: u64 = 1 << 62;
const LABELS: u64 = 1 << 61;

impl<'p> Machine<'p> {
    /// Gives every variable its first value.
    pub fn start(program: &'p Program) -> Result<Machine<'p>, Fault> {
        let mut machine = Machine {
            program,
            memory: Memory::default(),
            output: Vec::new(),
            globals: HashMap::new(),
            strings: HashMap::new(),
            string_bytes: HashMap::new(),
            steps: 0,
            depth: 0,
        };
        for lowered in &program.initialisers {
            // What an initialiser makes, such as a compound literal, stays.
            let mut frame = machine.frame(&lowered.body)?;
            machine.run(&mut frame)?;
        }
        for lowered in &program.functions {
            let mut frame = machine.frame(&lowered.body)?;
            for statement in &lowered.body.statics {
                machine.statement(&mut frame, statement)?;
            }
        }
        Ok(machine)
    }

    /// Calls a function by its name.
    pub fn call(&mut self, name: &str, arguments: Vec<Value>) -> Result<Option<Value>, Fault> {
        let found = self
            .program
            .functions
            .iter()
            .find(|lowered| lowered.body.function.name == name);
        match found {
            Some(lowered) => self.execute(&lowered.body, arguments),
            None => self.external(name, &arguments),
        }
    }

    fn execute(&mut self, body: &Body, arguments: Vec<Value>) -> Result<Option<Value>, Fault> {
        if arguments.len() < body.parameters {
            return Fault::new(format!("too few arguments for `{}`", body.function.name));
        }
        let mut frame = self.frame(body)?;
        for (index, argument) in arguments.into_iter().take(body.parameters).enumerate() {
            self.set(&mut frame, LocalId(index as u32), argument)?;
        }
        self.depth += 1;
        if self.depth > DEEPEST_CALL {
            return Fault::new("a recursion without end");
        }
        let result = self.run(&mut frame)?;
        self.depth -= 1;
        for object in frame.objects.into_iter().filter(|&object| object != 0) {
            self.memory.free(object)?;
        }
        match result {
            Some(value) if !is_of_type(&value, &body.result) => Fault::new(format!(
                "`{}` returns {value:?} as `{}`",
                body.function.name, body.result
            )),
            result => Ok(result),
        }
    }

    /// Runs a frame from the entry of its body until it returns.
    fn run(&mut self, frame: &mut Frame<'_>) -> Result<Option<Value>, Fault> {
        let body = frame.body;
        let mut block = BlockId(0);
        loop {
            for statement in &body.block(block).statements {
                self.statement(frame, statement).map_err(|fault| {
                    let function = body.function.name;
                    Fault(format!("{fault}\n  in {function}: {statement:?}"))
                })?;
            }
            match self.terminator(frame, &body.block(block).terminator)? {
                Next::Block(next) => block = next,
                Next::Return(value) => return Ok(value),
            }
        }
    }

    fn frame<'b>(&mut self, body: &'b Body) -> Result<Frame<'b>, Fault> {
        let mut objects = Vec::with_capacity(body.locals.len());
        for local in &body.locals {
            objects.push(match local.storage {
                Storage::Register => 0,
                Storage::Memory => {
                    let size = self.program.size_of(&local.ty)?;
                    self.memory.allocate(size, Content::Leftover)
                }
            });
        }
        Ok(Frame {
            body,
            registers: vec![None; body.locals.len()],
            objects,
        })
    }

    fn statement(&mut self, frame: &mut Frame<'_>, statement: &Statement) -> Result<(), Fault> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Fault::new(TOO_LONG);
        }
        match statement {
            Statement::Load {
                target, place, ty, ..
            } => {
                let address = self.address(frame, place)?;
                let value = self.load(address, ty)?;
                self.set(frame, *target, value)
            }
            Statement::Store {
                place, value, ty, ..
            } => {
                let address = self.address(frame, place)?;
                let value = self.operand(frame, value)?;
                self.store(address, value, ty)
            }
            Statement::Update {
                target,
                place,
                operator,
                value,
                ty,
            } => {
                let address = self.address(frame, place)?;
                let old = self.load(address, ty)?;
                let mut value = self.operand(frame, value)?;
                if let (Some(pointee), Value::Integer(count)) = (ty.pointee(), &value) {
                    let size = self.program.size_of(pointee)? as i128;
                    value = convert(Value::Integer(*count * size), ty)?;
                }
                let computed = binary(*operator, old.clone(), value, ty)?;
                let new = convert(computed, ty)?;
                self.store(address, new, ty)?;
                self.set(frame, *target, old)
            }
            Statement::Assign { target, value } => {
                let ty = frame.type_of(*target);
                let value = self.rvalue(frame, value, &ty)?;
                self.set(frame, *target, value)
            }
            Statement::Call {
                target,
                callee,
                arguments,
            } => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.operand(frame, argument)?);
                }
                let result = match callee {
                    Callee::Direct(function) => self.call_function(*function, values)?,
                    Callee::Indirect(pointer) => {
                        let index = self.pointer(frame, pointer)?.wrapping_sub(FUNCTIONS);
                        let Some(lowered) = self.program.functions.get(index as usize) else {
                            return Fault::new("a call of what is no function");
                        };
                        self.execute(&lowered.body, values)?
                    }
                };
                match (target, result) {
                    (Some(target), Some(value)) => self.set(frame, *target, value),
                    // A missing `return` matters only if the value is used.
                    _ => Ok(()),
                }
            }
            Statement::Assembly { .. } => Fault::new("assembly"),
        }
    }

    fn call_function(
        &mut self,
        function: FunctionRef,
        arguments: Vec<Value>,
    ) -> Result<Option<Value>, Fault> {
        match self.program.function(function) {
            Some((_, lowered)) => self.execute(&lowered.body, arguments),
            None => self.external(&function.name, &arguments),
        }
    }

    fn rvalue(&mut self, frame: &Frame<'_>, value: &Rvalue, ty: &Ty) -> Result<Value, Fault> {
        let number = |address: u64| Value::Integer(i128::from(address));
        match value {
            Rvalue::Use(operand) => self.operand(frame, operand),
            Rvalue::Unary(operator, operand) => {
                let value = self.operand(frame, operand)?;
                unary(*operator, value, ty)
            }
            Rvalue::Binary {
                operator,
                left,
                right,
                ty,
            } => {
                let left = self.operand(frame, left)?;
                let right = self.operand(frame, right)?;
                binary(*operator, left, right, ty)
            }
            Rvalue::Convert { value, .. } => {
                let value = self.operand(frame, value)?;
                convert(value, ty)
            }
            Rvalue::AddressOf(place) => {
                let Address { first, bits } = self.address(frame, place)?;
                if bits.is_some() {
                    return Fault::new("the address of a bit-field");
                }
                Ok(number(first))
            }
            Rvalue::PointerAdd { base, index, size } => {
                let base = self.pointer(frame, base)?;
                let Value::Integer(index) = self.operand(frame, index)? else {
                    return Fault::new("a pointer moves by what is no number");
                };
                Ok(number(
                    base.wrapping_add((index * i128::from(*size)) as u64),
                ))
            }
            Rvalue::PointerDifference { left, right, size } => {
                let left = self.pointer(frame, left)? as i64;
                let right = self.pointer(frame, right)? as i64;
                Ok(Value::Integer(i128::from((left - right) / *size as i64)))
            }
            Rvalue::LabelAddress(block) => Ok(number(LABELS + u64::from(block.0))),
            Rvalue::StackAllocate { bytes } => {
                let Value::Integer(size) = self.operand(frame, bytes)? else {
                    return Fault::new("an allocation of what is no number");
                };
                Ok(number(
                    self.memory.allocate(size as usize, Content::Leftover),
                ))
            }
            Rvalue::VariableArgument(_) => Fault::new("a variable argument"),
        }
    }

    fn terminator(&mut self, frame: &Frame<'_>, terminator: &Terminator) -> Result<Next, Fault> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Fault::new(TOO_LONG);
        }
        Ok(match terminator {
            Terminator::Goto(target) => Next::Block(*target),
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.operand(frame, condition)?;
                Next::Block(if is_true(&condition)? {
                    *then
                } else {
                    *otherwise
                })
            }
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                let Value::Integer(value) = self.operand(frame, value)? else {
                    return Fault::new("a switch on what is no number");
                };
                let taken = cases
                    .iter()
                    .find(|case| case.low <= value && value <= case.high);
                Next::Block(taken.map_or(*default, |case| case.target))
            }
            Terminator::ComputedGoto { address, targets } => {
                let address = self.pointer(frame, address)?;
                let found = targets
                    .iter()
                    .find(|target| LABELS + u64::from(target.0) == address);
                match found {
                    Some(target) => Next::Block(*target),
                    None => return Fault::new("a jump to what is no label"),
                }
            }
            Terminator::Return(None) => Next::Return(None),
            Terminator::Return(Some(value)) => Next::Return(Some(self.operand(frame, value)?)),
            Terminator::Unreachable => return Fault::new("unreachable code is reached"),
        })
    }

    pub(super) fn operand(&mut self, frame: &Frame<'_>, operand: &Operand) -> Result<Value, Fault> {
        match operand {
            Operand::Local(local) => match &frame.registers[local.0 as usize] {
                Some(value) => Ok(value.clone()),
                None => Fault::new(format!("register {} has no value", local.0)),
            },
            Operand::Integer(number) => Ok(Value::Integer(*number)),
            Operand::Float(bits) => Ok(Value::Float(f64::from_bits(*bits))),
            Operand::String(string) => {
                let key = (frame.body.function, string.0);
                let address = match self.strings.get(&key) {
                    Some(address) => *address,
                    None => self.new_string(key, frame.body),
                };
                Ok(Value::Integer(i128::from(address)))
            }
            Operand::Function(function) => match self.program.function(*function) {
                Some((index, _)) => Ok(Value::Integer(i128::from(FUNCTIONS + index as u64))),
                None => Fault::new(format!("the address of `{}`", function.name)),
            },
            Operand::Unknown => Fault::new("a value that the lowering did not know"),
        }
    }

    fn new_string(&mut self, key: (FunctionRef, u32), body: &Body) -> u64 {
        let mut bytes = body.strings[key.1 as usize].to_vec();
        // Enough for the closing zero of the widest characters.
        bytes.extend([0; 4]);
        let address = self.memory.allocate(bytes.len(), Content::Zero);
        self.memory
            .write(address, &bytes)
            .unwrap_or_else(|fault| unreachable!("fresh memory has room: {fault}"));
        self.strings.insert(key, address);
        self.string_bytes.insert(address, bytes);
        address
    }

    pub(super) fn string_bytes(&self, address: u64) -> Result<Vec<u8>, Fault> {
        match self.string_bytes.get(&address) {
            Some(bytes) => Ok(bytes.clone()),
            None => Fault::new("an array gets the value of what is no string"),
        }
    }

    pub(super) fn pointer(&mut self, frame: &Frame<'_>, operand: &Operand) -> Result<u64, Fault> {
        match self.operand(frame, operand)? {
            Value::Integer(address) => Ok(address as u64),
            value => Fault::new(format!("{value:?} as a pointer")),
        }
    }

    pub(super) fn global(&mut self, global: GlobalRef, ty: &Ty) -> Result<u64, Fault> {
        if let Some(address) = self.globals.get(&global) {
            return Ok(*address);
        }
        let size = self.program.size_of(ty)?;
        let address = self.memory.allocate(size, Content::Zero);
        self.globals.insert(global, address);
        Ok(address)
    }

    fn set(&mut self, frame: &mut Frame<'_>, local: LocalId, value: Value) -> Result<(), Fault> {
        let ty = frame.type_of(local);
        if !is_of_type(&value, &ty) {
            return Fault::new(format!("a register of `{ty}` gets {value:?}"));
        }
        frame.registers[local.0 as usize] = Some(value);
        Ok(())
    }
}

impl Frame<'_> {
    pub fn type_of(&self, local: LocalId) -> Ty {
        self.body.local(local).ty.clone()
    }
}

enum Next {
    Block(BlockId),
    Return(Option<Value>),
}
