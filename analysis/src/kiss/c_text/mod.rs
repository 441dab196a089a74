//! Prints a program as one C file.
//!
//! The text needs no header: it declares what it uses. Variables get their first values from functions that run before
//! everything else, qualifiers are left out, and control flow is written with `goto`, because that is what a body has.
//! Compile it with `-fwrapv -fno-strict-aliasing`.

mod bodies;
mod names;
mod operations;
mod places;
mod records;
mod types;

use crate::ir::{
    Base, Body, Callee, FunctionRef, GlobalRef, Operand, Place, Rvalue, Statement, StatementId, Ty,
};
use crate::kiss::program::{Meaning, Program};
use names::Names;
use rustc_hash::FxHashSet;
use std::fmt::Write;
use std::sync::Arc;

/// How a program is to be printed.
pub struct Printing<'p> {
    pub program: &'p Program,
    /// What `main` is called in the text; a harness may want the name for itself.
    pub main: &'p str,
    /// Whether the first values are given by themselves, before `main` runs; if not, somebody calls [`INITIALISE`].
    pub initialises_itself: bool,
    /// What stands behind a statement as a comment: its place in the source, if it has one.
    pub comment: &'p dyn Fn(FunctionRef, StatementId) -> Option<String>,
    /// Functions of which somebody else gives the definition, such as a run-time library in the same file.
    pub provided: &'p dyn Fn(FunctionRef) -> bool,
}

/// The function that gives all variables their first values.
pub const INITIALISE: &str = "racelens_initialise";

/// The function that does so for the variables of the running thread, if the program has one.
pub const INITIALISE_THREAD: &str = "racelens_initialise_thread";

/// The text of everything that the entry may need; of all exported functions if the entry has no body.
pub fn print(printing: &Printing<'_>) -> String {
    let used = Used::of(printing.program);
    let names = Names::new(printing, &used);
    let printer = Printer {
        program: printing.program,
        names: &names,
        comment: printing.comment,
    };
    let mut text = String::new();
    printer.records(&used.types(printing.program), &mut text);
    for global in &used.globals {
        let ty = printer.global_type(*global);
        let storage = match printing.program.is_defined(*global) {
            true => "",
            false => "extern ",
        };
        let per_thread = if global.thread_local { "__thread " } else { "" };
        let declared = printer.declare(&ty, names.global(*global));
        let _ = writeln!(text, "{storage}{per_thread}{declared};");
    }
    text.push('\n');
    for function in &used.externals {
        if !(printing.provided)(*function)
            && let Some(declared) = printer.external(*function, &used.external_calls)
        {
            let _ = writeln!(text, "{declared};");
        }
    }
    for body in &used.bodies {
        let _ = writeln!(text, "{};", printer.head(body));
    }
    for body in &used.bodies {
        text.push('\n');
        printer.function(body, &mut text);
    }
    printer.initialise(printing, &used, &mut text);
    text
}

struct Printer<'p> {
    program: &'p Program,
    names: &'p Names,
    comment: &'p dyn Fn(FunctionRef, StatementId) -> Option<String>,
}

impl Printer<'_> {
    /// The variable's type; one that nobody knows is taken for bytes.
    fn global_type(&self, global: GlobalRef) -> Ty {
        let known = self.program.global(global).cloned();
        known.unwrap_or_else(Ty::int)
    }
}

/// How a function without a declaration is called: the types of its result and its arguments.
struct ExternalCall {
    result: Ty,
    arguments: Vec<Ty>,
}

/// What is reached from the entry, in an order that does not depend on chance.
#[derive(Default)]
struct Used {
    bodies: Vec<Arc<Body>>,
    globals: Vec<GlobalRef>,
    externals: Vec<FunctionRef>,
    external_calls: rustc_hash::FxHashMap<FunctionRef, ExternalCall>,
    seen_functions: FxHashSet<FunctionRef>,
}

impl Used {
    fn of(program: &Program) -> Used {
        let mut used = Used::default();
        let mut globals = FxHashSet::default();
        let mut waiting: Vec<Arc<Body>> = Vec::new();
        let is_exported =
            |body: &&Arc<Body>| body.function.scope == crate::ir::GlobalScope::External;
        match program.function(program.entry) {
            Meaning::Body(entry) => waiting.push(entry.clone()),
            Meaning::Ambiguous | Meaning::External => {
                waiting.extend(program.bodies().iter().filter(is_exported).cloned());
            }
        }
        waiting.extend(program.initialisers.iter().cloned());
        // What a run-time part calls.
        let is_called = |body: &&Arc<Body>| body.function.name.as_str() == INITIALISE_THREAD;
        waiting.extend(program.bodies().iter().filter(is_called).cloned());
        let mut seen: FxHashSet<FunctionRef> = FxHashSet::default();
        let mut found = FxHashSet::default();
        while let Some(body) = waiting.pop() {
            let is_initialiser = program
                .initialisers
                .iter()
                .any(|initialiser| Arc::ptr_eq(initialiser, &body));
            if !is_initialiser && !seen.insert(body.function) {
                continue;
            }
            if !is_initialiser {
                found.insert(body.function);
            }
            globals.extend(body.static_locals.iter().map(|(global, _)| *global));
            used.mentioned(&body, program, &mut globals, &mut waiting);
        }
        used.bodies = program
            .bodies()
            .iter()
            .filter(|body| found.contains(&body.function))
            .cloned()
            .collect();
        used.globals = globals.into_iter().collect();
        used.globals
            .sort_unstable_by_key(|global| order(global.name.as_str(), global.scope));
        used.externals
            .sort_unstable_by_key(|function| order(function.name.as_str(), function.scope));
        used.externals.dedup();
        used
    }

    fn mentioned(
        &mut self,
        body: &Body,
        program: &Program,
        globals: &mut FxHashSet<GlobalRef>,
        waiting: &mut Vec<Arc<Body>>,
    ) {
        let mut functions = Vec::new();
        let statements = body.statements().map(|(_, statement)| statement);
        for statement in statements.chain(&body.statics) {
            let mut place_of = |place: &Place| {
                if let Base::Global(global) = place.base {
                    globals.insert(global);
                }
            };
            match statement {
                Statement::Load { place, .. }
                | Statement::Store { place, .. }
                | Statement::Update { place, .. }
                | Statement::Assign {
                    value: Rvalue::AddressOf(place),
                    ..
                } => place_of(place),
                Statement::Call {
                    callee: Callee::Direct(function),
                    arguments,
                    target,
                } => {
                    functions.push(*function);
                    let result =
                        target.map_or_else(Ty::void, |target| body.local(target).ty.clone());
                    let arguments = arguments
                        .iter()
                        .map(|argument| types::operand_type(body, argument))
                        .collect();
                    self.external_calls
                        .entry(*function)
                        .or_insert(ExternalCall { result, arguments });
                }
                _ => {}
            }
            statement.operands(&mut |operand| {
                if let Operand::Function(function) = operand {
                    functions.push(*function);
                }
            });
        }
        for block in &body.blocks {
            block.terminator.operands(&mut |operand| {
                if let Operand::Function(function) = operand {
                    functions.push(*function);
                }
            });
        }
        for function in functions {
            if !self.seen_functions.insert(function) {
                continue;
            }
            match program.function(function) {
                Meaning::Body(body) => waiting.push(body.clone()),
                Meaning::Ambiguous | Meaning::External => self.externals.push(function),
            }
        }
    }

    /// All types of which the text may need the records.
    fn types(&self, program: &Program) -> Vec<Ty> {
        let mut types = Vec::new();
        for body in self.bodies.iter().chain(&program.initialisers) {
            types.push(body.result.clone());
            types.extend(body.locals.iter().map(|local| local.ty.clone()));
            let statements = body.statements().map(|(_, statement)| statement);
            for statement in statements.chain(&body.statics) {
                types::mentioned_types(statement, &mut types);
            }
        }
        for global in &self.globals {
            types.extend(program.global(*global).cloned());
        }
        for function in &self.externals {
            types.extend(program.declaration(*function).cloned());
        }
        types
    }
}

/// Sorts by name, then by where the name is known.
fn order(name: &str, scope: crate::ir::GlobalScope) -> (String, String) {
    (name.to_owned(), format!("{scope:?}"))
}

/// What the text of a program that was not transformed needs: unknown values are zero there.
pub const PLAIN_RUN_TIME: &str = "\
static long racelens_unknown(void) { return 0; }
static void __racelens_assume(int condition) { if (!condition) __builtin_exit(71); }
";
