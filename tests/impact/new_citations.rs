//! New citations that are wrong from the start.

use serde_json::Value;

use super::impact;
use super::support::{Sandbox, numbered};

fn wrong(found: &Value) -> Vec<&str> {
    let wrong = found["wrong"].as_array().map_or(&[][..], Vec::as_slice);
    wrong
        .iter()
        .map(|one| one["citation"].as_str().unwrap())
        .collect()
}

#[test]
fn new_citation_of_nothing_is_impact() {
    let sandbox = Sandbox::git();
    sandbox
        .write("src/a.rs", numbered(1, 40))
        .write("docs/d.md", "The limit is `src/a.rs:99`.\n")
        .commit("base");
    sandbox.run_git(&["checkout", "--quiet", "-b", "work"]);
    let text = "The limit is `src/a.rs:99`.\n\nSee `src/a.rs:12`, `src/a.rs:41`, `src/b.rs:3`, \
         [x](../lib/c.rs#L1), `localhost:80` and `other/d.rs:7`.\n";
    sandbox.write("docs/d.md", text);
    let expected = ["src/a.rs:41", "src/b.rs:3", "../lib/c.rs#L1"];
    assert_eq!(wrong(&impact(&sandbox, &[], 1)), expected);
    // It's the same after the commit, which gives the first citation its meaning.
    sandbox.commit("document");
    let found = impact(&sandbox, &["--base", "main"], 1);
    assert_eq!(wrong(&found), expected);
    assert_eq!(found["citations"].as_array().unwrap().len(), 0);
    let text = sandbox.windlass(&["impact", "--base", "main"]).stdout;
    assert!(text.contains("): 3 new citations wrong"), "{text}");
    // The earlier citation isn't part of a later change.
    sandbox
        .edit("src/a.rs", "line number 40\n", "")
        .commit("code");
    let found = impact(&sandbox, &[], 0);
    assert_eq!(wrong(&found), Vec::<&str>::new());
    sandbox.edit("src/a.rs", "line number 39\n", "");
    let found = impact(&sandbox, &[], 0);
    assert_eq!(found["stale_before"], 2, "{found}");
}

#[test]
fn citation_of_a_deleted_file_was_right() {
    let sandbox = Sandbox::git();
    sandbox
        .write("src/a.rs", numbered(1, 40))
        .write("src/b.rs", numbered(41, 80))
        .write("docs/d.md", "The limit is `src/a.rs:9`.\n")
        .commit("base");
    sandbox.remove("src/a.rs");
    let found = impact(&sandbox, &[], 1);
    assert_eq!(wrong(&found), Vec::<&str>::new());
    assert_eq!(found["citations"][0]["status"], "missing_file");
}

#[test]
fn citation_of_an_encoded_name_is_found() {
    let sandbox = Sandbox::git();
    sandbox
        .write("src/[id].tsx", numbered(1, 40))
        .write("docs/d.md", "See [x](../src/%5Bid%5D.tsx#L9).\n")
        .commit("base");
    sandbox.remove("src/[id].tsx");
    let found = impact(&sandbox, &[], 1);
    assert_eq!(found["citations"][0]["status"], "missing_file");
}
