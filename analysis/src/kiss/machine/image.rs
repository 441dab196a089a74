//! What stays the same while a program runs: its code, and where its variables lie.

use super::memory::{Content, STATIC_REGION};
use super::state::{Activation, Opened, Source, State, Thread};
use super::stop::{Fault, Limit, Stop};
use super::value::{Closed, Image, OpenValue, Unknown, Value};
use crate::ir::{Body, FunctionRef, GlobalRef, LocalId, Operand, StatementId, StringId, Ty};
use crate::kiss::program::{Meaning, Program};
use crate::models::Models;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A program that can be run, with everything that does not change.
pub struct Machine<'p> {
    pub program: &'p Program,
    pub models: &'p Models,
    pub points: SchedulingPoints,
    pub(super) bodies: Vec<Arc<Body>>,
    body_numbers: FxHashMap<FunctionRef, u32>,
    pub(super) globals: FxHashMap<GlobalRef, u64>,
    strings: FxHashMap<(u32, StringId), u64>,
    functions: Vec<FunctionRef>,
    function_numbers: FxHashMap<FunctionRef, u32>,
    initial: State,
}

/// At which accesses another thread may come in between.
#[derive(Clone, Debug)]
pub enum SchedulingPoints {
    Everywhere,
    /// At these statements; operations on locks, threads and atomic objects always count.
    Only(FxHashSet<(FunctionRef, StatementId)>),
}

/// Functions and labels have addresses too, far from those of objects.
const FUNCTIONS: u64 = 1 << 62;
pub(super) const LABELS: u64 = 1 << 61;
/// What an initialiser may take.
const INITIALISER_STEPS: usize = 1_000_000;

impl<'p> Machine<'p> {
    /// Lays out the variables and gives them their first values.
    pub fn new(
        program: &'p Program,
        models: &'p Models,
        points: SchedulingPoints,
    ) -> Result<Machine<'p>, Stop> {
        let mut machine = Machine {
            program,
            models,
            points,
            bodies: program.bodies().to_vec(),
            body_numbers: FxHashMap::default(),
            globals: FxHashMap::default(),
            strings: FxHashMap::default(),
            functions: Vec::new(),
            function_numbers: FxHashMap::default(),
            initial: State::default(),
        };
        for (number, body) in machine.bodies.iter().enumerate() {
            machine.body_numbers.insert(body.function, number as u32);
        }
        for (name, number) in program.names() {
            machine.body_numbers.insert(name, number as u32);
        }
        let mut state = State::default();
        let mut globals: Vec<(GlobalRef, &Ty)> = program.globals().collect();
        globals.sort_by_key(|(global, _)| *global);
        for (global, ty) in globals {
            // A variable whose type is incomplete cannot be used by what runs here.
            let Some(size) = program.size_of(ty) else {
                continue;
            };
            let content = if program.is_undefined(global) {
                Content::Closed(Closed::Unrepresented)
            } else {
                Content::Zero
            };
            let address = state.memory.allocate(STATIC_REGION, size, content)?;
            machine.globals.insert(global, address);
        }
        let functions = machine.bodies.len();
        machine.bodies.extend(program.initialisers.iter().cloned());
        for number in 0..machine.bodies.len() {
            machine.add_constants(number as u32, &mut state)?;
        }
        machine.initialise(&mut state, functions)?;
        machine.initial = state;
        Ok(machine)
    }

    /// The program before its first step.
    pub fn start(&self) -> Result<State, Stop> {
        let mut state = self.initial.clone();
        let entry = self.program.entry;
        let Meaning::Body(body) = self.program.function(entry) else {
            return Err(Limit::Ambiguous(entry.name).into());
        };
        state.threads.push(Arc::new(Thread {
            entry,
            stack: Vec::new(),
            result: None,
            opened: 0,
        }));
        let mut arguments = Vec::new();
        for index in 0..body.parameters {
            let ty = &body.locals[index].ty;
            arguments.push(if ty.pointee().is_some() {
                let address = state.memory.allocate_elastic(1, Content::UNINITIALISED)?;
                Value::Integer(i128::from(address))
            } else {
                self.open(&mut state, 0, Source::Parameter(index as u32), ty)
            });
        }
        self.add_thread_locals(&mut state, 0)?;
        let number = self.body_number(entry)?;
        let frame = self.enter(&mut state, 0, number, arguments)?;
        state.thread_mut(0).stack.push(Activation::Frame(frame));
        Ok(state)
    }

    /// Gives a new thread its copies of the variables that every thread has of its own.
    pub(super) fn add_thread_locals(&self, state: &mut State, thread: usize) -> Result<(), Stop> {
        let mut own: Vec<(GlobalRef, u64)> = self
            .globals
            .iter()
            .filter(|(global, _)| global.thread_local)
            .map(|(global, address)| (*global, *address))
            .collect();
        own.sort_unstable();
        for (global, first) in own {
            let (_, size) = state.memory.extent(first)?;
            let image = state.memory.read(first, size)?;
            let copy = state.memory.allocate(thread + 1, size, Content::Zero)?;
            state.memory.write(copy, &image)?;
            state.thread_locals.insert((thread, global), copy);
        }
        Ok(())
    }

    /// Makes a value that comes from outside.
    pub(super) fn open(&self, state: &mut State, thread: usize, source: Source, ty: &Ty) -> Value {
        let range = match source {
            Source::Function(name) => super::library::range(name.as_str()),
            _ => None,
        };
        self.open_within(state, thread, source, ty, range)
    }

    pub(super) fn open_within(
        &self,
        state: &mut State,
        thread: usize,
        source: Source,
        ty: &Ty,
        range: Option<(i64, i64)>,
    ) -> Value {
        let number = state.threads[thread].opened;
        state.thread_mut(thread).opened += 1;
        let open = OpenValue {
            thread: thread as u32,
            number,
        };
        let ty = ty.clone();
        state.open.insert(open, Opened { source, ty, range });
        Value::Unknown(Unknown::Open(open))
    }

    fn initialise(&self, state: &mut State, first: usize) -> Result<(), Stop> {
        let initialisers = first..self.bodies.len();
        for number in initialisers {
            let body = self.bodies[number].clone();
            state.threads.push(Arc::new(Thread {
                entry: body.function,
                stack: Vec::new(),
                result: None,
                opened: 0,
            }));
            let frame = self.enter(state, 0, number as u32, Vec::new())?;
            state.thread_mut(0).stack.push(Activation::Frame(frame));
            for _ in 0..INITIALISER_STEPS {
                let thread = &state.threads[0];
                let [Activation::Frame(frame)] = thread.stack.as_slice() else {
                    return Err(Limit::Unsupported("a call in an initialiser").into());
                };
                let block = &body.blocks[frame.block as usize];
                let is_done = frame.index as usize >= block.statements.len()
                    && matches!(block.terminator, crate::ir::Terminator::Return(_));
                // What an initialiser makes stays, so its frame is left without an end.
                if is_done {
                    break;
                }
                self.step(state, 0)?;
            }
            state.threads.clear();
        }
        for number in 0..first {
            let body = self.bodies[number].clone();
            if body.statics.is_empty() {
                continue;
            }
            state.threads.push(Arc::new(Thread {
                entry: body.function,
                stack: Vec::new(),
                result: None,
                opened: 0,
            }));
            let frame = self.enter(state, 0, number as u32, Vec::new())?;
            state.thread_mut(0).stack.push(Activation::Frame(frame));
            for statement in &body.statics {
                self.statement(state, 0, statement)?;
            }
            state.threads.clear();
        }
        Ok(())
    }

    /// Gives strings and functions of a body their addresses.
    fn add_constants(&mut self, number: u32, state: &mut State) -> Result<(), Stop> {
        let body = self.bodies[number as usize].clone();
        for (index, bytes) in body.strings.iter().enumerate() {
            let mut bytes = bytes.to_vec();
            // Enough for the closing zero of the widest characters.
            bytes.extend([0; 4]);
            let address =
                state
                    .memory
                    .allocate(STATIC_REGION, bytes.len() as u64, Content::Zero)?;
            state.memory.write(address, &Image::known(bytes))?;
            self.strings
                .insert((number, StringId(index as u32)), address);
        }
        let mut mentioned = Vec::new();
        let mut note = |operand: &Operand| {
            if let Operand::Function(function) = operand {
                mentioned.push(*function);
            }
        };
        for (_, statement) in body.statements() {
            statement.operands(&mut note);
        }
        body.statics
            .iter()
            .for_each(|statement| statement.operands(&mut note));
        body.blocks
            .iter()
            .for_each(|block| block.terminator.operands(&mut note));
        for function in mentioned {
            let function = self.canonical(function);
            if !self.function_numbers.contains_key(&function) {
                self.function_numbers
                    .insert(function, self.functions.len() as u32);
                self.functions.push(function);
            }
        }
        Ok(())
    }

    /// One name for all that mean the same body.
    pub(super) fn canonical(&self, function: FunctionRef) -> FunctionRef {
        match self.program.function(function) {
            Meaning::Body(body) => body.function,
            Meaning::Ambiguous | Meaning::External => function,
        }
    }

    pub(super) fn body_number(&self, function: FunctionRef) -> Result<u32, Stop> {
        match self.body_numbers.get(&function) {
            Some(&number) if !self.program.is_ambiguous(function) => Ok(number),
            _ => Err(Limit::Ambiguous(function.name).into()),
        }
    }

    pub fn body(&self, number: u32) -> &Arc<Body> {
        &self.bodies[number as usize]
    }

    pub(super) fn function_address(&self, function: FunctionRef) -> Option<u64> {
        let number = self.function_numbers.get(&self.canonical(function))?;
        Some(FUNCTIONS + u64::from(*number) * 16)
    }

    /// The function that a pointer points to.
    pub(super) fn function_at(&self, address: u64) -> Result<FunctionRef, Stop> {
        let offset = address
            .checked_sub(FUNCTIONS)
            .filter(|offset| offset % 16 == 0);
        let found = offset.and_then(|offset| self.functions.get((offset / 16) as usize));
        found.copied().ok_or(Stop::Fault(Fault::InvalidCall))
    }

    pub(super) fn string(&self, body: u32, string: StringId) -> Option<u64> {
        self.strings.get(&(body, string)).copied()
    }

    /// The variable that an address lies in, for people.
    pub fn name_of(&self, address: u64) -> Option<GlobalRef> {
        let object = super::memory::object_of(address);
        self.globals
            .iter()
            .find(|(_, first)| super::memory::object_of(**first) == object)
            .map(|(global, _)| *global)
    }

    pub(super) fn size_of(&self, ty: &Ty) -> Result<u64, Stop> {
        self.program
            .size_of(ty)
            .ok_or(Stop::Limit(Limit::IncompleteType))
    }

    /// Whether another thread may come in before this statement.
    pub(super) fn is_point(&self, function: FunctionRef, statement: StatementId) -> bool {
        match &self.points {
            SchedulingPoints::Everywhere => true,
            SchedulingPoints::Only(statements) => statements.contains(&(function, statement)),
        }
    }
}

/// The type of a local.
pub(super) fn type_of(body: &Body, local: LocalId) -> &Ty {
    &body.locals[local.0 as usize].ty
}
