//! `racelens lsp` as a process: how it is reached and how it ends.

use crate::program::{GOOD, Program};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

fn framed(content: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{content}", content.len())
}

const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#;
const SHUTDOWN: &str = r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#;
const EXIT: &str = r#"{"jsonrpc":"2.0","method":"exit"}"#;

fn start(program: &Program, arguments: &[&str]) -> Child {
    let mut command: Command = program.command(arguments);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sends `initialize` and waits for its answer, as every client has to.
fn initialize(input: &mut impl Write, output: &mut impl BufRead) -> String {
    input.write_all(framed(INITIALIZE).as_bytes()).unwrap();
    input.flush().unwrap();
    let mut length = 0;
    loop {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        match line.trim().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().unwrap(),
            None => break,
        }
    }
    let mut content = vec![0; length];
    output.read_exact(&mut content).unwrap();
    String::from_utf8(content).unwrap()
}

/// The status with which the server ends after these messages, and all that it wrote.
fn after(messages: &[&str], closes: bool) -> (i32, String) {
    let program = Program::new(&[GOOD]);
    let mut server = start(&program, &["lsp"]);
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    let mut said = initialize(&mut input, &mut output);
    for message in messages {
        input.write_all(framed(message).as_bytes()).unwrap();
    }
    input.flush().unwrap();
    // A client that waits for the end keeps the pipe open.
    let kept = (!closes).then_some(input);
    output.read_to_string(&mut said).unwrap();
    let status = server.wait().unwrap();
    drop(kept);
    (status.code().unwrap(), said)
}

#[test]
fn a_client_that_says_good_bye_gets_status_0() {
    let (status, output) = after(&[INITIALIZED, SHUTDOWN, EXIT], false);
    assert_eq!(status, 0, "{output}");
    assert!(output.contains("\"id\":2"), "{output}");
    assert!(output.contains("\"name\":\"Racelens\""), "{output}");
}

#[test]
fn exit_without_shutdown_gives_status_1() {
    assert_eq!(after(&[INITIALIZED, EXIT], false).0, 1);
    assert_eq!(after(&[EXIT], false).0, 1);
}

#[test]
fn a_pipe_that_closes_gives_status_1() {
    assert_eq!(after(&[INITIALIZED], true).0, 1);
    assert_eq!(after(&[], true).0, 1);
}

#[test]
fn a_port_of_this_machine_can_be_used() {
    let program = Program::new(&[GOOD]);
    let mut server = start(&program, &["lsp", "--tcp", "0"]);
    let mut said = String::new();
    let mut errors = BufReader::new(server.stderr.take().unwrap());
    errors.read_line(&mut said).unwrap();
    let address = said
        .trim()
        .strip_prefix("listening on ")
        .expect("an address");
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let mut stream = TcpStream::connect(address).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let output = initialize(&mut stream, &mut reader);
    for message in [SHUTDOWN, EXIT] {
        stream.write_all(framed(message).as_bytes()).unwrap();
    }
    assert!(output.contains("\"capabilities\""), "{output}");
    assert_eq!(server.wait().unwrap().code(), Some(0));
}

#[test]
fn a_port_that_is_taken_is_said() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let run = Program::new(&[GOOD]).run(&["lsp", "--tcp", &port]);
    assert_eq!(run.status, 2);
    assert!(
        run.notes
            .starts_with("error: the connection could not be made"),
        "{}",
        run.notes
    );
}
