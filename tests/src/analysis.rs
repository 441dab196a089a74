//! What the analysis says about programs on disk, in the terms in which tests state it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use racelens::project::LoadOptions;
use racelens::workspace::Workspace;
use racelens_analysis::host::{Analysis, CheckedProgram, Location, Verification};
use racelens_analysis::ir::Span;
use racelens_analysis::kiss::concurrent::oracle::{Everything, explore};
use racelens_analysis::kiss::concurrent::turns::Turns;
use racelens_analysis::kiss::machine::{Machine, SchedulingPoints};
use racelens_analysis::kiss::schedule::Position;
use racelens_analysis::kiss::search::{Bounds, Targets};
use racelens_analysis::locksets::Mode;
use racelens_analysis::races::{DEFAULT_MIN_RANK, Options, Sighting, WholeProgram};

use crate::corpus::CorpusEntry;
use crate::fixture::Place;
use crate::matching::{ReportedAccess, ReportedRace};

/// A program that has been analysed.
pub struct Checked {
    workspace: Workspace,
    analysis: Analysis,
    program: CheckedProgram,
}

impl Checked {
    /// Reads and analyses C files as one program.
    ///
    /// # Panics
    /// If the files cannot be read at all: a test would otherwise compare nothing.
    pub fn new(files: &[PathBuf]) -> Checked {
        let options = LoadOptions {
            paths: files.to_vec(),
            ..LoadOptions::default()
        };
        let workspace = match Workspace::load(&options, Some(1)) {
            Ok(workspace) => workspace,
            Err(error) => panic!("the program is not read: {error}"),
        };
        let analysis = workspace.analysis();
        let models = &workspace.models;
        // On threads with the stack that the command gives them.
        let program = workspace.in_parallel(|analysis| analysis.check(models, Options::default()));
        Checked {
            workspace,
            analysis,
            program,
        }
    }

    pub fn of_fixture(entry: &CorpusEntry) -> Checked {
        let sources = entry
            .program
            .files
            .iter()
            .filter(|file| file.path.ends_with(".c"));
        let files: Vec<PathBuf> = sources.map(|file| entry.folder.join(&file.path)).collect();
        Checked::new(&files)
    }

    pub fn program(&self) -> &WholeProgram {
        &self.program.program
    }

    /// Every pair of every race that is shown without being asked for.
    pub fn races(&self) -> Vec<ReportedRace> {
        self.races_from(DEFAULT_MIN_RANK)
    }

    /// Every pair of every race, however little speaks for it.
    pub fn all_races(&self) -> Vec<ReportedRace> {
        self.races_from(0)
    }

    fn races_from(&self, min_rank: u8) -> Vec<ReportedRace> {
        let races = self.program.program.races.iter();
        races
            .filter(|race| race.rank >= min_rank)
            .flat_map(|race| &race.pairs)
            .filter_map(|pair| {
                Some(ReportedRace {
                    first: self.access(pair.first)?,
                    second: self.access(pair.second)?,
                })
            })
            .collect()
    }

    /// Every access to memory that threads share, in every context, with its locks.
    pub fn accesses(&self) -> Vec<ReportedAccess> {
        let program = &self.program.program;
        let mut found = Vec::new();
        for (function, _) in self.program.functions() {
            for access in 0..program.facts[function.0 as usize].accesses.len() {
                for (context, ..) in program.contexts.of(function) {
                    let sighting = Sighting {
                        function,
                        access: access as u32,
                        context,
                    };
                    found.extend(self.access(sighting));
                }
            }
        }
        found
    }

    /// File, line and attribute of every broken promise about locks.
    pub fn violations(&self) -> BTreeSet<(String, u32, String)> {
        let violations = self.program.violations.iter();
        violations
            .filter_map(|violation| {
                let function = self.program.function(violation.function);
                let span = match violation.statement {
                    Some(statement) => self.analysis.statement_span(function, statement)?,
                    None => Span::default(),
                };
                let location = self.workspace.location(&self.analysis, function, span)?;
                let code = violation.kind.word().to_owned();
                Some((file_name(&location), location.line, code))
            })
            .collect()
    }

    /// Looks for interleavings that show races, from `main`.
    ///
    /// # Panics
    /// If there is no program to run.
    pub fn verify(
        &self,
        targets: &Targets,
        bounds: Bounds,
        stop: &dyn Fn() -> bool,
    ) -> Verification {
        let found = self
            .analysis
            .verify(&self.program, "main", targets, bounds, stop);
        found.unwrap_or_else(|error| panic!("the program cannot be run: {error}"))
    }

    /// As `verify`, with other threads let in at every step.
    pub fn verify_everywhere(&self, targets: &Targets, bounds: Bounds) -> Verification {
        let points = SchedulingPoints::Everywhere;
        let found =
            self.analysis
                .verify_with(&self.program, "main", targets, bounds, points, &|| false);
        found.unwrap_or_else(|error| panic!("the program cannot be run: {error}"))
    }

    /// Everything that can happen in a small program, from `main`.
    pub fn everything(&self, most_states: usize) -> Everything {
        let program = self
            .analysis
            .executable("main")
            .unwrap_or_else(|error| panic!("the program cannot be run: {error}"));
        let machine = Machine::new(&program, &self.program.models, SchedulingPoints::Everywhere);
        match machine {
            Ok(machine) => explore(&machine, &Turns::Free, most_states),
            Err(stop) => panic!("the program cannot be run: {stop:?}"),
        }
    }

    /// File and line of a statement.
    pub fn place(&self, position: Position) -> Option<Place> {
        let function = self.program.function_named(position.function)?;
        let span = self.analysis.statement_span(function, position.statement)?;
        let location = self.workspace.location(&self.analysis, function, span)?;
        Some(Place {
            file: file_name(&location),
            line: location.line,
        })
    }

    fn access(&self, sighting: Sighting) -> Option<ReportedAccess> {
        let (function, statement) = self.program.statement(sighting);
        let span = self.analysis.statement_span(function, statement)?;
        let location = self.workspace.location(&self.analysis, function, span)?;
        let names = self.program.program.names(sighting.function);
        let locks: BTreeSet<String> = self
            .program
            .program
            .locks(sighting)
            .into_iter()
            .map(|lock| {
                let mode = match lock.mode {
                    Mode::Shared => "shared ",
                    Mode::Exclusive => "",
                };
                format!("{mode}{}", names.path(&lock.path))
            })
            .collect();
        Some(ReportedAccess {
            file: file_name(&location),
            line: location.line,
            locks: locks.into_iter().collect(),
        })
    }
}

fn file_name(location: &Location) -> String {
    let name = Path::new(location.file.as_str()).file_name();
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// The races of a program that are shown without being asked for, as pairs of places.
pub fn reported_races(files: &[PathBuf]) -> Vec<ReportedRace> {
    Checked::new(files).races()
}

/// All races of a program whatever their rank, as pairs of places.
pub fn all_reported_races(files: &[PathBuf]) -> Vec<ReportedRace> {
    Checked::new(files).all_races()
}
