//! The three main scenarios: an agent restarts, a subsystem is refreshed, and another agent takes
//! over. The recipient needs at most two calls.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

mod continuity;
mod handover;
mod refresh;

use std::cell::Cell;
use std::path::Path;

use serde_json::Value;
use support::{Answer, Sandbox, numbered};

/// Maximum number of calls a recipient may need.
const CALLS: usize = 2;

/// A recipient who knows only a runbook's name, and whose calls are counted.
struct Newcomer<'a> {
    sandbox: &'a Sandbox,
    folder: &'a Path,
    calls: Cell<usize>,
}

impl<'a> Newcomer<'a> {
    fn of(sandbox: &'a Sandbox) -> Self {
        Self::at(sandbox, sandbox.root())
    }

    fn at(sandbox: &'a Sandbox, folder: &'a Path) -> Self {
        Self {
            sandbox,
            folder,
            calls: Cell::new(0),
        }
    }

    #[track_caller]
    fn calls(&self, args: &[&str]) -> Answer {
        self.calls.set(self.calls.get() + 1);
        assert!(self.calls.get() <= CALLS, "one call too many: {args:?}");
        self.sandbox.windlass_in(self.folder, args).succeeds()
    }

    #[track_caller]
    fn runs(&self, name: &str) -> Value {
        self.calls(&["run", name, "--format", "json"]).json()
    }
}

/// Creates a service: its start, its API contract, its gates, and much else.
fn service() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write(
            "src/main.rs",
            "fn main() {\n    let routes = api::routes();\n    serve(routes, 8080);\n}\n",
        )
        .write(
            "src/api.rs",
            format!(
                "{}/// What callers get when something goes wrong.\npub struct ApiError {{\n    pub code: u32,\n    pub \
                 message: String,\n}}\n{}",
                numbered(1, 20),
                numbered(21, 60)
            ),
        )
        .write(
            ".ci/gates.yml",
            "steps:\n  - run: cargo fmt --all --check\n  - run: cargo test --workspace\n  - run: cargo clippy --workspace -- \
             -D warnings\n  - run: cargo doc --no-deps\n",
        );
    for at in 0..30 {
        let first = at * 100 + 1000;
        sandbox.write(&format!("src/noise/n{at}.rs"), numbered(first, first + 40));
    }
    sandbox.commit("a service");
    sandbox
}

/// A transaction with an agent's findings about the service.
const NOTES: &str = r#"{"operations": [
  {"op": "upsert_anchor", "anchor": {"id": "start", "at": ["src/main.rs:1-4"], "kind": "entrypoint", "label": "Where requests come in"}},
  {"op": "upsert_anchor", "anchor": {"id": "errors", "at": ["src/api.rs#ApiError"], "kind": "contract", "label": "What callers get on failure"}},
  {"op": "upsert_anchor", "anchor": {"id": "gates", "at": [".ci/gates.yml:2-5"], "kind": "ci", "label": "What has to pass"}},
  {"op": "upsert_runbook", "file": "notes/service.yaml"}
]}"#;

const RUNBOOK: &str = "\
schema_version: 1
id: service
title: The service
purpose: What to know before the service is touched.
policy:
  budget: { max_chars: 6000 }
  freshness: repair
steps:
  - { id: start, uses: anchors, with: { kinds: [entrypoint] } }
  - { id: contracts, uses: anchors, with: { kinds: [contract] } }
  - { id: gates, uses: anchors, with: { kinds: [ci] } }
outputs:
  - { id: start, title: Where it starts, from: start }
  - { id: contracts, title: Contracts, from: contracts }
  - { id: gates, title: Gates, from: gates }
";

fn explored() -> Sandbox {
    let sandbox = service();
    let outside = sandbox.outside();
    std::fs::create_dir_all(outside.join("notes")).unwrap();
    std::fs::write(outside.join("notes/service.yaml"), RUNBOOK).unwrap();
    std::fs::write(outside.join("notes.json"), NOTES).unwrap();
    let root = sandbox.root().to_str().unwrap().to_owned();
    let args = ["--root", &root, "notebook", "edit", "notes.json"];
    sandbox.windlass_in(&outside, &args).succeeds();
    let status = sandbox.run_git(&["status", "--porcelain"]);
    assert_eq!(
        status, "",
        "what an agent notes leaves no trace in the repository"
    );
    sandbox
}

fn section<'a>(pack: &'a Value, id: &str) -> &'a Value {
    let sections = pack["sections"].as_array().unwrap();
    sections.iter().find(|section| section["id"] == id).unwrap()
}

fn first<'a>(pack: &'a Value, id: &str) -> &'a Value {
    &section(pack, id)["items"][0]["evidence"][0]
}

/// Returns a next action's words, as typed by a user.
fn call(action: &Value) -> Vec<String> {
    let mut words: Vec<String> = action["tool"]
        .as_str()
        .unwrap()
        .split(' ')
        .map(str::to_owned)
        .collect();
    for (name, value) in action["args"].as_object().unwrap() {
        match value {
            Value::Array(list) => {
                words.extend(list.iter().map(|word| word.as_str().unwrap().to_owned()));
            }
            Value::Bool(true) => words.push(format!("--{name}")),
            value => words.extend([format!("--{name}"), value.as_str().unwrap().to_owned()]),
        }
    }
    words
}
