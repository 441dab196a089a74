//! Settings, folders and files of the project change without a restart.

use crate::client::{Client, all_capabilities, position, uri};
use crate::projects::{RACY, fixed, project};
use serde_json::{Value, json};
use std::path::Path;

fn start(folder: &Path, settings: Value) -> Client {
    Client::start_with(&[folder], all_capabilities(), settings)
}

fn set(client: &mut Client, settings: Value) {
    client.settings = settings.clone();
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "racelens": settings } }),
    );
}

fn changed_on_disk(client: &mut Client, file: &Path, kind: u8) {
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({ "changes": [{ "uri": uri(file), "type": kind }] }),
    );
}

fn races(client: &mut Client) -> usize {
    client.settle()["races"].as_array().unwrap().len()
}

#[test]
fn on_save_the_check_waits_for_the_file_to_be_saved() {
    let folder = project(&[("a.c", RACY)]);
    let file = folder.path("a.c");
    let mut client = start(&folder.root(), json!({ "run": "onSave" }));
    client.open(&file, RACY);
    assert_eq!(races(&mut client), 1);
    client.change(&file, &fixed());
    assert_eq!(races(&mut client), 1);
    // What is known is about other text than the one that is asked about.
    let at = json!({ "textDocument": { "uri": uri(&file) }, "position": position(6, 5) });
    assert_eq!(
        client.request("textDocument/hover", at.clone()),
        Value::Null
    );
    folder.write("a.c", fixed().as_bytes());
    client.save(&file);
    assert_eq!(races(&mut client), 0);
    assert_ne!(client.request("textDocument/hover", at), Value::Null);
    client.finish();
}

#[test]
fn by_hand_the_check_waits_for_the_command() {
    let folder = project(&[("a.c", RACY)]);
    let file = folder.path("a.c");
    let mut client = start(&folder.root(), json!({ "run": "manual" }));
    client.open(&file, RACY);
    client.settle();
    client.change(&file, &fixed());
    client.save(&file);
    assert_eq!(races(&mut client), 1);
    let check = json!({ "command": "racelens.checkNow" });
    client.request("workspace/executeCommand", check);
    assert_eq!(races(&mut client), 0);
    client.finish();
}

#[test]
fn the_least_rank_can_be_changed_while_the_server_runs() {
    let folder = project(&[("a.c", RACY)]);
    let mut client = Client::start(&folder.root());
    assert_eq!(races(&mut client), 1);
    set(&mut client, json!({ "debounce": 1, "minRank": 100 }));
    assert_eq!(races(&mut client), 0);
    assert!(client.diagnostics(&folder.path("a.c")).is_empty());
    set(&mut client, json!({ "debounce": 1 }));
    assert_eq!(races(&mut client), 1);
    client.finish();
}

#[test]
fn an_answer_from_before_the_settings_changed_again_is_left_out() {
    let folder = project(&[("a.c", RACY)]);
    let mut client = Client::start(&folder.root());
    client.wait_for(|message| message["method"] == "workspace/configuration");
    assert_eq!(races(&mut client), 1);
    // A client that is slow to answer, and whose user changes the settings twice.
    client.answers = false;
    let strict = json!({ "debounce": 1, "minRank": 100 });
    set(&mut client, strict.clone());
    while client.heard_of("workspace/configuration").len() < 2 {
        client.hear();
    }
    let question = client.heard_of("workspace/configuration")[1]["id"].clone();
    set(&mut client, json!({ "debounce": 1 }));
    client.send(&json!({ "jsonrpc": "2.0", "id": question, "result": [strict] }));
    // The answer has arrived when the second of two questions behind it is answered.
    client.settle();
    assert_eq!(races(&mut client), 1);
    client.finish();
}

#[test]
fn the_client_is_asked_for_its_settings_and_for_watchers() {
    let folder = project(&[("a.c", RACY)]);
    let mut client = Client::connect();
    client.settings = json!({ "minRank": 100 });
    client.initialize(
        &[&folder.root()],
        all_capabilities(),
        json!({ "debounce": 1 }),
    );
    client.wait_for(|message| message["method"] == "workspace/configuration");
    let registered = client.wait_for(|message| message["method"] == "client/registerCapability");
    let methods: Vec<&str> = registered["params"]["registrations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["method"].as_str().unwrap())
        .collect();
    assert_eq!(
        methods,
        [
            "workspace/didChangeWatchedFiles",
            "workspace/didChangeConfiguration"
        ]
    );
    // The answer may come after the first check.
    while races(&mut client) > 0 {}
    client.finish();
}

#[test]
fn a_header_that_is_saved_changes_the_units_that_include_it() {
    let header = "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nstatic int counter;\n";
    let unit = RACY.replace(header, "#include \"n.h\"\n");
    let folder = project(&[("a.c", &unit), ("n.h", header), ("b.c", "int b;\n")]);
    let file = folder.path("n.h");
    let mut client = Client::start(&folder.root());
    assert_eq!(races(&mut client), 1);
    let atomic = header.replace("static int", "static _Atomic int");
    client.open(&file, header);
    client.change(&file, &atomic);
    assert_eq!(races(&mut client), 1, "a compiler reads what is saved");
    folder.write("n.h", atomic.as_bytes());
    client.save(&file);
    assert_eq!(races(&mut client), 0);
    // Another program writes it, as a checkout does.
    client.close(&file);
    folder.write("n.h", header.as_bytes());
    changed_on_disk(&mut client, &file, 2);
    assert_eq!(races(&mut client), 1);
    client.finish();
}

#[test]
fn files_that_describe_the_project_are_read_again() {
    let folder = project(&[("a.c", RACY), ("b.c", "int b;\n")]);
    let mut client = Client::start(&folder.root());
    assert_eq!(races(&mut client), 1);
    folder.write("racelens.toml", b"[check]\nmin-rank = 100\n");
    changed_on_disk(&mut client, &folder.path("racelens.toml"), 1);
    assert_eq!(races(&mut client), 0);
    std::fs::remove_file(folder.path("racelens.toml")).unwrap();
    changed_on_disk(&mut client, &folder.path("racelens.toml"), 3);
    assert_eq!(races(&mut client), 1);
    let database = json!([{ "directory": folder.root(), "file": "b.c", "command": "cc -c b.c" }]);
    folder.write("compile_commands.json", database.to_string().as_bytes());
    changed_on_disk(&mut client, &folder.path("compile_commands.json"), 2);
    assert_eq!(races(&mut client), 0);
    client.finish();
}

#[test]
fn every_folder_is_a_program_and_may_come_and_go() {
    let one = project(&[("a.c", RACY)]);
    let two = project(&[("b.c", RACY)]);
    let mut client = Client::start(&one.root());
    assert_eq!(races(&mut client), 1);
    let event =
        |added: Value, removed: Value| json!({ "event": { "added": added, "removed": removed } });
    let second = json!([{ "uri": uri(&two.root()), "name": "two" }]);
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        event(second.clone(), json!([])),
    );
    assert_eq!(races(&mut client), 2);
    assert_eq!(client.diagnostics(&two.path("b.c")).len(), 2);
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        event(json!([]), second),
    );
    assert_eq!(races(&mut client), 1);
    assert!(client.diagnostics(&two.path("b.c")).is_empty());
    client.finish();
}

#[test]
fn a_file_without_a_folder_is_a_program_of_its_own() {
    let folder = crate::temporary_folder::TemporaryFolder::new(&[("a.c", RACY)]);
    let mut client = Client::start_with(&[], all_capabilities(), json!({ "debounce": 1 }));
    client.open(&folder.path("a.c"), RACY);
    assert_eq!(races(&mut client), 1);
    client.finish();
}

#[test]
fn a_new_file_counts_before_it_is_in_the_database() {
    let folder = project(&[("b.c", "int b;\n")]);
    let mut client = Client::start(&folder.root());
    assert_eq!(races(&mut client), 0);
    folder.write("a.c", RACY.as_bytes());
    client.open(&folder.path("a.c"), RACY);
    assert_eq!(races(&mut client), 1);
    client.finish();
}

#[test]
fn reading_the_program_shows_progress_and_status() {
    let folder = project(&[("a.c", RACY)]);
    let mut client = Client::start(&folder.root());
    client.settle();
    let of_kind = |kind: &'static str| {
        move |message: &Value| {
            message["method"] == "$/progress" && message["params"]["value"]["kind"] == kind
        }
    };
    let begun = client.wait_for(of_kind("begin"));
    assert_eq!(begun["params"]["value"]["cancellable"], true);
    client.wait_for(of_kind("end"));
    let states = client.heard_of("racelens/status");
    let states: Vec<&Value> = states.iter().map(|it| &it["params"]["state"]).collect();
    assert_eq!(states[0], "indexing");
    let last = client.heard_of("racelens/status").last().unwrap()["params"].clone();
    assert_eq!(
        (&last["state"], &last["races"]),
        (&json!("ready"), &json!(1))
    );
    client.finish();
}

#[cfg(unix)]
#[test]
fn reading_the_program_can_be_stopped_and_begun_again() {
    use std::os::unix::fs::PermissionsExt;
    let folder = project(&[("a.c", RACY), ("b.c", "int b;\n"), ("c.c", "int c;\n")]);
    let slow = crate::temporary_folder::TemporaryFolder::new(&[(
        "slow-cc",
        "#!/bin/sh\nsleep 0.5\nexec cc \"$@\"\n",
    )]);
    let compiler = slow.path("slow-cc");
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).unwrap();
    let settings = json!({ "debounce": 1, "compiler": compiler, "jobs": 1 });
    let mut client = start(&folder.root(), settings);
    let begun = client.wait_for(|it| it["params"]["value"]["kind"] == "begin");
    let token = json!({ "token": begun["params"]["token"] });
    client.notify("window/workDoneProgress/cancel", token);
    let failed = client.wait_for(|it| it["params"]["state"] == "failed");
    assert_eq!(
        failed["params"]["message"],
        "reading the program was stopped"
    );
    // Typing does not begin again what the user did not want.
    client.open(&folder.path("b.c"), "int b, d;\n");
    let nothing = client.request("racelens/races", Value::Null);
    assert_eq!(nothing["races"], json!([]));
    let restart = json!({ "command": "racelens.restart" });
    client.request("workspace/executeCommand", restart);
    assert_eq!(races(&mut client), 1);
    client.finish();
}

#[test]
fn a_file_may_be_opened_through_a_link() {
    let folder = project(&[("real/a.c", RACY)]);
    std::os::unix::fs::symlink(folder.path("real"), folder.path("link")).unwrap();
    let linked = folder.root().join("link/a.c");
    let mut client = Client::start(&folder.root());
    client.open(&linked, RACY);
    assert_eq!(races(&mut client), 1);
    assert_eq!(client.diagnostics(&linked).len(), 2);
    client.change(&linked, &fixed());
    assert_eq!(races(&mut client), 0);
    assert!(client.diagnostics(&linked).is_empty());
    client.finish();
}

#[test]
fn positions_are_counted_as_agreed() {
    let text = RACY.replace(
        "    counter++;\n    pthread_join",
        "    /* é😀 */ counter++;\n    pthread_join",
    );
    for (encoding, column) in [("utf-8", 17), ("utf-16", 14), ("utf-32", 13)] {
        let folder = project(&[("a.c", &text)]);
        let mut capabilities = all_capabilities();
        capabilities["general"]["positionEncodings"] = json!([encoding]);
        let mut client =
            Client::start_with(&[&folder.root()], capabilities, json!({ "debounce": 1 }));
        assert_eq!(
            client.initialize_result["capabilities"]["positionEncoding"],
            encoding
        );
        client.settle();
        let diagnostics = client.diagnostics(&folder.path("a.c"));
        assert_eq!(
            diagnostics[1]["range"]["start"],
            position(14, column),
            "{encoding}"
        );
        client.finish();
    }
}
