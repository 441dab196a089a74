//! Hovers, lenses and explanations say what is known, in lists.

use crate::client::{Client, position, uri};
use crate::projects::{RACY, demo, project};
use crate::temporary_folder::TemporaryFolder;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

/// The hover at the first character of `marked`, which is a stretch of one line of the file.
fn hover(client: &mut Client, folder: &TemporaryFolder, file: &str, marked: &str) -> Value {
    let path = folder.path(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let offset = text.find(marked).expect("the text has it");
    let line = text[..offset].matches('\n').count() as u32;
    let column = offset - text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
    client.request(
        "textDocument/hover",
        json!({ "textDocument": { "uri": uri(&path) }, "position": position(line, column as u32) }),
    )
}

fn check(file: &str, marked: &str, expected: Expect) {
    let folder = demo();
    let mut client = Client::start(&folder.root());
    let found = hover(&mut client, &folder, file, marked);
    let text = found["contents"]["value"].as_str().unwrap_or("nothing");
    let root = format!("file://{}/", folder.root().display());
    expected.assert_eq(&text.replace(&root, "$W/"));
    client.finish();
}

#[test]
fn an_access_says_its_locks_its_guard_and_why_it_does_not_race() {
    check(
        "cache.c",
        "cache->misses++",
        expect![[r#"
        **write of `cache->misses`**
        - holds `cache->stats_lock`, taken at [cache.c:49]($W/cache.c#L49)
        - runs in thread `worker`, started at [main.c:31]($W/main.c#L31), several at once
        - no race with the write at [cache.c:30]($W/cache.c#L30) and the read at [main.c:39]($W/main.c#L39): no two threads get there at the same time
        - no race with itself in another thread: both hold `cache->stats_lock`
        - **part of the possible race `f81b21dbc5cd`**"#]],
    );
}

#[test]
fn a_racing_access_says_so() {
    check(
        "cache.c",
        "cache->lookups ?",
        expect![[r#"
        **read of `cache->lookups`**
        - no lock is held
        - runs in thread `main`
        - no race with the read at [cache.c:50]($W/cache.c#L50), the read at [cache.c:81]($W/cache.c#L81) and the read at [main.c:39]($W/main.c#L39): both only read
        - no race with the write at [cache.c:30]($W/cache.c#L30): no two threads get there at the same time
        - **part of the possible race `f64a38641d15`**"#]],
    );
}

#[test]
fn a_lock_says_what_it_is_held_for() {
    check(
        "cache.c",
        "stats_lock);\n    cache->lookups",
        expect![[r#"
        **lock `cache->stats_lock`** is held for
        - `cache.lookups`: held at 1 of 4 accesses
        - `cache.misses`: held at 1 of 3 accesses

        No lock is held here."#]],
    );
}

#[test]
fn a_call_says_what_the_function_does() {
    check(
        "main.c",
        "cache_get(&cache",
        expect![[r#"
        **function `cache_get`** ([cache.c:36]($W/cache.c#L36))
        - runs in thread `worker`, started at [main.c:31]($W/main.c#L31), several at once
        - takes `cache->locks[index]` ([cache.c:41]($W/cache.c#L41)) and `cache->stats_lock` ([cache.c:49]($W/cache.c#L49))
        - returns with the locks that it was called with

        No lock is held here."#]],
    );
}

#[test]
fn a_definition_says_what_the_function_does() {
    check(
        "cache.c",
        "cache_put(struct",
        expect![[r#"
        **function `cache_put`** ([cache.c:57]($W/cache.c#L57))
        - runs in thread `worker`, started at [main.c:31]($W/main.c#L31), several at once
        - takes `cache->locks[index]` ([cache.c:66]($W/cache.c#L66))
        - returns with the locks that it was called with"#]],
    );
}

#[test]
fn a_thread_start_says_what_runs() {
    check(
        "main.c",
        "pthread_create",
        expect![[r#"
        - starts thread `worker`, several at once

        No lock is held here."#]],
    );
}

#[test]
fn where_nothing_is_known_nothing_is_said() {
    check("cache.c", "hash = 5381", expect!["nothing"]);
    check("cache.h", "#ifndef", expect!["nothing"]);
}

#[test]
fn a_hover_knows_the_text_that_was_typed() {
    let folder = project(&[("a.c", RACY)]);
    let file = folder.path("a.c");
    let mut client = Client::start(&folder.root());
    client.open(&file, RACY);
    client.change(&file, &format!("\n\n{RACY}"));
    let at = |line| json!({ "textDocument": { "uri": uri(&file) }, "position": position(line, 6) });
    let found = client.request("textDocument/hover", at(8));
    let text = found["contents"]["value"].as_str().unwrap();
    assert!(text.contains("holds `lock`, taken at [a.c:8]"), "{text}");
    assert_eq!(found["range"]["start"], position(8, 4));
    client.finish();
}

#[test]
fn lenses_say_which_threads_run_a_function_when_they_are_shown() {
    let folder = demo();
    let mut client = Client::start(&folder.root());
    let document = json!({ "textDocument": { "uri": uri(&folder.path("cache.c")) } });
    let lenses = client.request("textDocument/codeLens", document.clone());
    let lenses = lenses.as_array().unwrap().clone();
    assert!(lenses.iter().all(|lens| lens.get("command").is_none()));
    let mut shown = String::new();
    for lens in lenses {
        let line = lens["range"]["start"]["line"].as_u64().unwrap();
        let resolved = client.request("codeLens/resolve", lens);
        let title = resolved["command"]["title"].as_str().unwrap();
        shown.push_str(&format!("{line}: {title}\n"));
    }
    expect![[r#"
        12: thread: worker (several)
        20: thread: worker (several)
        27: thread: main
        35: thread: worker (several)
        56: thread: worker (several)
        78: thread: main
        49: Verify the race on cache.lookups
        80: Verify the race on cache.lookups
        51: Verify the race on cache.misses
        80: Verify the race on cache.misses
    "#]]
    .assert_eq(&shown);
    client.settings = json!({ "debounce": 1, "codeLens": false });
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "racelens": { "codeLens": false } } }),
    );
    let lenses = client.request("textDocument/codeLens", document);
    assert_eq!(lenses, json!([]));
    client.finish();
}

#[test]
fn a_race_and_a_position_can_be_explained() {
    let folder = project(&[("a.c", RACY)]);
    let mut client = Client::start(&folder.root());
    let races = client.settle();
    let id = races["races"][0]["id"].clone();
    let mut explain = |arguments: Value| {
        client.request_raw(
            "workspace/executeCommand",
            json!({ "command": "racelens.explain", "arguments": arguments }),
        )
    };
    let text = explain(json!([id]))["result"].as_str().unwrap().to_owned();
    let root = format!("file://{}/", folder.root().display());
    let id = id.as_str().unwrap().to_owned();
    expect![[r#"
        ### Possible data race on `counter`

        Race `$ID`, rank 80 of 100.

        **One access**: write of `counter` in `worker` at [a.c:7]($W/a.c#L7)
        - thread `worker`, started at [a.c:14]($W/a.c#L14)
        - holding `lock` ([a.c:6]($W/a.c#L6))

        **The other access**: write of `counter` in `main` at [a.c:15]($W/a.c#L15)
        - thread `main`
        - holding no lock

        **Why it is shown**
        - both threads write
        - both access the same variable
        - two different thread functions reach it

        **If it is benign, write**
        - above [a.c:7]($W/a.c#L7): `// racelens: benign(9358) -- reason`
    "#]]
    .assert_eq(&text.replace(&root, "$W/").replace(&id, "$ID"));
    let at = json!([uri(&folder.path("a.c")), position(6, 5)]);
    let text = explain(at)["result"].as_str().unwrap().to_owned();
    assert!(text.starts_with("**write of `counter`**"), "{text}");
    let gone = explain(json!(["000000000000"]));
    assert!(
        gone["result"].as_str().unwrap().contains("no race"),
        "{gone}"
    );
    assert_eq!(explain(json!([]))["error"]["code"], -32602);
    assert_eq!(explain(json!(["x:y", 3]))["error"]["code"], -32602);
    client.finish();
}
