//! Context packs built by a user or an agent.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

mod building;
mod joining;
mod memory;
mod noting;
mod rebuilding;
mod redacting;
mod relevance;
mod results;
mod since;
mod steps;
mod work_documents;

use serde_json::Value;
use support::Sandbox;

pub(crate) const GOAL: &str = "Retry failing steps three times";

/// Creates a repository with documents, code and owners.
pub(crate) fn sample() -> Sandbox {
    let sandbox = Sandbox::git();
    let plan = "# Plan\n\nWhat we do.\n\n## Retries\n\nA failing step is tried again, as `src/retry.rs` says.\n\n## Other\n\nNothing.\n";
    sandbox
        .write("docs/PLAN.md", plan)
        .write(
            "docs/ACCEPTANCE.md",
            "# Acceptance\n\n- [ ] a step is retried three times\n- [ ] the log says so\n",
        )
        .write(
            "src/lib.rs",
            "mod other;\nmod retry;\n\npub fn run() {\n    retry::again();\n}\n",
        )
        .write(
            "src/retry.rs",
            "//! Trying again what failed.\n\npub fn again() {\n    once()\n}\n",
        )
        .write("src/other.rs", "pub fn unrelated() {}\n")
        .write("CODEOWNERS", "* @all\n/src/ @rust\n")
        .commit("one");
    sandbox
}

/// Returns the output of `cargo test` in which these tests fail.
pub(crate) fn failing(names: &[&str]) -> String {
    let mut text = String::new();
    for name in names {
        text.push_str(&format!("test {name} ... FAILED\n"));
    }
    for name in names {
        text.push_str(&format!("\n---- {name} stdout ----\nthread '{name}' panicked at src/retry.rs:4:5:\nleft is 1\n right: 3\n"));
    }
    text.push_str(&format!(
        "\ntest result: FAILED. 5 passed; {} failed; 0 ignored\n",
        names.len()
    ));
    text
}

#[track_caller]
pub(crate) fn built(sandbox: &Sandbox, args: &[&str]) -> Value {
    let args = [&["pack", "build", GOAL, "--format", "json"], args].concat();
    sandbox.windlass(&args).succeeds().json()
}

pub(crate) fn names<'a>(pack: &'a Value, list: &str, field: &str) -> Vec<&'a str> {
    let list = pack.pointer(list).and_then(Value::as_array);
    let name = |entry: &'a Value| entry[field].as_str().unwrap();
    list.into_iter().flatten().map(name).collect()
}
