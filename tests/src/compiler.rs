//! The C compiler as a judge: preprocesses, checks assertions and runs small programs.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The preprocessed text of a program.
///
/// # Panics
/// If gcc is missing or refuses the program; there is nothing to compare with then.
pub fn preprocess(text: &str) -> String {
    let output = gcc(&["-E", "-x", "c", "-"], text);
    assert!(output.status.success(), "{}", message(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The errors that gcc finds in a program, without warnings and notes; empty if it compiles.
pub fn complaints(text: &str, options: &[&str]) -> String {
    let mut arguments = vec!["-fsyntax-only", "-w", "-x", "c", "-"];
    arguments.extend_from_slice(options);
    errors(&gcc(&arguments, text))
}

/// Compiles a program and returns what it writes to its standard output, or why it cannot be run.
pub fn run(text: &str, folder: &Path, options: &[&str]) -> Result<String, String> {
    let executable = folder.join("program");
    let path = executable.to_string_lossy().into_owned();
    let mut arguments = vec!["-O0", "-fwrapv", "-w", "-x", "c", "-", "-o", &path];
    arguments.extend_from_slice(options);
    let output = gcc(&arguments, text);
    if !output.status.success() {
        return Err(errors(&output));
    }
    let output = Command::new(&executable)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("{}: {}", output.status, message(&output)))
    }
}

fn gcc(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new("gcc")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("gcc cannot be started: {error}"));
    let mut stdin = child.stdin.take().unwrap_or_else(|| unreachable!("piped"));
    // gcc may stop reading at an error; what it says then matters more than what it did not read.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child
        .wait_with_output()
        .unwrap_or_else(|error| panic!("gcc cannot be awaited: {error}"))
}

fn errors(output: &Output) -> String {
    let message = message(output);
    let errors = message.lines().filter(|line| line.contains("error:"));
    errors.collect::<Vec<_>>().join("\n")
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
