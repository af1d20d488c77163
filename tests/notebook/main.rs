//! The notebook: transactions, lists, history, sharing, and damage.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

mod adoption;
mod damage;
mod handover;
mod history;
mod runbooks;
mod show;
mod suggest;
mod together;
mod transactions;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

use support::{Answer, Sandbox, numbered};

/// Creates a repository with two files of sixty numbered lines.
fn repository() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write("src/a.rs", numbered(1, 60))
        .write("lib/b.rs", numbered(61, 120))
        .commit("x");
    sandbox
}

fn edit(sandbox: &Sandbox, transaction: &str, options: &[&str]) -> Answer {
    let args = [&["notebook", "edit", "-"], options].concat();
    let mut child = sandbox
        .command(sandbox.root(), &args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(transaction.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    Answer {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn anchor(id: &str, place: &str) -> String {
    format!(r#"{{"op":"upsert_anchor","anchor":{{"id":"{id}","at":["{place}"]}}}}"#)
}

/// Returns an operation that saves a runbook showing the anchor `anchor`.
fn runbook(id: &str, anchor: &str) -> String {
    format!(
        r##"{{"op":"upsert_runbook","runbook":"# why\nschema_version: 1\nid: {id}\ntitle: The {id}\nsteps:\n  - {{ id: s, uses: anchors, with: {{ ids: [{anchor}] }} }}\noutputs:\n  - {{ id: s, from: s }}\n"}}"##
    )
}

fn anchors(sandbox: &Sandbox) -> Vec<String> {
    let args = [
        "notebook",
        "show",
        "--format",
        "json",
        "--max-chars",
        "1000000",
    ];
    let list = sandbox.windlass(&args);
    let list = list.succeeds().json();
    let anchors = list["anchors"].as_array().unwrap();
    let ids = anchors.iter().map(|anchor| anchor["id"].as_str().unwrap());
    ids.map(str::to_owned).collect()
}

fn file(sandbox: &Sandbox) -> PathBuf {
    sandbox.notebook()
}
