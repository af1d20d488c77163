//! What an agent waits for: the server from its start to its first answer, a pack, many calls at once, and what it takes of memory.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::measure::{in_turn, output, resident, time};
use super::report::{Goal, Row};
use super::tree::{init_git, settle, source_path, write_sources};
use super::world::World;
use crate::Error;

const FILES: usize = 20;
/// How many calls are made at once.
const AT_ONCE: usize = 100;
/// After how many calls the memory is looked at again.
const CALLS: usize = 200;
/// The goals: to the first answer, of a pack, and of memory in MB.
const FIRST: Duration = Duration::from_millis(15);
const PACK: Duration = Duration::from_millis(2);
const MEMORY: f64 = 30.0;

const RUNBOOK: &str = "\
schema_version: 1
id: api
title: Two anchors
steps:
  - { id: anchors, uses: anchors, with: { ids: [contract-0, contract-1] } }
outputs:
  - { id: anchors, title: Anchors, from: anchors }
";

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let root = world.folder("mcp")?;
    init_git(world, &root)?;
    write_sources(&root, FILES, 120)?;
    std::fs::create_dir_all(root.join("runbooks"))?;
    std::fs::write(root.join("runbooks/api.yaml"), RUNBOOK)?;
    let anchor = |at: usize| {
        let (file, first) = (source_path(at), 5 + at * 7);
        format!(
            "{{\"id\":\"contract-{at}\",\"kind\":\"contract\",\"file\":\"{file}\",\"start_line\":{first},\"end_line\":{}}}\n",
            first + 4
        )
    };
    std::fs::write(root.join("anchors.jsonl"), anchor(0) + &anchor(1))?;
    output(&mut world.windlass(&root, ["anchor", "add", "--from", "anchors.jsonl"]))?;
    std::fs::remove_file(root.join("anchors.jsonl"))?;
    settle();
    let mut rows = first_answers(world, &root)?;
    rows.extend(packs(world, &root)?);
    rows.extend(memory(world, &root)?);
    Ok(rows)
}

/// From the start of the process to its first answer, in both eras; against `cat`, which gives back what it is sent, and against a
/// command that answers nothing.
fn first_answers(world: &World, root: &Path) -> Result<Vec<Row>, Error> {
    let server = || world.windlass(root, ["mcp"]);
    let mut sessions = || {
        let begun = Instant::now();
        let mut server = Server::start(server())?;
        server.begin()?;
        server.ask("tools/list", &json!({}))?;
        let took = begun.elapsed();
        server.leave()?;
        Ok(took)
    };
    let mut stateless = || {
        let begun = Instant::now();
        let mut server = Server::start(server())?;
        server.ask("tools/list", &json!({ "_meta": about() }))?;
        let took = begun.elapsed();
        server.leave()?;
        Ok(took)
    };
    let mut bare = || time(&mut world.windlass(root, ["--version"]));
    let mut echo = || {
        let begun = Instant::now();
        let mut cat = Server::start(world.program("cat", root))?;
        cat.echo()?;
        let took = begun.elapsed();
        cat.leave()?;
        Ok(took)
    };
    let mut took = in_turn(
        &mut [&mut sessions, &mut stateless, &mut bare, &mut echo],
        world.repeat(41),
    )?;
    let (echo, bare) = (took.remove(3), took.remove(2));
    let (stateless, sessions) = (took.remove(1), took.remove(0));
    let row = |name: &str, ours, peer| Row::times(name, ours, Some(peer), Goal::Within(FIRST));
    Ok(vec![
        row(
            "mcp: start, initialize and tools/list",
            sessions,
            ("`windlass --version`", bare),
        ),
        row(
            "mcp: start and tools/list without a session",
            stateless,
            ("`cat`", echo),
        ),
    ])
}

/// A runbook of two anchors by a server that goes on, one call after the other; then many at once.
fn packs(world: &World, root: &Path) -> Result<Vec<Row>, Error> {
    let mut server = Server::start(world.windlass(root, ["mcp"]))?;
    server.begin()?;
    let pack = server.pack()?;
    if pack["structuredContent"]["status"] != "ok" {
        return Err(format!("the runbook does not show what it should: {pack}").into());
    }
    let mut cat = Server::start(world.program("cat", root))?;
    let mut ours = || {
        let begun = Instant::now();
        server.pack()?;
        Ok(begun.elapsed())
    };
    let mut echo = || {
        let begun = Instant::now();
        cat.echo()?;
        Ok(begun.elapsed())
    };
    let mut took = in_turn(&mut [&mut ours, &mut echo], world.repeat(CALLS))?;
    let (echo, ours) = (took.remove(1), took.remove(0));
    cat.leave()?;
    let p95 = ours.p95();
    let errors = server.at_once(AT_ONCE)?;
    server.leave()?;
    Ok(vec![
        Row::times(
            "mcp: runbook_pack of two anchors, warm",
            ours,
            Some(("a line through `cat`", echo)),
            Goal::Within(PACK),
        ),
        Row::number(
            "mcp: runbook_pack of two anchors, p95",
            p95.as_secs_f64() * 1e3,
            PACK.as_secs_f64() * 1e3,
            "ms",
        ),
        Row::number(
            format!("mcp: of {AT_ONCE} calls at once, failed"),
            errors as f64,
            0.0,
            "calls",
        ),
    ])
}

/// What a server that waits takes of memory, before and after calls.
fn memory(world: &World, root: &Path) -> Result<Vec<Row>, Error> {
    let mut server = Server::start(world.windlass(root, ["mcp"]))?;
    server.begin()?;
    server.ask("tools/list", &json!({}))?;
    let process = server.process.id().to_string();
    let mut rows = Vec::new();
    for calls in [0, CALLS] {
        for _ in 0..calls {
            server.pack()?;
        }
        let name = match calls {
            0 => "mcp: memory, idle".to_owned(),
            calls => format!("mcp: memory after {calls} calls"),
        };
        rows.push(match resident(&process)? {
            Some(bytes) => Row::number(name, bytes as f64 / 1e6, MEMORY, "MB"),
            None => Row::skipped(
                name,
                "this system does not say how much memory a process has",
            ),
        });
    }
    server.leave()?;
    Ok(rows)
}

/// What a request says of itself where there is no session.
fn about() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {}
    })
}

/// A process that answers lines with lines.
struct Server {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    fn start(mut command: Command) -> Result<Self, Error> {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let output = process.stdout.take().ok_or("there is no output")?;
        Ok(Self {
            input: process.stdin.take(),
            output: BufReader::new(output),
            process,
            next: 0,
        })
    }

    fn write(&mut self, message: &Value) -> Result<(), Error> {
        let input = self.input.as_mut().ok_or("the input is closed")?;
        input.write_all(format!("{message}\n").as_bytes())?;
        Ok(())
    }

    fn read(&mut self) -> Result<Value, Error> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err("the server ended".into());
        }
        Ok(serde_json::from_str(&line)?)
    }

    fn send(&mut self, method: &str, params: &Value) -> Result<u64, Error> {
        self.next += 1;
        let id = self.next;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        Ok(id)
    }

    /// The result of a request.
    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Error> {
        let id = self.send(method, params)?;
        loop {
            let mut answer = self.read()?;
            if answer["id"] == id {
                return match answer.get("error") {
                    Some(error) => Err(format!("{method}: {error}").into()),
                    None => Ok(answer["result"].take()),
                };
            }
        }
    }

    fn begin(&mut self) -> Result<(), Error> {
        let client = json!({ "name": "bench", "version": "1" });
        let hello =
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        self.ask("initialize", &hello)?;
        self.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
    }

    fn pack(&mut self) -> Result<Value, Error> {
        self.ask("tools/call", &call())
    }

    /// Makes `count` calls without waiting; how many of them failed.
    fn at_once(&mut self, count: usize) -> Result<usize, Error> {
        for _ in 0..count {
            self.send("tools/call", &call())?;
        }
        let mut failed = 0;
        let mut left = count;
        while left > 0 {
            let answer = self.read()?;
            if answer.get("id").is_some() {
                left -= 1;
                let is_error = answer["result"]["isError"] == true;
                failed += usize::from(is_error || answer.get("result").is_none());
            }
        }
        Ok(failed)
    }

    /// Has a line given back.
    fn echo(&mut self) -> Result<(), Error> {
        self.write(&call())?;
        self.read().map(drop)
    }

    fn leave(mut self) -> Result<(), Error> {
        drop(self.input.take());
        match self.process.wait()? {
            status if status.success() => Ok(()),
            status => Err(format!("the server ended with {status}").into()),
        }
    }
}

fn call() -> Value {
    json!({ "name": "runbook_pack", "arguments": { "runbook": "api" } })
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
