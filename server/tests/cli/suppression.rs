//! Comments that accept races: what they hide, and what is said when they are wrong or no longer needed.

use crate::program::{Program, Run};
use crate::schema;
use serde_json::Value;

/// A counter that two functions change and one reads. `{…}` is where comments go.
const COUNTER: &str = "\
#include <pthread.h>
static int hits;
static void bump(void) {
    {above bump}
    hits++; {beside bump}
}
static void clear(void) {
    {above clear}
    hits = 0; {beside clear}
}
static void *worker(void *argument) {
    bump();
    clear();
    return argument;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, 0);
    return hits;
}
";

fn program(comments: &[(&str, &str)]) -> Program {
    let mut text = COUNTER.to_owned();
    for (place, comment) in comments {
        text = text.replace(&format!("{{{place}}}"), comment);
    }
    for place in ["above bump", "beside bump", "above clear", "beside clear"] {
        text = text.replace(&format!("{{{place}}}"), "// nothing");
    }
    Program::built(&[("a.c", &text)])
}

fn report(program: &Program) -> (Run, Value) {
    let run = program.run(&["check", "--format", "json"]);
    let report: Value = serde_json::from_str(&run.output).unwrap();
    assert_eq!(schema::errors(&schema::of_reports(), &report), [""; 0]);
    (run, report)
}

/// The lines of the notes, with the message and the help.
fn notes(program: &Program) -> Vec<(u64, String)> {
    let (_, report) = report(program);
    let notes = report["notes"].as_array().unwrap().iter();
    notes
        .map(|note| {
            let line = note["place"]["line"].as_u64().unwrap();
            let words = |part: &str| note[part].as_str().unwrap_or_default().to_owned();
            (line, format!("{}; {}", words("message"), words("help")))
        })
        .collect()
}

const BENIGN: &str = "// racelens: benign -- statistics only";

#[test]
fn comments_at_all_writes_hide_the_race() {
    let program = program(&[("above bump", BENIGN), ("beside clear", BENIGN)]);
    let run = program.run(&["check"]);
    assert_eq!((run.status, run.notes.as_str()), (0, ""));
    let expected = "no data race found, 1 marked as benign\n";
    assert!(run.output.starts_with(expected), "{}", run.output);
    let (run, report) = report(&program);
    assert_eq!(run.status, 0);
    assert_eq!(report["races"], Value::Array(Vec::new()));
    assert_eq!(report["stats"]["suppressed"], 1);
    let suppressed = &report["suppressed"][0];
    assert_eq!(suppressed["location"], "hits");
    let comments = suppressed["suppressions"].as_array().unwrap();
    let lines: Vec<&Value> = comments.iter().map(|comment| &comment["line"]).collect();
    assert_eq!(lines, [4, 9]);
    assert_eq!(comments[0]["reason"], "statistics only");
}

#[test]
fn a_comment_hides_only_the_pairs_that_it_is_about() {
    let program = program(&[("above bump", BENIGN)]);
    let (run, report) = report(&program);
    assert_eq!(run.status, 1);
    let accesses = report["races"][0]["accesses"].as_array().unwrap();
    assert!(accesses.iter().all(|access| access["function"] != "bump"));
    assert_eq!(report["stats"]["suppressed"], 1);
    assert_eq!(notes(&program), []);
}

#[test]
fn the_comment_to_paste_is_shown_and_works() {
    let (_, before) = report(&program(&[]));
    let race = &before["races"][0];
    let offered = race["benign_comments"].as_array().unwrap();
    let lines: Vec<u64> = offered
        .iter()
        .map(|one| one["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [5, 9]);
    let texts: Vec<&str> = offered
        .iter()
        .map(|one| one["text"].as_str().unwrap())
        .collect();
    let id = race["id"].as_str().unwrap();
    let explained = program(&[]).run(&["check", "--explain", id]).output;
    for text in &texts {
        assert!(text.starts_with("// racelens: benign("), "{text}");
        assert!(explained.contains(text), "{explained}");
    }
    let accepted = program(&[("above bump", texts[0]), ("above clear", texts[1])]);
    let run = accepted.run(&["check"]);
    assert_eq!((run.status, run.notes.as_str()), (0, ""));
    // It can still be asked for, with its reason.
    let run = accepted.run(&["check", "--explain", id]);
    assert_eq!(run.status, 0);
    let expected = "marked as benign at a.c:4:5: reason";
    assert!(run.output.contains(expected), "{}", run.output);
}

#[test]
fn a_comment_goes_stale_when_its_code_changes() {
    let (_, before) = report(&program(&[]));
    let text = |index: usize| -> String {
        let text = &before["races"][0]["benign_comments"][index]["text"];
        text.as_str().unwrap().replace("reason", "statistics")
    };
    let comments = [("above bump", text(0)), ("above clear", text(1))];
    let comments = comments
        .each_ref()
        .map(|(place, text)| (*place, text.as_str()));
    let accepted = program(&comments);
    let source = std::fs::read_to_string(accepted.path("a.c")).unwrap();
    // Layout and comments do not count.
    accepted.write(
        "a.c",
        source
            .replace("hits++;", "hits ++ /* one more */ ;")
            .as_bytes(),
    );
    assert_eq!(report(&accepted).0.status, 0);
    accepted.write("a.c", source.replace("hits++;", "hits += 2;").as_bytes());
    let (run, report) = report(&accepted);
    assert_eq!(run.status, 1);
    assert_eq!(report["races"][0]["location"], "hits");
    let [(line, note)] = &notes(&accepted)[..] else {
        panic!("{:?}", notes(&accepted));
    };
    assert_eq!(*line, 4);
    let (message, help) = note.split_once("; ").unwrap();
    assert!(message.contains("has changed"), "{message}");
    // The comment that the note gives is right again.
    let renewed = help.split_once("write: ").unwrap().1;
    assert!(renewed.ends_with(" -- statistics"), "{renewed}");
    let source = source
        .replace("hits++;", "hits += 2;")
        .replace(&text(0), renewed);
    accepted.write("a.c", source.as_bytes());
    let run = accepted.run(&["check"]);
    assert_eq!((run.status, run.notes.as_str()), (0, ""));
}

#[test]
fn a_comment_without_a_reason_hides_nothing() {
    let program = program(&[("above bump", "// racelens: benign")]);
    assert_eq!(
        notes(&program),
        [(
            4,
            "this comment gives no reason, so it hides no race; write `racelens: benign -- ` and why the race is benign"
                .to_owned()
        )]
    );
    let (_, report) = report(&program);
    assert_eq!(report["stats"]["suppressed"], 0);
}

#[test]
fn mistakes_are_named_with_their_place() {
    for (comment, expected) in [
        (
            "// racelens: bening -- x",
            "`bening` is not known behind `racelens:`",
        ),
        ("// racelens: benign(zz) -- x", "`zz` is no fingerprint"),
    ] {
        let notes = notes(&program(&[("above bump", comment)]));
        assert_eq!(notes.len(), 1, "{comment}");
        assert!(
            notes[0].0 == 4 && notes[0].1.contains(expected),
            "{notes:?}"
        );
    }
}

#[test]
fn a_comment_that_hides_nothing_is_reported() {
    let source = format!(
        "static int x; {BENIGN}
int f(void) {{
    {BENIGN}
    return x;
}}
#if UNKNOWN
int g(void) {{
    {BENIGN}
    return x;
}}
#endif
const char *text = \"{BENIGN}\";
"
    );
    let program = Program::built(&[("a.c", &source)]);
    let found = notes(&program);
    let lines: Vec<u64> = found.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [1, 3], "{found:?}");
    assert!(
        found[0].1.contains("it stands at no statement"),
        "{found:?}"
    );
    assert_eq!(found[1].1, "this comment hides no race; remove it");
}

#[test]
fn lines_may_end_in_any_way() {
    let program = program(&[
        (
            "above bump",
            "/* racelens: benign -- statistics\n        only */",
        ),
        (
            "beside clear",
            "// racelens: benign -- statistics \\\n only",
        ),
    ]);
    let source = std::fs::read_to_string(program.path("a.c")).unwrap();
    program.write("a.c", source.replace('\n', "\r\n").as_bytes());
    let (run, report) = report(&program);
    assert_eq!(run.status, 0, "{}", run.output);
    for comment in report["suppressed"][0]["suppressions"].as_array().unwrap() {
        assert_eq!(comment["reason"], "statistics only");
    }
}

#[test]
fn sarif_has_accepted_races_as_suppressed() {
    let program = program(&[("above bump", BENIGN), ("above clear", BENIGN)]);
    let run = program.run(&["check", "--format", "sarif"]);
    assert_eq!(run.status, 0);
    let log: Value = serde_json::from_str(&run.output).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    let suppression = &results[0]["suppressions"][0];
    assert_eq!(suppression["kind"], "inSource");
    assert_eq!(suppression["justification"], "statistics only");
    let region = &suppression["location"]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 4);
}

#[test]
fn an_explained_line_says_that_its_race_is_accepted() {
    let program = program(&[("above bump", BENIGN), ("above clear", BENIGN)]);
    let run = program.run(&["explain", "a.c:5"]);
    let expected = "a race is marked as benign on line 4: statistics only";
    assert!(run.output.contains(expected), "{}", run.output);
    assert!(!run.output.contains("part of race"), "{}", run.output);
}
