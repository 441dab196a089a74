//! Programs without a `main` that starts what is to be looked at: the harness starts it.

use super::run_time;
use super::writer::{Writer, pointer};
use crate::ir::{
    Body, Callee, FunctionRef, FunctionTy, GlobalRef, GlobalScope, IntRank, Operand, Place, Rvalue,
    Statement, Terminator, Ty, TyKind,
};
use crate::kiss::program::{Meaning, Program};
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

/// The name of the function that the harness makes.
const ENTRY: &str = "racelens_harness";

/// The program with such a beginning. Each thread gets the same object wherever a function expects a pointer to a type of
/// the program, as the requests to a driver get the same device; numbers are arbitrary.
pub fn with_harness(program: &Program, harness: &Harness) -> Program {
    let mut made = program.clone();
    let Harness::Functions { functions, apart } = harness else {
        return made;
    };
    declare_threads(&mut made);
    let mut objects: FxHashMap<Ty, GlobalRef> = FxHashMap::default();
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
        let name = run_time::function(&format!("racelens_thread_{index}"));
        let starter = starter(name, body, &locks, &mut objects, &mut made);
        made.add_function(Arc::new(starter));
        starters.push(name);
    }
    let entry = entry(&starters, &mut made);
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
    }
}

/// `void *thread(void *unused)`: takes what keeps it apart from others, and calls the function.
fn starter(
    name: FunctionRef,
    called: &Body,
    locks: &[GlobalRef],
    objects: &mut FxHashMap<Ty, GlobalRef>,
    program: &mut Program,
) -> Body {
    let mut writer = Writer::new(empty_body(name, pointer()), 0);
    writer.local(pointer());
    writer.body.parameters = 1;
    for lock in locks {
        let address = writer.assign(pointer(), Rvalue::AddressOf(Place::global(*lock)));
        writer.call("pthread_mutex_lock", vec![address], None, None);
    }
    let mut arguments = Vec::new();
    for parameter in &called.locals[..called.parameters] {
        let ty = parameter.ty.decayed();
        let object = ty
            .pointee()
            .filter(|pointee| pointee.record().is_some() && program.size_of(pointee).is_some());
        arguments.push(match object {
            Some(pointee) => {
                let next = objects.len();
                let object = *objects
                    .entry(pointee.unqualified())
                    .or_insert_with(|| global(&format!("racelens_shared_{next}")));
                program.add_global(object, pointee.unqualified());
                program.define(object);
                writer.assign(ty.clone(), Rvalue::AddressOf(Place::global(object)))
            }
            None if ty.is_integer() => writer.assign(ty, Rvalue::Use(Operand::Unknown)),
            None => Operand::Integer(0),
        });
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
    writer.finish().0
}

/// Starts all of them.
fn entry(starters: &[FunctionRef], program: &mut Program) -> Body {
    let mut writer = Writer::new(empty_body(run_time::function(ENTRY), Ty::void()), 0);
    let handle = global("racelens_handle");
    let unsigned = Ty::integer(IntRank::Long, false);
    program.add_global(handle, unsigned.clone());
    program.define(handle);
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
    writer.end_block(Terminator::Return(None));
    writer.finish().0
}
