//! `racelens lsp` as a process, spoken to over its pipes.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

pub struct ServerProcess {
    pub child: Child,
    pub input: ChildStdin,
    messages: Receiver<Value>,
    /// All that has come, as text.
    pub heard: Vec<Value>,
    next_id: i64,
}

/// Only a server that hangs lets this pass.
const PATIENCE: Duration = Duration::from_secs(180);

impl ServerProcess {
    /// Starts the server for a folder, and tells it that the client is ready.
    pub fn start(command: Command, folder: &Path) -> ServerProcess {
        ServerProcess::start_with(command, folder, json!({ "debounce": 1 }))
    }

    /// The same with these settings of the user.
    pub fn start_with(mut command: Command, folder: &Path, settings: Value) -> ServerProcess {
        let mut child = command
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = child.stdout.take().unwrap();
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut server = ServerProcess {
            child,
            input,
            messages,
            heard: Vec::new(),
            next_id: 1,
        };
        server.initialize(folder, settings);
        server
    }

    fn initialize(&mut self, folder: &Path, settings: Value) {
        let folders = json!([{ "uri": uri(folder), "name": "folder" }]);
        let capabilities = json!({
            "textDocument": { "hover": { "contentFormat": ["markdown"] } },
            "workspace": { "workspaceFolders": true },
        });
        self.request(
            "initialize",
            json!({
                "capabilities": capabilities, "workspaceFolders": folders,
                "initializationOptions": settings,
            }),
        );
        self.notify("initialized", json!({}));
    }

    pub fn open(&mut self, file: &Path, text: &str) {
        let document = json!({ "uri": uri(file), "languageId": "c", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces the whole text.
    pub fn change(&mut self, file: &Path, version: i32, text: &str) {
        let document = json!({ "uri": uri(file), "version": version });
        let changes = json!([{ "text": text }]);
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.notify("textDocument/didChange", params);
    }

    /// The races of everything that was opened, once it is checked.
    pub fn races(&mut self) -> Vec<Value> {
        let answer = self.request("racelens/races", Value::Null);
        let races = answer["result"]["races"].as_array();
        races.cloned().unwrap_or_default()
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if !params.is_null() {
            message["params"] = params;
        }
        self.send(&message);
        loop {
            let message = self.hear(method);
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Waits for a message with these words in it, unless it has come already.
    pub fn wait_for(&mut self, words: &str) {
        let has_words = |message: &Value| message.to_string().contains(words);
        if self.heard.iter().any(has_words) {
            return;
        }
        while !has_words(&self.hear(words)) {}
    }

    /// The next message, which is answered if it is a request.
    fn hear(&mut self, waiting_for: &str) -> Value {
        let message = self.messages.recv_timeout(PATIENCE).unwrap_or_else(|_| {
            panic!(
                "nothing comes for {waiting_for}; the last words: {:?}",
                self.heard.last()
            )
        });
        self.heard.push(message.clone());
        if let (Some(id), Some(_)) = (message.get("id"), message.get("method")) {
            self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": null }));
        }
        message
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    pub fn send(&mut self, message: &Value) {
        send(&mut self.input, message);
    }

    /// Says good-bye, and gives all that the server has said.
    pub fn finish(mut self) -> String {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        let status = self.child.wait().unwrap();
        assert_eq!(status.code(), Some(0), "{:?}", self.heard);
        let said: Vec<String> = self.heard.iter().map(Value::to_string).collect();
        said.join("\n")
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn send(input: &mut impl Write, message: &Value) {
    let content = message.to_string();
    let framed = format!("Content-Length: {}\r\n\r\n{content}", content.len());
    input.write_all(framed.as_bytes()).unwrap();
    input.flush().unwrap();
}

/// The next message of the server; none at its end.
pub fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().ok()?,
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut content = vec![0; length];
    output.read_exact(&mut content).ok()?;
    serde_json::from_slice(&content).ok()
}

/// Every byte that a URI could take for something else is encoded.
pub fn uri(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}
