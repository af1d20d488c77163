use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::anchored;
#[cfg(target_os = "linux")]
use super::packs::{endless, program, wait_until_gone};
use super::support::Sandbox;

/// Time limit for an answer, reached only if the server hangs.
const PATIENCE: Duration = Duration::from_secs(120);

const TOKEN: &str = "0123456789abcdef-token";

struct Http {
    server: Child,
    address: SocketAddr,
    /// The first lines of the server's output.
    said: Vec<String>,
}

struct Response {
    status: u16,
    head: String,
    body: String,
}

impl Http {
    fn start(mut command: Command) -> Self {
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        let mut server = command.spawn().expect("the server starts");
        let mut lines = BufReader::new(server.stderr.take().unwrap()).lines();
        let mut said = vec![lines.next().unwrap().unwrap()];
        if !said[0].starts_with("serving ") {
            panic!("{said:?}");
        }
        // Unless the environment has a token, the server prints a new one on its second line.
        if !command
            .get_envs()
            .any(|(name, _)| name == "WINDLASS_MCP_TOKEN")
        {
            said.push(lines.next().unwrap().unwrap());
        }
        let address = said[0].trim_start_matches("serving http://");
        let address = address.trim_end_matches("/mcp").parse().unwrap();
        // Drain the later output, so that it can't block the server.
        std::thread::spawn(move || lines.for_each(drop));
        Self {
            server,
            address,
            said,
        }
    }

    fn of(sandbox: &Sandbox, more: &[&str]) -> Self {
        let args = [&["mcp", "--http", "127.0.0.1:0"], more].concat();
        let mut command = sandbox.command(sandbox.root(), &args);
        command.env("WINDLASS_MCP_TOKEN", TOKEN);
        Self::start(command)
    }

    /// Sends `head` (the request line and headers) with `body`, and reads the whole answer.
    fn raw(&self, head: &str, body: &str) -> Response {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let head = format!("{head}\r\nContent-Length: {}\r\n\r\n", body.len());
        // The server may answer a refused request before we've sent all of it.
        let _ = stream.write_all(format!("{head}{body}").as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).unwrap_or("0");
        Response {
            status: status.parse().unwrap(),
            head: head.to_lowercase(),
            body: body.to_owned(),
        }
    }

    /// Posts `body` with the token and the `more` headers, each preceded by its line end. HTTP/1.0
    /// has no chunked encoding, so the body ends with the connection.
    fn post(&self, more: &str, body: &str) -> Response {
        let usual = format!(
            "POST /mcp HTTP/1.0\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream{more}",
            self.address
        );
        self.raw(&usual, body)
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Response {
    /// Returns all messages of the body, which is one JSON value or a stream of events.
    fn messages(&self) -> Vec<Value> {
        if self.head.contains("application/json") {
            return vec![serde_json::from_str(&self.body).unwrap()];
        }
        let data = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"));
        let told = data.map(str::trim).filter(|data| !data.is_empty());
        told.map(|data| serde_json::from_str(data).unwrap())
            .collect()
    }

    fn result(&self) -> Value {
        let last = self.messages().pop();
        let last = last.unwrap_or_else(|| panic!("{} {}", self.status, self.body));
        assert!(last.get("error").is_none(), "{last}");
        last["result"].clone()
    }

    fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find(|line| line.starts_with(name))?;
        Some(line[name.len()..].trim_start_matches(':').trim())
    }
}

fn message(id: u32, method: &str, params: Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

fn initialize() -> String {
    let client = json!({ "name": "test", "version": "1" });
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    message(1, "initialize", params)
}

/// Returns the headers and the message of a request without a session.
fn stateless(method: &str, mut params: Value) -> (String, String) {
    let mut more = format!("\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}");
    if let Some(name) = params["name"].as_str() {
        more.push_str(&format!("\r\nMcp-Name: {name}"));
    }
    let given = params["_meta"].as_object().cloned().unwrap_or_default();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    params["_meta"].as_object_mut().unwrap().extend(given);
    (more, message(7, method, params))
}

fn restore() -> Value {
    json!({ "name": "runbook_pack", "arguments": { "runbook": "api" } })
}

#[test]
fn sessions_start_and_end() {
    let sandbox = anchored();
    let http = Http::of(&sandbox, &[]);
    let welcome = http.post("", &initialize());
    assert_eq!(welcome.result()["protocolVersion"], "2025-11-25");
    let session = welcome.header("mcp-session-id").unwrap();
    let session = format!("\r\nMcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25");
    let begun = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(http.post(&session, &begun.to_string()).status, 202);
    let pack = http
        .post(&session, &message(2, "tools/call", restore()))
        .result();
    assert!(pack.to_string().contains("line number 10"), "{pack}");
    let delete = format!(
        "DELETE /mcp HTTP/1.0\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}{session}",
        http.address
    );
    assert_eq!(http.raw(&delete, "").status, 202);
    assert_eq!(
        http.post(&session, &message(3, "tools/list", json!({})))
            .status,
        404
    );
}

#[test]
fn stateless_requests_are_independent() {
    let sandbox = anchored();
    let http = Http::of(&sandbox, &[]);
    let (more, body) = stateless("server/discover", json!({}));
    let versions = http.post(&more, &body).result()["supportedVersions"].clone();
    assert!(versions.as_array().unwrap().contains(&json!("2026-07-28")));
    let (more, body) = stateless("tools/call", restore());
    let answer = http.post(&more, &body);
    assert!(
        answer.head.contains("content-type: application/json"),
        "{}",
        answer.head
    );
    assert!(answer.result().to_string().contains("line number 10"));
    // A request for progress is answered by a stream.
    let mut params = restore();
    params["_meta"] = json!({ "progressToken": "p" });
    let (more, body) = stateless("tools/call", params);
    let messages = http.post(&more, &body).messages();
    assert_eq!(
        messages[0]["method"], "notifications/progress",
        "{messages:?}"
    );
    assert!(messages.last().unwrap()["result"].is_object());
    // A header that contradicts the message is refused.
    let (more, _) = stateless("tools/list", json!({}));
    assert_eq!(http.post(&more, &body).status, 400);
}

#[test]
fn requests_need_token_and_own_origin() {
    let sandbox = anchored();
    let http = Http::of(&sandbox, &[]);
    let host = http.address.to_string();
    let ask = |host: &str, shown: &str, more: &str| {
        let head = format!(
            "POST /mcp HTTP/1.0\r\nHost: {host}{shown}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream{more}"
        );
        http.raw(&head, &initialize()).status
    };
    let shown = format!("\r\nAuthorization: Bearer {TOKEN}");
    assert_eq!(ask(&host, &shown, ""), 200);
    assert_eq!(
        ask("localhost", &shown, "\r\nOrigin: http://localhost:6274"),
        200
    );
    assert_eq!(ask(&host, "", ""), 401);
    assert_eq!(ask(&host, &format!("{shown}x"), ""), 401);
    // Two tokens are refused even if both are right.
    assert_eq!(ask(&host, &format!("{shown}{shown}"), ""), 401);
    assert_eq!(ask("evil.example.com", &shown, ""), 403);
    assert_eq!(ask("localhost.evil.example.com", &shown, ""), 403);
    for origin in [
        "http://evil.example.com",
        "null",
        "http://localhost.evil.example.com",
        "x",
    ] {
        assert_eq!(
            ask(&host, &shown, &format!("\r\nOrigin: {origin}")),
            403,
            "{origin}"
        );
    }
    // There's no authorization server to discover.
    let elsewhere = http.raw(
        &format!("GET /.well-known/oauth-protected-resource HTTP/1.0\r\nHost: {host}"),
        "",
    );
    assert_eq!(elsewhere.status, 404);
}

#[test]
fn token_is_printed_once_or_from_env() {
    let sandbox = anchored();
    let args = ["mcp", "--http", "127.0.0.1:0"];
    let http = Http::start(sandbox.command(sandbox.root(), &args));
    let made = http.said[1]
        .strip_prefix("Authorization: Bearer ")
        .unwrap()
        .to_owned();
    assert_eq!(made.len(), 64, "{made}");
    let ask = |http: &Http, token: &str| {
        let head = format!(
            "POST /mcp HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream"
        );
        http.raw(&head, &initialize()).status
    };
    assert_eq!((ask(&http, &made), ask(&http, TOKEN)), (200, 401));
    let file = sandbox.outside().join("token");
    std::fs::write(&file, "another-token-0123456789\n").unwrap();
    let given = Http::of(&sandbox, &["--token-file", file.to_str().unwrap()]);
    assert_eq!(
        (ask(&given, "another-token-0123456789"), ask(&given, TOKEN)),
        (200, 401)
    );
    std::fs::write(&file, "short\n").unwrap();
    let weak = sandbox.windlass(&[
        "mcp",
        "--http",
        "127.0.0.1:0",
        "--token-file",
        file.to_str().unwrap(),
    ]);
    assert!(weak.exits_with(2).stderr.contains("expected 16 to"));
}

#[test]
fn public_address_needs_public_host() {
    let sandbox = anchored();
    let refused = sandbox
        .windlass(&["mcp", "--http", "0.0.0.0:0"])
        .exits_with(2);
    assert!(
        refused.stderr.contains("--public-host"),
        "{}",
        refused.stderr
    );
    let mut command = sandbox.command(
        sandbox.root(),
        &[
            "mcp",
            "--http",
            "0.0.0.0:0",
            "--public-host",
            "build.example.org",
        ],
    );
    command.env("WINDLASS_MCP_TOKEN", TOKEN);
    let mut http = Http::start(command);
    http.address.set_ip([127, 0, 0, 1].into());
    let ask = |host: &str| {
        let head = format!(
            "POST /mcp HTTP/1.0\r\nHost: {host}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream"
        );
        http.raw(&head, &initialize()).status
    };
    assert_eq!(
        (ask("build.example.org:80"), ask("other.example.org")),
        (200, 403)
    );
}

#[test]
fn invalid_messages_do_not_stop_server() {
    let sandbox = anchored();
    let http = Http::of(&sandbox, &[]);
    for body in [
        "",
        "{",
        "null",
        "[]",
        "5",
        "{}",
        "{\"jsonrpc\":\"2.0\"}",
        "\u{0}",
    ] {
        let status = http.post("", body).status;
        assert!((400..500).contains(&status), "{body:?}: {status}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(http.post("", &deep).status, 400);
    assert_eq!(http.post("", &"x".repeat(5 << 20)).status, 413);
    let long = format!("\r\nX-Long: {}", "x".repeat(100_000));
    assert_eq!(http.post(&long, "{}").status, 431);
    // Bytes that aren't HTTP need no answer, but must not stop the server.
    let mut stream = TcpStream::connect(http.address).unwrap();
    stream.write_all(&[0xff; 2_000]).unwrap();
    let _ = stream.read_to_end(&mut Vec::new());
    assert_eq!(http.post("", &initialize()).status, 200);
}

#[test]
fn many_concurrent_clients_are_answered() {
    let sandbox = anchored();
    let http = Http::of(&sandbox, &[]);
    let (more, body) = stateless("tools/call", restore());
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..100)
            .map(|_| scope.spawn(|| http.post(&more, &body).result()))
            .collect();
        for one in asked {
            assert_ne!(one.join().unwrap()["isError"], true);
        }
    });
}

#[cfg(target_os = "linux")]
fn begin_endless_run(sandbox: &Sandbox, http: &Http) -> (TcpStream, String) {
    let params = json!({ "name": "runbook_pack", "arguments": { "runbook": "endless" } });
    let (more, body) = stateless("tools/call", params);
    let mut stream = TcpStream::connect(http.address).unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream{more}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    (stream, program(sandbox))
}

#[cfg(target_os = "linux")]
#[test]
fn vanished_client_ends_its_run() {
    let sandbox = endless();
    let http = Http::of(&sandbox, &[]);
    let (stream, pid) = begin_endless_run(&sandbox, &http);
    drop(stream);
    wait_until_gone(&pid);
    // The server itself goes on.
    let (more, body) = stateless("tools/call", restore());
    assert_ne!(http.post(&more, &body).result()["isError"], true);
}

#[cfg(target_os = "linux")]
#[test]
fn interrupted_server_ends_its_runs() {
    let sandbox = endless();
    let mut http = Http::of(&sandbox, &[]);
    let (_stream, pid) = begin_endless_run(&sandbox, &http);
    let server = http.server.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &server])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(http.server.wait().unwrap().code(), Some(0));
    wait_until_gone(&pid);
}
