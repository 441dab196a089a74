//! Quick fixes make edits after which the race is gone and the program still compiles.

use crate::client::{Client, position, uri};
use crate::projects::{RACY, demo, project};
use crate::temporary_folder::TemporaryFolder;
use expect_test::{Expect, expect};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Where the first character of `marked` stands in a text.
fn place_of(text: &str, marked: &str) -> Value {
    let offset = text.find(marked).expect("the text has it");
    let line = text[..offset].matches('\n').count() as u32;
    let column = offset - text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
    position(line, column as u32)
}

fn actions(client: &mut Client, file: &Path, text: &str, marked: &str) -> Vec<Value> {
    let at = place_of(text, marked);
    let params = json!({
        "textDocument": { "uri": uri(file) },
        "range": { "start": at, "end": at },
        "context": { "diagnostics": client.diagnostics(file) },
    });
    let actions = client.request("textDocument/codeAction", params);
    actions.as_array().unwrap().clone()
}

/// The texts of all files that an action changes.
fn applied(action: &Value, folder: &TemporaryFolder) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    let changes = action["edit"]["documentChanges"]
        .as_array()
        .expect("edits with versions");
    for change in changes {
        let uri = change["textDocument"]["uri"].as_str().unwrap();
        let path = Path::new(uri.strip_prefix("file://").unwrap());
        let mut text = std::fs::read_to_string(path).unwrap();
        let mut edits = change["edits"].as_array().unwrap().clone();
        // From the last to the first, so that positions stay as they are.
        edits.sort_by_key(|edit| std::cmp::Reverse(offset(&text, &edit["range"]["start"])));
        for edit in edits {
            let (start, end) = (
                offset(&text, &edit["range"]["start"]),
                offset(&text, &edit["range"]["end"]),
            );
            text.replace_range(start..end, edit["newText"].as_str().unwrap());
        }
        let name = path.strip_prefix(folder.root()).unwrap();
        texts.insert(name.to_string_lossy().into_owned(), text);
    }
    texts
}

fn offset(text: &str, position: &Value) -> usize {
    let line = position["line"].as_u64().unwrap() as usize;
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    starts.clone().nth(line).unwrap_or(text.len())
        + position["character"].as_u64().unwrap() as usize
}

/// What remains after the action whose title begins so: the lines that differ, and the races.
fn check(folder: &TemporaryFolder, file: &str, marked: &str, title: &str, expected: Expect) {
    let path = folder.path(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let mut client = Client::start(&folder.root());
    client.open(&path, &text);
    client.settle();
    let actions = actions(&mut client, &path, &text, marked);
    let titles: Vec<&str> = actions
        .iter()
        .map(|it| it["title"].as_str().unwrap())
        .collect();
    let found = actions
        .iter()
        .find(|it| it["title"].as_str().unwrap().starts_with(title));
    let action = found.unwrap_or_else(|| panic!("{titles:?}"));
    assert_eq!(action["kind"], "quickfix");
    assert!(!action["diagnostics"].as_array().unwrap().is_empty());
    let mut shown = String::new();
    for (name, after) in applied(action, folder) {
        let path = folder.path(&name);
        let before = std::fs::read_to_string(&path).unwrap();
        for line in after
            .lines()
            .filter(|line| !before.lines().any(|old| old == *line))
        {
            shown.push_str(&format!("{name}: {line}\n"));
        }
        if name != file {
            client.open(&path, &before);
        }
        client.change(&path, &after);
        std::fs::write(&path, &after).unwrap();
        client.save(&path);
        if name.ends_with(".c") {
            let compiler = Command::new("cc")
                .arg("-fsyntax-only")
                .arg(&path)
                .output()
                .unwrap();
            assert!(compiler.status.success(), "{compiler:?}\n{after}");
        }
    }
    let after = client.settle();
    for kind in ["races", "violations"] {
        for finding in after[kind].as_array().unwrap() {
            let message = finding["message"].as_str().unwrap();
            shown.push_str(&format!("{kind}: {}\n", message.lines().next().unwrap()));
        }
    }
    expected.assert_eq(&shown);
    client.finish();
}

#[test]
fn the_lock_of_the_other_end_is_taken() {
    let folder = project(&[("a.c", RACY)]);
    check(
        &folder,
        "a.c",
        "counter++;\n    pthread_join",
        "Take `lock`",
        expect![[""]],
    );
}

#[test]
fn a_body_without_braces_gets_them() {
    let text = RACY.replace(
        "    counter++;\n    pthread_join",
        "    if (thread)\n        counter++;\n    pthread_join",
    );
    let folder = project(&[("a.c", &text)]);
    check(
        &folder,
        "a.c",
        "counter++;\n    pthread_join",
        "Take `lock`",
        expect![[r#"
            a.c:     if (thread) {
            a.c:         pthread_mutex_lock(&lock);
            a.c:         pthread_mutex_unlock(&lock);
            a.c:     }
        "#]],
    );
}

#[test]
fn a_returned_value_is_read_under_the_lock_of_the_right_object() {
    let text = "\
#include <pthread.h>
struct box { pthread_mutex_t lock; int value; };
static struct box one;
static int get(struct box *other)
{
    return other->value;
}
static void *worker(void *unused)
{
    struct box *box = &one;
    pthread_mutex_lock(&box->lock);
    box->value++;
    pthread_mutex_unlock(&box->lock);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    int value = get(&one);
    pthread_join(thread, 0);
    return value;
}
";
    let folder = project(&[("a.c", text)]);
    check(
        &folder,
        "a.c",
        "other->value",
        "Take `other->lock`",
        expect![[r#"
            a.c:     pthread_mutex_lock(&other->lock);
            a.c:     int result = other->value;
            a.c:     pthread_mutex_unlock(&other->lock);
            a.c:     return result;
        "#]],
    );
}

#[test]
fn a_variable_becomes_atomic() {
    let folder = project(&[("a.c", RACY)]);
    check(
        &folder,
        "a.c",
        "counter++;\n    pthread_join",
        "Make `counter`",
        expect![[r#"
            a.c: static _Atomic int counter;
        "#]],
    );
}

#[test]
fn a_member_becomes_atomic_in_its_header() {
    check(
        &demo(),
        "main.c",
        "cache.closing = 1",
        "Make `cache.closing`",
        expect![[r#"
            cache.h:     _Atomic int closing;
            races: possible data race on `cache.lookups`: write in thread `worker` (one of several), holding `cache->stats_lock`; read in thread `main`, holding no lock
            races: possible data race on `cache.misses`: write in thread `worker` (one of several), holding `cache->stats_lock`; read in thread `main`, holding no lock
        "#]],
    );
}

#[test]
fn a_race_is_marked_as_benign() {
    let folder = project(&[("a.c", RACY)]);
    check(
        &folder,
        "a.c",
        "counter++;\n    pthread_join",
        "Mark",
        expect![[r#"
            a.c:     // racelens: benign(9358) -- reason
        "#]],
    );
}

#[test]
fn a_guard_is_written_down() {
    let folder = project(&[("a.c", RACY)]);
    check(
        &folder,
        "a.c",
        "counter++;\n    pthread_join",
        "Say that",
        expect![[r#"
            a.c: static int counter __attribute__((guarded_by(lock)));
            races: possible data race on `counter`: write in thread `worker`, holding `lock`; write in thread `main`, holding no lock
            violations: `counter` is accessed without `lock`, which guards it
        "#]],
    );
}

#[test]
fn conditions_are_not_wrapped_but_can_be_explained() {
    let text = RACY.replace(
        "    counter++;\n    pthread_join",
        "    if (counter)\n        return 1;\n    pthread_join",
    );
    let folder = project(&[("a.c", &text)]);
    let path = folder.path("a.c");
    let mut client = Client::start(&folder.root());
    client.open(&path, &text);
    client.settle();
    let actions = actions(&mut client, &path, &text, "counter)");
    let titles: Vec<&str> = actions
        .iter()
        .map(|it| it["title"].as_str().unwrap())
        .collect();
    assert_eq!(
        titles,
        [
            "Make `counter` `_Atomic`",
            "Say that `lock` guards `counter`",
            "Mark the race on `counter` as benign, with a reason",
            "Verify the race on `counter`",
            "Explain the race on `counter`",
        ]
    );
    let explain = actions[4]["command"].clone();
    assert_eq!(explain["command"], "racelens.explain");
    let text = client.request("workspace/executeCommand", explain);
    assert!(
        text.as_str().unwrap().contains("Possible data race"),
        "{text}"
    );
    client.finish();
}

#[test]
fn where_there_is_no_race_there_is_no_action() {
    let folder = project(&[("a.c", RACY)]);
    let path = folder.path("a.c");
    let mut client = Client::start(&folder.root());
    client.open(&path, RACY);
    client.settle();
    assert!(actions(&mut client, &path, RACY, "pthread_t thread").is_empty());
    client.finish();
}

#[test]
fn an_action_for_text_that_is_gone_is_refused() {
    let folder = project(&[("a.c", RACY)]);
    let file = folder.path("a.c");
    // A check that is due keeps the question waiting until the user has typed on.
    let capabilities = crate::client::all_capabilities();
    let mut client =
        Client::start_with(&[&folder.root()], capabilities, json!({ "debounce": 300 }));
    client.open(&file, RACY);
    client.settle();
    client.change(&file, &format!("\n{RACY}"));
    let at = place_of(&format!("\n{RACY}"), "counter++;\n    pthread_join");
    let params = json!({
        "textDocument": { "uri": uri(&file) },
        "range": { "start": at, "end": at },
        "context": { "diagnostics": [] },
    });
    let id = client.send_request("textDocument/codeAction", params);
    client.change(&file, RACY);
    assert_eq!(client.response(id)["error"]["code"], -32801);
    client.finish();
}

#[test]
fn an_action_names_the_version_that_it_is_for() {
    let folder = project(&[("a.c", RACY)]);
    let file = folder.path("a.c");
    let mut client = Client::start(&folder.root());
    client.open(&file, RACY);
    client.settle();
    let text = format!("\n{RACY}");
    client.change(&file, &text);
    client.settle();
    let actions = actions(&mut client, &file, &text, "counter++;\n    pthread_join");
    let edits: Vec<&Value> = actions
        .iter()
        .filter_map(|action| action["edit"]["documentChanges"].as_array())
        .flatten()
        .collect();
    assert!(!edits.is_empty(), "{actions:?}");
    for edit in edits {
        assert_eq!(edit["textDocument"]["version"], 2, "{edit}");
    }
    client.finish();
}
