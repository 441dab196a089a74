//! What a function does with the pointers it gets and returns: whether it only hands them on.
//!
//! A function that hands a parameter on, like one that frees memory and counts it, need not bring
//! the arguments of all its callers together. One that returns what it has just allocated, like
//! `xmalloc`, lets each of its callers have an object of its own.

use super::builder::flow;
use super::constraints::Flow;
use super::treatment::{Treatment, allocates, copied_into_result, returned_argument, treatment};
use crate::ir::*;
use crate::models::Models;
use rustc_hash::{FxHashMap, FxHashSet};

/// What holds if the functions that are called do as `passes` and `sources` say.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Handling {
    /// For each formal how it is handed on; `None` if it is used otherwise.
    pub formals: Vec<Option<HandedOn>>,
    /// `None` if something else than new objects and formals is returned.
    pub returned: Option<Returned>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct HandedOn {
    pub passes: Vec<Pass>,
    /// The formal is also returned.
    pub returned: bool,
}

/// A call gets the pointer as an argument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Pass {
    pub callee: FunctionRef,
    pub argument: usize,
    /// What the callee's model does with it, if it has one.
    pub model: Option<Treatment>,
    /// According to the model, the result has the contents of what it points to.
    pub into_result: bool,
    /// The result of the call is returned.
    pub returned: bool,
}

/// What a function returns, if it is always one of these, or null.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Returned {
    pub sources: Vec<Source>,
    /// Calls that get the pointer that will be returned.
    pub passes: Vec<Pass>,
    /// Formals that are returned.
    pub formals: Vec<usize>,
}

/// A call whose result is returned.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Source {
    pub callee: FunctionRef,
    /// Whether the callee's model says that the result is new or an argument, if it has one.
    pub model: Option<bool>,
    /// The arguments whose contents the result gets, according to the model.
    pub contents: Vec<usize>,
    pub arguments: Vec<Origin>,
}

/// Where an argument comes from.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Origin {
    /// From these formals, or it is a constant.
    Formals(Vec<usize>),
    Other,
}

impl Handling {
    /// The functions whose doing matters.
    pub fn callees(&self) -> impl Iterator<Item = FunctionRef> + '_ {
        let handed_on = self.formals.iter().flatten();
        let passes = handed_on.flat_map(|formal| &formal.passes);
        let returned = self.returned.iter();
        let passes = passes.chain(returned.clone().flat_map(|returned| &returned.passes));
        let sources = returned.flat_map(|returned| &returned.sources);
        let passes = passes.map(|pass| pass.callee);
        passes.chain(sources.map(|source| source.callee))
    }

    /// Whether both come to the same, however often and in whichever order things are said.
    pub fn says_the_same(&self, other: &Handling) -> bool {
        fn are_alike<T: PartialEq>(one: &[T], other: &[T]) -> bool {
            one.iter().all(|item| other.contains(item))
                && other.iter().all(|item| one.contains(item))
        }
        let is_formal_alike =
            |(one, other): (&Option<HandedOn>, &Option<HandedOn>)| match (one, other) {
                (Some(one), Some(other)) => {
                    one.returned == other.returned && are_alike(&one.passes, &other.passes)
                }
                (one, other) => one.is_none() && other.is_none(),
            };
        let formals = self.formals.iter().zip(&other.formals);
        let is_returned_alike = match (&self.returned, &other.returned) {
            (Some(one), Some(other)) => {
                are_alike(&one.sources, &other.sources)
                    && are_alike(&one.passes, &other.passes)
                    && are_alike(&one.formals, &other.formals)
            }
            (one, other) => one.is_none() && other.is_none(),
        };
        self.formals.len() == other.formals.len()
            && { formals }.all(is_formal_alike)
            && is_returned_alike
    }
}

pub(super) fn handling(body: &Body, models: &Models) -> Handling {
    let uses = Uses::new(body, models);
    let origins = if uses.returns_other || flow(&body.result) != Flow::Always {
        Vec::new()
    } else {
        uses.origins(uses.returned.clone())
    };
    let formals = (0..body.parameters)
        .map(|formal| uses.formal(LocalId(formal as u32), &origins))
        .collect();
    Handling {
        formals,
        returned: uses.returned(&origins),
    }
}

/// How registers are used, regardless of the order.
struct Uses {
    formals: usize,
    /// From a register to those that get its value, perhaps moved.
    copies: FxHashMap<LocalId, Vec<LocalId>>,
    definitions: FxHashMap<LocalId, Vec<Definition>>,
    calls: Vec<CallUse>,
    treatment: FxHashMap<LocalId, Treatment>,
    /// Registers that a call gets: the call and the argument.
    passes: FxHashMap<LocalId, Vec<(usize, usize)>>,
    returned: Vec<LocalId>,
    returns_other: bool,
}

/// Where a register's value comes from.
#[derive(Clone, Copy)]
enum Definition {
    Register(LocalId),
    /// The register's value, moved to another place in the object.
    Moved(LocalId),
    Call(usize),
    Other,
}

/// A direct call.
struct CallUse {
    callee: FunctionRef,
    target: Option<LocalId>,
    arguments: Vec<Operand>,
    treatments: Vec<Treatment>,
    has_model: bool,
    /// The result is new, or one of the arguments.
    comes_from_model: bool,
    contents: Vec<usize>,
}

impl Uses {
    fn new(body: &Body, models: &Models) -> Uses {
        let mut uses = Uses {
            formals: body.parameters,
            copies: FxHashMap::default(),
            definitions: FxHashMap::default(),
            calls: Vec::new(),
            treatment: FxHashMap::default(),
            passes: FxHashMap::default(),
            returned: Vec::new(),
            returns_other: false,
        };
        for (_, statement) in body.statements() {
            uses.statement(body, models, statement);
        }
        for block in &body.blocks {
            match &block.terminator {
                Terminator::Return(Some(Operand::Local(local))) => uses.returned.push(*local),
                Terminator::Return(Some(Operand::Integer(0))) => {}
                Terminator::Return(Some(_)) => uses.returns_other = true,
                _ => {}
            }
        }
        uses
    }

    fn statement(&mut self, body: &Body, models: &Models, statement: &Statement) {
        match statement {
            Statement::Load {
                target, place, ty, ..
            } => {
                self.access(place, ty);
                self.source(*target, Definition::Other);
            }
            Statement::Store {
                place, value, ty, ..
            } => {
                self.store(body, place, value, ty);
            }
            Statement::Update {
                target,
                place,
                value,
                ty,
                ..
            } => {
                self.store(body, place, value, ty);
                self.source(*target, Definition::Other);
            }
            Statement::Assign { target, value } => self.assign(body, *target, value),
            Statement::Call {
                target,
                callee,
                arguments,
            } => self.call(models, *target, callee, arguments),
            Statement::Assembly { .. } => {}
        }
    }

    /// Reading a pointer out of the memory makes a difference, anything else does not.
    fn access(&mut self, place: &Place, ty: &Ty) {
        if let Base::Deref(Operand::Local(pointer)) = &place.base {
            let carries = flow(ty) == Flow::Always;
            self.treat(
                *pointer,
                if carries {
                    Treatment::Kept
                } else {
                    Treatment::Touched
                },
            );
        }
    }

    fn store(&mut self, body: &Body, place: &Place, value: &Operand, ty: &Ty) {
        let carries = match value {
            Operand::Local(local) => {
                self.treat(*local, Treatment::Kept);
                // UNSOUND: What a function that allocates memory writes there as an integer is
                // assumed to be no pointer.
                flow(ty) == Flow::Always && flow(&body.local(*local).ty) == Flow::Always
            }
            Operand::String(_) | Operand::Function(_) => true,
            Operand::Integer(_) | Operand::Float(_) | Operand::Unknown => false,
        };
        if let Base::Deref(Operand::Local(pointer)) = &place.base {
            self.treat(
                *pointer,
                if carries {
                    Treatment::Kept
                } else {
                    Treatment::Touched
                },
            );
        }
    }

    fn assign(&mut self, body: &Body, target: LocalId, value: &Rvalue) {
        let (from, moved): (&[&Operand], bool) = match value {
            Rvalue::Use(value) | Rvalue::Convert { value, .. } => (&[value], false),
            Rvalue::PointerAdd { base, size, .. } => (&[base], *size == 1),
            Rvalue::AddressOf(Place {
                base: Base::Deref(pointer),
                path,
            }) => (&[pointer], !path.is_empty()),
            Rvalue::Binary { left, right, .. } => (&[left, right], false),
            Rvalue::Unary(..) | Rvalue::PointerDifference { .. } => (&[], false),
            Rvalue::AddressOf(_)
            | Rvalue::LabelAddress(_)
            | Rvalue::StackAllocate { .. }
            | Rvalue::VariableArgument(_) => {
                self.source(target, Definition::Other);
                (&[], false)
            }
        };
        for operand in from {
            match operand {
                Operand::Local(local) if flow(&body.local(target).ty) != Flow::Never => {
                    let definition = if moved {
                        Definition::Moved(*local)
                    } else {
                        Definition::Register(*local)
                    };
                    self.copy(*local, target, definition);
                }
                Operand::String(_) | Operand::Function(_) => self.source(target, Definition::Other),
                _ => {}
            }
        }
    }

    fn copy(&mut self, from: LocalId, to: LocalId, definition: Definition) {
        self.copies.entry(from).or_default().push(to);
        self.source(to, definition);
    }

    fn call(
        &mut self,
        models: &Models,
        target: Option<LocalId>,
        callee: &Callee,
        arguments: &[Operand],
    ) {
        let Callee::Direct(function) = callee else {
            if let Callee::Indirect(Operand::Local(called)) = callee {
                self.treat(*called, Treatment::Kept);
            }
            for argument in arguments {
                if let Operand::Local(local) = argument {
                    self.treat(*local, Treatment::Kept);
                }
            }
            if let Some(target) = target {
                self.source(target, Definition::Other);
            }
            return;
        };
        let model = models.lookup(&function.name);
        let model = model.filter(|model| model.accepts(arguments.len()));
        let number = self.calls.len();
        for (index, argument) in arguments.iter().enumerate() {
            if let Operand::Local(local) = argument {
                self.passes.entry(*local).or_default().push((number, index));
            }
        }
        let returned = model.and_then(returned_argument);
        if let Some(target) = target {
            self.source(target, Definition::Call(number));
            if let Some(Operand::Local(argument)) = returned.and_then(|index| arguments.get(index))
            {
                self.copy(*argument, target, Definition::Register(*argument));
            }
        }
        self.calls.push(CallUse {
            callee: *function,
            target,
            arguments: arguments.to_vec(),
            treatments: model.map_or_else(Vec::new, |model| {
                let indices = 0..arguments.len();
                indices.map(|index| treatment(model, index)).collect()
            }),
            has_model: model.is_some(),
            comes_from_model: model.is_some_and(|model| allocates(model) || returned.is_some()),
            contents: model.map_or_else(Vec::new, copied_into_result),
        });
    }

    fn source(&mut self, register: LocalId, definition: Definition) {
        self.definitions
            .entry(register)
            .or_default()
            .push(definition);
    }

    fn treat(&mut self, register: LocalId, treatment: Treatment) {
        let known = self.treatment.entry(register).or_insert(treatment);
        *known = treatment.max(*known);
    }

    fn formal(&self, formal: LocalId, origins: &[LocalId]) -> Option<HandedOn> {
        let registers = self.copies_of(vec![formal]);
        let returned = registers.iter().any(|copy| self.returned.contains(copy));
        let passes = self.passes_of(&registers, Treatment::HandedOn, origins)?;
        Some(HandedOn { passes, returned })
    }

    /// The calls that get one of the registers, if nothing worse happens to them.
    fn passes_of(
        &self,
        registers: &[LocalId],
        worst: Treatment,
        origins: &[LocalId],
    ) -> Option<Vec<Pass>> {
        let mut passes = Vec::new();
        for register in registers {
            let treatment = self.treatment.get(register);
            if treatment.is_some_and(|treatment| *treatment > worst) {
                return None;
            }
            for (call, argument) in self.passes.get(register).into_iter().flatten() {
                let call = &self.calls[*call];
                passes.push(Pass {
                    callee: call.callee,
                    argument: *argument,
                    model: call.treatments.get(*argument).copied(),
                    into_result: call.contents.contains(argument),
                    returned: call.target.is_some_and(|target| origins.contains(&target)),
                });
            }
        }
        Some(passes)
    }

    fn returned(&self, origins: &[LocalId]) -> Option<Returned> {
        if origins.is_empty() {
            return None;
        }
        let mut returned = Returned::default();
        let mut moved = false;
        for register in origins {
            if (register.0 as usize) < self.formals {
                returned.formals.push(register.0 as usize);
            }
            for definition in self.definitions.get(register).into_iter().flatten() {
                match definition {
                    Definition::Register(_) => {}
                    Definition::Moved(_) => moved = true,
                    Definition::Other => return None,
                    Definition::Call(call) => {
                        let call = &self.calls[*call];
                        let arguments = call.arguments.iter();
                        returned.sources.push(Source {
                            callee: call.callee,
                            model: call.has_model.then_some(call.comes_from_model),
                            contents: call.contents.clone(),
                            arguments: arguments
                                .map(|operand| self.origin(operand, origins))
                                .collect(),
                        });
                    }
                }
            }
        }
        if moved && !returned.formals.is_empty() {
            return None;
        }
        let registers = self.copies_of(origins.to_vec());
        returned.passes = self.passes_of(&registers, Treatment::Touched, origins)?;
        Some(returned)
    }

    fn origin(&self, operand: &Operand, returned: &[LocalId]) -> Origin {
        match operand {
            Operand::Integer(_) | Operand::Float(_) => Origin::Formals(Vec::new()),
            Operand::Local(local) => {
                let mut formals = Vec::new();
                for register in self.origins(vec![*local]) {
                    let mut defined = self.definitions.get(&register).into_iter().flatten();
                    // What the call returned before is one of the objects that are returned.
                    let follows = defined.all(|one| match one {
                        Definition::Register(_) => true,
                        Definition::Call(_) => returned.contains(&register),
                        Definition::Moved(_) | Definition::Other => false,
                    });
                    if !follows {
                        return Origin::Other;
                    }
                    if (register.0 as usize) < self.formals {
                        formals.push(register.0 as usize);
                    }
                }
                Origin::Formals(formals)
            }
            Operand::String(_) | Operand::Function(_) | Operand::Unknown => Origin::Other,
        }
    }

    /// The registers from which these may get their values, and they themselves.
    fn origins(&self, registers: Vec<LocalId>) -> Vec<LocalId> {
        self.closure(registers, |register| {
            let definitions = self.definitions.get(&register).into_iter().flatten();
            definitions.filter_map(|definition| match definition {
                Definition::Register(source) | Definition::Moved(source) => Some(*source),
                Definition::Call(_) | Definition::Other => None,
            })
        })
    }

    /// The registers that may get a value from one of these, and they themselves.
    fn copies_of(&self, registers: Vec<LocalId>) -> Vec<LocalId> {
        self.closure(registers, |register| {
            self.copies.get(&register).into_iter().flatten().copied()
        })
    }

    fn closure<I: Iterator<Item = LocalId>>(
        &self,
        mut registers: Vec<LocalId>,
        next_to: impl Fn(LocalId) -> I,
    ) -> Vec<LocalId> {
        registers.sort_unstable();
        registers.dedup();
        let mut known: FxHashSet<LocalId> = registers.iter().copied().collect();
        let mut next = 0;
        while let Some(register) = registers.get(next).copied() {
            next += 1;
            registers.extend(next_to(register).filter(|found| known.insert(*found)));
        }
        registers
    }
}
