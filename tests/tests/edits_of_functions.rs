//! Functions come, go and get other names. What is found is what is found from scratch, and all others keep their numbers.

use racelens_analysis::host::{AnalysisHost, CheckedProgram};
use racelens_tests::incremental::{apply, assert_as_if_afresh, check};

const PROGRAM: &str = "
typedef unsigned long pthread_t;
typedef struct { int state; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
static pthread_mutex_t lock;
static int counter, list[4];
static void (*chosen)(void);
static void add(void)
{
    counter++;
}
static void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    add();
    pthread_mutex_unlock(&lock);
    return argument;
}
static int compare(const void *one, const void *other)
{
    counter += 2;
    return one < other;
}
static void *sorter(void *argument)
{
    qsort(list, 4, sizeof(int), compare);
    if (chosen)
        chosen();
    return argument;
}
static void begin(void *(*run)(void *))
{
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
}
int main(void)
{
    chosen = add;
    begin(worker);
    begin(sorter);
    return 0;
}
";

fn with(replacements: &[(&str, &str)]) -> String {
    replacements
        .iter()
        .fold(PROGRAM.to_owned(), |text, (old, new)| {
            assert!(text.contains(old), "{old}");
            text.replace(old, new)
        })
}

/// Comes to each text from the one before, and goes back the same way.
fn there_and_back(texts: &[&str]) {
    let back = texts.iter().rev().skip(1);
    let all: Vec<&str> = texts.iter().chain(back).copied().collect();
    assert_as_if_afresh(&all);
}

/// The number of a function, by its name.
fn number(checked: &CheckedProgram, name: &str) -> Option<u32> {
    let functions = &checked.program.functions;
    let mut named = functions.with_names();
    let found = named.find(|id| functions.body(*id).function.name == name);
    found.map(|id| id.0)
}

#[test]
fn a_new_function_leaves_the_others_their_numbers() {
    let head = "static void *worker(void *argument)";
    let new = |name: &str| {
        let function = format!("static void {name}(void)\n{{\n    counter = 7;\n}}\n{head}");
        with(&[(head, &function)])
    };
    // As it is typed.
    let texts = [
        PROGRAM.to_owned(),
        new("r"),
        new("re"),
        new("res"),
        new("reset"),
        PROGRAM.to_owned(),
    ];
    let mut host = AnalysisHost::default();
    let mut before: Option<CheckedProgram> = None;
    for text in &texts {
        apply(&mut host, text);
        let now = check(&host.analysis(), before.as_ref());
        if let Some(before) = &before {
            for name in ["add", "worker", "compare", "sorter", "begin", "main"] {
                assert!(number(&now, name).is_some());
                assert_eq!(number(&now, name), number(before, name), "{name} in {text}");
            }
        }
        before = Some(now);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    assert_as_if_afresh(&texts);
}

#[test]
fn a_new_function_is_called_and_does_what_it_does() {
    let head = "static void *worker(void *argument)";
    let reset = format!("static void reset(void)\n{{\n    counter = 7;\n}}\n{head}");
    let defined = with(&[(head, &reset)]);
    let called = with(&[
        (head, &reset),
        ("    begin(worker);", "    begin(worker);\n    reset();"),
    ]);
    // Called before it is there, as one does who writes the call first.
    let only_called = with(&[("    begin(worker);", "    begin(worker);\n    reset();")]);
    there_and_back(&[PROGRAM, &defined, &called, &only_called, &called]);
}

#[test]
fn what_a_thread_runs_gets_another_name() {
    let head = "static void *worker(void *argument)";
    let renamed = with(&[(head, "static void *works(void *argument)")]);
    let everywhere = with(&[
        (head, "static void *works(void *argument)"),
        ("begin(worker)", "begin(works)"),
    ]);
    there_and_back(&[PROGRAM, &renamed, &everywhere]);
}

#[test]
fn what_is_called_through_a_pointer_or_by_a_library_gets_another_name() {
    let adds = with(&[("static void add(void)", "static void adds(void)")]);
    let adds_everywhere = with(&[
        ("static void add(void)", "static void adds(void)"),
        ("    add();", "    adds();"),
        ("chosen = add", "chosen = adds"),
    ]);
    let compares = with(&[("static int compare(", "static int compares(")]);
    let compares_everywhere = with(&[
        ("static int compare(", "static int compares("),
        ("sizeof(int), compare)", "sizeof(int), compares)"),
    ]);
    there_and_back(&[
        PROGRAM,
        &adds,
        &adds_everywhere,
        PROGRAM,
        &compares,
        &compares_everywhere,
    ]);
}

#[test]
fn functions_and_variables_with_first_values_come_and_go_together() {
    let more = with(&[
        (
            "static void (*chosen)(void);",
            "static void add(void);\nstatic void (*chosen)(void) = add;\nstatic int more = 1;",
        ),
        ("    chosen = add;\n", "    counter += more;\n"),
    ]);
    let begin = PROGRAM.find("static void begin").unwrap();
    let main = PROGRAM.find("int main").unwrap();
    let without = PROGRAM.replace(&PROGRAM[begin..main], "");
    there_and_back(&[PROGRAM, &more, &without, &more]);
}

#[test]
fn more_functions_come_than_there_is_room_for() {
    let head = "static void *worker(void *argument)";
    let many = |count: usize| {
        let function = |number| {
            format!(
                "static void many_{number}(void)\n{{\n    counter = {number};\n    add();\n}}\n"
            )
        };
        let functions: String = (0..count).map(function).collect();
        with(&[(head, &format!("{functions}{head}"))])
    };
    there_and_back(&[PROGRAM, &many(1), &many(2), &many(9), &many(10)]);
}

#[test]
fn two_functions_of_one_name_are_told_apart() {
    let head = "static void *worker(void *argument)";
    let once = format!("void log_it(void)\n{{\n    counter = 7;\n}}\n{head}");
    let twice = format!("void log_it(void)\n{{\n    counter = 7;\n}}\n{once}");
    let called = ("    begin(worker);", "    begin(worker);\n    log_it();");
    there_and_back(&[
        PROGRAM,
        &with(&[(head, &once), called]),
        &with(&[(head, &twice), called]),
    ]);
}
