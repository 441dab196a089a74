//! Mistakes of our own, provoked: each costs what it happens in, is said once, and asks for a report.

#![cfg(debug_assertions)]

use crate::program::{RACY, check, finish, racelens};
use crate::server_process::ServerProcess;
use crate::temporary_folder::TemporaryFolder;

#[test]
fn a_panic_in_a_function_costs_the_function() {
    let broken = "int racelens_provoked_panic(void) { return 1; }\n";
    let folder = TemporaryFolder::new(&[("a.c", &format!("{RACY}{broken}"))]);
    let run = check(&folder, &[]);
    assert_eq!(run.status, 1, "{}", run.errors);
    assert!(run.output.contains("race on `counter`"), "{}", run.output);
    let notes = run.errors.matches("please report it").count();
    assert_eq!(notes, 1, "{}", run.errors);
    assert!(run.errors.contains("a.c:15:"), "{}", run.errors);
}

#[test]
fn a_panic_in_a_command_is_an_error_that_asks_for_a_report() {
    let folder = TemporaryFolder::new(&[("a.c", RACY), ("panic", "")]);
    let mut command = racelens(&folder);
    command
        .arg("check")
        .env("RACELENS_PROVOKED_PANIC", folder.path("panic"));
    let run = finish(command);
    assert_eq!(run.status, 2);
    assert!(
        run.errors.contains("error: an internal error happened"),
        "{}",
        run.errors
    );
    assert!(run.errors.contains("Please report it"), "{}", run.errors);
}

#[test]
fn a_check_that_panics_is_said_once_and_the_next_one_works() {
    let folder = TemporaryFolder::new(&[("a.c", RACY), ("panic", "")]);
    let mut command = racelens(&folder);
    command.env("RACELENS_PROVOKED_PANIC", folder.path("panic"));
    let mut server = ServerProcess::start(command, &folder.root());
    let file = folder.path("a.c");
    server.open(&file, RACY);
    assert_eq!(server.races().len(), 0);
    server.change(&file, 2, &format!("{RACY}\n"));
    assert_eq!(server.races().len(), 0);
    std::fs::remove_file(folder.path("panic")).unwrap();
    server.change(&file, 3, &format!("{RACY}\n\n"));
    assert_eq!(server.races().len(), 1);
    let shown = server
        .heard
        .iter()
        .filter(|message| message["method"] == "window/showMessage");
    let shown: Vec<String> = shown
        .map(|message| message["params"]["message"].to_string())
        .collect();
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert!(shown[0].contains("Please report it"), "{shown:?}");
    server.finish();
}
