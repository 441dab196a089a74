//! Messages of a client that may be out of its mind.

use super::text_of;
use racelens::lsp::serve;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// What stands between two messages of the input.
const SEPARATOR: &str = "\n---\n";
/// A message that begins so is sent without a frame.
const RAW: &str = "RAW ";

const FIRST: &str =
    r#"{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"capabilities":{}}}"#;
const SECOND: &str = r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#;
const LAST: &str = r#"{"jsonrpc":"2.0","id":"last","method":"racelens/races"}"#;

/// The server takes every message, and ends when the client goes.
pub fn lsp_messages(data: &[u8]) {
    let text = text_of(data);
    let mut sent = Vec::new();
    for message in [FIRST, SECOND]
        .into_iter()
        .chain(text.split(SEPARATOR))
        .chain([LAST])
    {
        match message.strip_prefix(RAW) {
            Some(raw) => sent.extend_from_slice(raw.as_bytes()),
            None => sent.extend_from_slice(framed(message).as_bytes()),
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let said = runtime.block_on(async {
        let (client, server) = tokio::io::duplex(1 << 20);
        let (input, output) = tokio::io::split(server);
        let (mut from_server, mut to_server) = tokio::io::split(client);
        let sending = async move {
            // The server may have ended by then.
            let _ = to_server.write_all(&sent).await;
            let _ = to_server.shutdown().await;
        };
        let listening = async move {
            let mut said = Vec::new();
            let _ = from_server.read_to_end(&mut said).await;
            said
        };
        let ((), said, _) =
            futures_util::future::join3(sending, listening, serve(input, output)).await;
        said
    });
    let said = String::from_utf8_lossy(&said);
    // The server repeats some of what it is told.
    let is_repeated = text.contains("internal error");
    assert!(is_repeated || !said.contains("internal error"), "{said}");
}

fn framed(content: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{content}", content.len())
}
