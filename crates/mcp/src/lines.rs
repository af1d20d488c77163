//! Filters the lines between a client and the server, and answers those that are not messages.
//!
//! Both sides write one message per line. A line that is not a message never reaches the server.
//! Since its sender waits for an answer all the same, we send an error.

use serde_json::Value;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader,
    DuplexStream, duplex,
};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;

use crate::message::{NO_JSON, NO_REQUEST, mistake, mistakes as mistakes_of};
use crate::server_limits::{MAX_BODY, PIPE};

/// The server's ends of two pipes to a client.
pub(crate) struct Lines {
    /// What the client sends, without invalid messages.
    pub(crate) input: DuplexStream,
    /// What the server writes here goes to the client.
    pub(crate) output: DuplexStream,
    /// Ends when everything has been written to the client.
    pub(crate) written: JoinHandle<()>,
}

impl Lines {
    pub(crate) fn between<R, W>(from: R, to: W) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (input, messages) = duplex(PIPE);
        let (output, answers) = duplex(PIPE);
        let (mistakes, received) = channel(16);
        // The channel is bounded. If a client sends mistakes but doesn't read our answers, we stop
        // reading from it at some point.
        tokio::spawn(take(BufReader::new(from), messages, mistakes));
        let written = tokio::spawn(give(BufReader::new(answers), received, to));
        Self {
            input,
            output,
            written,
        }
    }
}

/// Passes on a client's messages until its input ends. Reports invalid ones to `mistakes`.
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

/// Reads a line with its line feed.
///
/// This returns true for a whole line, false for one that is too long (in which case `line` only
/// has its beginning), and `None` at the end of the input.
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
        // Even if there's no more room, go on to the end of the line, which is where the next
        // message starts.
        let room = MAX_BODY.saturating_sub(line.len());
        is_whole &= count <= room;
        line.extend_from_slice(&bytes[..count.min(room)]);
        from.consume(count);
        if end.is_some() {
            return Ok(Some(is_whole));
        }
    }
}

/// The errors that answer a line which is not a message. If it is one, there are none.
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

/// Writes the output for the client. We always write a whole message at a time, so that an error
/// never ends up inside of an answer.
async fn give(
    mut answers: impl AsyncBufRead + Unpin,
    mut mistakes: Receiver<Value>,
    mut to: impl AsyncWrite + Unpin,
) {
    let mut line = Vec::new();
    loop {
        let mistake = tokio::select! {
            // If the other branch wins, `line` keeps what we've read so far.
            read = answers.read_until(b'\n', &mut line) => match read {
                Ok(0) | Err(_) => None,
                Ok(_) => Some(None),
            },
            Some(mistake) = mistakes.recv() => Some(Some(mistake)),
        };
        let written = match mistake {
            // The server has ended.
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
    // A client may close its input right after an invalid message. Send the errors that are left.
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

    /// Sends `sent` as a client. Returns what reaches the server, and the answers to the rest.
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
        // `select!` polls its branches in random order, so a mistake could be lost in just some of
        // the runs.
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
