//! What the printer writes is the program: gcc takes it, and it does what the original does.

use racelens_tests::compiler;
use racelens_tests::corpus::{CorpusEntry, corpus};
use racelens_tests::front_end::FrontEnd;
use racelens_tests::generator::program;
use racelens_tests::printed_programs::{compile, printed_as_it_is, read, run, sources};
use racelens_tests::random::cases;
use racelens_tests::side_by_side::side_by_side;
use std::process::Command;

const OUT: &str = "\nint printf(const char *, ...);\nvoid out(long n) { printf(\"%ld\\n\", n); }\n";

fn random_difference(seed: u64) -> Option<String> {
    let text = program(seed);
    let folder = tempfile::tempdir().expect("a folder can be made");
    let native = match compiler::run(&format!("{text}{OUT}"), folder.path(), &[]) {
        Ok(output) => output,
        // gcc 12 fails on one program in six hundred, and some run for ever.
        Err(_) => return None,
    };
    let printed = printed_as_it_is(FrontEnd::read(&text).analysis());
    match compile(
        &format!("{printed}{OUT}"),
        folder.path(),
        "printed",
        &["-w"],
    ) {
        Err(complaint) => Some(format!("seed {seed}: {complaint}")),
        Ok(executable) => {
            let ours = run(&executable, &[]);
            let same = String::from_utf8_lossy(&ours.stdout) == native;
            (!same).then(|| format!("seed {seed}: {} prints something else", ours.status))
        }
    }
}

/// `RACELENS_PRINTED_PROGRAMS` asks for more than the usual number.
#[test]
fn random_programs_print_the_same_natively_and_as_printed() {
    let count = cases("RACELENS_PRINTED_PROGRAMS", 40);
    let seeds: Vec<u64> = (0..count).collect();
    let different = side_by_side(&seeds, &|seed| random_difference(*seed));
    let different: Vec<String> = different.into_iter().flatten().collect();
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// What a run shows: its exit status and its output.
fn behaviour(executable: &std::path::Path) -> (Option<i32>, String) {
    let output = run(executable, &[]);
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

/// One in so many of the safe fixtures is run; `RACELENS_PRINTED_RUNS` asks for all.
const RUN_ONE_IN: usize = 4;

fn difference((index, entry): &(usize, &CorpusEntry)) -> Option<String> {
    let name = &entry.program.name;
    let folder = tempfile::tempdir().expect("a folder can be made");
    let files = sources(entry);
    let workspace = read(&files);
    let printed = printed_as_it_is(&workspace.analysis());
    let all = std::env::var_os("RACELENS_PRINTED_RUNS").is_some();
    let runs = entry.program.has_main()
        && entry.program.not_runnable.is_none()
        && (all || index % RUN_ONE_IN == 0);
    let link: &[&str] = if runs { &["-lm"] } else { &["-c"] };
    let executable = match compile(&printed, folder.path(), "printed", link) {
        Err(complaint) => return Some(format!("{name}: {complaint}")),
        Ok(executable) => executable,
    };
    // What a racy program prints may differ from run to run.
    if !runs || entry.program.racing_pairs().next().is_some() {
        return None;
    }
    let original = folder.path().join("original");
    let status = Command::new("gcc")
        .args(["-O0", "-w", "-pthread", "-o"])
        .arg(&original)
        .args(&files)
        .arg("-lm")
        .status()
        .expect("gcc runs");
    assert!(status.success(), "{name}");
    // Some print how far their threads have come by chance.
    let same = || behaviour(&executable) == behaviour(&original);
    if (0..5).any(|_| same()) {
        return None;
    }
    let (ours, theirs) = (behaviour(&executable), behaviour(&original));
    Some(format!("{name}: {ours:?} instead of {theirs:?}"))
}

#[test]
fn every_fixture_compiles_as_printed_and_safe_ones_behave_as_the_original() {
    let corpus = corpus();
    let entries: Vec<(usize, &CorpusEntry)> = corpus.entries.iter().enumerate().collect();
    let different = side_by_side(&entries, &difference);
    let different: Vec<String> = different.into_iter().flatten().collect();
    assert!(
        different.is_empty(),
        "{} differ\n{}",
        different.len(),
        different.join("\n")
    );
}
