//! Invalid documents. Errors have their places and come in bounded time, and nothing is written.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

mod changes;
mod edits;
mod formulas;
mod init;
mod mistakes;
mod pages;
mod playbooks;
mod printed;
mod runbooks;
mod vcontext;

use support::Sandbox;

const GOOD: &str = "schema_version: 1\nid: r\nsteps:\n  - { id: a, uses: files }\noutputs:\n  - { id: a, from: a }\n";

#[test]
fn schemas_are_printed_by_name_or_suggested() {
    let sandbox = Sandbox::folder();
    let names = sandbox.windlass(&["schema"]).succeeds().stdout;
    for name in names.lines() {
        let schema = sandbox.windlass(&["schema", name]).succeeds().json();
        assert!(schema.is_object(), "{name}");
    }
    assert!(
        sandbox
            .windlass(&["schema", "runbok"])
            .exits_with(3)
            .stderr
            .contains("`runbook`")
    );
    for name in ["search", "serach", "step-search", "step-serch.output"] {
        let near = sandbox.windlass(&["schema", name]).exits_with(3).stderr;
        assert!(near.contains("`step-search."), "{name}: {near}");
    }
}

#[test]
fn jsonl_anchors_are_checked_by_line() {
    let sandbox = Sandbox::git();
    sandbox.write(
        "a.jsonl",
        "{\"id\":\"a\",\"file\":\"x\",\"start_line\":1}\n{\"id\":\"b\"}\n",
    );
    let said = sandbox.windlass(&["check", "a.jsonl"]).exits_with(2).stderr;
    assert!(
        said.contains("a.jsonl:2:1") && said.contains("file"),
        "{said}"
    );
    sandbox.write(
        "a.jsonl",
        "{\"id\":\"a\",\"file\":\"x\",\"start_line\":1}\n",
    );
    sandbox.windlass(&["check", "a.jsonl"]).succeeds();
}

#[test]
fn size_limit_is_the_same_outside_repo() {
    let sandbox = Sandbox::git();
    sandbox.write("a.rs", "fn a_function() {}\n");
    let outside = sandbox.outside();
    // Readers skip blank lines, so only the size matters.
    let lines = format!(
        "{{\"id\":\"a\",\"file\":\"a.rs\",\"start_line\":1,\"end_line\":1}}\n{}",
        "\n".repeat(5 << 20)
    );
    let runbook = format!(
        "schema_version: 1\nid: r\nsteps: [{{ id: s, uses: files }}]\noutputs: [{{ id: s, from: s }}]\n{}",
        "#\n".repeat(3 << 20)
    );
    for (name, text) in [("lines.jsonl", &lines), ("r.yaml", &runbook)] {
        sandbox.write(name, text);
        std::fs::copy(sandbox.root().join(name), outside.join(name)).unwrap();
    }
    for folder in [sandbox.root(), &outside] {
        let place = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        let lines = place("lines.jsonl");
        let args = ["anchor", "add", "--from", &lines, "--replace"];
        sandbox.windlass(&args).succeeds();
        let refused = sandbox.windlass(&["run", &place("r.yaml")]).exits_with(2);
        assert!(
            refused.stderr.contains("more than 4 MiB"),
            "{}",
            refused.stderr
        );
    }
}

#[cfg(unix)]
#[test]
fn broken_and_outside_links_are_reported() {
    use std::os::unix::fs::symlink;

    let sandbox = Sandbox::git();
    sandbox.write("runbooks/r.yaml", GOOD);
    sandbox.write("lib/linked.yaml", GOOD.replace("id: r\n", "id: linked\n"));
    let link = |to: &str, name: &str| {
        symlink(to, sandbox.root().join(format!("runbooks/{name}.yaml"))).unwrap();
    };
    link("../lib/linked.yaml", "linked");
    sandbox.windlass(&["check"]).succeeds();
    link("none.yaml", "gone");
    link("/etc/hostname", "away");
    let checked = sandbox.windlass(&["check"]).exits_with(2);
    for said in [
        "`runbooks/gone.yaml` cannot be used: the link is broken",
        "`runbooks/away.yaml` cannot be used: the link leads out of the repository",
    ] {
        assert!(checked.stderr.contains(said), "{}", checked.stderr);
    }
    for said in ["runbooks/r.yaml: valid", "runbooks/linked.yaml: valid"] {
        assert!(checked.stdout.contains(said), "{}", checked.stdout);
    }
    let run = sandbox.windlass(&["run", "gone"]).exits_with(3);
    assert!(run.stderr.contains("the link is broken"), "{}", run.stderr);
    sandbox.windlass(&["run", "linked"]).succeeds();
    // Looking up another name doesn't mention the links.
    let other = sandbox.windlass(&["run", "other"]).exits_with(3);
    assert!(!other.stderr.contains("link "), "{}", other.stderr);
}
