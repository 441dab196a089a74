//! Diagnostics come, say what they should, and go when they are no longer true.

use crate::client::{Client, uri};
use crate::projects::{RACY, demo, fixed, project};
use expect_test::expect;
use racelens::lsp::Ending;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// The diagnostics of a file as text, with related places by file and line.
fn shown(client: &Client, file: &Path) -> String {
    let mut text = String::new();
    for diagnostic in client.diagnostics(file) {
        text.push_str(&one(&diagnostic));
    }
    text
}

fn one(diagnostic: &Value) -> String {
    let place = |range: &Value| {
        let (start, end) = (&range["start"], &range["end"]);
        format!(
            "{}:{}-{}",
            start["line"], start["character"], end["character"]
        )
    };
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{} [{}] {}",
        place(&diagnostic["range"]),
        diagnostic["code"].as_str().unwrap(),
        diagnostic["message"].as_str().unwrap()
    );
    for related in diagnostic["relatedInformation"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let location = &related["location"];
        let file = location["uri"].as_str().unwrap();
        let name = file.rsplit('/').next().unwrap();
        let _ = writeln!(
            text,
            "  {name} {} {}",
            place(&location["range"]),
            related["message"].as_str().unwrap()
        );
    }
    text
}

#[test]
fn both_ends_of_a_race_are_shown_with_each_other() {
    let folder = demo();
    let mut client = Client::start(&folder.root());
    client.settle();
    expect![[r#"
        16:25-38 [race] possible data race on `cache.closing`: read in thread `worker` (one of several), holding no lock; write in thread `main`, holding no lock
          main.c 35:4-17 `cache.closing`: write in thread `main`, holding no lock
          main.c 30:8-22 thread `worker` is started here
        35:4-17 [race] possible data race on `cache.closing`: write in thread `main`, holding no lock; read in thread `worker` (one of several), holding no lock
          main.c 16:25-38 `cache.closing`: read in thread `worker` (one of several), holding no lock
          main.c 30:8-22 thread `worker` is started here
    "#]].assert_eq(&shown(&client, &folder.path("main.c")));
    let cache = client.diagnostics(&folder.path("cache.c"));
    assert!(!cache.is_empty());
    let data = &cache[0]["data"];
    assert_eq!(data["tier"], "possible");
    assert_eq!(data["id"].as_str().unwrap().len(), 12);
    assert!(data["rank"].as_u64().unwrap() >= 60, "{data}");
    let page = cache[0]["codeDescription"]["href"].as_str().unwrap();
    assert!(Path::new(page.strip_prefix("file://").unwrap()).is_file());
    assert_eq!(client.finish(), Ending::AfterShutdown);
}

#[test]
fn a_race_goes_when_it_is_fixed_and_comes_back() {
    let folder = project(&[("a.c", RACY)]);
    let file = folder.path("a.c");
    let mut client = Client::start(&folder.root());
    client.open(&file, RACY);
    client.settle();
    expect![[r#"
        6:4-11 [race] possible data race on `counter`: write in thread `worker`, holding `lock`; write in thread `main`, holding no lock
          a.c 14:4-11 `counter`: write in thread `main`, holding no lock
          a.c 5:4-22 `lock` is taken here
          a.c 13:4-18 thread `worker` is started here
        14:4-11 [race] possible data race on `counter`: write in thread `main`, holding no lock; write in thread `worker`, holding `lock`
          a.c 6:4-11 `counter`: write in thread `worker`, holding `lock`
          a.c 5:4-22 `lock` is taken here
          a.c 13:4-18 thread `worker` is started here
    "#]].assert_eq(&shown(&client, &file));
    client.change(&file, &fixed());
    client.settle();
    assert_eq!(shown(&client, &file), "");
    client.change(&file, RACY);
    client.settle();
    assert_eq!(client.diagnostics(&file).len(), 2);
    // What was never saved is gone when the file is closed.
    client.change(&file, &fixed());
    client.close(&file);
    client.settle();
    assert_eq!(client.diagnostics(&file).len(), 2);
    client.finish();
}

#[test]
fn edits_by_range_give_the_diagnostics_of_the_text_that_they_make() {
    let folder = project(&[("a.c", RACY)]);
    let file = folder.path("a.c");
    let mut client = Client::start(&folder.root());
    client.open(&file, RACY);
    // A line in front of everything moves what is shown.
    client.change_with(
        &file,
        json!([{ "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } }, "text": "/* é */\n" }]),
    );
    client.settle();
    let lines: Vec<Value> = client
        .diagnostics(&file)
        .iter()
        .map(|diagnostic| diagnostic["range"]["start"]["line"].clone())
        .collect();
    assert_eq!(lines, [json!(7), json!(15)]);
    client.finish();
}

#[test]
fn a_closed_file_has_its_diagnostics_too() {
    let folder = demo();
    let mut client = Client::start(&folder.root());
    client.settle();
    assert!(!client.diagnostics(&folder.path("cache.c")).is_empty());
    let published = client.heard_of("textDocument/publishDiagnostics");
    let uris: Vec<&Value> = published.iter().map(|it| &it["params"]["uri"]).collect();
    assert!(
        uris.contains(&&json!(uri(&folder.path("main.c")))),
        "{uris:?}"
    );
    client.finish();
}

#[test]
fn a_function_that_is_broken_when_the_server_starts_is_the_one_on_the_disk() {
    let folder = project(&[("a.c", RACY)]);
    let file = folder.path("a.c");
    let mut client = Client::start(&folder.root());
    client.open(
        &file,
        &RACY.replace("    return counter;", "    return counter"),
    );
    assert_eq!(client.settle()["races"].as_array().unwrap().len(), 1);
    client.finish();
}
