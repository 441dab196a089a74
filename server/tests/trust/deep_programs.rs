//! Programs that nobody writes by hand: deeper, longer and wider than any stack. They are analysed, or a note says
//! what is not.

use crate::program::check;
use crate::temporary_folder::TemporaryFolder;

const HEAD: &str = "#include <pthread.h>\nint shared;\n";
const TAIL: &str = "\nvoid *worker(void *p) { entry(); return p; }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); shared++; return 0; }\n";

/// The race on `shared` is found although the rest is as it is.
fn finds_the_race(middle: &str) {
    let folder = TemporaryFolder::new(&[("a.c", &format!("{HEAD}{middle}{TAIL}"))]);
    let run = check(&folder, &[]);
    assert!(
        run.output.contains("race on `shared`"),
        "{}{}",
        run.errors,
        run.output
    );
}

/// The same, and what is not known of the program is said.
fn finds_the_race_and_says(words: &str, middle: &str) {
    let folder = TemporaryFolder::new(&[("a.c", &format!("{HEAD}{middle}{TAIL}"))]);
    let run = check(&folder, &[]);
    assert!(run.output.contains("race on `shared`"), "{}", run.output);
    assert!(run.errors.contains(words), "{}", run.errors);
}

/// What cannot be analysed is said, and the rest is.
fn is_refused(middle: &str, reason: &str) {
    let folder = TemporaryFolder::new(&[("a.c", &format!("{HEAD}{middle}{TAIL}"))]);
    let run = check(&folder, &[]);
    assert!(
        run.status < 2 && run.errors.contains(reason),
        "{}",
        run.errors
    );
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

#[test]
fn a_long_chain_of_calls() {
    let count = 2_000;
    let functions = lines(count, |at| {
        format!("int f{}(int x) {{ return f{at}(x + 1); }}\n", at + 1)
    });
    finds_the_race(&format!(
        "int f0(int x) {{ shared++; return x; }}\n{functions}void entry(void) {{ f{count}(1); }}"
    ));
}

#[test]
fn many_functions_that_call_each_other() {
    let count = 1_000;
    let declarations = lines(count, |at| format!("int f{at}(int);\n"));
    let functions = lines(count, |at| {
        format!(
            "int f{at}(int x) {{ shared++; return x ? f{}(x - 1) : 0; }}\n",
            (at + 1) % count
        )
    });
    finds_the_race(&format!(
        "{declarations}{functions}void entry(void) {{ f0(1); }}"
    ));
}

#[test]
fn records_in_records_in_records() {
    let records = lines(3_000, |at| {
        format!("struct n{} {{ struct n{at} a; int b; }};\n", at + 1)
    });
    finds_the_race_and_says(
        "nested more than 128 times in each other",
        &format!(
            "struct n0 {{ int x; }};\n{records}struct n3000 global;\nvoid entry(void) {{ global.a.b = 1; shared++; }}"
        ),
    );
}

#[test]
fn types_made_of_types() {
    let pointers = lines(5_000, |at| format!("typedef t{at} *t{};\n", at + 1));
    let functions = lines(80, |at| {
        format!("typedef g{at} *(*g{})(g{at} *, g{at} *);\n", at + 1)
    });
    finds_the_race_and_says(
        "made of more than 4096 others",
        &format!(
            "typedef int t0;\n{pointers}typedef int g0;\n{functions}t5000 deep;\ng80 *wide;\n\
         void entry(void) {{ deep = 0; wide = 0; shared++; }}"
        ),
    );
}

#[test]
fn a_location_that_is_accessed_many_thousand_times() {
    let accesses = "shared++; ".repeat(5_000);
    finds_the_race(&format!("void entry(void) {{ {accesses} }}"));
}

#[test]
fn wide_tables_switches_and_records() {
    let cases = lines(5_000, |at| format!("case {at}: shared = {at}; break;\n"));
    let members = lines(5_000, |at| format!("int m{at};"));
    let values = lines(50_000, |at| format!("{at},"));
    finds_the_race(&format!(
        "struct wide {{ {members} }} wide;\nint values[] = {{ {values} }};\n\
         void entry(void) {{ switch (values[1]) {{ {cases} }} wide.m7++; shared++; }}"
    ));
}

#[test]
fn blocks_pointers_and_subscripts() {
    let (open, close) = ("{".repeat(200), "}".repeat(200));
    let (stars, subscripts, dimensions) = ("*".repeat(200), "[0]".repeat(200), "[1]".repeat(200));
    finds_the_race(&format!(
        "int {stars}pointer;\nint array{dimensions};\n\
         void entry(void) {{ {open} {stars}pointer = 1; array{subscripts} = 1; shared++; {close} }}"
    ));
}

#[test]
fn what_is_nested_too_deeply_is_said() {
    let reason = "nested too deeply";
    let (open, close) = ("(".repeat(5_000), ")".repeat(5_000));
    is_refused(
        &format!("void entry(void) {{ shared = {open}1{close}; }}"),
        reason,
    );
    let (open, close) = ("{".repeat(5_000), "}".repeat(5_000));
    is_refused(
        &format!("void entry(void) {{ {open} shared++; {close} }}"),
        reason,
    );
    let chain = "if (shared) shared++; else ".repeat(10_000);
    is_refused(&format!("void entry(void) {{ {chain} shared++; }}"), reason);
    let chain = "shared ? 1 : ".repeat(10_000);
    is_refused(
        &format!("void entry(void) {{ shared = {chain} 0; }}"),
        reason,
    );
}

#[test]
fn a_name_of_a_megabyte() {
    let name = "x".repeat(1 << 20);
    finds_the_race(&format!(
        "int {name};\nvoid entry(void) {{ {name}++; shared++; }}"
    ));
}
