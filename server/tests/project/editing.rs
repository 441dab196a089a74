//! A program that was read is kept up to date by reading only what has changed.

use crate::workspace::Workspace as Folder;
use racelens::project::UnsavedTexts;
use racelens::race_options::RaceOptions;
use racelens::races::Check;
use racelens::report::Report;
use racelens::workspace::{Loading, Workspace};
use racelens_analysis::stop::Stop;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

fn load(folder: &Folder) -> Workspace {
    let options = folder.options();
    let loading = Loading {
        options: &options,
        jobs: Some(1),
        watch: &|_| (),
        stop: &AtomicBool::new(false),
    };
    Workspace::load_as(loading).unwrap()
}

fn functions(workspace: &Workspace) -> Vec<String> {
    let analysis = workspace.analysis();
    let functions = analysis.functions().into_iter();
    let bodies = functions.filter_map(|function| analysis.body(function));
    bodies.map(|body| body.function.name.to_string()).collect()
}

fn reread(workspace: &mut Workspace, files: &[PathBuf]) -> usize {
    workspace.reread(&files.iter().cloned().collect::<BTreeSet<PathBuf>>())
}

#[test]
fn only_the_units_that_include_a_header_are_read_again() {
    let folder = Folder::new(&[
        ("a.c", "#include \"n.h\"\nvoid a(void) {}\n"),
        ("b.c", "#include \"n.h\"\nvoid b(void) {}\n"),
        ("c.c", "void c(void) {}\n"),
        ("n.h", "#define N 1\n"),
    ]);
    let mut workspace = load(&folder);
    assert_eq!(functions(&workspace), ["a", "b", "c"]);
    folder.write("n.h", b"static void n(void) {}\n");
    assert_eq!(reread(&mut workspace, &[folder.path("n.h")]), 2);
    assert!(functions(&workspace).contains(&"n".to_owned()));
    assert_eq!(reread(&mut workspace, &[folder.path("c.c")]), 1);
    assert_eq!(reread(&mut workspace, &[folder.path("other.h")]), 0);
    // A header that is no longer included changes nothing any more.
    folder.write("a.c", b"void a(void) {}\n");
    reread(&mut workspace, &[folder.path("a.c")]);
    assert_eq!(reread(&mut workspace, &[folder.path("n.h")]), 1);
}

#[test]
fn unsaved_text_counts_until_it_is_taken_back() {
    let folder = Folder::new(&[("a.c", "void saved(void) {}\n")]);
    let file = folder.path("a.c");
    let mut workspace = load(&folder);
    workspace.set_unsaved(&file, Some("void unsaved(void) {}\n".into()));
    reread(&mut workspace, std::slice::from_ref(&file));
    assert_eq!(functions(&workspace), ["unsaved"]);
    let source = workspace.source(&file).unwrap();
    assert_eq!(source.text(), "void unsaved(void) {}\n");
    workspace.set_unsaved(&file, None);
    reread(&mut workspace, std::slice::from_ref(&file));
    assert_eq!(functions(&workspace), ["saved"]);
}

#[test]
fn units_come_and_go() {
    let folder = Folder::new(&[("a.c", "void a(void) {}\n"), ("b.c", "void b(void) {}\n")]);
    let mut workspace = load(&folder);
    std::fs::remove_file(folder.path("b.c")).unwrap();
    folder.write("c.c", b"void c(void) {}\n");
    let nothing_open = UnsavedTexts::new();
    workspace.reload(&folder.options(), &nothing_open, &folder.path(""));
    assert_eq!(functions(&workspace), ["a", "c"]);
    assert_eq!(workspace.units, 2);
    // A file that nobody has listed is taken in when it is opened.
    folder.write("sub/d.c", b"void d(void) {}\n");
    workspace.adopt(&folder.path("sub/d.c"));
    assert_eq!(functions(&workspace), ["a", "c", "d"]);
    // A unit that cannot be read any more is gone until it can.
    std::fs::remove_file(folder.path("c.c")).unwrap();
    reread(&mut workspace, &[folder.path("c.c")]);
    assert_eq!(functions(&workspace), ["a", "d"]);
    folder.write("c.c", b"void c2(void) {}\n");
    reread(&mut workspace, &[folder.path("c.c")]);
    assert_eq!(functions(&workspace), ["a", "c2", "d"]);
}

/// A program with two threads, in two files.
const MAIN: &str = "\
#include <pthread.h>
typedef int first;
int second;
int counter;
pthread_mutex_t m;
void enter(void);
void leave(void);

static void *worker(void *unused)
{

    first * second;
    counter++;
    leave();
    enter();
    counter--;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    counter = 2;
    return 0;
}
";
const HELPERS: &str = "\
#include <pthread.h>
extern pthread_mutex_t m;
void enter(void) {}
void leave(void) {}
";

#[test]
fn what_is_said_in_brief_after_an_edit_is_what_is_said_about_the_text_anew() {
    let folder = Folder::new(&[("main.c", MAIN), ("helpers.c", HELPERS)]);
    let mut workspace = load(&folder);
    let mut check = Check::new(&workspace, RaceOptions::new(&workspace, None));
    assert!(!said(&workspace, &check).races.is_empty());
    let edits = [
        ("main.c", "counter++;", "counter++; /* as it was */"),
        ("main.c", "    counter++;", "\n  counter++;"),
        ("main.c", "int counter;", "int counter;\nint other;\n"),
        ("main.c", "counter--;", "counter -= 1;"),
        ("main.c", "counter--;", "counter--; counter--;"),
        ("main.c", "counter = 2;", "counter = ;"),
        ("main.c", "counter = 2;", "\n\ncounter = 3;"),
        // The same tokens are other statements then.
        ("main.c", "typedef int first;", "int first;"),
        (
            "helpers.c",
            "enter(void) {",
            "enter(void) { pthread_mutex_lock(&m);",
        ),
        ("helpers.c", "extern", "\n\nextern"),
    ];
    for (file, from, to) in edits {
        let before = std::fs::read_to_string(folder.path(file)).unwrap();
        for text in [before.replace(from, to), before] {
            folder.write(file, text.as_bytes());
            reread(&mut workspace, &[folder.path(file)]);
            let options = RaceOptions::new(&workspace, None);
            let stop = Stop::default();
            check = Check::again(&workspace, options, Some(&check), &stop).unwrap();
            let anew = load(&folder);
            let fresh = Check::new(&anew, RaceOptions::new(&anew, None));
            // What does not parse keeps its last good text, which nobody knows who reads it anew.
            if !to.contains("= ;") || text.contains(from) {
                assert_eq!(said(&workspace, &check), said(&anew, &fresh), "{to}");
            }
        }
    }
}

fn said(workspace: &Workspace, check: &Check) -> Report {
    let mut report = check.brief_report(workspace);
    report.stats.seconds = 0.0;
    report
}

#[test]
fn a_header_that_comes_is_read_by_who_has_asked_for_it() {
    let folder = Folder::new(&[
        ("a.c", "#include \"n.h\"\nvoid a(void) {}\n"),
        ("sub/b.c", "#include <sub/n.h>\nvoid b(void) {}\n"),
        ("c.c", "void c(void) {}\n"),
        ("racelens.toml", "[preprocessor]\nflags = [\"-I.\"]\n"),
    ]);
    let mut workspace = load(&folder);
    assert_eq!(workspace.notes.len(), 3, "{:?}", workspace.notes);
    folder.write("n.h", b"static void n(void) {}\n");
    reread(&mut workspace, &[folder.path("n.h")]);
    assert!(functions(&workspace).contains(&"n".to_owned()));
    assert_eq!(workspace.notes.len(), 2, "{:?}", workspace.notes);
    folder.write("sub/n.h", b"static void m(void) {}\n");
    assert_eq!(reread(&mut workspace, &[folder.path("sub/n.h")]), 2);
    assert!(functions(&workspace).contains(&"m".to_owned()));
    // It goes, and is missing again.
    std::fs::remove_file(folder.path("n.h")).unwrap();
    reread(&mut workspace, &[folder.path("n.h")]);
    assert!(!functions(&workspace).contains(&"n".to_owned()));
    folder.write("n.h", b"static void n(void) {}\n");
    reread(&mut workspace, &[folder.path("n.h")]);
    assert!(functions(&workspace).contains(&"n".to_owned()));
}

#[test]
fn a_header_that_comes_takes_the_place_of_one_that_is_found_later() {
    let folder = Folder::new(&[
        ("a.c", "#include \"n.h\"\nvoid a(void) {}\n"),
        ("first/other.h", ""),
        ("second/n.h", "static void late(void) {}\n"),
        (
            "racelens.toml",
            "[preprocessor]\nflags = [\"-Ifirst\", \"-Isecond\"]\n",
        ),
    ]);
    let mut workspace = load(&folder);
    assert_eq!(functions(&workspace), ["late", "a"]);
    folder.write("first/n.h", b"static void soon(void) {}\n");
    assert_eq!(reread(&mut workspace, &[folder.path("first/n.h")]), 1);
    assert_eq!(functions(&workspace), ["soon", "a"]);
}

#[test]
fn where_a_missing_header_could_be_is_what_lies_there_now() {
    let folder = Folder::new(&[("a.c", "#include \"n.h\"\n"), ("sub/n.h", "\n")]);
    let mut workspace = load(&folder);
    let said = |workspace: &Workspace| workspace.notes.clone();
    for change in [
        &|| folder.write("n.h", b"\n"),
        &|| std::fs::remove_file(folder.path("n.h")).unwrap(),
        &|| std::fs::remove_file(folder.path("sub/n.h")).unwrap(),
        &|| folder.write("other/n.h", b"\n"),
    ] as [&dyn Fn(); 4]
    {
        change();
        let files = ["n.h", "sub/n.h", "other/n.h"].map(|name| folder.path(name));
        reread(&mut workspace, &files);
        assert_eq!(said(&workspace), said(&load(&folder)));
    }
}

#[test]
fn what_an_editor_had_of_a_file_goes_with_the_file() {
    let folder = Folder::new(&[("a.c", "void a(void) {}\n"), ("b.c", "void b(void) {}\n")]);
    let (file, root) = (folder.path("b.c"), folder.path(""));
    let mut workspace = load(&folder);
    let changed = BTreeSet::from([file.clone()]);
    let open = UnsavedTexts::from([(file.clone(), "void unsaved(void) {}\n".into())]);
    workspace.update(&changed, &open, &root);
    assert_eq!(functions(&workspace), ["a", "unsaved"]);
    // It is closed and removed at once.
    std::fs::remove_file(&file).unwrap();
    let nothing_open = UnsavedTexts::new();
    workspace.reload(&folder.options(), &nothing_open, &root);
    workspace.update(&changed, &nothing_open, &root);
    assert_eq!(functions(&workspace), ["a"]);
    folder.write("b.c", b"void saved(void) {}\n");
    workspace.reload(&folder.options(), &nothing_open, &root);
    assert_eq!(functions(&workspace), ["a", "saved"]);
}

#[test]
fn what_lies_under_an_open_text_does_not_stay_known() {
    let opened = "void first(void) {}\nvoid kept(void) {}\nvoid last(void) {}\n";
    let folder = Folder::new(&[("a.c", opened)]);
    let (file, root) = (folder.path("a.c"), folder.path(""));
    let mut workspace = load(&folder);
    // While a function is being typed, the file gets another text from elsewhere, and the project another description.
    folder.write("a.c", b"void from_elsewhere(void) {}\n");
    folder.write("racelens.toml", b"[project]\nsources = [\"a.c\"]\n");
    let typed = "void first(void) {}\nvoid kept(void) {\nvoid last(void) {}\n";
    let open = UnsavedTexts::from([(file, typed.into())]);
    workspace.reload(&folder.options(), &open, &root);
    let known = functions(&workspace);
    assert!(known.contains(&"kept".to_owned()), "{known:?}");
    assert!(!known.contains(&"from_elsewhere".to_owned()), "{known:?}");
}

#[test]
fn a_file_that_no_command_names_belongs_to_the_program_while_it_is_open() {
    let folder = Folder::new(&[
        ("a.c", "void a(void) {}\n"),
        ("b.c", "void b(void) {}\n"),
        ("racelens.toml", "[project]\nsources = [\"a.c\"]\n"),
    ]);
    let (file, root) = (folder.path("b.c"), folder.path(""));
    let mut workspace = load(&folder);
    let changed = BTreeSet::from([file.clone()]);
    let notes = workspace.notes.len();
    for text in ["void b1(void) {}\n", "void b2(void) {}\n"] {
        let open = UnsavedTexts::from([(file.clone(), text.into())]);
        workspace.update(&changed, &open, &root);
        assert_eq!(functions(&workspace), ["a", &text[5..7]]);
        // That nobody says how it is compiled stays true while it is edited.
        assert_eq!(workspace.notes.len(), notes + 1);
    }
    workspace.update(&changed, &UnsavedTexts::new(), &root);
    assert_eq!(functions(&workspace), ["a"]);
    assert_eq!(workspace.notes.len(), notes);
}

#[test]
fn a_file_that_was_adopted_is_given_up_while_another_one_includes_it() {
    let folder = Folder::new(&[
        ("a.c", "void a(void) {}\n"),
        ("b.c", "void b(void) {}\n"),
        ("racelens.toml", "[project]\nsources = [\"a.c\"]\n"),
    ]);
    let (file, other, root) = (folder.path("a.c"), folder.path("b.c"), folder.path(""));
    let mut workspace = load(&folder);
    let typed = "void typed(void) {}\nvoid b(void) {}\n";
    let open = UnsavedTexts::from([(other.clone(), typed.into())]);
    workspace.update(&BTreeSet::from([other.clone()]), &open, &root);
    assert_eq!(functions(&workspace), ["a", "typed", "b"]);
    let notes = workspace.notes.len();
    for _ in 0..2 {
        // A compiler reads what lies on the disk of it.
        folder.write("a.c", b"#include \"b.c\"\nvoid a(void) {}\n");
        workspace.update(&BTreeSet::from([file.clone()]), &open, &root);
        assert_eq!(functions(&workspace), ["b", "a"]);
        assert_eq!(
            workspace.source(&other).unwrap().text(),
            "void b(void) {}\n"
        );
        assert_eq!(workspace.notes.len(), notes - 1);
        folder.write("a.c", b"void a(void) {}\n");
        workspace.update(&BTreeSet::from([file.clone()]), &open, &root);
        assert_eq!(functions(&workspace), ["a", "typed", "b"]);
        assert_eq!(workspace.notes.len(), notes);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_was_adopted_through_a_link_is_given_up_while_another_one_includes_it() {
    let folder = Folder::new(&[
        ("a.c", "void a(void) {}\n"),
        ("b.c", "void b(void) {}\n"),
        ("racelens.toml", "[project]\nsources = [\"a.c\"]\n"),
    ]);
    let links = tempfile::tempdir().unwrap();
    let link = links.path().join("link");
    std::os::unix::fs::symlink(folder.path(""), &link).unwrap();
    let mut workspace = load(&folder);
    let typed = "void typed(void) {}\nvoid b(void) {}\n";
    let other = link.join("b.c");
    let open = UnsavedTexts::from([(other.clone(), typed.into())]);
    workspace.update(&BTreeSet::from([other.clone()]), &open, &link);
    // Which folder comes first is chance.
    let found = BTreeSet::from_iter(functions(&workspace));
    assert!(found.iter().eq(["a", "b", "typed"]));
    folder.write("a.c", b"#include \"b.c\"\nvoid a(void) {}\n");
    workspace.update(&BTreeSet::from([folder.path("a.c")]), &open, &link);
    assert_eq!(functions(&workspace), ["b", "a"]);
}

/// What is said about the program, compared with what somebody says who reads it anew.
fn said_as_anew(folder: &Folder, workspace: &Workspace, check: &Check) {
    let anew = load(folder);
    let fresh = Check::new(&anew, RaceOptions::new(&anew, None));
    assert_eq!(said(workspace, check), said(&anew, &fresh));
}

#[test]
fn lines_move_in_a_file_that_is_saved_while_another_one_leaves_the_program() {
    let folder = Folder::new(&[
        ("main.c", MAIN),
        ("helpers.c", HELPERS),
        ("open.c", "void open_one(void) {}\n"),
        (
            "racelens.toml",
            "[project]\nsources = [\"main.c\", \"helpers.c\"]\n",
        ),
    ]);
    let (main, other, root) = (
        folder.path("main.c"),
        folder.path("open.c"),
        folder.path(""),
    );
    let mut workspace = load(&folder);
    let open = UnsavedTexts::from([(other.clone(), "void open_one(void) {}\n".into())]);
    workspace.update(&BTreeSet::from([other.clone()]), &open, &root);
    let check = Check::new(&workspace, RaceOptions::new(&workspace, None));
    assert!(!said(&workspace, &check).races.is_empty());
    folder.write("main.c", format!("\n\n{MAIN}").as_bytes());
    let changed = BTreeSet::from([main, other]);
    workspace.update(&changed, &UnsavedTexts::new(), &root);
    let check = again(&workspace, &check);
    said_as_anew(&folder, &workspace, &check);
}

/// The same in one file, with the thread's function at the end.
const WORKER_LAST: &str = "\
#include <pthread.h>
int counter;
static void *worker(void *unused);

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    counter = 2;
    return 0;
}

static void *worker(void *unused)
{
    counter++;

    counter--;
    return unused;
}
";

#[test]
fn whoever_asks_where_a_function_is_does_not_keep_its_statements_from_moving() {
    let other = "int other(void) { return 1; }\n";
    let folder = Folder::new(&[("main.c", WORKER_LAST), ("other.c", other)]);
    let mut workspace = load(&folder);
    let mut check = Check::new(&workspace, RaceOptions::new(&workspace, None));
    said(&workspace, &check);
    let edited = WORKER_LAST.replace("counter++;", "counter += 3;");
    // What is known of a function besides its text changes while the other file is read.
    let other = other.replace('1', "2");
    for (name, text) in [("main.c", &edited), ("other.c", &other)] {
        folder.write(name, text.as_bytes());
        reread(&mut workspace, &[folder.path(name)]);
        check = again(&workspace, &check);
        assert!(!said(&workspace, &check).races.is_empty());
    }
    let places = check.functions_in(&workspace, &folder.path("main.c"));
    assert_eq!(places.len(), 2);
    let moved = edited.replace("    counter--;", "\n    counter--;");
    folder.write("main.c", moved.as_bytes());
    reread(&mut workspace, &[folder.path("main.c")]);
    check = again(&workspace, &check);
    said_as_anew(&folder, &workspace, &check);
}

/// The text with one line changed.
fn with_line(text: &str, number: usize, change: impl Fn(&str) -> String) -> String {
    let lines = text.lines().enumerate();
    let lines = lines.map(|(index, line)| match index == number {
        true => change(line) + "\n",
        false => format!("{line}\n"),
    });
    lines.collect()
}

#[test]
fn where_things_are_in_text_that_does_not_parse_does_not_depend_on_who_asked_before() {
    let demo = [
        ("cache.c", include_str!("../../../tests/demo/cache.c")),
        ("cache.h", include_str!("../../../tests/demo/cache.h")),
        ("main.c", include_str!("../../../tests/demo/main.c")),
    ];
    let folder = Folder::new(&demo);
    let (file, root) = (folder.path("cache.c"), folder.path(""));
    let changed = BTreeSet::from([file.clone()]);
    let take = |workspace: &mut Workspace, text: &str| {
        let open = UnsavedTexts::from([(file.clone(), text.into())]);
        workspace.update(&changed, &open, &root);
    };
    let text = demo[0].1;
    let line_of = |part: &str| text.lines().position(|line| line.contains(part)).unwrap();
    let function = line_of("int cache_get(")..line_of("return entry != NULL");
    let statements = || function.clone().filter(|line| is_statement(text, *line));
    for part in ["entry = find(cache->buckets", "cache->lookups++"] {
        let broken = line_of(part);
        let half = with_line(text, broken, |line| line[..line.len() / 2].to_owned());
        let mut workspace = load(&folder);
        take(&mut workspace, &half);
        let mut check = Check::new(&workspace, RaceOptions::new(&workspace, None));
        said(&workspace, &check);
        for other in statements() {
            let both = with_line(&half, other, |line| format!("{{ {line}"));
            take(&mut workspace, &both);
            check = again(&workspace, &check);
            let report = said(&workspace, &check);
            let mut anew = load(&folder);
            take(&mut anew, &half);
            take(&mut anew, &both);
            let fresh = Check::new(&anew, RaceOptions::new(&anew, None));
            assert_eq!(report, said(&anew, &fresh), "{both}");
            take(&mut workspace, &half);
            check = again(&workspace, &check);
            said(&workspace, &check);
        }
    }
}

fn is_statement(text: &str, line: usize) -> bool {
    let line = text.lines().nth(line).unwrap_or_default();
    line.starts_with(' ') && line.ends_with(';')
}

fn again(workspace: &Workspace, check: &Check) -> Check {
    let options = RaceOptions::new(workspace, None);
    Check::again(workspace, options, Some(check), &Stop::default()).unwrap()
}
