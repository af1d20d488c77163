//! The web pages as seen by a browser and a program: the real server over HTTP.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

mod actions;
mod addresses;
mod admission;
mod browser;
mod hostile;
mod live;
mod server;
#[path = "../support/mod.rs"]
mod support;

use support::Sandbox;

/// A formula whose second step waits for a person.
pub(crate) const FORMULA: &str = r#"
formula = "release"
description = "Build and ship."

[[steps]]
id = "build"
title = "Build the module"

[[steps]]
id = "approve"
title = "Approve the release"
needs = ["build"]
gate = { type = "human" }

[[steps]]
id = "ship"
title = "Ship the module"
needs = ["approve"]
"#;

/// A runbook with a section of two anchors.
pub(crate) const RUNBOOK: &str = "schema_version: 1\nid: api\ntitle: API contracts\npurpose: Limits and routes.\n\
    steps:\n  - { id: anchors, uses: anchors, with: { ids: [routes, limits] } }\n  - { id: files, uses: files, with: { globs: ['src/**'] } }\n\
    outputs:\n  - { id: anchors, title: Contracts, from: anchors }\n";

/// Returns a repository with runs, anchors (one of them moved), a molecule, beads, mail and a
/// memory.
pub(crate) fn furnished() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox.write("src/routes.rs", support::numbered(1, 60));
    sandbox.write(
        "docs/limits.md",
        "# Limits\n\nAt most 100 requests a minute.\nErrors are 429.\n",
    );
    sandbox.write("runbooks/api.yaml", RUNBOOK);
    sandbox.write(".beads/formulas/release.formula.toml", FORMULA);
    sandbox.commit("first");
    for call in [
        &["anchor", "add", "routes", "src/routes.rs:10-14"][..],
        &["anchor", "add", "limits", "docs/limits.md:3-4"],
        &["run", "api"],
        &["--actor", "ann", "bead", "create", "Write the limits down"],
        &["--actor", "ann", "mol", "pour", "release"],
        &[
            "--actor",
            "ann",
            "mail",
            "send",
            "bob",
            "--subject",
            "Limits",
            "--body",
            "They moved.",
        ],
        &["memory", "init"],
    ] {
        sandbox.windlass(call).succeeds();
    }
    let moved = format!("// A new first line.\n{}", sandbox.read("src/routes.rs"));
    sandbox.write("src/routes.rs", moved);
    sandbox.windlass(&["run", "api"]).succeeds();
    sandbox
}

pub(crate) fn molecule(sandbox: &Sandbox) -> String {
    let list = sandbox
        .windlass(&["mol", "list", "--format", "json"])
        .succeeds()
        .json();
    list["molecules"][0]["id"].as_str().unwrap().to_owned()
}
