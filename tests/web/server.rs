use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::Sandbox;

/// Time limit for an answer, reached only if the server hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Server {
    process: Child,
    pub(crate) address: SocketAddr,
}

pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Server {
    /// Starts a server that changes nothing.
    pub(crate) fn of(sandbox: &Sandbox) -> Self {
        Self::with(sandbox, &[])
    }

    pub(crate) fn with(sandbox: &Sandbox, more: &[&str]) -> Self {
        let args = [&["web", "--listen", "127.0.0.1:0"], more].concat();
        let mut command = sandbox.command(sandbox.root(), &args);
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.spawn().expect("the server starts");
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let said = lines.next().unwrap().unwrap();
        let address = said
            .trim_start_matches("serving http://")
            .trim_end_matches('/');
        let address = address.parse().unwrap_or_else(|_| panic!("{said}"));
        // Drain the later output, so that it can't block the server.
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, address }
    }

    /// Opens a connection and sends a request: its first line, further headers, and a body.
    pub(crate) fn send(&self, line: &str, headers: &[&str], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let length = format!("Content-Length: {}", body.len());
        let head = [&[line], headers, &[&length]].concat().join("\r\n");
        // The server may answer a refused request before we've sent all of it.
        let _ = stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes());
        stream
    }

    pub(crate) fn raw(&self, line: &str, headers: &[&str], body: &str) -> Response {
        let mut answer = Vec::new();
        let _ = self.send(line, headers, body).read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).unwrap_or("0");
        Response {
            status: status.parse().unwrap(),
            head: head.to_lowercase(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        let host = format!("Host: {}", self.address);
        self.raw(
            &format!("GET {path} HTTP/1.0"),
            &[&host, "Accept: text/html"],
            "",
        )
    }

    #[track_caller]
    pub(crate) fn json(&self, path: &str) -> Value {
        let host = format!("Host: {}", self.address);
        let found = self.raw(
            &format!("GET {path} HTTP/1.0"),
            &[&host, "Accept: application/json"],
            "",
        );
        assert_eq!(found.status, 200, "{path}: {}", found.body);
        assert!(
            found.head.contains("content-type: application/json"),
            "{}",
            found.head
        );
        serde_json::from_str(&found.body).unwrap()
    }

    /// Sends a form from one of this server's pages.
    pub(crate) fn post(&self, path: &str, form: &str) -> Response {
        let (host, origin) = (
            format!("Host: {}", self.address),
            format!("Origin: http://{}", self.address),
        );
        let kind = "Content-Type: application/x-www-form-urlencoded";
        self.raw(
            &format!("POST {path} HTTP/1.0"),
            &[&host, &origin, kind],
            form,
        )
    }

    #[track_caller]
    pub(crate) fn form_token(&self, path: &str) -> String {
        let page = self.get(path).body;
        let token = page.split("name=\"token\" value=\"").nth(1);
        let token = token.unwrap_or_else(|| panic!("no form: {page}"));
        token.split('"').next().unwrap().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
