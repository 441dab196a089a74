//! An interleaving is shown in whatever way the client can.

use crate::client::{Client, all_capabilities};
use crate::projects::{RACY, project};
use serde_json::{Value, json};
use std::path::Path;

fn show(client: &mut Client) -> Value {
    let races = client.settle();
    let id = races["races"][0]["id"].clone();
    let command = json!({ "command": "racelens.showInterleaving", "arguments": [id] });
    client.request("workspace/executeCommand", command)
}

fn client_with(folder: &Path, additions: &[(&str, Value)]) -> Client {
    let mut capabilities = all_capabilities();
    for (pointer, value) in additions {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        capabilities.pointer_mut(parent).unwrap()[name] = value.clone();
    }
    Client::start_with(&[folder], capabilities, json!({ "debounce": 1 }))
}

fn shown_document(client: &mut Client) -> String {
    let shown = client.wait_for(|message| message["method"] == "window/showDocument");
    shown["params"]["uri"].as_str().unwrap().to_owned()
}

#[test]
fn a_client_that_shows_documents_is_shown_a_file() {
    let folder = project(&[("a.c", RACY)]);
    let support = json!({ "support": true });
    let mut client = client_with(&folder.root(), &[("/window/showDocument", support)]);
    let answer = show(&mut client);
    assert_eq!(answer["verdict"], "witnessed");
    let uri = shown_document(&mut client);
    let text = std::fs::read_to_string(uri.strip_prefix("file://").unwrap()).unwrap();
    assert!(text.starts_with("witnessed: race on counter ["), "{text}");
    assert!(text.contains("0: main"), "{text}");
    assert!(text.contains("at the same time:"), "{text}");
    client.finish();
}

#[test]
fn a_client_that_reads_made_up_documents_needs_no_file() {
    let folder = project(&[("a.c", RACY)]);
    let additions = [
        ("/window/showDocument", json!({ "support": true })),
        (
            "/workspace/textDocumentContent",
            json!({ "dynamicRegistration": true }),
        ),
    ];
    let mut client = client_with(&folder.root(), &additions);
    let registered = client.wait_for(|message| {
        message["method"] == "client/registerCapability"
            && message["params"]["registrations"]
                .as_array()
                .unwrap()
                .iter()
                .any(|it| it["method"] == "workspace/textDocumentContent")
    });
    let registrations = registered["params"]["registrations"].as_array().unwrap();
    let content = registrations
        .iter()
        .find(|it| it["method"] == "workspace/textDocumentContent");
    assert_eq!(
        content.unwrap()["registerOptions"]["schemes"],
        json!(["racelens"])
    );
    show(&mut client);
    let uri = shown_document(&mut client);
    let content = client.request("workspace/textDocumentContent", json!({ "uri": uri }));
    assert!(
        content["text"]
            .as_str()
            .unwrap()
            .starts_with("witnessed: race on counter ["),
        "{content}"
    );
    let wrong = json!({ "uri": "racelens:/poem" });
    let response = client.request_raw("workspace/textDocumentContent", wrong);
    assert_eq!(response["error"]["code"], -32602);
    client.finish();
}

#[test]
fn a_client_that_shows_nothing_is_told_where_it_is_written() {
    let folder = project(&[("a.c", RACY)]);
    let mut client = client_with(&folder.root(), &[]);
    show(&mut client);
    let message = client.wait_for(|message| message["method"] == "window/showMessage");
    let text = message["params"]["message"].as_str().unwrap();
    assert!(text.contains("It is written down in file:///"), "{text}");
    client.finish();
}

#[test]
fn a_client_with_a_view_of_its_own_is_left_alone() {
    let folder = project(&[("a.c", RACY)]);
    let own = json!({ "racelens": { "interleavings": true } });
    let additions = [
        ("/window/showDocument", json!({ "support": true })),
        ("/experimental", own),
    ];
    let mut client = client_with(&folder.root(), &additions);
    let answer = show(&mut client);
    assert!(answer["steps"].as_array().unwrap().len() > 2, "{answer}");
    client.settle();
    assert!(client.heard_of("window/showDocument").is_empty());
    assert!(client.heard_of("window/showMessage").is_empty());
    client.finish();
}
