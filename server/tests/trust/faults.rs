//! Faults of the machine and of other programs: afterwards, or at the next start, the answers are right again.

use crate::program::{RACY, check, finish, racelens};
use crate::server_process::{ServerProcess, read, send, uri};
use crate::temporary_folder::TemporaryFolder;
use serde_json::{Value, json};
use std::io::{BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

fn racy_program() -> TemporaryFolder {
    TemporaryFolder::new(&[("a.c", RACY)])
}

/// A server that finds what there is to find.
fn assert_right(folder: &TemporaryFolder) {
    let mut server = ServerProcess::start(racelens(folder), &folder.root());
    server.open(&folder.path("a.c"), RACY);
    assert_eq!(server.races().len(), 1);
    server.finish();
}

#[test]
fn the_preprocessor_is_killed() {
    let folder = racy_program();
    folder.write("die", b"");
    folder.write("killed-cc", b"#!/bin/sh\ncd \"$(dirname \"$0\")\" && [ -e die ] && kill -9 $$\ncd / && exec gcc \"$@\"\n");
    let compiler = folder.path("killed-cc");
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).unwrap();
    let settings = json!({ "debounce": 1, "compiler": compiler });
    let mut server = ServerProcess::start_with(racelens(&folder), &folder.root(), settings);
    let file = folder.path("a.c");
    server.open(&file, RACY);
    assert_eq!(server.races().len(), 0);
    server.wait_for("gave no text: signal: 9");
    std::fs::remove_file(folder.path("die")).unwrap();
    server.change(&file, 2, &format!("{RACY}\n"));
    assert_eq!(server.races().len(), 1);
    server.finish();
}

#[test]
fn the_disk_is_full() {
    let folder = racy_program();
    assert_eq!(
        check(&folder, &["--write-baseline", "known.json"]).status,
        0
    );
    let before = std::fs::read(folder.path("known.json")).unwrap();
    let other = RACY.replace("counter", "another_counter");
    folder.write("a.c", other.as_bytes());
    // No file may grow, and writing says so, as on a full disk.
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" check --write-baseline known.json";
    let mut command = Command::new("sh");
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_racelens")])
        .env("RACELENS_CACHE_DIR", "")
        .current_dir(folder.root());
    let run = finish(command);
    assert_eq!(run.status, 2, "{}", run.errors);
    assert!(run.errors.contains("cannot be written"), "{}", run.errors);
    assert_eq!(std::fs::read(folder.path("known.json")).unwrap(), before);
    assert_eq!(
        std::fs::read_dir(folder.root()).unwrap().count(),
        2,
        "nothing is left over"
    );
    assert_eq!(
        check(&folder, &["--write-baseline", "known.json"]).status,
        0
    );
    assert_ne!(std::fs::read(folder.path("known.json")).unwrap(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn the_result_cannot_be_written() {
    let folder = racy_program();
    for format in ["text", "json", "html"] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let mut command = racelens(&folder);
        let output = command
            .args(["check", "--format", format])
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains("the result cannot be written"), "{errors}");
    }
    let run = check(
        &folder,
        &["--format", "html", "--output", "gone/report.html"],
    );
    assert_eq!(run.status, 2, "{}", run.errors);
    let run = check(&folder, &["--format", "html", "--output", "report.html"]);
    assert_eq!((run.status, run.output.as_str()), (1, ""), "{}", run.errors);
    assert!(
        std::fs::read_to_string(folder.path("report.html"))
            .unwrap()
            .ends_with("</html>")
    );
}

#[test]
fn there_is_no_room_for_temporary_files() {
    let folder = racy_program();
    let mut command = racelens(&folder);
    command.arg("check").env("TMPDIR", "/dev/null/nowhere");
    let run = finish(command);
    assert_eq!(run.status, 2);
    assert!(
        run.errors.contains("no temporary directory could be made"),
        "{}",
        run.errors
    );
    let mut command = racelens(&folder);
    command.env("TMPDIR", "/dev/null/nowhere");
    let mut server = ServerProcess::start(command, &folder.root());
    server.open(&folder.path("a.c"), RACY);
    assert_eq!(server.races().len(), 0);
    server.finish();
    assert_right(&folder);
}

#[test]
fn files_go_and_come_back_under_the_server() {
    let source = format!("#include \"b.h\"\n{RACY}");
    let folder = TemporaryFolder::new(&[("a.c", &source), ("b.h", "int b;\n")]);
    let mut server = ServerProcess::start(racelens(&folder), &folder.root());
    let (file, header) = (folder.path("a.c"), folder.path("b.h"));
    assert_eq!(server.races().len(), 1);
    let changed = |server: &mut ServerProcess, path: &std::path::Path, kind: u32| {
        let changes = json!([{ "uri": uri(path), "type": kind }]);
        server.notify(
            "workspace/didChangeWatchedFiles",
            json!({ "changes": changes }),
        );
    };
    std::fs::remove_file(&header).unwrap();
    changed(&mut server, &header, 3);
    assert_eq!(server.races().len(), 1);
    std::fs::remove_file(&file).unwrap();
    changed(&mut server, &file, 3);
    assert_eq!(server.races().len(), 0);
    folder.write("b.h", b"int b;\n");
    folder.write("a.c", source.as_bytes());
    changed(&mut server, &header, 1);
    changed(&mut server, &file, 1);
    assert_eq!(server.races().len(), 1);
    server.finish();
}

#[test]
fn the_program_is_killed_while_it_writes() {
    let folder = racy_program();
    assert_eq!(
        check(&folder, &["--write-baseline", "known.json"]).status,
        0
    );
    for milliseconds in [1, 10, 20, 40, 60, 80, 100, 150] {
        let name = format!("counter_{milliseconds}");
        folder.write("a.c", RACY.replace("counter", &name).as_bytes());
        let mut command = racelens(&folder);
        let mut child = command
            .args(["check", "--write-baseline", "known.json"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        let text = std::fs::read_to_string(folder.path("known.json")).unwrap();
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
    }
    folder.write("a.c", RACY.as_bytes());
    assert_eq!(
        check(&folder, &["--write-baseline", "known.json"]).status,
        0
    );
    assert_eq!(check(&folder, &["--baseline", "known.json"]).status, 0);
}

#[test]
fn the_server_is_killed_and_started_again() {
    let folder = racy_program();
    for edits in [0, 1, 5] {
        let mut server = ServerProcess::start(racelens(&folder), &folder.root());
        let file = folder.path("a.c");
        server.open(&file, RACY);
        for version in 0..edits {
            server.change(&file, version + 2, &format!("{RACY}/* {version} */\n"));
        }
        server.child.kill().unwrap();
        server.child.wait().unwrap();
    }
    assert_right(&folder);
}

#[test]
fn nobody_reads_what_the_server_says_for_a_while() {
    let folder = racy_program();
    let mut command = racelens(&folder);
    let mut child = command
        .arg("lsp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let file = folder.path("a.c");
    let folders = json!([{ "uri": uri(&folder.root()), "name": "folder" }]);
    let document = json!({ "uri": uri(&file), "languageId": "c", "version": 1, "text": RACY });
    send(
        &mut input,
        &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "capabilities": {}, "workspaceFolders": folders } }),
    );
    // The answer to this one has to be read before anything else is sent.
    assert!(
        read(&mut output)
            .expect("the server goes on")
            .to_string()
            .contains("capabilities")
    );
    let writer = std::thread::spawn(move || {
        send(
            &mut input,
            &json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }),
        );
        send(
            &mut input,
            &json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } }),
        );
        for id in 0..2_000 {
            let position = json!({ "line": 4, "character": 5 });
            let params = json!({ "textDocument": { "uri": uri(&file) }, "position": position });
            send(
                &mut input,
                &json!({ "jsonrpc": "2.0", "id": 100 + id, "method": "textDocument/hover", "params": params }),
            );
        }
        send(
            &mut input,
            &json!({ "jsonrpc": "2.0", "id": "last", "method": "racelens/races" }),
        );
        input
    });
    std::thread::sleep(Duration::from_millis(500));
    let races = loop {
        let message = read(&mut output).expect("the server goes on");
        if message["id"] == "last" {
            break message["result"]["races"].as_array().map_or(0, Vec::len);
        }
    };
    assert_eq!(races, 1);
    drop(writer.join().unwrap());
    child.wait().unwrap();
}

#[test]
fn half_a_message_comes() {
    let folder = racy_program();
    let mut server = ServerProcess::start(racelens(&folder), &folder.root());
    // The second half comes late.
    let content =
        json!({ "jsonrpc": "2.0", "method": "$/unknown", "params": { "text": "x".repeat(100) } })
            .to_string();
    let framed = format!("Content-Length: {}\r\n\r\n{content}", content.len());
    let (first, second) = framed.split_at(framed.len() / 2);
    server.input.write_all(first.as_bytes()).unwrap();
    server.input.flush().unwrap();
    std::thread::sleep(Duration::from_millis(50));
    server.input.write_all(second.as_bytes()).unwrap();
    assert_eq!(server.races().len(), 1);
    server.finish();
    // The second half never comes.
    let mut command = racelens(&folder);
    let mut child = command
        .arg("lsp")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(first.as_bytes()).unwrap();
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_right(&folder);
}

#[test]
fn the_clock_is_wrong() {
    let source = format!("#include \"b.h\"\n{RACY}");
    let guarded = "#define counter (*new_counter())\nint *new_counter(void);\n";
    let folder = TemporaryFolder::new(&[("a.c", &source), ("b.h", "int b;\n")]);
    let mut server = ServerProcess::start(racelens(&folder), &folder.root());
    let header = folder.path("b.h");
    let set_time = |seconds: u64| {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let file = std::fs::OpenOptions::new()
            .append(true)
            .open(&header)
            .unwrap();
        file.set_modified(time).unwrap();
    };
    // First far in the future, then back to the beginning.
    set_time(4_000_000_000);
    for (content, time, races) in [
        ("int b;\n", 4_000_000_000, 1),
        (guarded, 1_000, 0),
        ("int c;\n", 500, 1),
    ] {
        folder.write("b.h", content.as_bytes());
        set_time(time);
        let changes = json!([{ "uri": uri(&header), "type": 2 }]);
        server.notify(
            "workspace/didChangeWatchedFiles",
            json!({ "changes": changes }),
        );
        assert_eq!(server.races().len(), races, "{content}");
    }
    server.finish();
}
