//! Filters messages between a client and the server. Both sides write one message per line. Lines
//! that aren't messages never reach the server. We answer them with an error instead, because their
//! sender waits for an answer.

use serde_json::Value;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader,
    DuplexStream, duplex,
};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;

use crate::message::{NO_JSON, NO_REQUEST, mistake, mistakes as mistakes_of};
use crate::server_limits::{MAX_BODY, PIPE};

/// Two pipes between a client and the server.
pub(crate) struct Lines {
    /// The client's input without invalid messages.
    pub(crate) input: DuplexStream,
    /// The server's output for the client.
    pub(crate) output: DuplexStream,
    /// Task that writes the output. It ends when everything is written.
    pub(crate) written: JoinHandle<()>,
}

impl Lines {
    /// Connects the server to a client that is at the other end of `from` and `to`.
    pub(crate) fn between<R, W>(from: R, to: W) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (input, messages) = duplex(PIPE);
        let (output, answers) = duplex(PIPE);
        let (mistakes, received) = channel(16);
        tokio::spawn(take(BufReader::new(from), messages, mistakes));
        let written = tokio::spawn(give(BufReader::new(answers), received, to));
        Self {
            input,
            output,
            written,
        }
    }
}

/// Forwards messages from a client until its input ends.
async fn take(
    mut from: impl AsyncBufRead + Unpin,
    mut messages: DuplexStream,
    mistakes: Sender<Value>,
) {
    let mut line = Vec::new();
    loop {
        line.clear();
        let Ok(Some(is_whole)) = read_line(&mut from, &mut line).await else {
            return;
        };
        let found = mistakes_in(&line, is_whole);
        if found.is_empty() && messages.write_all(&line).await.is_err() {
            return;
        }
        for mistake in found {
            if mistakes.send(mistake).await.is_err() {
                return;
            }
        }
    }
}

/// Reads a line with its terminator. Returns true for a complete line, false if it was overlong and
/// only its beginning was stored, and `None` at the end of the input.
async fn read_line(
    from: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
) -> std::io::Result<Option<bool>> {
    let mut is_whole = true;
    loop {
        let bytes = from.fill_buf().await?;
        if bytes.is_empty() {
            return Ok((!line.is_empty()).then_some(is_whole));
        }
        let end = memchr::memchr(b'\n', bytes);
        let count = end.map_or(bytes.len(), |at| at + 1);
        let room = MAX_BODY.saturating_sub(line.len());
        is_whole &= count <= room;
        line.extend_from_slice(&bytes[..count.min(room)]);
        from.consume(count);
        if end.is_some() {
            return Ok(Some(is_whole));
        }
    }
}

/// Returns error answers to a line that isn't a message, and nothing for one that is.
fn mistakes_in(line: &[u8], is_whole: bool) -> Vec<Value> {
    if !is_whole {
        let message = format!("a message may have at most {MAX_BODY} bytes");
        return vec![mistake(&Value::Null, NO_REQUEST, &message)];
    }
    if line.trim_ascii().is_empty() {
        return Vec::new();
    }
    match serde_json::from_slice::<Value>(line) {
        Ok(message) => mistakes_of(&message),
        Err(error) => {
            let message = format!("not JSON: {error}");
            vec![mistake(&Value::Null, NO_JSON, &message)]
        }
    }
}

/// Writes output for the client. Messages are written as a whole, so that errors never end up
/// inside an answer.
async fn give(
    mut answers: impl AsyncBufRead + Unpin,
    mut mistakes: Receiver<Value>,
    mut to: impl AsyncWrite + Unpin,
) {
    let mut line = Vec::new();
    loop {
        let mistake = tokio::select! {
            // If another branch wins, a partially read line stays in `line`.
            read = answers.read_until(b'\n', &mut line) => match read {
                Ok(0) | Err(_) => None,
                Ok(_) => Some(None),
            },
            Some(mistake) = mistakes.recv() => Some(Some(mistake)),
        };
        let written = match mistake {
            None => break,
            Some(None) => {
                let written = to.write_all(&line).await;
                line.clear();
                written
            }
            Some(Some(mistake)) => to.write_all(format!("{mistake}\n").as_bytes()).await,
        };
        if written.is_err() || to.flush().await.is_err() {
            return;
        }
    }
    // A client may close its input right after an invalid message, so send the errors that are
    // left.
    while let Ok(mistake) = mistakes.try_recv() {
        let line = format!("{mistake}\n");
        if to.write_all(line.as_bytes()).await.is_err() || to.flush().await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::io::AsyncReadExt as _;

    use super::*;

    /// Returns what is forwarded of `sent`, and the answers to the rest.
    fn through(sent: &[u8]) -> (String, String) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let sent = sent.to_vec();
        runtime.block_on(async move {
            let (to, mut answered) = duplex(1 << 16);
            let mut lines = Lines::between(std::io::Cursor::new(sent), to);
            let mut passed = String::new();
            lines.input.read_to_string(&mut passed).await.unwrap();
            lines.output.write_all(b"{\"answer\":1}\n").await.unwrap();
            drop(lines.output);
            lines.written.await.unwrap();
            let mut all = String::new();
            answered.read_to_string(&mut all).await.unwrap();
            (passed, all)
        })
    }

    #[test]
    fn invalid_message_is_answered_others_pass() {
        let deep = format!("{{\"id\":1,\"x\":{}}}\n", "[".repeat(100_000));
        let huge = format!("{{\"x\":\"{}\"}}\n", "a".repeat(MAX_BODY));
        for wrong in ["{\n", "\u{1}\n", &deep, &huge] {
            let next = "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":2}";
            let (passed, answered) = through(format!("{wrong}{next}\n\n").as_bytes());
            assert_eq!(passed.trim(), next);
            let told = answered.lines().find(|line| line.contains("\"error\""));
            let told: Value = serde_json::from_str(told.unwrap()).unwrap();
            let code = if wrong.len() > MAX_BODY {
                NO_REQUEST
            } else {
                NO_JSON
            };
            assert_eq!(
                (&told["id"], &told["error"]["code"]),
                (&Value::Null, &json!(code))
            );
            assert!(answered.contains("{\"answer\":1}\n"), "{answered}");
        }
        // The last line may lack a line feed.
        let last = "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":3}";
        assert_eq!(through(last.as_bytes()).0, last);
    }

    #[test]
    fn mistake_is_answered_after_output_ends() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        for _ in 0..64 {
            let told = runtime.block_on(async {
                let (mistakes, received) = channel(16);
                for id in 0..3 {
                    let mistake = mistake(&json!(id), NO_JSON, "");
                    mistakes.send(mistake).await.unwrap();
                }
                let mut to = std::io::Cursor::new(Vec::new());
                give(&b""[..], received, &mut to).await;
                String::from_utf8(to.into_inner()).unwrap()
            });
            assert_eq!(told.lines().count(), 3, "{told}");
        }
    }

    #[test]
    fn invalid_request_is_answered_by_id() {
        let (passed, answered) = through(
            b"[{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":4},{\"id\":5}]\n{\"id\":6}\n",
        );
        assert_eq!(passed, "");
        for id in [4, 5, 6] {
            assert!(answered.contains(&format!("\"id\":{id}")), "{answered}");
        }
    }
}
