//! Messages are applied in the order in which they are sent, however fast they come.

use crate::client::{Client, position, uri};
use crate::projects::{RACY, fixed, project};
use serde_json::{Value, json};
use std::path::Path;

/// A small generator of numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// Pieces that are typed: some break the program, some change its races, some move everything. None ends a comment.
const PIECES: [&str; 9] = [
    "\n",
    " ",
    "counter++;",
    "é😀",
    "}",
    "{",
    "pthread_mutex_lock(&lock);",
    "int x;",
    "\"",
];

/// How many edits: more of them with `RACELENS_EDITS=10000`.
fn edits() -> usize {
    let wanted = std::env::var("RACELENS_EDITS").ok();
    wanted.and_then(|it| it.parse().ok()).unwrap_or(300)
}

fn boundary(text: &str, mut offset: usize) -> usize {
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// In UTF-16, as the client counts.
fn lsp_position(text: &str, offset: usize) -> Value {
    let line = text[..offset].matches('\n').count() as u32;
    let start = text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
    position(line, text[start..offset].encode_utf16().count() as u32)
}

/// Sends one edit, and makes it in `text`.
fn edit(client: &mut Client, file: &Path, text: &mut String, numbers: &mut Numbers) {
    let start = boundary(text, numbers.below(text.len() + 1));
    let longest = if numbers.below(4) == 0 { 12 } else { 1 };
    let end = boundary(text, (start + numbers.below(longest)).min(text.len())).max(start);
    let piece = PIECES[numbers.below(PIECES.len())];
    let change = json!({
        "range": { "start": lsp_position(text, start), "end": lsp_position(text, end) },
        "text": piece,
    });
    client.change_with(file, json!([change]));
    text.replace_range(start..end, piece);
}

#[test]
fn edits_that_come_as_fast_as_possible_give_what_a_fresh_server_gives() {
    let folder = project(&[("a.c", RACY), ("b.c", "int other;\n")]);
    let file = folder.path("a.c");
    let mut client = Client::start(&folder.root());
    client.open(&file, RACY);
    let mut text = RACY.to_owned();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut asked = Vec::new();
    for _ in 0..edits() {
        // Now and then the user starts again, so that there are races to be found.
        if numbers.below(20) == 0 {
            text = if numbers.below(2) == 0 {
                RACY.to_owned()
            } else {
                fixed()
            };
            client.change(&file, &text);
        } else {
            edit(&mut client, &file, &mut text, &mut numbers);
        }
        let document = json!({ "uri": uri(&file) });
        let id = match numbers.below(8) {
            0 => {
                let at = lsp_position(&text, boundary(&text, numbers.below(text.len() + 1)));
                let params = json!({ "textDocument": document, "position": at });
                client.send_request("textDocument/hover", params)
            }
            1 => {
                let params = json!({ "textDocument": document });
                client.send_request("textDocument/codeLens", params)
            }
            _ => continue,
        };
        asked.push(id);
        if numbers.below(2) == 0 {
            client.notify("$/cancelRequest", json!({ "id": id }));
        }
    }
    // A broken function keeps what it was before, so that in the end everything is whole: what was typed becomes a
    // comment, and only if it has the right lines does the program behind it stand where it should.
    let end = lsp_position(&text, text.len());
    let start = position(0, 0);
    let program = format!("*/\n{RACY}");
    client.change_with(
        &file,
        json!([
            { "range": { "start": end, "end": end }, "text": program },
            { "range": { "start": start, "end": start }, "text": "/*" },
        ]),
    );
    text = format!("/*{text}{program}");
    for id in asked {
        let response = client.response(id);
        let code = &response["error"]["code"];
        let is_fine = code.is_null() || *code == -32800 || *code == -32801;
        assert!(is_fine, "{response}");
    }
    client.settle();
    let found = without_pages(client.diagnostics(&file));
    let races = client.settle();

    let mut fresh = Client::start(&folder.root());
    fresh.open(&file, &text);
    let fresh_races = fresh.settle();
    assert_eq!(found, without_pages(fresh.diagnostics(&file)));
    assert_eq!(races["races"], fresh_races["races"]);
    assert_eq!(found.len(), 2, "{found:?}");
    client.finish();
    fresh.finish();
}

/// Each server writes its own pages.
fn without_pages(mut diagnostics: Vec<Value>) -> Vec<Value> {
    for diagnostic in &mut diagnostics {
        if let Some(fields) = diagnostic.as_object_mut() {
            fields.remove("codeDescription");
        }
    }
    diagnostics
}

#[test]
fn a_request_about_text_that_is_gone_is_answered_so() {
    let folder = project(&[("a.c", RACY)]);
    let file = folder.path("a.c");
    // The user types on before a check begins.
    let settings = json!({ "debounce": 300 });
    let capabilities = crate::client::all_capabilities();
    let mut client = Client::start_with(&[&folder.root()], capabilities, settings);
    client.open(&file, RACY);
    client.settle();
    client.change(&file, &fixed());
    let params = json!({ "textDocument": { "uri": uri(&file) }, "position": position(6, 6) });
    let id = client.send_request("textDocument/hover", params);
    client.change(&file, RACY);
    assert_eq!(client.response(id)["error"]["code"], -32801);
    client.finish();
}

#[test]
fn a_cancelled_request_is_answered_at_once() {
    let folder = project(&[("a.c", RACY)]);
    let file = folder.path("a.c");
    // So long that the test would fail if anybody waited for it.
    let settings = json!({ "debounce": 60_000 });
    let capabilities = crate::client::all_capabilities();
    let mut client = Client::start_with(&[&folder.root()], capabilities, settings);
    client.open(&file, RACY);
    client.settle();
    client.change(&file, &fixed());
    let params = json!({ "textDocument": { "uri": uri(&file) }, "position": position(6, 6) });
    let started = std::time::Instant::now();
    let id = client.send_request("textDocument/hover", params);
    client.notify("$/cancelRequest", json!({ "id": id }));
    assert_eq!(client.response(id)["error"]["code"], -32800);
    assert!(started.elapsed().as_secs() < 30);
    client.finish();
}

#[test]
fn a_change_with_an_old_version_is_left_out() {
    let folder = project(&[("a.c", RACY)]);
    let file = folder.path("a.c");
    let mut client = Client::start(&folder.root());
    client.open(&file, RACY);
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": uri(&file), "version": 1 }, "contentChanges": [{ "text": "" }] }),
    );
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": uri(&folder.path("b.c")), "version": 9 }, "contentChanges": [{ "text": "" }] }),
    );
    client.settle();
    assert_eq!(client.diagnostics(&file).len(), 2);
    let said = |text: &str| {
        let logged = client.heard_of("window/logMessage");
        logged
            .iter()
            .any(|it| it["params"]["message"].as_str().unwrap().contains(text))
    };
    assert!(said("has version 1 already") && said("is not open"));
    client.finish();
}
