//! Runs a batch of random programs in one process under ThreadSanitizer.
//!
//! Starting gcc and linking cost more than the programs themselves, so that programs share both. Each
//! one keeps a file of its own, which tells the races of one from those of another.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::plan::Plan;
use super::source::{IN_BATCH, run_function, source};
use crate::corpus::CorpusEntry;
use crate::fixture::{LinePair, Program, SourceFile};
use crate::oracle::{InstrumentedProgram, OracleError};

/// More programs make a batch hardly cheaper per program, but its failures harder to find.
pub const PROGRAMS_PER_BATCH: u64 = 20;

/// ThreadSanitizer sometimes loses the stack of an old access and then cannot name its line.
const MOST_LOST_RUNS: usize = 3;

/// Programs in files of one folder, which is removed when the batch is dropped.
pub struct Batch {
    pub plans: Vec<Plan>,
    entry: CorpusEntry,
    _folder: tempfile::TempDir,
}

impl Batch {
    pub fn write(plans: Vec<Plan>) -> Result<Batch, OracleError> {
        let failed = |error: std::io::Error| OracleError::Run(error.to_string());
        let folder = tempfile::tempdir().map_err(failed)?;
        // gcc names files as they are included, and the report is read by the name of the folder.
        let path = folder.path().canonicalize().map_err(failed)?;
        let mut text = format!("// Random programs, one after another.\n#define {IN_BATCH}\n");
        for plan in &plans {
            fs::write(path.join(file_name(plan)), source(plan)).map_err(failed)?;
            text.push_str(&format!("#include \"{}\"\n", file_name(plan)));
        }
        text.push_str("\nint main(void)\n{\n");
        for plan in &plans {
            text.push_str(&format!("    {}();\n", run_function(plan)));
        }
        text.push_str("    return 0;\n}\n");
        fs::write(path.join("batch.c"), &text).map_err(failed)?;
        let file = SourceFile {
            path: "batch.c".into(),
            text,
        };
        let program = Program::parse("random/batch", vec![file])
            .map_err(|errors| OracleError::Run(format!("{errors:?}")))?;
        let entry = CorpusEntry {
            program,
            folder: path,
        };
        Ok(Batch {
            plans,
            entry,
            _folder: folder,
        })
    }

    /// The file of one program, complete by itself.
    pub fn file(&self, plan: &Plan) -> PathBuf {
        self.entry.folder.join(file_name(plan))
    }

    /// Compiles with warnings as errors, and to the end: a syntax check does not find unused functions.
    pub fn check_warnings(&self) -> Result<(), OracleError> {
        let output = Command::new("gcc")
            .args(["-Wall", "-Wextra", "-Werror", "-pthread", "-O1", "-S", "-o"])
            .arg(self.entry.folder.join("batch.s"))
            .arg(self.entry.folder.join("batch.c"))
            .output()
            .map_err(|error| OracleError::Compile(format!("gcc cannot be started: {error}")))?;
        if output.status.success() {
            Ok(())
        } else {
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(OracleError::Compile(message))
        }
    }

    /// The pairs of lines that raced in one of `runs` runs, for each program.
    pub fn watch(&self, runs: usize) -> Result<Vec<BTreeSet<LinePair>>, OracleError> {
        let executable = InstrumentedProgram::compile(&self.entry)?;
        let mut seen = BTreeSet::new();
        let mut lost = 0;
        let mut done = 0;
        while done < runs {
            match executable.run() {
                Ok(pairs) => {
                    seen.extend(pairs.iter().map(|pair| pair.lines()));
                    done += 1;
                }
                Err(OracleError::Run(message)) if message.contains("cannot be read") => {
                    lost += 1;
                    if lost > MOST_LOST_RUNS {
                        return Err(OracleError::Run(message));
                    }
                }
                Err(error) => return Err(error),
            }
        }
        let of_program = |plan: &Plan| {
            let name = file_name(plan);
            let mine = |pair: &&LinePair| pair.places().iter().all(|place| place.file == name);
            seen.iter().filter(mine).cloned().collect()
        };
        Ok(self.plans.iter().map(of_program).collect())
    }
}

fn file_name(plan: &Plan) -> String {
    format!("p{}.c", plan.seed)
}
