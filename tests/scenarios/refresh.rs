//! Scenario B: a runbook gives fresh evidence, statuses and next actions, without noise.

use serde_json::Value;

use crate::support::{Sandbox, numbered};
use crate::{call, section};

const RUNBOOK: &str = r"
schema_version: 1
id: api-contracts
title: API contracts
purpose: What callers may rely on, and which gates guard it.
inputs:
  focus: { type: string, default: src, description: where to look }
policy:
  budget: { max_chars: 4000 }
  freshness: FRESHNESS
steps:
  - id: contracts
    uses: anchors
    with: { kinds: [contract] }
  - id: routes
    uses: search
    with: { pattern: '^pub fn ', paths: [{ $ref: '#/inputs/focus' }] }
  - id: gates
    uses: read
    with: { file: docs/gates.md, heading: Gates }
outputs:
  - { id: contracts, title: Contracts, from: contracts }
  - { id: routes, title: Routes, from: routes }
  - { id: gates, title: Gates, from: gates }
";

fn subsystem(freshness: &str) -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write(
            "runbooks/api-contracts.yaml",
            RUNBOOK.replace("FRESHNESS", freshness),
        )
        .write(
            "src/api.rs",
            format!(
                "{}pub fn list() -> u32 {{\n    7\n}}\n{}",
                numbered(1, 10),
                numbered(11, 20)
            ),
        )
        .write(
            "src/error.rs",
            "pub struct Error {\n    pub code: u32,\n}\n",
        )
        .write(
            "docs/gates.md",
            "# Docs\n\n## Gates\n\nRun the tests.\n\n## Other\n\nNoise.\n",
        )
        .commit("a subsystem");
    for (id, place) in [("list", "src/api.rs:11-13"), ("error", "src/error.rs:1-3")] {
        sandbox
            .windlass(&["anchor", "add", id, place, "--kind", "contract"])
            .succeeds();
    }
    sandbox
}

fn evidence(pack: &Value, anchor: &str) -> Value {
    let items = section(pack, "contracts")["items"].as_array().unwrap();
    items.iter().find(|item| item["id"] == anchor).unwrap()["evidence"][0].clone()
}

#[test]
fn one_call_restores_subsystem() {
    let sandbox = subsystem("repair");
    let pack = sandbox
        .windlass(&["run", "api-contracts", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(pack["status"], "ok");
    assert_eq!(section(&pack, "contracts")["status"], "fresh");
    assert_eq!(
        evidence(&pack, "list")["text"],
        "pub fn list() -> u32 {\n    7\n}"
    );
    assert_eq!(section(&pack, "routes")["total_items"], 1);
    let gates = &section(&pack, "gates")["items"][0]["evidence"][0];
    assert_eq!(
        (gates["start_line"].as_u64(), gates["end_line"].as_u64()),
        (Some(3), Some(6))
    );
    assert!(
        pack.get("next_actions").is_none(),
        "nothing calls for action"
    );
}

#[test]
fn two_calls_show_changes_and_remedies() {
    let sandbox = subsystem("repair");
    sandbox.edit("src/api.rs", "line number 3\n", "line number 3\nnew\nnew\n");
    sandbox.edit("src/error.rs", "code: u32", "code: u64");
    let pack = sandbox
        .windlass(&["run", "api-contracts", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(pack["status"], "stale");

    let moved = evidence(&pack, "list");
    assert_eq!(moved["status"], "stale_hash_mismatch");
    assert_eq!(moved["repair"]["outcome"], "moved");
    assert_eq!(moved["repair"]["evidence"]["start_line"], 13);
    assert_eq!(moved["text"], "pub fn list() -> u32 {\n    7\n}");

    let stale = evidence(&pack, "error");
    assert_eq!(stale["status"], "stale_hash_mismatch");
    assert_eq!(stale["repair"]["outcome"], "edited");
    assert!(
        stale.get("text").is_none(),
        "text that was not verified must not be shown: {stale}"
    );
    let diff = stale["diff"].as_str().unwrap();
    let changed: Vec<char> = diff
        .lines()
        .filter(|line| line.contains("code: u"))
        .filter_map(|line| line.chars().next())
        .collect();
    assert_eq!(changed, ['-', '+'], "{diff}");

    // All calls can be run unchanged. One captures the moved anchor, one shows the edited one, and
    // one accepts it.
    for action in pack["next_actions"].as_array().unwrap() {
        let call = call(action);
        sandbox
            .windlass(&call.iter().map(String::as_str).collect::<Vec<_>>())
            .succeeds();
    }
    let tools: Vec<&Value> = pack["next_actions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|next| &next["tool"])
        .collect();
    assert_eq!(tools, ["anchor repair", "anchor show", "anchor repair"]);
    let again = sandbox
        .windlass(&["run", "api-contracts", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(evidence(&again, "list")["status"], "fresh");
    let listed = sandbox
        .windlass(&["anchor", "list", "-k", "contract"])
        .succeeds()
        .stdout;
    assert!(
        listed.contains("list"),
        "what was captured again is what it was: {listed}"
    );
}

#[test]
fn unrelated_edit_changes_nothing() {
    let sandbox = subsystem("strict");
    let before = sandbox
        .windlass(&["run", "api-contracts", "--format", "json"])
        .succeeds()
        .stdout;
    sandbox.edit("src/api.rs", "line number 20", "line number twenty");
    let after = sandbox
        .windlass(&["run", "api-contracts", "--format", "json"])
        .succeeds()
        .stdout;
    assert_eq!(before, after);
}

#[test]
fn strict_fails_and_report_only_warns() {
    let shift = |sandbox: &Sandbox| {
        sandbox.edit("src/api.rs", "line number 3\n", "line number 3\nnew\n");
    };
    let strict = subsystem("strict");
    shift(&strict);
    let answer = strict.windlass(&["run", "api-contracts"]).exits_with(6);
    assert!(answer.stderr.contains("strict"), "{}", answer.stderr);
    assert!(!answer.stdout.contains("    7"), "{}", answer.stdout);

    let report = subsystem("report");
    shift(&report);
    let answer = report.windlass(&["run", "api-contracts"]).succeeds();
    assert!(
        answer.stdout.contains("moved    src/api.rs:12-14"),
        "{}",
        answer.stdout
    );
    assert!(!answer.stdout.contains("    7"), "{}", answer.stdout);
}

#[test]
fn run_works_in_subfolder_worktree_and_folder() {
    let sandbox = subsystem("strict");
    let from = |folder: &std::path::Path| {
        sandbox
            .windlass_in(folder, &["run", "api-contracts"])
            .succeeds()
            .stdout
    };
    let here = from(sandbox.root());
    assert_eq!(here, from(&sandbox.root().join("src")));

    let worktree = sandbox.outside().join("tree");
    sandbox.run_git(&["worktree", "add", "--quiet", worktree.to_str().unwrap()]);
    assert_eq!(here, from(&worktree), "worktrees share the notebook");

    let plain = Sandbox::folder();
    plain.write(
        "runbooks/api-contracts.yaml",
        RUNBOOK.replace("FRESHNESS", "strict"),
    );
    plain
        .write("src/api.rs", "pub fn a() {}\n")
        .write("docs/gates.md", "# Gates\nx\n");
    plain
        .windlass(&["anchor", "add", "a", "src/api.rs:1", "--kind", "contract"])
        .succeeds();
    plain.windlass(&["run", "api-contracts"]).succeeds();
}

#[test]
fn output_is_independent_of_jobs() {
    let sandbox = subsystem("repair");
    for format in ["text", "json", "markdown"] {
        let run = |jobs: &str| {
            sandbox
                .windlass(&["run", "api-contracts", "--jobs", jobs, "--format", format])
                .stdout
        };
        let reference = run("1");
        for jobs in ["1", "2", "16"] {
            assert_eq!(run(jobs), reference, "{format} with --jobs {jobs}");
        }
    }
}

const NAMED: &str = r"
schema_version: 1
id: named
policy: { freshness: FRESHNESS }
steps:
  - id: some
    uses: anchors
    with: { ids: [list, eror, nowhere] }
  - id: picked
    uses: select
    with: { from: { $ref: '#/steps/some/output/anchors' } }
  - id: inner
    uses: runbook
    with: { name: inner }
outputs:
  - { id: some, title: Some, from: some }
  - { id: picked, title: Picked, from: picked }
  - { id: inner, title: Inner, from: inner }
";

#[test]
fn missing_anchors_do_not_hide_others() {
    let sandbox = subsystem("report");
    let inner = "schema_version: 1\nid: inner\nsteps:\n  - { id: a, uses: anchors, with: { ids: [error, nowhere] } }\n\
        outputs:\n  - { id: a, title: A, from: a }\n";
    sandbox
        .write("runbooks/inner.yaml", inner)
        .write("runbooks/named.yaml", NAMED.replace("FRESHNESS", "report"));
    let pack = sandbox
        .windlass(&["run", "named", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(pack["status"], "stale");
    for id in ["some", "picked", "inner"] {
        let section = section(&pack, id);
        assert_eq!(section["status"], "unknown", "{id}");
        assert_eq!(section["items"].as_array().unwrap().len(), 1, "{id}");
        assert_eq!(
            section["items"][0]["evidence"][0]["status"], "fresh",
            "{id}"
        );
        let reason = section["reason"].as_str().unwrap();
        assert!(
            reason.contains("`nowhere`: it is not in the notebook"),
            "{reason}"
        );
    }
    let reason = section(&pack, "some")["reason"].as_str().unwrap();
    assert!(
        reason.contains("`eror`: it is not in the notebook (did you mean `error`?)"),
        "{reason}"
    );
    let help = section(&pack, "some")["help"].as_str().unwrap();
    assert!(
        help.contains("windlass anchor add eror FILE:LINES"),
        "{help}"
    );
    let next = call(&pack["next_actions"][0]);
    assert_eq!(next, ["anchor", "list"]);

    sandbox.write("runbooks/named.yaml", NAMED.replace("FRESHNESS", "strict"));
    let strict = sandbox.windlass(&["run", "named"]).exits_with(6);
    assert!(
        strict.stdout.contains("fresh    src/api.rs:11-13"),
        "{}",
        strict.stdout
    );
}

#[test]
fn joined_data_is_shown_with_anchor() {
    let sandbox = subsystem("report");
    sandbox.write(
        "runbooks/joined.yaml",
        r"
schema_version: 1
id: joined
steps:
  - { id: saved, uses: anchors }
  - { id: found, uses: search, with: { pattern: 'code|list', paths: [src] } }
  - id: both
    uses: join
    with:
      left: { $ref: '#/steps/saved/output/anchors' }
      right: { $ref: '#/steps/found/output/matches' }
      on: /file
      field: matches
outputs:
  - { id: both, title: Both, from: both }
",
    );
    let pack = sandbox
        .windlass(&["run", "joined", "--format", "json"])
        .succeeds()
        .json();
    let fields = &section(&pack, "both")["items"][1]["fields"];
    assert_eq!(fields.to_string(), r#"{"matches":["src/api.rs:11"]}"#);
    for format in ["text", "markdown"] {
        let shown = sandbox
            .windlass(&["run", "joined", "--format", format])
            .succeeds()
            .stdout;
        assert!(shown.contains("matches: src/error.rs:2\n"), "{shown}");
    }
}
