//! Abuse of the servers' protocols: framing, reused ids, smuggled requests, many slow clients.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Sandbox;

/// Time limit for an answer, which only a hanging server reaches.
const PATIENCE: Duration = Duration::from_secs(60);

/// Number of clients that never finish their request.
const SLOW_CLIENTS: usize = 200;

fn call(id: u32, method: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method }).to_string()
}

/// Sends `abuse` after the handshake of a session on standard input, then a request, and returns
/// the messages.
fn session(sandbox: &Sandbox, abuse: &[u8]) -> Vec<Value> {
    let client = json!({ "name": "test", "version": "1" });
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let begun = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let mut command = sandbox.command(sandbox.root(), &["mcp"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut server = command.spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let output = BufReader::new(server.stdout.take().unwrap());
    input
        .write_all(format!("{hello}\n{begun}\n").as_bytes())
        .unwrap();
    input.write_all(abuse).unwrap();
    input
        .write_all(format!("\n{}\n", call(99, "ping")).as_bytes())
        .unwrap();
    let mut messages = Vec::new();
    for line in output.lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).expect("only JSON is written");
        let is_last = message["id"] == 99;
        messages.push(message);
        if is_last {
            break;
        }
    }
    drop(input);
    assert_eq!(server.wait().unwrap().code(), Some(0));
    messages
}

#[test]
fn session_survives_wrong_framing() {
    let sandbox = Sandbox::git();
    let ping = call(2, "ping");
    let framed = format!("Content-Length: {}\r\n\r\n{ping}", ping.len());
    let batch = format!("[{ping},{ping}]");
    let reused = [
        call(2, "tools/list"),
        call(2, "tools/list"),
        call(1, "initialize"),
    ]
    .join("\n");
    let cancelled =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[[]]}}"#;
    let ids = [
        r#"{"id":{}}"#,
        r#"{"id":null}"#,
        r#"{"id":1e300}"#,
        r#"{"id":1,"id":2}"#,
    ]
    .join("\n");
    let abuses: [&[u8]; 8] = [
        framed.as_bytes(),
        batch.as_bytes(),
        reused.as_bytes(),
        cancelled.as_bytes(),
        ids.as_bytes(),
        b"{\"jsonrpc\":\"2.0\",\"id\":\xff\xfe}",
        b"\0\0\0\0\r\r\r",
        br#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
    ];
    for abuse in abuses {
        let messages = session(&sandbox, abuse);
        let last = messages.last().expect("an answer");
        assert_eq!(
            last["result"],
            json!({}),
            "{:?}: {messages:?}",
            String::from_utf8_lossy(abuse)
        );
    }
}

struct Server {
    process: Child,
    address: SocketAddr,
}

impl Server {
    fn start(mut command: Command) -> Self {
        let mut process = command
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let address = first.trim_start_matches("serving http://");
        let address = address.split('/').next().unwrap().parse().unwrap();
        // Drain the later output, so that it can't block the server.
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, address }
    }

    fn connect(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // A refused request may be answered before it is fully sent.
        let _ = stream.write_all(request.replace('@', &self.address.to_string()).as_bytes());
        stream
    }

    /// Sends a request in which `@` means the server's address, and returns the status and the
    /// whole answer.
    fn ask(&self, request: &str) -> (u16, String) {
        let mut answer = Vec::new();
        let _ = self.connect(request).read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        (status.unwrap_or(0), answer)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Requests that neither server answers with success, and that reach no file.
const REFUSED: [&str; 9] = [
    "GET / HTTP/1.1\r\nHost: @\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
    "GET /../../etc/passwd HTTP/1.0\r\nHost: @\r\n\r\n",
    "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.0\r\nHost: @\r\n\r\n",
    "GET /assets/..%2f..%2fetc%2fpasswd HTTP/1.0\r\nHost: @\r\n\r\n",
    "GET /runs/..%2f..%2f..%2fetc HTTP/1.0\r\nHost: @\r\n\r\n",
    "GET /runs/%00%0d%0aSet-Cookie:%20x=y HTTP/1.0\r\nHost: @\r\n\r\n",
    "CONNECT evil.example:80 HTTP/1.1\r\nHost: @\r\nConnection: close\r\n\r\n",
    "TRACE / HTTP/1.1\r\nHost: @\r\nConnection: close\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
];

fn servers(sandbox: &Sandbox) -> [Server; 2] {
    let web = sandbox.command(sandbox.root(), &["web", "--listen", "127.0.0.1:0"]);
    let mut mcp = sandbox.command(sandbox.root(), &["mcp", "--http", "127.0.0.1:0"]);
    mcp.env("WINDLASS_MCP_TOKEN", "0123456789abcdef-token");
    [web, mcp].map(Server::start)
}

#[test]
fn smuggled_and_foreign_requests_are_refused() {
    let sandbox = Sandbox::git();
    for server in servers(&sandbox) {
        for request in REFUSED {
            let (status, answer) = server.ask(request);
            assert!(
                status == 0 || (400..500).contains(&status),
                "{request:?}: {answer}"
            );
            assert!(!answer.contains("root:"), "{request:?}: {answer}");
            let head = answer.split("\r\n\r\n").next().unwrap_or_default();
            assert!(
                !head.to_lowercase().contains("set-cookie"),
                "{request:?}: {head}"
            );
        }
        // A length that contradicts the chunks ends the connection, so that the rest is no request.
        let smuggled = "GET / HTTP/1.1\r\nHost: @\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n\
                        GET /smuggled HTTP/1.1\r\nHost: @\r\nConnection: close\r\n\r\n";
        let (_, answer) = server.ask(smuggled);
        assert!(answer.matches("HTTP/1.1 ").count() <= 1, "{answer}");
    }
}

#[test]
fn slow_clients_do_not_block_others() {
    let sandbox = Sandbox::git();
    for server in servers(&sandbox) {
        let head = "POST /mcp HTTP/1.1\r\nHost: @\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n{";
        // Half of the clients stop within a header, and the others announce a body that never
        // comes.
        let slow: Vec<_> = (0..SLOW_CLIENTS)
            .map(|n| {
                server.connect(if n % 2 == 0 {
                    "GET / HTTP/1.1\r\nHo"
                } else {
                    head
                })
            })
            .collect();
        let (status, answer) = server.ask("GET / HTTP/1.0\r\nHost: @\r\n\r\n");
        assert!([200, 404].contains(&status), "{answer}");
        drop(slow);
    }
}
