//! Ways from one place to another, and marks in the text.

use crate::client::{Client, all_capabilities, position, uri};
use crate::projects::{RACY, demo, project};
use crate::temporary_folder::TemporaryFolder;
use expect_test::expect;
use serde_json::{Value, json};

fn at(folder: &TemporaryFolder, file: &str, marked: &str) -> Value {
    let path = folder.path(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let offset = text.find(marked).expect("the text has it");
    let line = text[..offset].matches('\n').count() as u32;
    let column = offset - text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
    json!({ "textDocument": { "uri": uri(&path) }, "position": position(line, column as u32) })
}

#[test]
fn a_lock_that_is_released_leads_to_where_it_was_taken() {
    let folder = demo();
    let mut client = Client::start(&folder.root());
    let asked = at(&folder, "cache.c", "stats_lock);\n    return entry");
    let found = client.request("textDocument/definition", asked);
    let lines: Vec<&Value> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["range"]["start"]["line"])
        .collect();
    assert_eq!(lines, [48]);
    let elsewhere = at(&folder, "cache.c", "bucket_of");
    assert_eq!(
        client.request("textDocument/definition", elsewhere),
        Value::Null
    );
    client.finish();
}

#[test]
fn the_call_hierarchy_goes_both_ways() {
    let folder = demo();
    let mut client = Client::start(&folder.root());
    let asked = at(&folder, "main.c", "cache_get(&cache");
    let items = client.request("textDocument/prepareCallHierarchy", asked);
    let item = items[0].clone();
    assert_eq!(item["name"], "cache_get");
    assert_eq!(item["detail"], "runs in worker");
    assert_eq!(item["uri"], json!(uri(&folder.path("cache.c"))));
    let incoming = client.request("callHierarchy/incomingCalls", json!({ "item": item }));
    assert_eq!(incoming[0]["from"]["name"], "worker");
    assert_eq!(incoming[0]["fromRanges"][0]["start"]["line"], 18);
    let outgoing = client.request("callHierarchy/outgoingCalls", json!({ "item": item }));
    let names: Vec<&str> = outgoing
        .as_array()
        .unwrap()
        .iter()
        .map(|call| call["to"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["bucket_of", "find"]);
    client.finish();
}

#[test]
fn hints_say_what_is_held_where_a_block_begins() {
    let folder = demo();
    let mut client = Client::start(&folder.root());
    let whole = json!({ "start": position(0, 0), "end": position(999, 0) });
    let document = json!({ "uri": uri(&folder.path("cache.c")) });
    let asked = json!({ "textDocument": document, "range": whole });
    // Nobody wants them unless they say so.
    assert_eq!(
        client.request("textDocument/inlayHint", asked.clone()),
        json!([])
    );
    client.settings = json!({ "debounce": 1, "inlayHints": true });
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "racelens": { "debounce": 1, "inlayHints": true } } }),
    );
    let hints = client.request("textDocument/inlayHint", asked);
    let mut shown = String::new();
    for hint in hints.as_array().unwrap() {
        let line = hint["position"]["line"].as_u64().unwrap();
        shown.push_str(&format!("{line}: {}\n", hint["label"].as_str().unwrap()));
    }
    expect![[r#"
        40: holds cache->locks[index]
        42: holds cache->locks[index]
        65: holds cache->locks[index]
        67: holds cache->locks[index]
        70: holds cache->locks[index]
    "#]]
    .assert_eq(&shown);
    client.finish();
}

#[test]
fn shared_variables_are_highlighted_if_that_is_wanted() {
    let folder = demo();
    let settings = json!({ "debounce": 1, "semanticHighlighting": true });
    let mut client = Client::start_with(&[&folder.root()], all_capabilities(), settings);
    let capabilities = &client.initialize_result["capabilities"];
    let legend = capabilities["semanticTokensProvider"]["legend"].clone();
    assert_eq!(
        legend["tokenModifiers"],
        json!(["shared", "racing", "modification"])
    );
    let asked = json!({ "textDocument": { "uri": uri(&folder.path("main.c")) } });
    let tokens = client.request("textDocument/semanticTokens/full", asked);
    expect!["[16,25,13,0,3,19,4,13,0,7,3,40,13,0,1,0,15,12,0,1]"]
        .assert_eq(&tokens["data"].to_string());
    client.finish();
}

#[test]
fn highlighting_can_be_switched_on_later() {
    let folder = demo();
    let mut capabilities = all_capabilities();
    capabilities["textDocument"] = json!({ "semanticTokens": {
        "dynamicRegistration": true, "requests": {}, "tokenTypes": [], "tokenModifiers": [], "formats": [] } });
    let mut client = Client::start_with(&[&folder.root()], capabilities, json!({ "debounce": 1 }));
    assert!(
        client.initialize_result["capabilities"]
            .get("semanticTokensProvider")
            .is_none()
    );
    client.settle();
    client.settings = json!({ "debounce": 1, "semanticHighlighting": true });
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": null }),
    );
    client.wait_for(|message| {
        let registration = &message["params"]["registrations"][0];
        registration["method"] == "textDocument/semanticTokens"
    });
    client.finish();
}

#[test]
fn a_comment_that_accepts_a_race_leads_to_the_other_access() {
    let text = RACY.replace(
        "    counter++;\n    pthread_join",
        "    // racelens: benign -- a test\n    counter++;\n    pthread_join",
    );
    let folder = project(&[("a.c", &text)]);
    let file = folder.path("a.c");
    let mut client = Client::start(&folder.root());
    client.settle();
    let document = json!({ "textDocument": { "uri": uri(&file) } });
    let links = client.request("textDocument/documentLink", document);
    let [link] = links.as_array().unwrap().as_slice() else {
        panic!("{links}");
    };
    assert_eq!(link["range"]["start"]["line"], 14);
    assert_eq!(link["target"], json!(format!("{}#L7,5", uri(&file))));
    client.finish();
}
