//! A repository's memory: recall and writing, with concurrent writers and damaged files.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

mod bad_input;
mod recall;
mod writing;

use support::Sandbox;

/// Creates a repository with a memory of three records.
fn remembering() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox.write("AGENTS.md", "# Rules\n");
    sandbox
        .windlass(&["memory", "init", "--project", "demo", "--rules"])
        .succeeds();
    for args in [
        [
            "decision",
            "One store owns the settings",
            "--text",
            "SettingsStore writes the file; two writers lost each other's edits while syncing.",
        ],
        [
            "open-loop",
            "Finish the settings refactor",
            "--text",
            "The old path still writes the file directly.",
        ],
        [
            "context",
            "Releases leave on Thursdays",
            "--text",
            "A release is cut from main and tagged.",
        ],
    ] {
        let args: Vec<&str> = ["memory", "remember"].into_iter().chain(args).collect();
        sandbox.windlass(&args).succeeds();
    }
    sandbox
}
