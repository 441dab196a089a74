//! Whatever a client sends, the answer is what the protocol prescribes, and the server goes on.

use crate::client::{Client, all_capabilities, position, uri};
use crate::projects::{RACY, project};
use crate::temporary_folder::TemporaryFolder;
use racelens::lsp::Ending;
use serde_json::{Value, json};

fn started() -> (TemporaryFolder, Client) {
    let folder = project(&[("a.c", RACY)]);
    let client = Client::start(&folder.root());
    (folder, client)
}

/// The server still answers.
fn goes_on(mut client: Client) {
    let races = client.settle();
    assert_eq!(races["races"].as_array().unwrap().len(), 1, "{races}");
    assert_eq!(client.finish(), Ending::AfterShutdown);
}

#[test]
fn an_unknown_method_does_not_exist() {
    let (_folder, mut client) = started();
    let response = client.request_raw("textDocument/poem", json!({}));
    assert_eq!(response["error"]["code"], -32601);
    client.notify("textDocument/poem", json!({}));
    client.notify("$/poem", json!({}));
    let command = json!({ "command": "racelens.poem" });
    let response = client.request_raw("workspace/executeCommand", command);
    assert_eq!(response["error"]["code"], -32602);
    goes_on(client);
}

#[test]
fn malformed_json_is_a_parse_error() {
    let (_folder, mut client) = started();
    client.send_bytes(b"{ \"jsonrpc\": \"2.0\", \"method\": ");
    let error = loop {
        client.hear();
        if let Some(error) = client.take_response(&Value::Null) {
            break error;
        }
    };
    assert_eq!(error["error"]["code"], -32700);
    client.send_bytes(b"[1, 2, 3]");
    client.send_bytes(b"\xff\xfe");
    goes_on(client);
}

#[test]
fn wrong_parameters_are_invalid() {
    let (folder, mut client) = started();
    let response = client.request_raw("textDocument/hover", json!({ "position": 3 }));
    assert_eq!(response["error"]["code"], -32602);
    client.notify("textDocument/didChange", json!({ "textDocument": 3 }));
    client.notify("textDocument/didOpen", json!([]));
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "racelens": { "run": 3 } } }),
    );
    let _ = folder;
    goes_on(client);
}

#[test]
fn a_position_past_the_end_has_no_hover() {
    let (folder, mut client) = started();
    let file = folder.path("a.c");
    client.open(&file, RACY);
    for at in [
        position(9999, 0),
        position(0, 9999),
        position(u32::MAX >> 1, u32::MAX >> 1),
    ] {
        let params = json!({ "textDocument": { "uri": uri(&file) }, "position": at });
        assert_eq!(client.request("textDocument/hover", params), Value::Null);
    }
    client.change_with(
        &file,
        json!([{ "range": { "start": position(9999, 0), "end": position(9999, 9) }, "text": "\nint x;\n" }]),
    );
    goes_on(client);
}

#[test]
fn a_uri_that_is_no_file_has_nothing() {
    let (_folder, mut client) = started();
    for uri in [
        "untitled:Untitled-1",
        "git:/a.c",
        "file:///nowhere/a.c",
        "http://a/b.c",
    ] {
        let document = json!({ "uri": uri, "languageId": "c", "version": 1, "text": "int a;" });
        client.notify("textDocument/didOpen", json!({ "textDocument": document }));
        let identifier = json!({ "uri": uri });
        let params = json!({ "textDocument": identifier, "position": position(0, 4) });
        assert_eq!(client.request("textDocument/hover", params), Value::Null);
        let lenses = client.request(
            "textDocument/codeLens",
            json!({ "textDocument": identifier }),
        );
        assert!(lenses.is_null() || lenses == json!([]) || lenses[0].is_object());
        client.notify(
            "textDocument/didClose",
            json!({ "textDocument": identifier }),
        );
    }
    goes_on(client);
}

#[test]
fn a_deleted_workspace_has_no_findings() {
    let (folder, mut client) = started();
    assert_eq!(client.settle()["races"].as_array().unwrap().len(), 1);
    let file = folder.path("a.c");
    std::fs::remove_file(&file).unwrap();
    std::fs::remove_file(folder.path("compile_commands.json")).unwrap();
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({ "changes": [{ "uri": uri(&file), "type": 3 }, { "uri": uri(&folder.path("compile_commands.json")), "type": 3 }] }),
    );
    assert_eq!(client.settle()["races"], json!([]));
    assert!(client.diagnostics(&file).is_empty());
    assert_eq!(client.finish(), Ending::AfterShutdown);
}

#[test]
fn a_folder_that_does_not_exist_is_said() {
    let folder = TemporaryFolder::new(&[]);
    let mut client = Client::start(&folder.path("gone"));
    assert_eq!(client.settle()["races"], json!([]));
    let logged = client.heard_of("window/logMessage");
    assert!(!logged.is_empty());
    client.finish();
}

#[test]
fn a_client_that_never_answers_is_served() {
    let folder = project(&[("a.c", RACY)]);
    let mut client = Client::connect();
    client.answers = false;
    client.initialize(
        &[&folder.root()],
        all_capabilities(),
        json!({ "debounce": 1 }),
    );
    goes_on(client);
}

#[test]
fn a_client_that_can_nothing_is_served() {
    let folder = project(&[("a.c", RACY)]);
    let mut client = Client::connect();
    client.initialize(&[&folder.root()], json!({}), Value::Null);
    client.settle();
    let requests = client.heard.iter().filter(|it| it.get("id").is_some());
    assert_eq!(requests.count(), 0, "nothing may be asked of it");
    goes_on(client);
}

#[test]
fn a_huge_message_is_read() {
    let (folder, mut client) = started();
    let file = folder.path("a.c");
    let comment = "/* 0123456789 0123456789 0123456789 0123456789 */\n".repeat(200_000);
    client.open(&file, &format!("{comment}{RACY}"));
    client.settle();
    assert_eq!(
        client.diagnostics(&file)[0]["range"]["start"]["line"],
        200_006
    );
    goes_on(client);
}

#[test]
fn requests_before_initialize_and_after_shutdown_are_refused() {
    let mut client = Client::connect();
    let response = client.request_raw("textDocument/hover", json!({}));
    assert_eq!(response["error"]["code"], -32002);
    client.notify("textDocument/didOpen", json!({}));
    let folder = project(&[("a.c", RACY)]);
    client.initialize(&[&folder.root()], all_capabilities(), Value::Null);
    client.settle();
    client.request("shutdown", Value::Null);
    let response = client.request_raw("racelens/races", Value::Null);
    assert_eq!(response["error"]["code"], -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.go(), Ending::AfterShutdown);
}

#[test]
fn a_client_that_just_goes_has_gone() {
    let (_folder, mut client) = started();
    client.settle();
    assert_eq!(client.go(), Ending::Abrupt);
    let (_folder, mut client) = started();
    client.notify("exit", Value::Null);
    assert_eq!(client.go(), Ending::Abrupt);
}
