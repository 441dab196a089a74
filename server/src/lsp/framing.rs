//! Lets only whole messages through to the framework, which ends the connection at the first that is none.
//!
//! What is no JSON-RPC message is replaced by a message of our own, which is answered as the protocol prescribes.

use serde_json::json;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader,
};
use tower_lsp::jsonrpc::{Request, Response};

/// The method by which messages are replaced that are none. Its only parameter is the error's code.
pub const MALFORMED: &str = "$/racelens/malformed";

/// More than any editor sends. The text of such a message is skipped.
const MOST_BYTES: usize = 256 << 20;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;

/// Copies messages until the client goes, or nobody reads them any more.
pub async fn pass_messages(input: impl AsyncRead + Unpin, mut output: impl AsyncWrite + Unpin) {
    let mut input = BufReader::new(input);
    while let Ok(Some(content)) = next_message(&mut input).await {
        let content = match problem(&content) {
            None => content,
            Some(code) => {
                let message = json!({ "jsonrpc": "2.0", "method": MALFORMED, "params": code });
                message.to_string().into_bytes()
            }
        };
        let header = format!("Content-Length: {}\r\n\r\n", content.len());
        let written = async {
            output.write_all(header.as_bytes()).await?;
            output.write_all(&content).await?;
            output.flush().await
        };
        if written.await.is_err() {
            return;
        }
    }
}

/// The content of the next message; empty if it is too long. `None` at the end.
async fn next_message(input: &mut (impl AsyncBufRead + Unpin)) -> std::io::Result<Option<Vec<u8>>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("Content-Length")
        {
            length = value.trim().parse::<usize>().ok();
        }
        // Lines that are no headers are skipped until there is a message again.
        match length {
            Some(length) if line.is_empty() && length > MOST_BYTES => {
                let mut rest = input.take(length as u64);
                tokio::io::copy_buf(&mut rest, &mut tokio::io::sink()).await?;
                return Ok(Some(Vec::new()));
            }
            Some(length) if line.is_empty() => {
                let mut content = vec![0; length];
                input.read_exact(&mut content).await?;
                return Ok(Some(content));
            }
            _ => {}
        }
    }
}

/// The code of the error that a message is answered with, if it is none of JSON-RPC.
fn problem(content: &[u8]) -> Option<i64> {
    let is_request = serde_json::from_slice::<Request>(content).is_ok();
    if is_request || serde_json::from_slice::<Response>(content).is_ok() {
        return None;
    }
    let json = serde_json::from_slice::<serde::de::IgnoredAny>(content);
    Some(if json.is_ok() {
        INVALID_REQUEST
    } else {
        PARSE_ERROR
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(input: &[u8]) -> Vec<String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let mut output = Vec::new();
        runtime.block_on(pass_messages(input, &mut output));
        let text = String::from_utf8(output).unwrap();
        let messages = text.split("Content-Length: ").skip(1);
        messages
            .map(|message| message.split_once("\r\n\r\n").unwrap().1.to_owned())
            .collect()
    }

    fn framed(content: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{content}", content.len())
    }

    #[test]
    fn messages_pass_and_others_are_replaced() {
        let request = r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{}}"#;
        let response = r#"{"jsonrpc":"2.0","id":"x","result":null}"#;
        let malformed = |code: i64| {
            format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{MALFORMED}\",\"params\":{code}}}")
        };
        let input = [request, "{", response, "[1]", "", "{\"id\":{}}", request]
            .map(framed)
            .concat();
        let (wrong, invalid) = (malformed(PARSE_ERROR), malformed(INVALID_REQUEST));
        assert_eq!(
            passed(input.as_bytes()),
            [
                request, &wrong, response, &invalid, &wrong, &invalid, request
            ]
        );
    }

    #[test]
    fn noise_between_messages_is_skipped() {
        let request = r#"{"jsonrpc":"2.0","method":"a"}"#;
        let input = format!(
            "hello\r\n\r\nContent-Length: x\r\n\r\ncontent-length: {}\r\nContent-Type: a\r\n\r\n{request}",
            request.len()
        );
        assert_eq!(passed(input.as_bytes()), [request]);
    }

    #[test]
    fn a_message_that_ends_early_is_the_end() {
        assert!(passed(b"Content-Length: 50\r\n\r\n{}").is_empty());
        assert!(passed(b"").is_empty());
    }
}
