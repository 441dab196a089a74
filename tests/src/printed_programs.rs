//! Programs as the printer writes them, compiled and run.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use racelens::project::LoadOptions;
use racelens::workspace::Workspace;
use racelens_analysis::host::Analysis;
use racelens_analysis::kiss::c_text::{PLAIN_RUN_TIME, Printing, print};

use crate::corpus::CorpusEntry;

/// The C files of a fixture.
pub fn sources(entry: &CorpusEntry) -> Vec<PathBuf> {
    let files = entry.program.files.iter();
    let sources = files.filter(|file| file.path.ends_with(".c"));
    sources.map(|file| entry.folder.join(&file.path)).collect()
}

/// Reads C files as one program.
///
/// # Panics
/// If they cannot be read: a test would otherwise compare nothing.
pub fn read(files: &[PathBuf]) -> Workspace {
    let options = LoadOptions {
        paths: files.to_vec(),
        ..LoadOptions::default()
    };
    match Workspace::load(&options, Some(1)) {
        Ok(workspace) => workspace,
        Err(error) => panic!("the program is not read: {error}"),
    }
}

/// The program as it is, printed as one C file.
pub fn printed_as_it_is(analysis: &Analysis) -> String {
    let program = analysis.runnable("main");
    let text = print(&Printing {
        program: &program,
        main: "main",
        initialises_itself: true,
        comment: &|_, _| None,
        provided: &|_| false,
    });
    format!("{PLAIN_RUN_TIME}{text}")
}

/// Compiles a text to an executable, and says what gcc complains of.
pub fn compile(text: &str, folder: &Path, name: &str, options: &[&str]) -> Result<PathBuf, String> {
    let source = folder.join(format!("{name}.c"));
    let executable = folder.join(name);
    std::fs::write(&source, text).map_err(|error| error.to_string())?;
    let output = Command::new("gcc")
        .args(COMPILER_OPTIONS)
        .arg(&source)
        .arg("-o")
        .arg(&executable)
        .args(options)
        .output()
        .map_err(|error| error.to_string())?;
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() || complaints.contains("warning:") {
        return Err(complaints);
    }
    Ok(executable)
}

const COMPILER_OPTIONS: &[&str] = &["-O0", "-fwrapv", "-fno-strict-aliasing", "-pthread"];

/// Runs a program that ends soon.
///
/// # Panics
/// If it cannot be started.
pub fn run(executable: &Path, arguments: &[String]) -> Output {
    Command::new("timeout")
        .arg("20")
        .arg(executable)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", executable.display()))
}
