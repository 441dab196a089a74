//! The sequential program that KISS makes of a workspace, as C.

use crate::race_options::RaceOptions;
use crate::workspace::Workspace;
use racelens_analysis::host::{Analysis, CheckedProgram};
use racelens_analysis::ir::{FunctionRef, StatementId};
use racelens_analysis::kiss::program::{Meaning, Program};
use racelens_analysis::kiss::sequential::{
    Checked, Harness, Listing, Numbers, Options, Points, Scheduling, exported, listing,
    sequentialise, touching, with_harness,
};
use racelens_analysis::races;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use ustr::Ustr;

/// What the sequential program is to look for.
pub struct Request {
    pub target: Target,
    /// The most threads that wait to be scheduled.
    pub max: u32,
    /// Instead of on a stack, threads go on in so many rounds.
    pub rounds: Option<u32>,
    pub points: Points,
    /// Functions to start as threads, instead of `main`.
    pub functions: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A race on any memory that threads share.
    AnyRace,
    /// The race with this id.
    Race(String),
    /// Races on what this line accesses.
    Line(PathBuf, u32),
    Assertions,
}

/// Why there is no such program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    NoRace(String),
    NothingThere(PathBuf, u32),
    NoFunction(String),
    NoMain,
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::NoRace(id) => write!(
                formatter,
                "there is no race with the id {id}\n  help: `racelens check` shows the ids"
            ),
            Refused::NothingThere(file, line) => write!(
                formatter,
                "line {line} of {} accesses nothing that threads share\n  help: name a line of a race that \
                 `racelens check` reports",
                file.display()
            ),
            Refused::NoFunction(name) => write!(
                formatter,
                "there is no function `{name}` that could be analysed\n  help: check its spelling; it must not \
                 be static in two files"
            ),
            Refused::NoMain => write!(
                formatter,
                "the program has no function `main`\n  help: name the functions that run as threads with --start, \
                 or take all exported ones with --start-exported"
            ),
        }
    }
}

/// The text of the sequential program.
pub fn text(
    workspace: &Workspace,
    options: &RaceOptions,
    request: &Request,
) -> Result<String, Refused> {
    let analysis = workspace.analysis();
    let models = &workspace.models;
    let rules = crate::races::thread_rules(options);
    let checked_program = workspace.in_parallel(|analysis| {
        let options = races::Options {
            threads: rules,
            ..races::Options::default()
        };
        analysis.check(models, options)
    });
    let statements = Statements::new(workspace, &analysis, &checked_program);
    let program = analysis.runnable("main");
    let harness = harness(&program, options, request)?;
    let program = with_harness(&program, &harness, Numbers::Unknown);
    let points_to = &*checked_program.program.points_to;
    let checked = match &request.target {
        Target::Assertions => Checked::Nothing,
        Target::AnyRace => Checked::Everything,
        Target::Race(id) => {
            let wanted = statements.of_race(id);
            if wanted.is_empty() {
                return Err(Refused::NoRace(id.clone()));
            }
            Checked::Only(touching(&program, points_to, wanted))
        }
        Target::Line(file, line) => {
            let wanted = statements.on_line(file, *line);
            if wanted.is_empty() {
                return Err(Refused::NothingThere(file.clone(), *line));
            }
            Checked::Only(touching(&program, points_to, wanted))
        }
    };
    let sequential = sequentialise(
        &program,
        &checked_program.models,
        &Options {
            scheduling: match request.rounds {
                Some(_) => Scheduling::Rounds,
                None => Scheduling::Stack,
            },
            points: request.points,
            checked: &checked,
            asserts: request.target == Target::Assertions,
            points_to: Some(points_to),
        },
    );
    Ok(listing(
        &sequential,
        &Listing {
            max: request.max,
            rounds: request.rounds.unwrap_or_default(),
            location: &|function, statement| statements.location(function, statement),
        },
    ))
}

fn harness(
    program: &Program,
    options: &RaceOptions,
    request: &Request,
) -> Result<Harness, Refused> {
    if request.functions.is_empty() {
        return match program.function(program.entry) {
            Meaning::Body(_) => Ok(Harness::Main),
            Meaning::Ambiguous | Meaning::External => Err(Refused::NoMain),
        };
    }
    let find = |name: &String| {
        let bodies = program.bodies().iter();
        let mut named = bodies.filter(|body| body.function.name.as_str() == name);
        match (named.next(), named.next()) {
            (Some(body), None) => Ok(body.function),
            _ => Err(Refused::NoFunction(name.clone())),
        }
    };
    let functions: Result<Vec<FunctionRef>, Refused> = request.functions.iter().map(find).collect();
    let functions = functions?;
    let named = |name: &String| {
        let mut functions = functions.iter();
        functions
            .find(|function| function.name.as_str() == name)
            .copied()
    };
    let apart = options.never_parallel.iter();
    let apart = apart.filter_map(|(one, other)| Some((named(one)?, named(other)?)));
    Ok(Harness::Functions {
        apart: apart.collect(),
        functions,
    })
}

/// The names of all functions that other files can call.
pub fn exported_functions(workspace: &Workspace) -> Vec<String> {
    let program = workspace.analysis().runnable("main");
    let names = exported(&program).into_iter().map(|function| function.name);
    names
        .filter(|name| name.as_str() != "main")
        .map(|name| name.to_string())
        .collect()
}

/// Statements by their names in the representation, and where they stand.
struct Statements<'w> {
    workspace: &'w Workspace,
    analysis: &'w Analysis,
    checked: &'w CheckedProgram,
    functions: HashMap<FunctionRef, racelens_analysis::db::Function>,
}

impl<'w> Statements<'w> {
    fn new(
        workspace: &'w Workspace,
        analysis: &'w Analysis,
        checked: &'w CheckedProgram,
    ) -> Statements<'w> {
        let functions = checked
            .functions()
            .map(|(id, function)| {
                let body = checked.program.functions.body(id);
                (body.function.declared(), function)
            })
            .collect();
        Statements {
            workspace,
            analysis,
            checked,
            functions,
        }
    }

    fn place(&self, function: FunctionRef, statement: StatementId) -> Option<(Ustr, u32)> {
        let entity = *self.functions.get(&function)?;
        let span = self.analysis.statement_span(entity, statement)?;
        let location = self.workspace.location(self.analysis, entity, span)?;
        Some((location.file, location.line))
    }

    fn location(&self, function: FunctionRef, statement: StatementId) -> Option<String> {
        let (file, line) = self.place(function, statement)?;
        let name = Path::new(file.as_str()).file_name()?.to_string_lossy();
        Some(format!("{name}:{line}"))
    }

    fn of_race(&self, id: &str) -> Vec<(FunctionRef, StatementId)> {
        let program = &self.checked.program;
        let found = program
            .races
            .iter()
            .filter(|race| crate::races::shown_id(race.id) == id);
        found
            .flat_map(|race| &race.pairs)
            .flat_map(|pair| [pair.first, pair.second])
            .map(|sighting| {
                let body = program.functions.body(sighting.function);
                let function = body.function.declared();
                (function, program.access(sighting).statement)
            })
            .collect()
    }

    fn on_line(&self, file: &Path, line: u32) -> Vec<(FunctionRef, StatementId)> {
        let wanted = real_path(file);
        let program = &self.checked.program;
        let mut found = Vec::new();
        for id in program.functions.ids() {
            let function = program.functions.body(id).function.declared();
            for access in &program.facts[id.0 as usize].accesses {
                let place = self.place(function, access.statement);
                if place.is_some_and(|(at, number)| {
                    number == line && real_path(Path::new(at.as_str())) == wanted
                }) {
                    found.push((function, access.statement));
                }
            }
        }
        found
    }
}

/// Two names of one file are the same file.
fn real_path(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| file.to_owned())
}
