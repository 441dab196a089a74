//! `racelens index`: reads a program and says how much of it was understood.

use super::options::ProgramOptions;
use super::terminal::{ColorChoice, complain, counted, print, print_data, print_notes};
use super::{FAILURE, SUCCESS};
use crate::workspace::{SyntaxNote, Workspace};
use clap::{Args, ValueEnum};
use racelens_analysis::db::FunctionKind;
use racelens_analysis::host::ProblemKind;
use racelens_analysis::ir::Statement;
use serde_json::{Value, json};

#[derive(Args)]
pub(super) struct IndexArguments {
    #[command(flatten)]
    program: ProgramOptions,
    /// How to write the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(super) fn run(arguments: &IndexArguments) -> u8 {
    let workspace = match arguments.program.load() {
        Ok(workspace) => workspace,
        Err(error) => {
            complain(&format!("error: {error}"));
            return FAILURE;
        }
    };
    let summary = Summary::of(&workspace);
    match arguments.format {
        Format::Text => {
            print_notes(&workspace.notes, ColorChoice::Auto);
            let syntax: Vec<_> = summary.failures.iter().map(SyntaxNote::to_note).collect();
            print_notes(&syntax, ColorChoice::Auto);
            if workspace.units > 0 {
                print(&summary.text(&workspace));
            }
        }
        Format::Json => print_data(&format!("{}\n", summary.json(&workspace))),
    }
    let units = workspace.units;
    workspace.leave();
    if units == 0 {
        complain("nothing was analysed");
        FAILURE
    } else {
        SUCCESS
    }
}

struct Summary {
    functions: usize,
    initialisers: usize,
    accesses: usize,
    calls: usize,
    /// Accesses of which the type is not known: a declaration is missing or was not understood.
    untyped: usize,
    failures: Vec<SyntaxNote>,
}

impl Summary {
    fn of(workspace: &Workspace) -> Summary {
        let analysis = workspace.analysis();
        let mut summary = Summary {
            functions: 0,
            initialisers: 0,
            accesses: 0,
            calls: 0,
            untyped: 0,
            failures: workspace.syntax_notes(),
        };
        for function in analysis.functions() {
            match function.kind(analysis.database()) {
                FunctionKind::Function => summary.functions += 1,
                FunctionKind::Initialiser => summary.initialisers += 1,
            }
            let Some(lowered) = &analysis.lowered(function).body else {
                continue;
            };
            for (_, statement) in lowered.body.statements() {
                summary.accesses += usize::from(
                    statement
                        .access()
                        .is_some_and(|(_, place, _)| !place.is_local()),
                );
                summary.untyped += usize::from(is_untyped(statement));
                summary.calls += usize::from(matches!(statement, Statement::Call { .. }));
            }
        }
        summary
    }

    fn failed_functions(&self) -> usize {
        self.failures
            .iter()
            .filter(|failure| failure.problem.kind == ProblemKind::Function)
            .count()
    }

    fn text(&self, workspace: &Workspace) -> String {
        let lowered = self.functions - self.failed_functions();
        let share = if self.functions == 0 {
            100.0
        } else {
            100.0 * lowered as f64 / self.functions as f64
        };
        format!(
            "{}, {} after preprocessing\n\
             {}, {lowered} of them understood ({share:.2} %), {}\n\
             {} beyond locals ({} of unknown type), {}\n\
             {:.2} s preprocessing, {:.2} s analysis\n",
            counted(workspace.units, "translation unit"),
            counted(workspace.lines, "line"),
            counted(self.functions, "function"),
            counted(self.initialisers, "initialiser"),
            // The plural is not `accesss`.
            match self.accesses {
                1 => "1 memory access".to_owned(),
                count => format!("{count} memory accesses"),
            },
            self.untyped,
            counted(self.calls, "call"),
            workspace.preprocess_time.as_secs_f64(),
            workspace.front_end_time.as_secs_f64(),
        )
    }

    fn json(&self, workspace: &Workspace) -> Value {
        let failures: Vec<Value> = self
            .failures
            .iter()
            .map(|failure| {
                let place = failure.place.as_ref();
                json!({
                    "file": place.map(|place| place.path.to_string_lossy()),
                    "line": place.map(|place| place.line),
                    "column": place.map(|place| place.column),
                    "function": failure.problem.name.map(|name| name.as_str()),
                    "kind": match failure.problem.kind {
                        ProblemKind::Function => "function",
                        ProblemKind::Initialiser => "initialiser",
                        ProblemKind::Typedef => "typedef",
                        ProblemKind::Declaration => "declaration",
                        ProblemKind::Types => "types",
                    },
                    "reason": failure.problem.reason,
                })
            })
            .collect();
        let notes: Vec<String> = workspace
            .notes
            .iter()
            .map(|note| note.to_string())
            .collect();
        json!({
            "units": workspace.units,
            "functions": { "found": self.functions, "lowered": self.functions - self.failed_functions() },
            "initialisers": self.initialisers,
            "accesses": self.accesses,
            "calls": self.calls,
            "untyped_accesses": self.untyped,
            "lines": workspace.lines,
            "bytes": workspace.bytes,
            "seconds": {
                "preprocess": workspace.preprocess_time.as_secs_f64(),
                "front_end": workspace.front_end_time.as_secs_f64(),
            },
            "failures": failures,
            "notes": notes,
        })
    }
}

fn is_untyped(statement: &Statement) -> bool {
    match statement {
        Statement::Load { ty, .. } | Statement::Store { ty, .. } | Statement::Update { ty, .. } => {
            ty.is_unknown()
        }
        Statement::Assign { .. } | Statement::Call { .. } | Statement::Assembly { .. } => false,
    }
}
