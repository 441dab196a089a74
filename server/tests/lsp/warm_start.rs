//! The second start of the server: what is known is shown at once, and is what the check then finds.

use crate::client::{Client, all_capabilities};
use crate::temporary_folder::TemporaryFolder;
use racelens::store::Store;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

const RACY: &str = "\
#include <pthread.h>
static int counter;
static void *worker(void *unused)
{
    counter++;
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    counter++;
    return pthread_join(thread, 0);
}
";

fn start(folder: &Path, kept: &Path) -> Client {
    let store = Arc::new(Store::open(kept, 1 << 30).unwrap());
    let mut client = Client::connect_with(Some(store));
    client.initialize(&[folder], all_capabilities(), json!({ "debounce": 1 }));
    client
}

/// What came before the program was checked for the first time, and what is shown then.
fn told(mut client: Client, file: &Path) -> (Vec<Value>, Vec<Value>) {
    client.settle();
    let is_checking = |message: &&Value| {
        message["method"] == "racelens/status" && message["params"]["state"] == "checking"
    };
    let checking = client
        .heard
        .iter()
        .position(|message| is_checking(&message));
    let early = client.heard[..checking.unwrap()].iter();
    let early = early.filter(|message| message["method"] == "textDocument/publishDiagnostics");
    let early = early.map(|message| message["params"]["diagnostics"].clone());
    let early = early.map(|diagnostics| json!(steady(diagnostics.as_array().unwrap())));
    let early: Vec<Value> = early.collect();
    let shown = steady(&client.diagnostics(file));
    client.finish();
    (early, shown)
}

/// Without the pages about findings, which each server has of its own.
fn steady(diagnostics: &[Value]) -> Vec<Value> {
    let mut diagnostics = diagnostics.to_vec();
    for diagnostic in &mut diagnostics {
        diagnostic["codeDescription"].take();
    }
    diagnostics
}

#[test]
fn what_is_known_is_shown_before_the_program_is_read() {
    let folder = TemporaryFolder::new(&[("a.c", RACY)]);
    let kept = tempfile::tempdir().unwrap();
    let file = folder.path("a.c");
    let (early, cold) = told(start(&folder.root(), kept.path()), &file);
    assert_eq!(early, Vec::<Value>::new());
    assert!(!cold.is_empty());
    for _ in 0..2 {
        let (early, shown) = told(start(&folder.root(), kept.path()), &file);
        assert_eq!(shown, cold);
        assert_eq!(early, [json!(cold)]);
    }
    // Another text, another result.
    folder.write("a.c", RACY.replacen("counter++", ";", 1).as_bytes());
    let (early, shown) = told(start(&folder.root(), kept.path()), &file);
    assert_eq!((early.len(), shown.len()), (0, cold.len() - 2));
}

#[test]
fn text_that_is_not_saved_is_not_mistaken_for_what_is_known() {
    let folder = TemporaryFolder::new(&[("a.c", RACY)]);
    let kept = tempfile::tempdir().unwrap();
    let file = folder.path("a.c");
    told(start(&folder.root(), kept.path()), &file);
    let mut client = start(&folder.root(), kept.path());
    let harmless = RACY.replacen("counter++", ";", 1);
    client.open(&file, &harmless);
    client.settle();
    assert_eq!(client.diagnostics(&file), Vec::<Value>::new());
    // What was only typed is not kept.
    client.finish();
    let (_, shown) = told(start(&folder.root(), kept.path()), &file);
    assert!(!shown.is_empty());
}

#[test]
fn what_was_saved_in_a_session_is_known_to_the_next() {
    let folder = TemporaryFolder::new(&[("a.c", RACY)]);
    let kept = tempfile::tempdir().unwrap();
    let file = folder.path("a.c");
    let mut client = start(&folder.root(), kept.path());
    client.open(&file, RACY);
    client.settle();
    let moved = format!("\n\n{RACY}");
    client.change(&file, &moved);
    client.settle();
    folder.write("a.c", moved.as_bytes());
    client.save(&file);
    client.close(&file);
    client.settle();
    let shown = steady(&client.diagnostics(&file));
    client.finish();
    let (early, again) = told(start(&folder.root(), kept.path()), &file);
    assert_eq!(early, [json!(shown)]);
    assert_eq!(again, shown);
}
