//! Random programs print the same, run natively and run as lowered by the front end.

use racelens_tests::compiler;
use racelens_tests::front_end::FrontEnd;
use racelens_tests::generator::program;
use racelens_tests::interpreter::{Machine, Program, TOO_LONG};
use racelens_tests::random::cases;
use rayon::prelude::*;

/// The native `out`, behind the program so that the program itself needs no header.
const OUT: &str = "\nint printf(const char *, ...);\nvoid out(long n) { printf(\"%ld\\n\", n); }\n";

fn interpreted(text: &str) -> Result<String, String> {
    let lowered = Program::new(FrontEnd::read(text));
    let mut machine = Machine::start(&lowered).map_err(|fault| fault.to_string())?;
    machine
        .call("main", Vec::new())
        .map_err(|fault| fault.to_string())?;
    Ok(machine
        .output
        .iter()
        .map(|number| format!("{number}\n"))
        .collect())
}

/// `None` if both runs agree.
fn difference(seed: u64) -> Option<String> {
    let text = program(seed);
    let folder = tempfile::tempdir().expect("a folder can be made");
    let native = match compiler::run(&format!("{text}{OUT}"), folder.path(), &[]) {
        Ok(output) => output,
        Err(message) => return Some(format!("seed {seed}: gcc: {message}\n{text}")),
    };
    let ours = interpreted(&text);
    if ours.as_ref() == Ok(&native) {
        return None;
    }
    let message = match ours {
        Err(fault) if fault.starts_with(TOO_LONG) => return None,
        Err(fault) => fault,
        Ok(ours) => {
            let pairs = native.lines().zip(ours.lines()).enumerate();
            let wrong: Vec<String> = pairs
                .filter(|(_, (native, ours))| native != ours)
                .take(5)
                .map(|(line, (native, ours))| format!("line {line}: {native} is {ours}"))
                .collect();
            wrong.join(", ")
        }
    };
    Some(format!("seed {seed}: {message}\n{text}"))
}

/// `RACELENS_PROGRAMS` asks for more than the usual number, `RACELENS_FIRST_PROGRAM` for a start.
#[test]
fn random_programs_print_the_same_natively_and_as_lowered() {
    let first = cases("RACELENS_FIRST_PROGRAM", 0);
    let count = cases("RACELENS_PROGRAMS", 250);
    let different: Vec<String> = (first..first + count)
        .into_par_iter()
        .filter_map(difference)
        .collect();
    if let Some(shortest) = different.iter().min_by_key(|text| text.len()) {
        let first_lines: Vec<&str> = different
            .iter()
            .filter_map(|text| text.lines().next())
            .collect();
        panic!(
            "{} of {count} programs differ\n{shortest}\n{}",
            different.len(),
            first_lines.join("\n")
        );
    }
}
