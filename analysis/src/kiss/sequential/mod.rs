//! The concurrent program as a sequential one whose stack-bound scheduler simulates many interleavings: KISS.
//!
//! Every function stays the function that it was. In front of each statement that another thread can notice stands a call
//! that may run other threads, may stop the thread (`raise`), and may find that two accesses meet; behind each call `raise`
//! is looked at. With rounds ([`Scheduling::Rounds`]) a thread that has stopped goes on later: [`resuming`]. Threads, locks and everything else that blocks are simulated by [`run_time`], a piece of C, and by bodies
//! for library functions that are made of their models.

mod data_effects;
mod failure;
mod frames;
mod harness;
mod library;
mod location;
mod noticed;
mod resuming;
mod rewriting;
pub mod run_time;
mod special_calls;
mod text;
mod thread_locals;
mod writer;

pub use failure::{Found, found};
pub use harness::{Harness, Numbers, as_types, is_harness, started_by, with_harness};
pub use location::touching;
pub use noticed::{Checked, Points};
pub use text::{Listing, listing};

use super::program::{Failure, Meaning, Program, SequentialProgram};
use crate::ir::{Body, Callee, FunctionRef, Landmarks, Operand, Statement, Terminator, Ty};
use crate::models::Models;
use crate::points_to::PointsTo;
use noticed::Noticed;
use resuming::Style;
use rewriting::Shared;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use thread_locals::{array_of, by_thread, initialises_thread_local, is_thread_local};

/// How the threads take turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheduling {
    /// KISS: a thread runs on top of the one that it interrupts, until it ends or stops for good.
    Stack,
    /// Every thread may go on where it stopped, in each of a number of rounds.
    Rounds,
}

/// What is looked for, and where threads may be switched.
pub struct Options<'o> {
    pub scheduling: Scheduling,
    pub points: Points,
    pub checked: &'o Checked,
    /// Whether a violated assertion is an error; otherwise it is the end of the path.
    pub asserts: bool,
    /// What may be shared; everything that is not local, without it.
    pub points_to: Option<&'o PointsTo>,
}

/// Makes the program sequential.
pub fn sequentialise(
    program: &Program,
    models: &Models,
    options: &Options<'_>,
) -> SequentialProgram {
    let mut shared = Shared {
        program,
        models,
        noticed: Noticed {
            points: options.points,
            checked: options.checked,
            points_to: options.points_to,
        },
        asserts: options.asserts,
        scheduling: options.scheduling,
        sites: Vec::new(),
        failures: vec![Failure::Race],
        origins: FxHashMap::default(),
        library: FxHashMap::default(),
    };
    let entry = match program.function(program.entry) {
        Meaning::Body(body) => Some(body.function),
        Meaning::Ambiguous | Meaning::External => None,
    };
    let mut made = Program::new(program.data_model, program.entry);
    let mut of_threads = Vec::new();
    for body in program.bodies() {
        let is_entry = entry == Some(body.function);
        let mut new = shared.rewrite(body, is_entry);
        let (own, common): (Vec<Statement>, Vec<Statement>) =
            new.statics.drain(..).partition(is_thread_local);
        new.statics = common;
        if !own.is_empty() {
            let initialiser = Body {
                statics: own.clone(),
                ..(**body).clone()
            };
            of_threads.push(initialiser_of(&initialiser, own));
        }
        made.add_function(Arc::new(new));
    }
    for body in &program.initialisers {
        if initialises_thread_local(body) {
            of_threads.push((**body).clone());
        } else {
            made.add_initialiser(body.clone());
        }
    }
    add_thread_initialisers(of_threads, &mut shared, &mut made);
    for (name, index) in program.names() {
        let body = &program.bodies()[index];
        if body.function != name {
            made.add_alias(name, body.function);
        }
    }
    copy_declarations(program, &mut made);
    let mut library: Vec<_> = std::mem::take(&mut shared.library).into_iter().collect();
    library.sort_unstable_by_key(|(function, _)| function.name.as_str());
    for (function, ty) in library {
        if let Some(model) = models.lookup(function.name.as_str()) {
            let style = Style::of(options.scheduling, false);
            let body = library::body(function, &ty, model, program, style);
            made.add_function(Arc::new(body));
        }
    }
    SequentialProgram {
        program: made,
        scheduling: options.scheduling,
        origins: shared.origins,
        failures: shared.failures,
        sites: shared.sites,
    }
}

/// `static` variables of a function of which every thread has its own, as a body that fills them.
fn initialiser_of(body: &Body, statements: Vec<Statement>) -> Body {
    Body {
        result: Ty::void(),
        parameters: 0,
        statics: Vec::new(),
        static_locals: Vec::new(),
        blocks: vec![crate::ir::Block {
            statements,
            terminator: Terminator::Return(None),
        }],
        ..body.clone()
    }
}

/// One function that fills all variables of the thread that calls it.
fn add_thread_initialisers(bodies: Vec<Body>, shared: &mut Shared<'_>, made: &mut Program) {
    let mut calls = Vec::new();
    for body in bodies {
        let name = run_time::function(&format!("racelens_thread_variables_{}", calls.len()));
        let mut new = shared.rewrite(&body, false);
        new.function = name;
        made.add_function(Arc::new(new));
        calls.push(Statement::Call {
            target: None,
            callee: Callee::Direct(name),
            arguments: Vec::<Operand>::new(),
        });
    }
    let body = Body {
        function: run_time::function(run_time::INITIALISE_THREAD),
        result: Ty::void(),
        parameters: 0,
        variadic: false,
        locals: Vec::new(),
        strings: Vec::new(),
        statics: Vec::new(),
        static_locals: Vec::new(),
        blocks: vec![crate::ir::Block {
            statements: calls,
            terminator: Terminator::Return(None),
        }],
        records: Vec::new(),
        landmarks: Landmarks::default(),
    };
    made.add_function(Arc::new(body));
}

fn copy_declarations(program: &Program, made: &mut Program) {
    for (record, layout) in program.layouts() {
        made.add_layout(record, layout.clone());
    }
    for (global, ty) in program.globals() {
        let (global, ty, own) = match global.thread_local {
            true => (by_thread(global), array_of(ty), true),
            false => (global, ty.clone(), program.is_defined(global)),
        };
        made.add_global(global, ty);
        if own {
            made.define(global);
        }
    }
    for (function, ty) in program.declarations() {
        made.declare(function, ty.clone());
    }
}

/// The functions that a harness may start: those that other files can call.
pub fn exported(program: &Program) -> Vec<FunctionRef> {
    let names = program.bodies().iter().map(|body| body.function);
    names
        .filter(|function| function.scope == crate::ir::GlobalScope::External)
        .collect()
}
