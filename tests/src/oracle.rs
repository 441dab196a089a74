//! Compiles fixtures with gcc and lets ThreadSanitizer watch them run: it confirms races, it never proves absence.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::corpus::CorpusEntry;
use crate::thread_sanitizer::{RacingPair, racing_pairs};

/// An executable of a fixture, instrumented by ThreadSanitizer; removed when dropped.
pub struct InstrumentedProgram {
    workspace: tempfile::TempDir,
    folder: PathBuf,
}

/// One run of a fixture is over in milliseconds; only a deadlock or a lost wake-up takes this long.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// The exit code that tells a reported race from a failure of the fixture itself.
const RACE_EXIT_CODE: i32 = 66;

/// Equal stacks are left suppressed: a race in a loop would print the same pair of lines thousands of
/// times. Equal addresses are not: they would hide the second pair of lines of one variable.
const OPTIONS: &str = "exitcode=66 suppress_equal_stacks=1 suppress_equal_addresses=0 history_size=7 \
                       report_thread_leaks=0 report_mutex_bugs=1 detect_deadlocks=0";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OracleError {
    /// gcc refused the fixture, or has no ThreadSanitizer.
    Compile(String),
    /// This machine cannot run instrumented programs at all.
    CannotRun(String),
    /// The fixture ran and misbehaved.
    Run(String),
}

impl fmt::Display for OracleError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OracleError::Compile(message) => write!(formatter, "does not compile:\n{message}"),
            OracleError::CannotRun(message) => write!(
                formatter,
                "THREADSANITIZER CANNOT RUN ON THIS MACHINE, no race of the corpus is confirmed here: {message}"
            ),
            OracleError::Run(message) => write!(formatter, "runs wrongly: {message}"),
        }
    }
}

/// Compiles without output; warnings count as errors, since a fixture is an example of good C.
pub fn check_syntax(entry: &CorpusEntry) -> Result<(), OracleError> {
    let mut gcc = Command::new("gcc");
    gcc.args(["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-pthread"]);
    run_gcc(gcc.args(translation_units(entry)))
}

impl InstrumentedProgram {
    /// Without optimisation, because an optimiser moves accesses out of loops and so to other lines.
    pub fn compile(entry: &CorpusEntry) -> Result<InstrumentedProgram, OracleError> {
        let workspace = tempfile::tempdir().map_err(|error| OracleError::Run(error.to_string()))?;
        let mut gcc = Command::new("gcc");
        gcc.args(["-g", "-O0", "-fsanitize=thread", "-pthread", "-w", "-o"]);
        gcc.arg(executable(workspace.path()));
        run_gcc(gcc.args(translation_units(entry)))?;
        let folder = entry.folder.clone();
        Ok(InstrumentedProgram { workspace, folder })
    }

    /// Runs once and returns the pairs that raced in this run.
    pub fn run(&self) -> Result<BTreeSet<RacingPair>, OracleError> {
        let mut outcome = self.start(&mut Command::new(executable(self.workspace.path())))?;
        if refuses_memory_layout(&outcome.report) {
            // Some kernels randomise addresses more than ThreadSanitizer can map.
            let mut fixed_addresses = Command::new("setarch");
            fixed_addresses
                .arg("-R")
                .arg(executable(self.workspace.path()));
            outcome = self
                .start(&mut fixed_addresses)
                .map_err(|error| OracleError::CannotRun(format!("setarch -R: {error}")))?;
            if refuses_memory_layout(&outcome.report) {
                return Err(OracleError::CannotRun(outcome.report));
            }
        }
        let pairs = racing_pairs(&outcome.report, &self.folder).map_err(OracleError::Run)?;
        let expected_code = if pairs.is_empty() { 0 } else { RACE_EXIT_CODE };
        if outcome.status.code() != Some(expected_code) {
            let message = format!("{}, with the report\n{}", outcome.status, outcome.report);
            return Err(OracleError::Run(message));
        }
        Ok(pairs)
    }

    fn start(&self, command: &mut Command) -> Result<Outcome, OracleError> {
        let report = self.workspace.path().join("report.txt");
        let failed = |error: std::io::Error| OracleError::Run(error.to_string());
        // A file instead of a pipe: nobody has to read while the program runs.
        let stderr = File::create(&report).map_err(failed)?;
        let mut child = command
            .env("TSAN_OPTIONS", OPTIONS)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(stderr)
            .spawn()
            .map_err(failed)?;
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                break status;
            }
            if started.elapsed() > TIME_LIMIT {
                child.kill().and_then(|()| child.wait()).map_err(failed)?;
                let message = format!("no end after {} s", TIME_LIMIT.as_secs());
                return Err(OracleError::Run(message));
            }
            sleep(Duration::from_millis(5));
        };
        let report = fs::read(&report).map_err(failed)?;
        let report = String::from_utf8_lossy(&report).into_owned();
        Ok(Outcome { status, report })
    }
}

struct Outcome {
    status: ExitStatus,
    report: String,
}

fn refuses_memory_layout(report: &str) -> bool {
    report.contains("FATAL: ThreadSanitizer: unexpected memory mapping")
}

fn run_gcc(gcc: &mut Command) -> Result<(), OracleError> {
    let output = gcc
        .output()
        .map_err(|error| OracleError::Compile(format!("gcc cannot be started: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let mut message = String::from_utf8_lossy(&output.stderr).into_owned();
    let lacks_library = message.contains("-ltsan") || message.contains("libtsan");
    if lacks_library {
        message.push_str("gcc has no ThreadSanitizer here: install its libtsan package.\n");
    }
    Err(OracleError::Compile(message))
}

fn translation_units(entry: &CorpusEntry) -> Vec<PathBuf> {
    let files = entry.program.files.iter();
    let units = files.filter(|file| file.path.ends_with(".c"));
    units.map(|file| entry.folder.join(&file.path)).collect()
}

fn executable(workspace: &Path) -> PathBuf {
    workspace.join("fixture")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::read_corpus;

    fn entry(text: &str) -> (tempfile::TempDir, CorpusEntry) {
        let root = tempfile::tempdir().unwrap();
        let family = root.path().join("family");
        fs::create_dir(&family).unwrap();
        fs::write(family.join("idiom.c"), format!("// For a test.\n{text}")).unwrap();
        let mut corpus = read_corpus(root.path());
        assert!(corpus.errors.is_empty(), "{:?}", corpus.errors);
        (root, corpus.entries.remove(0))
    }

    #[test]
    fn a_warning_of_the_compiler_fails_the_fixture() {
        let (_root, entry) = entry("int main(void) { int unused; return 0; }\n");
        let error = check_syntax(&entry).unwrap_err().to_string();
        assert!(error.contains("unused variable"), "{error}");
    }

    #[test]
    fn a_program_that_does_not_link_is_a_compile_error() {
        let (_root, entry) = entry("void absent(void);\nint main(void) { absent(); return 0; }\n");
        let result = InstrumentedProgram::compile(&entry).map(|_| ());
        assert!(matches!(result, Err(OracleError::Compile(_))), "{result:?}");
    }

    #[test]
    fn a_machine_that_cannot_run_it_is_told_from_a_quiet_program() {
        let fatal = "FATAL: ThreadSanitizer: unexpected memory mapping 0x7bdc-0x7be0\n";
        assert!(refuses_memory_layout(fatal));
        assert!(!refuses_memory_layout(
            "ThreadSanitizer: reported 1 warnings\n"
        ));
        let error = OracleError::CannotRun(fatal.into()).to_string();
        assert!(error.contains("CANNOT RUN ON THIS MACHINE"), "{error}");
    }

    #[test]
    fn a_program_that_fails_is_not_taken_for_a_quiet_one() {
        let (_root, entry) = entry("int main(void) { return 3; }\n");
        match InstrumentedProgram::compile(&entry).unwrap().run() {
            Err(OracleError::Run(message)) => assert!(message.contains('3'), "{message}"),
            // The corpus test says loudly that nothing can run here.
            Err(OracleError::CannotRun(_)) => {}
            other => panic!("{other:?}"),
        }
    }
}
