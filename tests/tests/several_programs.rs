//! A project whose programs have functions of the same name, as each has a `main`: every function has pointers of its own.

use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::host::{AnalysisHost, Change, UnitChange};
use racelens_tests::incremental::{check, described};
use std::sync::Arc;
use ustr::Ustr;

const THREADS: &str = "
typedef unsigned long pthread_t;
int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *), void *argument);
int pthread_join(pthread_t thread, void **result);
";

const FIRST: &str = "
int first;
static void *count_first(void *unused)
{
    first++;
    return unused;
}
int main(void)
{
    pthread_t thread;
    int *pointer = &first;
    pthread_create(&thread, 0, count_first, 0);
    (*pointer)++;
    pthread_join(thread, 0);
    return 0;
}
";

const SECOND: &str = "
int second;
static void *count_second(void *unused)
{
    second++;
    return unused;
}
int main(int count, char **words)
{
    pthread_t thread;
    char *word = words[count - 1];
    int *pointer = &second;
    pthread_create(&thread, 0, count_second, word);
    (*pointer)++;
    pthread_join(thread, 0);
    return 0;
}
";

fn apply(host: &mut AnalysisHost, units: &[(&str, &str)]) {
    let units = units.iter().map(|(path, text)| UnitChange {
        path: Ustr::from(path),
        text: Some(Arc::from(format!("{THREADS}{text}"))),
        data_model: DataModel::LP64,
    });
    host.apply(Change {
        units: units.collect(),
    });
}

#[test]
fn each_main_has_pointers_of_its_own() {
    let mut host = AnalysisHost::default();
    apply(&mut host, &[("first.c", FIRST), ("second.c", SECOND)]);
    let checked = check(&host.analysis(), None);
    let races = checked.program.races.iter();
    let mut locations: Vec<String> = races.map(|race| race.location.to_string()).collect();
    locations.sort();
    assert_eq!(locations, ["first", "second"]);
}

#[test]
fn edits_of_each_main_are_checked_as_if_afresh() {
    let mut host = AnalysisHost::default();
    apply(&mut host, &[("first.c", FIRST), ("second.c", SECOND)]);
    let mut before = check(&host.analysis(), None);
    let statement = "    (*pointer)++;\n";
    let replacements = [
        "",
        "    (*pointer)++;\n    (*pointer)++;\n",
        "    pointer = 0;\n    (*pointer)++;\n",
        "    { int more = 1; (void)more; }\n    (*pointer)++;\n",
        statement,
    ];
    for (path, text) in [("first.c", FIRST), ("second.c", SECOND)] {
        for replacement in replacements {
            let edited = text.replace(statement, replacement);
            apply(&mut host, &[(path, &edited)]);
            let again = check(&host.analysis(), Some(&before));
            let fresh = check(&host.analysis(), None);
            assert_eq!(described(&again), described(&fresh), "{path}: {edited}");
            before = again;
        }
    }
}

#[test]
fn a_function_of_the_same_name_comes_and_goes() {
    let mut host = AnalysisHost::default();
    apply(&mut host, &[("first.c", FIRST), ("second.c", SECOND)]);
    let mut before = check(&host.analysis(), None);
    let renamed = FIRST.replace("int main(void)", "int not_main(void)");
    for first in [&renamed, FIRST] {
        apply(&mut host, &[("first.c", first)]);
        let again = check(&host.analysis(), Some(&before));
        let fresh = check(&host.analysis(), None);
        assert_eq!(described(&again), described(&fresh), "{first}");
        before = again;
    }
}
