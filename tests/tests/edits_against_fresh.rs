//! After every edit, what is found with the results of before equals what is found from scratch.

use racelens_analysis::db::Function;
use racelens_analysis::host::{AnalysisHost, CheckedProgram};
use racelens_analysis::ir::{Base, Statement, StatementId};
use racelens_analysis::models::Models;
use racelens_analysis::races::Options;
use racelens_analysis::stages::Stage;
use racelens_analysis::stop::Stop;
use racelens_tests::compiler::preprocess;
use racelens_tests::corpus::corpus;
use racelens_tests::edits::edited;
use racelens_tests::incremental::{
    MAIN_FILE, apply, check, check_for_races, check_until, described,
};
use racelens_tests::racy_programs::{plan, source};
use racelens_tests::random::{Random, cases};
use racelens_tests::side_by_side::side_by_side;

/// How often each program is edited; `RACELENS_EDITS` asks for another number.
const USUAL_EDITS: u64 = 6;

/// Random programs besides the corpus; `RACELENS_EDITED_PROGRAMS` asks for another number.
const USUAL_PROGRAMS: u64 = 12;

/// Where checks are stopped.
const STAGES: [Stage; 8] = [
    Stage::PointsTo,
    Stage::CallGraph,
    Stage::Summaries,
    Stage::Contexts,
    Stage::Orders,
    Stage::Locations,
    Stage::Pairing,
    Stage::Contracts,
];

/// The first edit after which the two differ.
fn disagreement(name: &str, start: &str, edits: u64, random: &mut Random) -> Option<String> {
    let mut host = AnalysisHost::default();
    let mut text = start.to_owned();
    apply(&mut host, &text);
    let mut before = check(&host.analysis(), None);
    for edit in 0..edits {
        text = edited(&text, MAIN_FILE, random);
        apply(&mut host, &text);
        // Whoever goes on typing may stop a check anywhere; what it came to must not be taken for a result.
        let last = STAGES[random.below(STAGES.len())];
        let _stopped = check_until(&host.analysis(), &before, last);
        let again = check(&host.analysis(), Some(&before));
        // The same database: what does not parse keeps its last good version, which a new one does not know.
        let fresh = check(&host.analysis(), None);
        let (incremental, expected) = (described(&again), described(&fresh));
        if incremental != expected {
            let mut lines = incremental.lines().zip(expected.lines());
            let first = lines.find(|(one, other)| one != other);
            return Some(format!("{name}, edit {edit}: {first:#?}\n{text}"));
        }
        let for_races = described(&check_for_races(&host.analysis()));
        if for_races != expected {
            return Some(format!(
                "{name}, edit {edit}: functions that no thread gets to make a difference\n{text}"
            ));
        }
        before = again;
    }
    None
}

fn assert_no_disagreement(programs: &[(String, String)]) {
    let edits = cases("RACELENS_EDITS", USUAL_EDITS);
    let numbered: Vec<(usize, &(String, String))> = programs.iter().enumerate().collect();
    let found = side_by_side(&numbered, &|(seed, (name, text))| {
        disagreement(name, text, edits, &mut Random::new(*seed as u64))
    });
    let found: Vec<String> = found.into_iter().flatten().collect();
    assert!(
        found.is_empty(),
        "{} of {} programs differ:\n{}",
        found.len(),
        programs.len(),
        found[0]
    );
}

#[test]
fn edited_fixtures_are_checked_as_if_afresh() {
    let corpus = corpus();
    let programs: Vec<(String, String)> = corpus
        .entries
        .iter()
        .filter(|entry| entry.program.files.len() == 1)
        .step_by(4)
        .map(|entry| {
            let text = &entry.program.files[0].text;
            (entry.program.name.clone(), preprocess(text))
        })
        .collect();
    assert_no_disagreement(&programs);
}

#[test]
fn edited_random_programs_are_checked_as_if_afresh() {
    let programs: Vec<(String, String)> = (0..cases("RACELENS_EDITED_PROGRAMS", USUAL_PROGRAMS))
        .map(|seed| {
            let text = source(&plan(seed));
            (format!("random program {seed}"), preprocess(&text))
        })
        .collect();
    assert_no_disagreement(&programs);
}

/// A program in which a lock is held, an object made and a variable lent where functions are called.
const CALLS: &str = r#"
typedef struct { int state; } pthread_mutex_t;
typedef unsigned long pthread_t;
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
void *malloc(unsigned long);
static pthread_mutex_t lock;
static int total, other;
static int *last;
static void add(int *by) { total += *by; last = by; }
static void *work(void *unused)
{
    int here = 1;
    int *made = malloc(sizeof *made);
    /* here */
    pthread_mutex_lock(&lock);
    add(made);
    add(&here);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    return total;
}
"#;

/// Edits a program, and says whether its contexts are still alike. What is found is always what is found from scratch.
fn stays_alike(text: &str, edited: &str) -> bool {
    let mut host = AnalysisHost::default();
    apply(&mut host, text);
    let before = check(&host.analysis(), None);
    assert!(!before.program.races.is_empty());
    apply(&mut host, edited);
    let again = check(&host.analysis(), Some(&before));
    let fresh = check(&host.analysis(), None);
    assert_eq!(described(&again), described(&fresh), "{edited}");
    again.program.contexts.are_alike(&before.program.contexts)
}

#[test]
fn a_statement_in_front_of_calls_leaves_what_they_lead_to() {
    for (statement, is_alike) in [
        ("other++;", true),
        ("{ int more = other; if (more) other = 0; }", true),
        ("add(&total);", false),
    ] {
        let edited = CALLS.replace("/* here */", statement);
        assert_eq!(stays_alike(CALLS, &edited), is_alike, "{statement}");
    }
}

#[test]
fn what_is_lent_has_the_name_that_it_has_now() {
    // To a function that is called, and to a thread.
    let renamed = CALLS.replace("here", "there");
    stays_alike(CALLS, &renamed);
    let lent = CALLS.replace("work, 0)", "work, &thread)");
    stays_alike(
        &lent,
        &lent
            .replace("thread;", "first;")
            .replace("&thread", "&first"),
    );
}

#[test]
fn a_call_that_is_there_twice_leads_where_it_led_before() {
    let edited = CALLERS.replace(
        "second(void) { leaf(); }",
        "second(void) { leaf(); leaf(); }",
    );
    assert!(stays_alike(CALLERS, &edited));
    assert!(stays_alike(&edited, CALLERS));
}

/// A function that several others call, in the same circumstances.
const CALLERS: &str = r#"
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
static int total;
static void leaf(void) { total++; }
static void first(void) { for (int i = 0; i < 3; i++) leaf(); }
static void second(void) { leaf(); }
static void third(int much) { if (much) leaf(); }
static void *work(void *unused) { first(); second(); third(1); return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    return total;
}
"#;

#[test]
fn one_caller_less_or_more_makes_no_difference_to_a_function_that_others_call() {
    let without = CALLERS.replace("second(void) { leaf(); }", "second(void) { }");
    let (one, other) = (
        stays_alike(CALLERS, &without),
        stays_alike(&without, CALLERS),
    );
    assert!(one && other, "{one}, {other}");
}

#[test]
fn the_caller_that_a_function_was_found_by_makes_a_difference() {
    let edited = CALLERS.replace("i++) leaf();", "i++) ;");
    // Whether the order of functions stays the same does not matter here: they are as from scratch.
    stays_alike(CALLERS, &edited);
    stays_alike(&edited, CALLERS);
}

/// Threads that call a function with different arguments, publish through an atomic pointer, and share a pointer's target.
const EDITED: &str = r#"
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
void *malloc(unsigned long);
struct object { int x; };
static struct object *shared;
static int total, other;
static void set(int value) { total = value; }
static void bump(int *p) { (*p)++; }
static void first(void) { set(1); set(2); set(1); }
static void publish(void)
{
    struct object *made = malloc(sizeof *made);
    made->x = 1;
    __atomic_store_n(&shared, made, __ATOMIC_RELEASE);
}
static int use(void)
{
    struct object *found = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
    return found ? found->x++ : 0;
}
static void *work(void *unused)
{
    first();
    bump(&other);
    publish();
    use();
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    return total;
}
"#;

#[test]
fn edits_that_only_a_close_look_shows_are_checked_as_if_afresh() {
    for (from, to) in [
        ("set(1); set(2); set(1);", "set(2); set(1); set(1);"),
        ("set(1); set(2); set(1);", "set(2); set(1);"),
        ("set(1); set(2); set(1);", "set(1); set(1); set(2); set(3);"),
        ("bump(int *p) { (*p)++; }", "bump(int *q) { (*q)++; }"),
        (
            "bump(int *p) { (*p)++; }",
            "bump(int *q) { int t = 0; (*q)++; (void)t; }",
        ),
        ("__ATOMIC_RELEASE", "__ATOMIC_RELAXED"),
        ("__ATOMIC_ACQUIRE", "__ATOMIC_RELAXED"),
        ("    publish();\n    use();", "    use();\n    publish();"),
    ] {
        let edited = EDITED.replace(from, to);
        assert_ne!(edited, EDITED, "{from}");
        stays_alike(EDITED, &edited);
        stays_alike(&edited, EDITED);
    }
}

/// Functions that stay as they are while another one changes what pointers lead to: who copies whole objects, who locks by a
/// pointer that can only point to one lock, and who makes an address known.
const POINTED: &str = r#"
typedef unsigned long pthread_t;
typedef struct { int state; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
void *malloc(unsigned long);
int rand(void);
struct inner { int low, high; };
struct pair { struct inner one; int two; struct pair *next; };
static struct pair left, right, third, *chosen, *published;
struct holder { pthread_mutex_t *lock; };
static struct holder holders[4];
static pthread_mutex_t first_lock, second_lock, *latest;
static int number, *counted;
static void copy(struct pair *to, struct pair *from) { *to = *from; }
static void begin(void)
{
    chosen = &left;
    holders[rand() & 3].lock = &first_lock;
    counted = &number;
}
static void count(pthread_mutex_t *held)
{
    latest = held;
    number++;
}
static void by_pointer(void)
{
    pthread_mutex_t *lock = holders[rand() & 3].lock;
    pthread_mutex_lock(lock);
    count(lock);
    pthread_mutex_unlock(lock);
}
static void by_name(void)
{
    pthread_mutex_lock(&first_lock);
    number++;
    pthread_mutex_unlock(&first_lock);
}
static void publish(void)
{
    struct pair *made = malloc(sizeof *made);
    made->two = 1;
    published = made;
}
static void edit(void) { }
static void *work(void *unused)
{
    copy(chosen, &right);
    left.one.low++;
    third.two++;
    by_pointer();
    by_name();
    publish();
    if (published)
        published->two++;
    return unused;
}
int main(void)
{
    pthread_t thread;
    begin();
    edit();
    pthread_create(&thread, 0, work, 0);
    work(0);
    return 0;
}
"#;

#[test]
fn functions_that_stay_as_they_are_know_what_their_pointers_lead_to() {
    let edits = [
        "holders[rand() & 3].lock = &second_lock;",
        "pthread_mutex_lock(holders->lock); pthread_mutex_unlock(holders->lock);",
        "chosen = &third;",
        "chosen->one.high = 2;",
        "third.one.low = 1;",
        "counted = &left.one.low;",
        "counted = &right.one.low; *counted = 3;",
        "published = &third;",
        "published = chosen; published->next = &third;",
        "chosen->next = malloc(sizeof *chosen);",
        "copy(&third, chosen);",
    ];
    let text = |statements: &str| {
        POINTED.replace("edit(void) { }", &format!("edit(void) {{ {statements} }}"))
    };
    for one in edits {
        let edited = text(one);
        assert_ne!(edited, POINTED, "{one}");
        stays_alike(POINTED, &edited);
        stays_alike(&edited, POINTED);
        for other in edits {
            stays_alike(&edited, &text(other));
        }
        // The edited function may be one of those that copy.
        for (from, to) in [
            ("{ *to", "{ int *high = &to->one.high; (void)high; *to"),
            ("{ *to", "{ int *low = &third.one.low; (void)low; *to"),
            ("{ *to", "{ struct pair *it = &third; it = to; *to"),
            ("latest = held;", "held = &second_lock; latest = held;"),
        ] {
            stays_alike(&edited, &edited.replace(from, to));
            stays_alike(&edited.replace(from, to), &edited);
        }
    }
}

/// Checks that were stopped, of texts that nobody asks for any more, leave nothing behind.
#[test]
fn a_check_that_was_stopped_leaves_no_answers() {
    let edits = [
        "",
        "chosen = &third;",
        "counted = &left.one.low;",
        "holders[rand() & 3].lock = &second_lock;",
        "published = chosen; published->next = &third;",
    ];
    let text = |statements: &str| {
        POINTED.replace("edit(void) { }", &format!("edit(void) {{ {statements} }}"))
    };
    for from in edits {
        for last in STAGES {
            let mut host = AnalysisHost::default();
            apply(&mut host, &text(from));
            let before = check(&host.analysis(), None);
            for passed in edits.into_iter().filter(|passed| *passed != from) {
                apply(&mut host, &text(passed));
                assert!(check_until(&host.analysis(), &before, last).is_err());
            }
            for to in edits {
                apply(&mut host, &text(to));
                let again = check(&host.analysis(), Some(&before));
                let fresh = check(&host.analysis(), None);
                let told = format!("from {from:?}, stopped at {last:?}, to {to:?}");
                assert_eq!(described(&again), described(&fresh), "{told}");
            }
        }
    }
}

/// The statements that store to a variable, as the database knows them.
fn stores_to(host: &AnalysisHost, variable: &str) -> Vec<(Function, StatementId)> {
    let analysis = host.analysis();
    let mut found = Vec::new();
    for function in analysis.functions() {
        let body = analysis.body(function);
        for (id, statement) in body.iter().flat_map(|body| body.statements()) {
            if let Statement::Store { place, .. } = statement
                && matches!(place.base, Base::Global(global) if global.name == variable)
            {
                found.push((function, id));
            }
        }
    }
    found
}

/// A statement in front of an accepted one has its number afterwards.
#[test]
fn what_is_accepted_stays_with_its_statement() {
    let text = EDITED.replace("first(void) { ", "first(void) { other = 7; ");
    let edited = text.replace("other = 7; ", "int t = 0; other = 7; (void)t; ");
    let mut host = AnalysisHost::default();
    apply(&mut host, &text);
    let accepted = stores_to(&host, "other");
    assert_eq!(accepted.len(), 1);
    let check = |host: &AnalysisHost, before: Option<&CheckedProgram>| {
        let (models, options) = (Models::builtin(), Options::default());
        let analysis = host.analysis();
        let stop = Stop::default();
        let check = analysis.check_again(models, options, &accepted, before, &stop);
        check.expect("nobody stops it")
    };
    let before = check(&host, None);
    assert!(!before.program.accepted_races.is_empty());
    apply(&mut host, &edited);
    let again = check(&host, Some(&before));
    let fresh = check(&host, None);
    assert_eq!(described(&again), described(&fresh));
    assert_eq!(again.program.accepted_races, fresh.program.accepted_races);
    assert_ne!(
        before.program.accepted_races.len(),
        fresh.program.accepted_races.len()
    );
}
