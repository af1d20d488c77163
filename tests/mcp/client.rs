//! A minimal client of the Model Context Protocol.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Time limit for an answer, reached only if the server hangs.
const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// Version 2025-11-25: a session that starts with `initialize`.
    Sessions,
    /// Version 2026-07-28: each request carries all its context.
    Stateless,
}

/// A client with the server process it has started.
pub(crate) struct Client {
    server: Child,
    input: Option<ChildStdin>,
    answers: Receiver<Value>,
    /// Answers to other requests that arrived first.
    early: Vec<Value>,
    era: Era,
    next: u64,
    /// Folders offered by the client. `None` if it declares none, or doesn't know the request.
    roots: Option<Vec<String>>,
    /// The server's answer to `initialize` or `server/discover`.
    pub(crate) welcome: Value,
}

impl Client {
    pub(crate) fn start(command: Command, era: Era) -> Self {
        Self::of(command, era, "test", &json!({}), None)
    }

    pub(crate) fn named(command: Command, name: &str) -> Self {
        Self::of(command, Era::Sessions, name, &json!({}), None)
    }

    /// Starts a server for a client that declares roots and answers with `roots`. With `None`, it's
    /// a client that declares them but doesn't know the request, like Cursor.
    pub(crate) fn offering(command: Command, roots: Option<Vec<String>>) -> Self {
        Self::of(
            command,
            Era::Sessions,
            "test",
            &json!({ "roots": {} }),
            roots,
        )
    }

    fn of(
        mut command: Command,
        era: Era,
        name: &str,
        capabilities: &Value,
        roots: Option<Vec<String>>,
    ) -> Self {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut server = command.spawn().expect("the server starts");
        let output = BufReader::new(server.stdout.take().unwrap());
        let (to, answers) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                let Ok(line) = line else { return };
                let value =
                    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                if to.send(value).is_err() {
                    return;
                }
            }
        });
        let mut client = Self {
            input: server.stdin.take(),
            server,
            answers,
            early: Vec::new(),
            era,
            next: 0,
            roots,
            welcome: Value::Null,
        };
        client.welcome = match era {
            Era::Sessions => {
                let client_info = json!({ "name": name, "version": "1" });
                let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client_info });
                let welcome = client.request("initialize", hello);
                client.write(
                    &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string(),
                );
                welcome
            }
            Era::Stateless => client.request("server/discover", json!({})),
        };
        client
    }

    pub(crate) fn write(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the server listens");
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Sends a request and returns its id without waiting for the answer.
    pub(crate) fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.next += 1;
        if self.era == Era::Stateless {
            let about = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {}
            });
            let given = params["_meta"].as_object().cloned().unwrap_or_default();
            params["_meta"] = about;
            params["_meta"].as_object_mut().unwrap().extend(given);
        }
        let id = self.next;
        self.write(
            &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string(),
        );
        id
    }

    pub(crate) fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        // Messages come in any order, so keep those that we aren't waiting for yet.
        if let Some(at) = self.early.iter().position(&wanted) {
            return self.early.remove(at);
        }
        loop {
            let message = self
                .answers
                .recv_timeout(PATIENCE)
                .expect("the server answers");
            if message["method"] == "roots/list" {
                self.offer(&message["id"]);
                continue;
            }
            if wanted(&message) {
                return message;
            }
            self.early.push(message);
        }
    }

    fn offer(&mut self, id: &Value) {
        let answer = match &self.roots {
            Some(roots) => {
                let roots = roots.iter().map(|uri| json!({ "uri": uri }));
                json!({ "jsonrpc": "2.0", "id": id, "result": { "roots": roots.collect::<Vec<_>>() } })
            }
            None => {
                let error = json!({ "code": -32601, "message": "unknown method" });
                json!({ "jsonrpc": "2.0", "id": id, "error": error })
            }
        };
        self.write(&answer.to_string());
    }

    pub(crate) fn answer_to(&mut self, id: u64) -> Value {
        self.until(|message| message["id"] == id)
    }

    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let answer = self.answer_to(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Returns the result of a tool call, which may be an error.
    #[track_caller]
    pub(crate) fn tool(&mut self, name: &str, arguments: Value) -> Value {
        self.request(
            "tools/call",
            json!({ "name": name, "arguments": arguments }),
        )
    }

    /// Returns the structured content of a tool call that must succeed.
    #[track_caller]
    pub(crate) fn data(&mut self, name: &str, arguments: Value) -> Value {
        let result = self.tool(name, arguments);
        assert_ne!(result["isError"], true, "{name}: {result}");
        result["structuredContent"].clone()
    }

    /// Closes the pipes, waits for the server to end, and returns its exit code.
    pub(crate) fn leave(mut self) -> Option<i32> {
        drop(self.input.take());
        self.server.wait().unwrap().code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}
