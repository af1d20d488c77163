//! A client of the Model Context Protocol, as small as can be.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Longer than anything takes; reached only by a server that answers no more.
const PATIENCE: Duration = Duration::from_secs(120);

/// What the client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// 2025-11-25: a session that begins with `initialize`.
    Sessions,
    /// 2026-07-28: each request says all there is to know.
    Stateless,
}

/// A client with the server it started.
pub(crate) struct Client {
    server: Child,
    input: Option<ChildStdin>,
    answers: Receiver<Value>,
    /// Answers that came while another was waited for.
    early: Vec<Value>,
    era: Era,
    next: u64,
    /// What each tool says of its results.
    promised: BTreeMap<String, Value>,
    /// What the server said of itself.
    pub(crate) welcome: Value,
}

impl Client {
    pub(crate) fn start(mut command: Command, era: Era) -> Self {
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
            promised: BTreeMap::new(),
            welcome: Value::Null,
        };
        client.welcome = match era {
            Era::Sessions => {
                let client_info = json!({ "name": "test", "version": "1" });
                let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client_info });
                let welcome = client.request("initialize", hello);
                client.write(
                    &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string(),
                );
                welcome
            }
            Era::Stateless => client.request("server/discover", json!({})),
        };
        let listed = client.request("tools/list", json!({}));
        let listed = listed["tools"].as_array().unwrap().iter();
        let promised = listed.map(|tool| {
            (
                tool["name"].as_str().unwrap().to_owned(),
                tool["outputSchema"].clone(),
            )
        });
        client.promised = promised.collect();
        client
    }

    pub(crate) fn write(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the server listens");
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Sends a request without waiting; gives its id.
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

    /// The next message that `wanted` picks.
    pub(crate) fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.early.iter().position(&wanted) {
            return self.early.remove(at);
        }
        loop {
            let message = self
                .answers
                .recv_timeout(PATIENCE)
                .expect("the server answers");
            if wanted(&message) {
                return message;
            }
            self.early.push(message);
        }
    }

    pub(crate) fn answer_to(&mut self, id: u64) -> Value {
        self.until(|message| message["id"] == id)
    }

    /// The result of a request.
    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let answer = self.answer_to(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The result of a tool, whether it failed or not.
    #[track_caller]
    pub(crate) fn tool(&mut self, name: &str, arguments: Value) -> Value {
        let result = self.request(
            "tools/call",
            json!({ "name": name, "arguments": arguments }),
        );
        // As official clients do, of results and of mistakes.
        let promised = &self.promised[name];
        let given = &result["structuredContent"];
        let wrong = jsonschema::validate(promised, given).err();
        assert!(
            wrong.is_none(),
            "{name} gives {given}, which is not {promised}: {wrong:?}"
        );
        result
    }

    /// What a tool gives as data; it must not fail.
    #[track_caller]
    pub(crate) fn data(&mut self, name: &str, arguments: Value) -> Value {
        let result = self.tool(name, arguments);
        assert_ne!(result["isError"], true, "{name}: {result}");
        result["structuredContent"].clone()
    }

    /// Closes the pipes, and waits for the server to end.
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

/// What a result says to who reads.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}
