//! Programs without a `main` that starts what is to be looked at: the harness starts it.

use super::resuming::Style;
use super::run_time;
use super::writer::{Writer, pointer};
use crate::ir::{
    AccessMode, ArrayLength, Body, Callee, FunctionRef, FunctionTy, GlobalRef, GlobalScope,
    IntRank, Landmarks, Operand, Place, Projection, Rvalue, Statement, Terminator, Ty, TyKind,
};
use crate::kiss::program::{Meaning, Program, intrinsics};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use ustr::Ustr;

/// Where the program begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Harness {
    /// With its own `main`.
    Main,
    /// With one thread for each of these functions. Functions of a pair in `apart` never run at the same time.
    Functions {
        functions: Vec<FunctionRef>,
        apart: Vec<(FunctionRef, FunctionRef)>,
    },
}

/// How a program that is made here says that a number may be any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbers {
    /// As a value that nobody knows.
    Unknown,
    /// As what a function of [`intrinsics::ARGUMENT`] returns.
    Asked,
}

/// The name of the function that the harness makes.
const ENTRY: &str = "racelens_harness";
/// What the functions are called that begin its threads, with a number behind it.
const STARTER: &str = "racelens_thread_";
/// What its objects are called, with the type and a number behind it.
const SHARED: &str = "racelens_shared_";
/// So many characters or numbers stand behind a pointer to one.
const ELEMENTS: u64 = 64;
/// So many structs lead to each other.
const DEEPEST_OBJECT: usize = 4;

/// Which of the harness's functions a function begins, if the harness has made it.
pub fn started_by(function: FunctionRef) -> Option<usize> {
    function.name.as_str().strip_prefix(STARTER)?.parse().ok()
}

/// A name of something in an object that the harness passes, in terms of the object's type.
pub fn as_types(text: &str) -> String {
    let mut told = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(SHARED) {
        let name = after.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let name = name.into_iter().next().unwrap_or_default();
        let tag = name.rsplit_once('_').map_or(name, |(tag, _)| tag);
        told.push_str(before);
        told.push_str(tag);
        rest = &after[name.len()..];
    }
    told + rest
}

/// Whether the harness begins with this function.
pub fn is_harness(function: FunctionRef) -> bool {
    function.name.as_str() == ENTRY
}

/// The program with such a beginning. Each thread gets the same object wherever a function expects a pointer to a struct of
/// the program, as the requests to a driver get the same device, and one of its own where it expects a pointer to a number
/// or a character, as callers pass the places for results. All are filled with zeros, except that pointers in structs to
/// structs of other types point to the objects of those; numbers are arbitrary.
pub fn with_harness(program: &Program, harness: &Harness, numbers: Numbers) -> Program {
    let mut made = program.clone();
    let Harness::Functions { functions, apart } = harness else {
        return made;
    };
    declare_threads(&mut made);
    let mut objects: FxHashMap<Ty, GlobalRef> = FxHashMap::default();
    let mut fills = Vec::new();
    let mut starters = Vec::new();
    for (index, function) in functions.iter().enumerate() {
        let Meaning::Body(body) = program.function(*function) else {
            continue;
        };
        let locks: Vec<GlobalRef> = apart
            .iter()
            .enumerate()
            .filter(|(_, (one, other))| one == function || other == function)
            .map(|(number, _)| global(&format!("racelens_apart_{number}")))
            .collect();
        for lock in &locks {
            made.add_global(*lock, Ty::integer(IntRank::Long, true));
            made.define(*lock);
        }
        let name = run_time::function(&format!("{STARTER}{index}"));
        let mut arguments = Arguments {
            thread: index,
            numbers,
            objects: &mut objects,
            fills: &mut fills,
            program: &mut made,
        };
        let starter = starter(name, body, &locks, &mut arguments);
        made.add_function(Arc::new(starter));
        starters.push(name);
    }
    let entry = entry(&starters, fills, &mut made);
    made.add_function(Arc::new(entry));
    made.entry = run_time::function(ENTRY);
    made
}

fn global(name: &str) -> GlobalRef {
    GlobalRef {
        name: Ustr::from(name),
        scope: GlobalScope::External,
        thread_local: false,
    }
}

/// The harness speaks in terms of a library that the models know.
fn declare_threads(program: &mut Program) {
    let function = |result: Ty, parameters: Vec<Ty>| {
        Ty::new(TyKind::Function(FunctionTy {
            result,
            parameters: parameters.into(),
            variadic: false,
            unspecified: false,
        }))
    };
    let handle = Ty::integer(IntRank::Long, false).pointer_to();
    let entry = function(pointer(), vec![pointer()]).pointer_to();
    let create = function(Ty::int(), vec![handle, pointer(), entry, pointer()]);
    program.declare(run_time::function("pthread_create"), create);
    let end = function(Ty::void(), vec![pointer()]);
    program.declare(run_time::function("pthread_exit"), end);
    for name in ["pthread_mutex_lock", "pthread_mutex_unlock"] {
        program.declare(
            run_time::function(name),
            function(Ty::int(), vec![pointer()]),
        );
    }
}

fn empty_body(name: FunctionRef, result: Ty) -> Body {
    Body {
        function: name,
        result,
        parameters: 0,
        variadic: false,
        locals: Vec::new(),
        strings: Vec::new(),
        statics: Vec::new(),
        static_locals: Vec::new(),
        blocks: Vec::new(),
        records: Vec::new(),
        landmarks: Landmarks::default(),
    }
}

/// `void *thread(void *unused)`: takes what keeps it apart from others, and calls the function.
fn starter(
    name: FunctionRef,
    called: &Body,
    locks: &[GlobalRef],
    given: &mut Arguments<'_>,
) -> Body {
    let mut writer = Writer::new(empty_body(name, pointer()), 0, Style::Plain);
    writer.local(pointer());
    writer.body.parameters = 1;
    for lock in locks {
        let address = writer.assign(pointer(), Rvalue::AddressOf(Place::global(*lock)));
        writer.call("pthread_mutex_lock", vec![address], None, None);
    }
    let mut arguments = Vec::new();
    for (index, parameter) in called.locals[..called.parameters].iter().enumerate() {
        let ty = parameter.ty.decayed();
        arguments.push(given.argument(&mut writer, called.function, index, ty));
    }
    let call = Statement::Call {
        target: None,
        callee: Callee::Direct(called.function),
        arguments,
    };
    writer.push(call, None);
    for lock in locks.iter().rev() {
        let address = writer.assign(pointer(), Rvalue::AddressOf(Place::global(*lock)));
        writer.call("pthread_mutex_unlock", vec![address], None, None);
    }
    writer.end_block(Terminator::Return(Some(Operand::Integer(0))));
    writer.finish(given.program).0
}

/// A pointer in an object that leads to another object.
struct Fill {
    object: GlobalRef,
    member: Projection,
    ty: Ty,
    target: GlobalRef,
}

/// What the functions are called with.
struct Arguments<'a> {
    thread: usize,
    numbers: Numbers,
    /// The object of each type.
    objects: &'a mut FxHashMap<Ty, GlobalRef>,
    fills: &'a mut Vec<Fill>,
    program: &'a mut Program,
}

impl Arguments<'_> {
    fn argument(
        &mut self,
        writer: &mut Writer,
        called: FunctionRef,
        index: usize,
        ty: Ty,
    ) -> Operand {
        if ty.is_integer() {
            return self.number(writer, called, index, ty);
        }
        let Some(pointee) = ty.pointee().map(Ty::unqualified) else {
            return Operand::Integer(0);
        };
        let is_complete = self.program.size_of(&pointee).is_some_and(|size| size > 0);
        if pointee.record().is_some() && is_complete {
            let object = self.object(&pointee, &mut Vec::new());
            return writer.assign(ty, Rvalue::AddressOf(Place::global(object)));
        }
        if is_complete && (pointee.is_integer() || pointee.is_float()) {
            let object = global(&format!("racelens_own_{}_{index}", self.thread));
            self.add(
                object,
                Ty::new(TyKind::Array {
                    element: pointee,
                    length: ArrayLength::Known(ELEMENTS),
                }),
            );
            return writer.assign(ty, Rvalue::AddressOf(Place::global(object)));
        }
        Operand::Integer(0)
    }

    fn number(
        &mut self,
        writer: &mut Writer,
        called: FunctionRef,
        index: usize,
        ty: Ty,
    ) -> Operand {
        match self.numbers {
            Numbers::Unknown => writer.assign(ty, Rvalue::Use(Operand::Unknown)),
            Numbers::Asked => {
                let name = format!("{}{}_of_{}", intrinsics::ARGUMENT, index + 1, called.name);
                let passed = writer.call(&name, Vec::new(), Some(ty), None);
                passed.unwrap_or(Operand::Unknown)
            }
        }
    }

    /// The object of a type. Pointers in it to structs of other types lead to the objects of those.
    fn object(&mut self, ty: &Ty, around: &mut Vec<Ty>) -> GlobalRef {
        if let Some(known) = self.objects.get(ty) {
            return *known;
        }
        let record = ty.record();
        let tag = record.map_or_else(String::new, |record| identifier(record.display()));
        let object = global(&format!("{SHARED}{tag}_{}", self.objects.len()));
        self.objects.insert(ty.clone(), object);
        self.add(object, ty.clone());
        let Some(record) = record.filter(|_| around.len() < DEEPEST_OBJECT) else {
            return object;
        };
        let Some(layout) = self.program.layout(record).cloned() else {
            return object;
        };
        around.push(ty.clone());
        for field in &layout.fields {
            let Some(pointee) = field.ty.pointee().map(Ty::unqualified) else {
                continue;
            };
            let is_complete = self.program.size_of(&pointee).is_some_and(|size| size > 0);
            if pointee.record().is_none() || !is_complete || around.contains(&pointee) {
                continue;
            }
            let target = self.object(&pointee, around);
            self.fills.push(Fill {
                object,
                member: Projection::Field {
                    record,
                    name: field.name,
                },
                ty: field.ty.clone(),
                target,
            });
        }
        around.pop();
        object
    }

    fn add(&mut self, object: GlobalRef, ty: Ty) {
        self.program.add_global(object, ty);
        self.program.define(object);
    }
}

/// The letters of a name that C allows in one.
fn identifier(name: &str) -> String {
    let letters = name.rsplit(' ').next().unwrap_or(name).chars();
    letters
        .filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_')
        .collect()
}

/// Starts all of them, and ends without ending them.
fn entry(starters: &[FunctionRef], fills: Vec<Fill>, program: &mut Program) -> Body {
    let mut writer = Writer::new(
        empty_body(run_time::function(ENTRY), Ty::void()),
        0,
        Style::Plain,
    );
    let handle = global("racelens_handle");
    let unsigned = Ty::integer(IntRank::Long, false);
    program.add_global(handle, unsigned.clone());
    program.define(handle);
    for fill in fills {
        let target = Rvalue::AddressOf(Place::global(fill.target));
        let value = writer.assign(fill.ty.unqualified(), target);
        let mut place = Place::global(fill.object);
        place.path.push(fill.member);
        let store = Statement::Store {
            place,
            value,
            ty: fill.ty,
            mode: AccessMode::Plain,
        };
        writer.push(store, None);
    }
    for starter in starters {
        let place = Rvalue::AddressOf(Place::global(handle));
        let address = writer.assign(unsigned.pointer_to(), place);
        let arguments = vec![
            address,
            Operand::Integer(0),
            Operand::Function(*starter),
            Operand::Integer(0),
        ];
        writer.call("pthread_create", arguments, None, None);
    }
    writer.call("pthread_exit", vec![Operand::Integer(0)], None, None);
    writer.end_block(Terminator::Return(None));
    writer.finish(program).0
}
