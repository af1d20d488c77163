//! Impact of a change: the evidence it makes stale, reported before the merge.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

mod action;
mod new_citations;
mod offers;
mod sarif;

use serde_json::Value;
use support::{Sandbox, numbered};

const RUNBOOK: &str = "\
schema_version: 1
id: lens
title: Lens
steps:
  - { id: core, uses: anchors, with: { kinds: [contract] } }
  - { id: ci, uses: anchors, with: { kinds: [ci] } }
  - { id: lines, uses: read, with: { file: src/a.rs, lines: 20-24 } }
  - { id: top, uses: read, with: { file: src/a.rs, lines: 1-3 } }
  - { id: symbol, uses: read, with: { file: src/c.rs, symbol: parse } }
  - { id: search, uses: search, with: { pattern: number, globs: ['*.rs'] } }
outputs:
  - { id: core, title: Core, from: core }
  - { id: ci, title: Gates, from: ci }
  - { id: lines, title: Lines, from: lines }
  - { id: top, title: Top, from: top }
  - { id: symbol, title: Symbol, from: symbol }
  - { id: search, title: Search, from: search }
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write("src/a.rs", numbered(1, 40))
        .write("src/b.rs", numbered(41, 80))
        .write(
            "src/c.rs",
            "/// Parses.\nfn parse(text: &str) -> usize {\n    text.len()\n}\n",
        )
        .commit("x");
    for (id, place, kind) in [
        ("early", "src/a.rs:5-9", "contract"),
        ("late", "src/a.rs:30-33", "contract"),
        ("gate", "src/b.rs:11-15", "ci"),
    ] {
        let args = ["anchor", "add", id, place, "--kind", kind];
        sandbox.windlass(&args).succeeds();
    }
    sandbox
}

fn impact(sandbox: &Sandbox, args: &[&str], code: i32) -> Value {
    let args = [&["impact", "--format", "json"], args].concat();
    sandbox.windlass(&args).exits_with(code).json()
}

fn ids(impact: &Value) -> Vec<&str> {
    let anchors = impact["anchors"].as_array().unwrap().iter();
    anchors.map(|one| one["id"].as_str().unwrap()).collect()
}

fn stale_sections(impact: &Value) -> Vec<&str> {
    let sections = impact["sections"].as_array().unwrap().iter();
    let stale = sections.filter(|one| one["effect"] == "stale");
    stale.map(|one| one["section"].as_str().unwrap()).collect()
}

#[test]
fn impact_lasts_until_repair() {
    let sandbox = sandbox();
    let before = sandbox.windlass(&["impact"]).succeeds();
    assert!(
        before
            .stdout
            .starts_with("no evidence depends on the 0 changed files since HEAD ("),
        "{}",
        before.stdout
    );
    sandbox.edit("src/a.rs", "line number 20\n", "line number 20\nnew\n");
    let found = impact(&sandbox, &[], 1);
    assert_eq!(ids(&found), ["late"]);
    assert_eq!(found["anchors"][0]["repair"]["outcome"], "moved");
    assert_eq!(found["anchors"][0]["kept_in"], "notebook");
    assert_eq!(
        (&found["standing"], &found["stale_before"]),
        (&1.into(), &0.into())
    );
    let text = sandbox.windlass(&["impact"]).exits_with(1).stdout;
    assert!(
        text.contains("moved    late  src/a.rs:30-33; now at src/a.rs:31-34"),
        "{text}"
    );
    assert!(text.contains("windlass anchor repair late"), "{text}");
    sandbox.windlass(&["anchor", "repair"]).succeeds();
    let text = sandbox.windlass(&["impact"]).succeeds().stdout;
    assert!(
        text.contains("2 pieces of evidence in 1 changed file"),
        "{text}"
    );
}

#[test]
fn summary_counts_runbooks_not_valid() {
    let sandbox = sandbox();
    sandbox.write("runbooks/bad.yaml", "id: bad\nsteps: 3\n");
    let text = sandbox.windlass(&["impact"]).exits_with(1).stdout;
    let first = text.lines().next().unwrap();
    assert!(first.ends_with("): 1 changed runbook not valid"), "{text}");
    assert!(text.contains("windlass check runbooks/bad.yaml"), "{text}");
}

#[test]
fn named_files_limit_the_impact() {
    let sandbox = sandbox();
    sandbox.edit("src/a.rs", "line number 6\n", "edited\n");
    sandbox.edit("src/b.rs", "line number 52\n", "edited\n");
    assert_eq!(ids(&impact(&sandbox, &["src/a.rs"], 1)), ["early"]);
    assert_eq!(ids(&impact(&sandbox, &["src"], 1)), ["early", "gate"]);
    assert_eq!(impact(&sandbox, &["src/c.rs"], 0)["files_changed"], 0);
    let nowhere = sandbox.windlass(&["impact", "sr"]).exits_with(3).stderr;
    assert!(nowhere.contains("`sr`"), "{nowhere}");
    assert_eq!(ids(&impact(&sandbox, &["."], 1)), ["early", "gate"]);
    // A path is relative to the working folder.
    let inside = sandbox.windlass_in(&sandbox.root().join("src"), &["impact", "b.rs"]);
    assert!(inside.exits_with(1).stdout.contains("gate"));
}

#[test]
fn earlier_staleness_is_only_counted() {
    let sandbox = sandbox();
    sandbox
        .edit("src/b.rs", "line number 52\n", "other\n")
        .commit("y");
    sandbox.edit("src/b.rs", "line number 80\n", "more\n");
    let found = impact(&sandbox, &[], 0);
    assert_eq!(found["stale_before"], 1);
    assert_eq!(ids(&found), Vec::<&str>::new());
    assert_eq!(ids(&impact(&sandbox, &["--base", "HEAD~1"], 1)), ["gate"]);
}

#[test]
fn branch_is_compared_with_merge_base() {
    let sandbox = sandbox();
    sandbox.run_git(&["checkout", "--quiet", "-b", "work"]);
    sandbox
        .edit("src/a.rs", "line number 6\n", "edited\n")
        .commit("mine");
    sandbox.run_git(&["checkout", "--quiet", "main"]);
    sandbox
        .edit("src/b.rs", "line number 52\n", "other\n")
        .commit("theirs");
    sandbox.run_git(&["checkout", "--quiet", "work"]);
    let found = impact(&sandbox, &["--base", "main"], 1);
    assert_eq!(ids(&found), ["early"]);
    let base = sandbox.run_git(&["rev-parse", "main~1"]);
    assert_eq!(found["base"]["commit"], base.trim());
    // The branch has no uncommitted changes.
    assert_eq!(impact(&sandbox, &[], 0)["files_changed"], 0);
}

#[test]
fn capture_and_edit_in_one_change_is_impact() {
    let sandbox = sandbox();
    sandbox.edit("src/b.rs", "line number 70\n", "captured as this one is\n");
    sandbox
        .windlass(&["anchor", "add", "fresh", "src/b.rs:29-31"])
        .succeeds();
    assert_eq!(ids(&impact(&sandbox, &[], 0)), Vec::<&str>::new());
    sandbox.edit("src/b.rs", "captured as this one is\n", "and then not\n");
    assert_eq!(ids(&impact(&sandbox, &[], 1)), ["fresh"]);
}

#[test]
fn moved_and_deleted_files_are_touched() {
    let sandbox = sandbox();
    sandbox.run_git(&["mv", "src/b.rs", "src/d.rs"]);
    // A folder takes the place of the deleted file.
    sandbox.remove("src/a.rs").write("src/a.rs/mod.rs", "x\n");
    let found = impact(&sandbox, &[], 1);
    assert_eq!(ids(&found), ["early", "late", "gate"]);
    let outcomes: Vec<&Value> = found["anchors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["repair"]["outcome"])
        .collect();
    assert_eq!(outcomes[2], "moved");
    assert_ne!(outcomes[0], "moved");
}

#[test]
fn section_is_stale_if_its_lines_moved() {
    let sandbox = sandbox();
    sandbox
        .write("runbooks/lens.yaml", RUNBOOK)
        .write(
            "runbooks/outer.yaml",
            "schema_version: 1\nid: outer\ntitle: Outer\nsteps:\n  - { id: inner, uses: runbook, with: { name: lens } }\n\
             outputs:\n  - { id: inner, title: Inner, from: inner }\n",
        )
        .commit("runbooks");
    // Sections with lines follow the current text, so new text in the same lines doesn't make them
    // stale.
    sandbox.edit("src/a.rs", "line number 2\n", "another number 2\n");
    let found = impact(&sandbox, &[], 0);
    let sections = found["sections"].as_array().unwrap();
    let touched: Vec<&str> = sections
        .iter()
        .map(|one| one["section"].as_str().unwrap())
        .collect();
    assert_eq!(touched, ["top", "search"]);

    sandbox.edit("src/a.rs", "line number 10\n", "line number 10\nnew\n");
    let found = impact(&sandbox, &[], 1);
    assert_eq!(stale_sections(&found), ["core", "lines", "inner"]);
    let lines = &found["sections"][1];
    assert_eq!(
        lines["because"][0],
        "src/a.rs:20-24 is at src/a.rs:21-25 now"
    );
    assert_eq!(found["sections"][2]["because"][0], "runbook: lens");

    sandbox.windlass(&["anchor", "repair"]).succeeds();
    sandbox.edit("src/c.rs", "parse", "read");
    let found = impact(&sandbox, &[], 1);
    assert_eq!(stale_sections(&found), ["lines", "symbol", "inner"]);
}

#[test]
fn exported_anchors_count_without_notebook() {
    let sandbox = sandbox();
    sandbox.windlass(&["notebook", "export"]).succeeds();
    sandbox.commit("anchors");
    let other = sandbox.cloned();
    other.edit("src/a.rs", "line number 31\n", "edited\n");
    let found = impact(&other, &[], 1);
    assert_eq!(ids(&found), ["late"]);
    assert_eq!(found["anchors"][0]["kept_in"], "repository");
    let mut off = other.command(other.root(), &["impact"]);
    let off = support::answer(off.env("WINDLASS_NOTEBOOK", "off")).exits_with(4);
    assert!(off.stderr.contains("switched off"), "{}", off.stderr);
    // Evidence repaired and exported in the same change is no longer stale.
    other.windlass(&["notebook", "import"]).succeeds();
    other.windlass(&["anchor", "repair", "--edited"]).succeeds();
    // The anchor is repaired in the notebook only, while the exported one is still stale.
    assert_eq!(ids(&impact(&other, &[], 1)), ["late"]);
    other.windlass(&["notebook", "export"]).succeeds();
    assert_eq!(ids(&impact(&other, &[], 0)), Vec::<&str>::new());
}

#[test]
fn impact_prints_sarif_and_markdown() {
    let sandbox = sandbox();
    sandbox.write("a b#.txt", numbered(200, 220)).commit("y");
    sandbox
        .windlass(&["anchor", "add", "odd|one", "a b#.txt:3-5"])
        .exits_with(2);
    sandbox
        .windlass(&["anchor", "add", "odd", "a b#.txt:3-5"])
        .succeeds();
    sandbox.edit("a b#.txt", "line number 200\n", "");
    let sarif = sandbox.windlass(&["impact", "--format", "sarif"]);
    let sarif = sarif.exits_with(1).json();
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    let result = &run["results"][0];
    let rule = result["ruleIndex"].as_u64().unwrap() as usize;
    assert_eq!(run["tool"]["driver"]["rules"][rule]["id"], result["ruleId"]);
    assert_eq!(result["level"], "warning");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b%23.txt");
    assert_eq!(place["region"]["startLine"], 2);
    assert!(result["partialFingerprints"]["windlass/v1"].is_string());

    let comment = sandbox.windlass(&["impact", "--format", "markdown"]);
    let comment = comment.exits_with(1).stdout;
    assert!(
        comment.starts_with("<!-- windlass impact -->\n"),
        "{comment}"
    );
    assert!(
        comment.contains("| moved | `odd` | `a b#.txt:3-5` | now at a b\\#.txt:2-4 |\n"),
        "{comment}"
    );
}

#[test]
fn markdown_calls_are_relative_to_root() {
    let sandbox = sandbox();
    sandbox
        .write("docs/d.md", "The sixth is `src/a.rs:6`.\n")
        .write("runbooks/lens.yaml", RUNBOOK)
        .commit("doc");
    sandbox.edit("src/a.rs", "line number 1\n", "");
    let args = ["impact", "--format", "markdown"];
    let at_root = sandbox.windlass(&args).exits_with(1).stdout;
    assert!(
        at_root.contains("`windlass anchor scan docs/d.md --fix`"),
        "{at_root}"
    );
    let below = sandbox.windlass_in(&sandbox.root().join("docs"), &args);
    assert_eq!(below.exits_with(1).stdout, at_root);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let sandbox = sandbox();
    sandbox
        .windlass(&["impact", "--base", "nowhere"])
        .exits_with(3);
    sandbox.windlass(&["impact", "--base", "-x"]).exits_with(2);
    let folder = Sandbox::folder();
    let refused = folder.windlass(&["impact"]).exits_with(1);
    assert!(
        refused.stderr.contains("not in a git repository"),
        "{}",
        refused.stderr
    );
    // The comparison also works before the first commit.
    let unborn = Sandbox::git();
    unborn.write("a.rs", numbered(1, 9));
    unborn
        .windlass(&["anchor", "add", "a", "a.rs:2-5"])
        .succeeds();
    assert_eq!(impact(&unborn, &[], 0)["standing"], 1);
    unborn.edit("a.rs", "line number 3\n", "x\n");
    assert_eq!(ids(&impact(&unborn, &[], 1)), ["a"]);
}

#[cfg(unix)]
#[test]
fn files_whose_names_nothing_can_say_are_counted() {
    use std::os::unix::ffi::OsStrExt as _;

    let sandbox = sandbox();
    let name = std::ffi::OsStr::from_bytes(b"v\xe9.py");
    if std::fs::write(sandbox.root().join(name), "1\n").is_err() {
        // Some file systems don't allow such names.
        return;
    }
    let found = impact(&sandbox, &[], 0);
    assert_eq!(found["files_not_utf8"], 1);
    let said = sandbox.windlass(&["impact"]).succeeds().stdout;
    assert!(
        said.contains("1 more with names that are not UTF-8"),
        "{said}"
    );
    sandbox.write(
        "runbooks/g.yaml",
        "schema_version: 1\nid: g\nsteps:\n- { id: c, uses: git, with: { show: changes } }\noutputs:\n- { id: c, from: c }\n",
    );
    sandbox.commit("all but that");
    sandbox.run_git(&["rm", "--quiet", "--cached", "v*.py"]);
    let pack = sandbox
        .windlass(&["run", "g", "--format", "json"])
        .succeeds();
    let section = &pack.json()["sections"][0];
    let reason = section["reason"].as_str().unwrap();
    assert!(reason.contains("not UTF-8"), "{section}");
}

#[cfg(unix)]
#[test]
fn foreign_owned_repo_needs_safe_directory() {
    let sandbox = sandbox();
    let given_away = std::process::Command::new("chown")
        .args(["-R", "12345:12345"])
        .arg(sandbox.root())
        .status();
    if !given_away.unwrap().success() {
        // Only root can give files away, so there's nothing to test for other users.
        return;
    }
    let refused = sandbox.windlass(&["impact"]).exits_with(1);
    assert!(
        refused.stderr.contains("safe.directory"),
        "{}",
        refused.stderr
    );
    std::fs::create_dir_all(sandbox.home()).unwrap();
    std::fs::write(
        sandbox.home().join(".gitconfig"),
        "[safe]\n\tdirectory = *\n",
    )
    .unwrap();
    assert_eq!(impact(&sandbox, &[], 0)["files_changed"], 0);
    sandbox.edit("src/a.rs", "line number 31\n", "edited\n");
    assert_eq!(ids(&impact(&sandbox, &[], 1)), ["late"]);
}
