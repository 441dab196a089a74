//! Several programs in one project.

use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::host::{AnalysisHost, Change, UnitChange};
use racelens_analysis::models::Models;
use racelens_analysis::races::Options;
use std::sync::Arc;
use ustr::Ustr;

const SHARED: &str = "int pthread_create(unsigned long *, void *, void *(*)(void *), void *);
extern int counter; void count(void);
";

/// The locations of the races that several files have together.
fn races(files: &[(&str, &str)]) -> Vec<String> {
    let mut host = AnalysisHost::default();
    let units = files.iter().map(|(name, text)| UnitChange {
        path: Ustr::from(name),
        text: Some(Arc::from(format!("{SHARED}{text}"))),
        data_model: DataModel::LP64,
    });
    host.apply(Change {
        units: units.collect(),
    });
    let checked = host.analysis().check(Models::builtin(), Options::default());
    let races = checked.program.races.iter();
    races.map(|race| race.location.clone()).collect()
}

const COUNTER: (&str, &str) = ("counter.c", "int counter; void count(void) { counter++; }");
const THREAD: &str = "static void *run(void *a) { count(); return a; }
int main(void) { unsigned long t; pthread_create(&t, 0, run, 0);";

#[test]
fn threads_of_one_program_meet_its_main_thread() {
    let server = format!("{THREAD} count(); return 0; }}");
    assert_eq!(races(&[COUNTER, ("server.c", &server)]), ["counter"]);
}

#[test]
fn programs_of_one_project_do_not_meet() {
    let server = format!("{THREAD} return 0; }}");
    let client = ("client.c", "int main(void) { count(); return 0; }");
    let none: [&str; 0] = [];
    assert_eq!(races(&[COUNTER, ("server.c", &server), client]), none);
}
