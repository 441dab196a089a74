//! An editor in miniature: sends messages, answers the server's questions, and keeps what it is told.

use racelens::lsp::{Ending, serve_with};
use racelens::store::Store;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf,
};
use tokio::runtime::{Builder, Runtime};

pub struct Client {
    runtime: Runtime,
    /// Read all the time, so that the server can always write.
    messages: Receiver<Value>,
    output: WriteHalf<DuplexStream>,
    server: JoinHandle<Ending>,
    next_id: i64,
    versions: BTreeMap<PathBuf, i32>,
    /// What `workspace/configuration` is answered with.
    pub settings: Value,
    /// Whether the server's requests are answered at all.
    pub answers: bool,
    /// Every notification and request of the server, in order.
    pub heard: Vec<Value>,
    /// Responses that came before somebody waited for them.
    responses: Vec<Value>,
    pub initialize_result: Value,
}

/// Longer than any answer takes, even if the machine is busy.
const PATIENCE: Duration = Duration::from_secs(120);
const PIPE_BYTES: usize = 1 << 16;

/// What an editor can do that can do everything.
pub fn all_capabilities() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-16"] },
        "window": { "workDoneProgress": true },
        "workspace": {
            "configuration": true,
            "workspaceFolders": true,
            "workspaceEdit": { "documentChanges": true },
            "didChangeConfiguration": { "dynamicRegistration": true },
            "didChangeWatchedFiles": { "dynamicRegistration": true },
            "diagnostics": { "refreshSupport": true },
            "codeLens": { "refreshSupport": true },
            "inlayHint": { "refreshSupport": true },
            "semanticTokens": { "refreshSupport": true },
        },
    })
}

impl Client {
    /// Connected, and not a word said.
    pub fn connect() -> Client {
        Client::connect_with(None)
    }

    /// The same with a place where results are kept.
    pub fn connect_with(store: Option<Arc<Store>>) -> Client {
        let (near, far) = tokio::io::duplex(PIPE_BYTES);
        let server = std::thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            let (input, output) = tokio::io::split(far);
            runtime.block_on(serve_with(input, output, store))
        });
        let (input, output) = tokio::io::split(near);
        let (sender, messages) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            let mut input = BufReader::new(input);
            while let Some(message) = runtime.block_on(read(&mut input)) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Client {
            runtime: Builder::new_current_thread().enable_all().build().unwrap(),
            messages,
            output,
            server,
            next_id: 1,
            versions: BTreeMap::new(),
            settings: json!({ "debounce": 1 }),
            answers: true,
            heard: Vec::new(),
            responses: Vec::new(),
            initialize_result: Value::Null,
        }
    }

    /// An editor that has opened a folder.
    pub fn start(folder: &Path) -> Client {
        Client::start_with(&[folder], all_capabilities(), json!({ "debounce": 1 }))
    }

    pub fn start_with(folders: &[&Path], capabilities: Value, settings: Value) -> Client {
        let mut client = Client::connect();
        client.settings = settings.clone();
        client.initialize(folders, capabilities, settings);
        client
    }

    pub fn initialize(&mut self, folders: &[&Path], capabilities: Value, settings: Value) {
        let folders: Vec<Value> = folders
            .iter()
            .map(|folder| json!({ "uri": uri(folder), "name": "folder" }))
            .collect();
        let params = json!({
            "processId": null,
            "capabilities": capabilities,
            "workspaceFolders": folders,
            "initializationOptions": settings,
        });
        self.initialize_result = self.request("initialize", params);
        self.notify("initialized", json!({}));
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and waits for its result.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let response = self.request_raw(method, params);
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].clone()
    }

    /// The whole response, which may be an error.
    pub fn request_raw(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        self.response(id)
    }

    pub fn send_request(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if !params.is_null() {
            message["params"] = params;
        }
        self.send(&message);
        id
    }

    pub fn response(&mut self, id: i64) -> Value {
        loop {
            let known = self.responses.iter().position(|it| it["id"] == json!(id));
            if let Some(index) = known {
                return self.responses.remove(index);
            }
            self.hear();
        }
    }

    /// A response that has come already.
    pub fn take_response(&mut self, id: &Value) -> Option<Value> {
        let index = self.responses.iter().position(|it| it["id"] == *id)?;
        Some(self.responses.remove(index))
    }

    pub fn open(&mut self, file: &Path, text: &str) {
        self.versions.insert(file.to_owned(), 1);
        self.notify(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": uri(file), "languageId": "c", "version": 1, "text": text } }),
        );
    }

    /// Replaces the whole text.
    pub fn change(&mut self, file: &Path, text: &str) {
        self.change_with(file, json!([{ "text": text }]));
    }

    pub fn change_with(&mut self, file: &Path, changes: Value) {
        let version = self.versions.entry(file.to_owned()).or_default();
        *version += 1;
        let document = json!({ "uri": uri(file), "version": *version });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        );
    }

    pub fn save(&mut self, file: &Path) {
        self.notify(
            "textDocument/didSave",
            json!({ "textDocument": { "uri": uri(file) } }),
        );
    }

    pub fn close(&mut self, file: &Path) {
        self.notify(
            "textDocument/didClose",
            json!({ "textDocument": { "uri": uri(file) } }),
        );
    }

    /// Waits until nothing is left to check, and until all that was found has arrived.
    pub fn settle(&mut self) -> Value {
        let races = self.request("racelens/races", Value::Null);
        let checks = races["checks"].as_u64();
        self.wait_for(|message| {
            let status = &message["params"];
            message["method"] == "racelens/status"
                && status["checks"].as_u64() >= checks
                && (status["state"] == "ready" || status["state"] == "failed")
        });
        races
    }

    /// Waits for a message of the server, unless it has come already.
    pub fn wait_for(&mut self, what: impl Fn(&Value) -> bool) -> Value {
        let mut seen = 0;
        loop {
            if let Some(found) = self.heard[seen..].iter().find(|message| what(message)) {
                return found.clone();
            }
            seen = self.heard.len();
            self.hear();
        }
    }

    /// What the editor shows for a file now.
    pub fn diagnostics(&self, file: &Path) -> Vec<Value> {
        let uri = json!(uri(file));
        let mut published = self.heard.iter().rev();
        let last = published.find(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
        });
        last.map_or_else(Vec::new, |message| {
            let diagnostics = message["params"]["diagnostics"].as_array();
            diagnostics.cloned().unwrap_or_default()
        })
    }

    pub fn heard_of(&self, method: &str) -> Vec<&Value> {
        let heard = self.heard.iter();
        heard
            .filter(|message| message["method"] == method)
            .collect()
    }

    /// Says good-bye as the protocol prescribes.
    pub fn finish(mut self) -> Ending {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.go()
    }

    /// Closes the connection.
    pub fn go(mut self) -> Ending {
        let _ = self.runtime.block_on(self.output.shutdown());
        self.server.join().unwrap()
    }

    pub fn send(&mut self, message: &Value) {
        self.send_bytes(message.to_string().as_bytes());
    }

    /// A message with this content, whatever it is.
    pub fn send_bytes(&mut self, content: &[u8]) {
        let mut bytes = format!("Content-Length: {}\r\n\r\n", content.len()).into_bytes();
        bytes.extend_from_slice(content);
        let sent = self.runtime.block_on(self.output.write_all(&bytes));
        sent.expect("the server is there");
    }

    /// Reads one message, and answers it if it is a request.
    pub fn hear(&mut self) {
        let message = self.read();
        if message.get("method").is_none() {
            self.responses.push(message);
            return;
        }
        if let Some(id) = message.get("id").filter(|_| self.answers) {
            let result = match message["method"].as_str() {
                Some("workspace/configuration") => json!([self.settings]),
                _ => Value::Null,
            };
            self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
        }
        self.heard.push(message);
    }

    fn read(&mut self) -> Value {
        let heard = self.heard.len();
        match self.messages.recv_timeout(PATIENCE) {
            Ok(message) => message,
            Err(error) => panic!("nothing comes after {heard} messages: {error}"),
        }
    }
}

/// The next message of the server; none at its end.
async fn read(input: &mut BufReader<ReadHalf<DuplexStream>>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        match line.trim().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().unwrap(),
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut content = vec![0; length];
    input.read_exact(&mut content).await.ok()?;
    Some(serde_json::from_slice(&content).unwrap())
}

pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

pub fn position(line: u32, character: u32) -> Value {
    json!({ "line": line, "character": character })
}
