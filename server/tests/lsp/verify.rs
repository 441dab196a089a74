//! A race is verified on demand: what comes of it, how long it holds, and that nobody has to wait for it.

use crate::client::{Client, all_capabilities, position, uri};
use crate::projects::{RACY, project};
use expect_test::expect;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// A race that nobody gets to within a lifetime, behind a state space that has no end.
const ENDLESS: &str = "\
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static int hidden;
static void add(long most)
{
    for (long i = 0; i < most; i++) {
        pthread_mutex_lock(&lock);
        sum = sum * 7 + i;
        pthread_mutex_unlock(&lock);
    }
}
static void *worker(void *unused)
{
    add(100000000);
    hidden = 1;
    return unused;
}
int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&other, 0, worker, 0);
    add(100000000);
    return hidden;
}
";

pub fn verify(client: &mut Client, arguments: &Value) -> Value {
    let command = json!({ "command": "racelens.verify", "arguments": arguments });
    client.request("workspace/executeCommand", command)
}

fn first_id(client: &mut Client) -> String {
    let races = client.settle();
    races["races"][0]["id"].as_str().unwrap().to_owned()
}

/// The words of all lenses that are about a race.
fn race_lenses(client: &mut Client, file: &Path) -> Vec<String> {
    let document = json!({ "textDocument": { "uri": uri(file) } });
    let lenses = client.request("textDocument/codeLens", document);
    let lenses = lenses.as_array().unwrap().clone();
    let about_races = lenses
        .into_iter()
        .filter(|lens| lens["data"]["race"].is_string());
    about_races
        .map(|lens| {
            let line = lens["range"]["start"]["line"].clone();
            let command = client.request("codeLens/resolve", lens)["command"].clone();
            let name = command["command"].as_str().unwrap();
            format!("{line}: {} ({name})", command["title"].as_str().unwrap())
        })
        .collect()
}

/// What the list says of the first race.
fn tier(client: &mut Client) -> (Value, Value) {
    let races = client.request("racelens/races", Value::Null);
    let race = &races["races"][0];
    (race["tier"].clone(), race["verdict"].clone())
}

fn wait_for_tier(client: &mut Client, tier: &str) -> Value {
    let heard = client.wait_for(|message| {
        message["method"] == "textDocument/publishDiagnostics"
            && message["params"]["diagnostics"][0]["data"]["tier"] == *tier
    });
    heard["params"]["diagnostics"][0].clone()
}

#[test]
fn a_verified_race_is_told_step_by_step() {
    let folder = project(&[("a.c", RACY)]);
    let file = folder.path("a.c");
    let mut client = Client::start(&folder.root());
    client.open(&file, RACY);
    let id = first_id(&mut client);
    assert_eq!(
        race_lenses(&mut client, &file),
        [
            "6: Verify the race on counter (racelens.verify)",
            "14: Verify the race on counter (racelens.verify)"
        ]
    );
    let found = verify(&mut client, &json!([id]));
    assert_eq!(found["id"], json!(id));
    assert_eq!(
        (&found["tier"], &found["verdict"]),
        (&json!("witnessed"), &json!("witnessed"))
    );
    assert_eq!(found["bounds"]["threads"], 16);
    assert_eq!(found["assumptions"], json!([]));
    let mut shown = String::new();
    for step in found["steps"].as_array().unwrap() {
        let thread = step["thread"].as_u64().unwrap() as usize;
        assert_eq!(step["uri"], json!(uri(&file)));
        let _ = writeln!(
            shown,
            "{} {} {}:{} {} {} {}{}",
            step["number"],
            found["threads"][thread]["name"].as_str().unwrap(),
            step["range"]["start"]["line"],
            step["range"]["start"]["character"],
            step["what"].as_str().unwrap(),
            step["value"],
            step["locks"],
            if step["end"] == true { " at once" } else { "" },
        );
    }
    expect![[r#"
        1 main 13:4 starts thread 1 null []
        2 worker 5:4 takes lock null []
        3 worker 6:4 reads counter = 0 "0" ["lock"]
        4 main 14:4 reads counter = 0 "0" [] at once
        5 worker 6:4 writes counter = 1 "1" ["lock"] at once
    "#]]
    .assert_eq(&shown);
    // The diagnostic, the list and the lens say the same.
    let diagnostic = wait_for_tier(&mut client, "witnessed");
    assert_eq!(diagnostic["severity"], 1);
    assert!(
        diagnostic["message"]
            .as_str()
            .unwrap()
            .starts_with("data race on `counter`: "),
        "{diagnostic}"
    );
    let related = diagnostic["relatedInformation"].as_array().unwrap();
    let related: Vec<&str> = related
        .iter()
        .map(|it| it["message"].as_str().unwrap())
        .collect();
    expect![[r#"
        1. thread main: starts thread 1
        2. thread worker: takes lock
        3. thread worker: reads counter = 0
        4. thread main: reads counter = 0, at the same time, holding no lock
        5. thread worker: writes counter = 1, at the same time, holding lock"#]]
    .assert_eq(&related.join("\n"));
    assert_eq!(tier(&mut client), (json!("witnessed"), json!("witnessed")));
    assert_eq!(
        race_lenses(&mut client, &file),
        [
            "6: Show interleaving (racelens.showInterleaving)",
            "14: Show interleaving (racelens.showInterleaving)"
        ]
    );
    // By a position in its line as well, and as a question of its own.
    let there = verify(&mut client, &json!([uri(&file), position(14, 0)]));
    assert_eq!(there["id"], json!(id));
    let asked = client.request("racelens/interleaving", json!({ "id": id }));
    assert_eq!(asked["steps"], found["steps"]);
    let explained = client.request(
        "workspace/executeCommand",
        json!({ "command": "racelens.explain", "arguments": [id] }),
    );
    let explained = explained.as_str().unwrap();
    assert!(explained.starts_with("### Data race on"), "{explained}");
    assert!(
        explained.contains("\n1. thread `main` starts thread 1"),
        "{explained}"
    );
    client.finish();
}

#[test]
fn an_answer_holds_until_a_function_that_it_passes_is_edited() {
    let other = "int unused(int x) { return x + 1; }\n";
    let text = format!("{RACY}{other}");
    let folder = project(&[("a.c", &text)]);
    let file = folder.path("a.c");
    let mut client = Client::start(&folder.root());
    client.open(&file, &text);
    let id = first_id(&mut client);
    let found = verify(&mut client, &json!([id]));
    assert_eq!(found["verdict"], "witnessed");
    // Another function, a declaration that nobody uses, and lines that move.
    let moved = text.replace("x + 1", "x + 2");
    let moved = moved.replace(
        "static int counter",
        "\n\nextern int fresh;\nstatic int counter",
    );
    client.change(&file, &moved);
    let still = client.request("racelens/interleaving", json!({ "id": id }));
    assert_eq!(still["verdict"], "witnessed");
    let line = |answer: &Value| answer["steps"][0]["range"]["start"]["line"].as_u64();
    assert_eq!(line(&still), line(&found).map(|line| line + 3));
    // A function on the way: nothing in it races, but the interleaving passes it.
    let edited = moved.replace("return unused;", "return (void *)&counter;");
    client.change(&file, &edited);
    let still = client.request("racelens/interleaving", json!({ "id": id }));
    assert_eq!(
        (&still["tier"], &still["verdict"], &still["steps"]),
        (&json!("possible"), &json!("out_of_date"), &json!([]))
    );
    client.settle();
    assert_eq!(
        race_lenses(&mut client, &file),
        [
            "9: Interleaving is out of date – verify again (racelens.verify)",
            "17: Interleaving is out of date – verify again (racelens.verify)"
        ]
    );
    let diagnostics = client.diagnostics(&file);
    assert_eq!(diagnostics[0]["data"]["tier"], "possible");
    assert_eq!(diagnostics[0]["data"]["verdict"], "out_of_date");
    // So is a text that does not parse, although it is taken for what it was before.
    client.change(&file, &moved.replace("return unused;", "return unused"));
    assert_eq!(tier(&mut client), (json!("possible"), json!("out_of_date")));
    // What is undone is as it was.
    client.change(&file, &moved);
    assert_eq!(tier(&mut client), (json!("witnessed"), json!("witnessed")));
    client.change(&file, &edited);
    let again = verify(&mut client, &json!([id]));
    assert_eq!(again["verdict"], "witnessed");
    client.finish();
}

#[test]
fn first_values_and_layouts_belong_to_an_answer() {
    let text = RACY
        .replace(
            "static int counter;",
            "struct box { int value; };\nstatic struct box counter = { 1 };",
        )
        .replace("counter++", "counter.value++")
        .replace("return counter;", "return counter.value;");
    let folder = project(&[("a.c", &text)]);
    let file = folder.path("a.c");
    let mut client = Client::start(&folder.root());
    client.open(&file, &text);
    let id = first_id(&mut client);
    assert_eq!(verify(&mut client, &json!([id]))["verdict"], "witnessed");
    for (before, after) in [
        ("= { 1 }", "= { 2 }"),
        ("int value;", "int value; long more;"),
    ] {
        client.change(&file, &text.replace(before, after));
        let now = client.request("racelens/interleaving", json!({ "id": id }));
        assert_eq!(now["verdict"], "out_of_date", "{after}");
        client.change(&file, &text);
        let now = client.request("racelens/interleaving", json!({ "id": id }));
        assert_eq!(now["verdict"], "witnessed", "{after}");
    }
    client.finish();
}

#[test]
fn a_search_is_shown_can_be_stopped_and_keeps_nobody_waiting() {
    let folder = project(&[("a.c", ENDLESS)]);
    let file = folder.path("a.c");
    let settings = json!({ "debounce": 1, "verifyBudget": 3600 });
    let mut client = Client::start_with(&[&folder.root()], all_capabilities(), settings);
    client.open(&file, ENDLESS);
    let id = first_id(&mut client);
    let command = json!({ "command": "racelens.verify", "arguments": [id] });
    let verifying = client.send_request("workspace/executeCommand", command.clone());
    let begun = client.wait_for(|message| {
        message["method"] == "$/progress"
            && message["params"]["value"]["title"] == "Looking for an interleaving"
    });
    assert_eq!(begun["params"]["value"]["cancellable"], true);
    // Meanwhile the program is edited, checked and asked about.
    let longer = ENDLESS.replace("return hidden;", "return hidden + 1;");
    client.change(&file, &longer);
    let at = json!({ "textDocument": { "uri": uri(&file) }, "position": position(14, 5) });
    assert!(client.request("textDocument/hover", at).is_object());
    let token = begun["params"]["token"].clone();
    client.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    assert_eq!(client.response(verifying)["error"]["code"], -32800);
    client.wait_for(|message| {
        message["method"] == "$/progress"
            && message["params"]["token"] == token
            && message["params"]["value"]["kind"] == "end"
    });
    assert_eq!(tier(&mut client), (json!("possible"), Value::Null));
    // The request itself can be cancelled too, and the client may bring its own token.
    let mut own = command;
    own["workDoneToken"] = json!(7);
    let verifying = client.send_request("workspace/executeCommand", own);
    client.wait_for(|message| {
        message["params"]["token"] == 7 && message["params"]["value"]["kind"] == "begin"
    });
    client.notify("$/cancelRequest", json!({ "id": verifying }));
    assert_eq!(client.response(verifying)["error"]["code"], -32800);
    client.wait_for(|message| {
        message["params"]["token"] == 7 && message["params"]["value"]["kind"] == "end"
    });
    client.finish();
}

#[test]
fn a_budget_that_is_spent_is_said() {
    let folder = project(&[("a.c", ENDLESS)]);
    let settings = json!({ "debounce": 1, "verifyBudget": 0 });
    let mut client = Client::start_with(&[&folder.root()], all_capabilities(), settings);
    let id = first_id(&mut client);
    let found = verify(&mut client, &json!([id]));
    assert_eq!(
        (&found["tier"], &found["verdict"]),
        (&json!("possible"), &json!("unknown"))
    );
    assert!(
        found["limits"]
            .as_array()
            .unwrap()
            .contains(&json!("the time budget was spent")),
        "{found}"
    );
    assert_eq!(
        race_lenses(&mut client, &folder.path("a.c"))[0],
        "15: Verifying came to no answer – verify again (racelens.verify)"
    );
    client.finish();
}

#[test]
fn what_cannot_be_verified_is_an_error_that_says_why() {
    let folder = project(&[("a.c", RACY)]);
    let file = folder.path("a.c");
    let mut client = Client::start(&folder.root());
    client.settle();
    let mut verify = |arguments: Value| {
        let command = json!({ "command": "racelens.verify", "arguments": arguments });
        let response = client.request_raw("workspace/executeCommand", command);
        let error = &response["error"];
        (
            error["code"].as_i64().unwrap(),
            error["message"].as_str().unwrap().to_owned(),
        )
    };
    let (code, message) = verify(json!(["000000000000"]));
    assert_eq!(code, -32803);
    assert!(message.contains("no race 000000000000"), "{message}");
    let (code, message) = verify(json!([uri(&file), position(0, 0)]));
    assert_eq!(
        (code, message.as_str()),
        (-32803, "no race was found at this place")
    );
    assert_eq!(verify(json!([])).0, -32602);
    assert_eq!(
        client.request("racelens/interleaving", json!({ "id": "000000000000" })),
        Value::Null
    );
    client.finish();
}

#[test]
fn that_nothing_was_found_holds_until_anything_that_can_be_reached_is_edited() {
    let text = RACY
        .replace(
            "static int counter;",
            "static int counter;\nstatic const int limit = 3;\nint step(void) { return 1; }\nint apart(void) { return 1; }",
        )
        .replace(
            "    counter++;\n    pthread_join",
            "    if (limit > step() + 9)\n        counter++;\n    pthread_join",
        )
        .replace("return counter;", "return 0;");
    let folder = project(&[("a.c", &text)]);
    let file = folder.path("a.c");
    let mut client = Client::start(&folder.root());
    client.open(&file, &text);
    let id = first_id(&mut client);
    let found = verify(&mut client, &json!([id]));
    assert_eq!(
        (&found["tier"], &found["verdict"], &found["complete"]),
        (&json!("possible"), &json!("not_found"), &json!(true))
    );
    assert_eq!(
        race_lenses(&mut client, &file)[0],
        "9: No interleaving found: all were tried – verify again (racelens.verify)"
    );
    let mut verdict_after = |before: &str, after: &str| {
        assert!(text.contains(before), "{before}");
        client.change(&file, &text.replace(before, after));
        client.request("racelens/interleaving", json!({ "id": id }))["verdict"].clone()
    };
    assert_eq!(
        verdict_after("apart(void) { return 1;", "apart(void) { return 2;"),
        "not_found"
    );
    assert_eq!(
        verdict_after("step(void) { return 1;", "step(void) { return 2;"),
        "out_of_date"
    );
    assert_eq!(verdict_after("limit = 3", "limit = 4"), "out_of_date");
    client.finish();
}

#[test]
fn what_was_assumed_of_a_function_ends_with_its_body() {
    let text = RACY
        .replace(
            "static int counter;",
            "static int counter;\nint outside(void);",
        )
        .replace(
            "    counter++;\n    pthread_join",
            "    if (outside())\n        counter++;\n    pthread_join",
        );
    let folder = project(&[("a.c", &text)]);
    let file = folder.path("a.c");
    let mut client = Client::start(&folder.root());
    client.open(&file, &text);
    let id = first_id(&mut client);
    let found = verify(&mut client, &json!([id]));
    assert_eq!(found["verdict"], "witnessed");
    assert_eq!(
        found["assumptions"],
        json!(["`outside` returns 1 in thread 0 and does nothing else"])
    );
    let defined = text.replace("int outside(void);", "int outside(void) { return 0; }");
    client.change(&file, &defined);
    let now = client.request("racelens/interleaving", json!({ "id": id }));
    assert_eq!(now["verdict"], "out_of_date");
    client.finish();
}

#[test]
fn an_answer_about_text_that_is_gone_is_out_of_date_when_it_comes() {
    let folder = project(&[("a.c", ENDLESS)]);
    let file = folder.path("a.c");
    let settings = json!({ "debounce": 1, "verifyBudget": 1 });
    let mut client = Client::start_with(&[&folder.root()], all_capabilities(), settings);
    client.open(&file, ENDLESS);
    let id = first_id(&mut client);
    let command = json!({ "command": "racelens.verify", "arguments": [id] });
    let verifying = client.send_request("workspace/executeCommand", command);
    client.wait_for(|message| message["params"]["value"]["title"] == "Looking for an interleaving");
    client.change(
        &file,
        &ENDLESS.replace("return hidden;", "return hidden + 1;"),
    );
    let found = client.response(verifying);
    assert_eq!(found["result"]["verdict"], "out_of_date", "{found}");
    client.finish();
}
