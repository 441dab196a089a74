//! A client that asks for diagnostics gets them when it asks.

use crate::client::{Client, all_capabilities, uri};
use crate::projects::{RACY, fixed, project};
use serde_json::{Value, json};

fn pulling(folder: &std::path::Path) -> Client {
    let settings = json!({ "debounce": 1, "diagnostics": "pull" });
    Client::start_with(&[folder], all_capabilities(), settings)
}

#[test]
fn a_document_is_answered_and_then_unchanged() {
    let folder = project(&[("a.c", RACY)]);
    let file = folder.path("a.c");
    let mut client = pulling(&folder.root());
    let provider = &client.initialize_result["capabilities"]["diagnosticProvider"];
    assert_eq!(provider["interFileDependencies"], true);
    client.open(&file, RACY);
    let ask = |previous: Value| json!({ "textDocument": { "uri": uri(&file) }, "previousResultId": previous });
    let report = client.request("textDocument/diagnostic", ask(Value::Null));
    assert_eq!(report["kind"], "full");
    assert_eq!(report["items"].as_array().unwrap().len(), 2);
    let id = report["resultId"].clone();
    let same = client.request("textDocument/diagnostic", ask(id.clone()));
    assert_eq!(
        (&same["kind"], &same["resultId"]),
        (&json!("unchanged"), &id)
    );
    client.change(&file, &fixed());
    let report = client.request("textDocument/diagnostic", ask(id));
    assert_eq!(
        (&report["kind"], &report["items"]),
        (&json!("full"), &json!([]))
    );
    // What is pulled is not pushed as well.
    client.settle();
    assert!(
        client
            .heard_of("textDocument/publishDiagnostics")
            .is_empty()
    );
    client.wait_for(|message| message["method"] == "workspace/diagnostic/refresh");
    client.finish();
}

#[test]
fn the_workspace_is_answered_file_by_file() {
    let folder = project(&[("a.c", RACY), ("b.c", "int b;\n")]);
    let file = folder.path("a.c");
    let mut client = pulling(&folder.root());
    let ask = |previous: Value| json!({ "previousResultIds": previous });
    let report = client.request("workspace/diagnostic", ask(json!([])));
    let items = report["items"].as_array().unwrap().clone();
    assert_eq!(items.len(), 1, "{report}");
    assert_eq!(items[0]["uri"], json!(uri(&file)));
    assert_eq!(items[0]["items"].as_array().unwrap().len(), 2);
    let known = json!([{ "uri": uri(&file), "value": items[0]["resultId"] }]);
    let report = client.request("workspace/diagnostic", ask(known.clone()));
    assert_eq!(report["items"][0]["kind"], "unchanged");
    client.open(&file, &fixed());
    let report = client.request("workspace/diagnostic", ask(known));
    assert_eq!(report["items"][0]["items"], json!([]));
    client.finish();
}

#[test]
fn a_client_that_is_pushed_to_is_not_told_to_pull() {
    let folder = project(&[("a.c", RACY)]);
    let client = Client::start(&folder.root());
    let capabilities = &client.initialize_result["capabilities"];
    assert!(capabilities.get("diagnosticProvider").is_none());
    client.finish();
}
