//! Packs built by a step of a runbook.

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::{GOAL, built, failing, sample};

const RUNBOOK: &str = "schema_version: 1
id: ready
steps:
  - id: tests
    uses: pack
    with: { goal: Retry failing steps three times, results: [out.txt], constraints: { deps: none } }
  - id: next
    uses: pack
    with:
      goal: Say it in the log
      files: [src/lib.rs]
      from: [{ $ref: '#/steps/tests/output/ref' }]
outputs:
  - { id: tests, title: What to know, from: tests, limit: 50 }
  - { id: next, title: And then, from: next, select: '$.ref' }
";

fn run(sandbox: &Sandbox) -> Value {
    let args = ["run", "ready", "--format", "json"];
    sandbox.windlass(&args).succeeds().json()
}

#[test]
fn pack_step_builds_and_shows_pack() {
    let sandbox = sample();
    sandbox.write("out.txt", failing(&["retry::thrice"]));
    sandbox.write("runbooks/ready.yaml", RUNBOOK).commit("two");
    let shown = run(&sandbox);
    let entries = shown["sections"][0]["items"].as_array().unwrap();
    let by_hand = built(
        &sandbox,
        &["--results", "out.txt", "--constraint", "deps=none"],
    );
    let id = by_hand["packId"].as_str().unwrap();
    assert_eq!(entries[0]["value"]["pack"], json!(format!("pack:{id}")));
    assert_eq!(entries[0]["value"]["goal"], GOAL);
    assert_eq!(entries[1]["value"]["failure"], "retry::thrice");
    assert_eq!(entries[0]["value"]["source_notes"], Value::Null);
    // The pack's files are evidence items, each with the reason why it's there.
    let plan = entries.iter().find(|it| it["label"] == "docs/PLAN.md");
    let plan = plan.unwrap();
    assert_eq!(plan["evidence"][0]["status"], "fresh");
    assert_eq!(plan["fields"]["why"], json!(["it is the plan"]));
    let next = &shown["sections"][1]["items"][0]["value"];
    let next = next.as_str().unwrap().strip_prefix("pack:").unwrap();
    let kept = sandbox.windlass(&["pack", "show", next, "--format", "json"]);
    let kept = kept.succeeds().json();
    assert_eq!(kept["artifacts"][0]["ref"], json!(format!("pack:{id}")));
    assert_eq!(run(&sandbox)["digest"], shown["digest"]);
    let rebuilt = sandbox.windlass(&["pack", "rebuild", id]).succeeds();
    assert!(rebuilt.stdout.contains("reproduced"), "{}", rebuilt.stdout);
    // Source notes are reported too.
    sandbox.write("out.txt", "");
    let note = "`out.txt` is empty, so its failures are unknown";
    let shown = run(&sandbox);
    let named = &shown["sections"][0]["items"][0]["value"];
    assert_eq!(named["source_notes"], json!([note]));
    let shown = sandbox.windlass(&["run", "ready"]).succeeds().stdout;
    assert!(shown.contains(note), "{shown}");
}

#[test]
fn pack_step_errors_are_reported() {
    let sandbox = sample();
    let refused = |with: &str, exit: i32, part: &str| {
        let runbook = format!(
            "schema_version: 1\nid: bad\nsteps:\n  - {{ id: a, uses: pack, with: {with} }}\noutputs:\n  - {{ id: a, from: a }}\n"
        );
        sandbox.write("runbooks/bad.yaml", runbook);
        let answer = sandbox.windlass(&["run", "bad"]).exits_with(exit);
        let all = format!("{}{}", answer.stdout, answer.stderr);
        assert!(all.contains(part), "{part}: {all}");
    };
    refused("{ goal: '  ' }", 2, "the goal is empty");
    refused("{ files: [a] }", 2, "goal");
    refused("{ goal: x, from: [last] }", 2, "whole id of a pack");
    refused("{ goal: x, search: ['('] }", 2, "not a regular expression");
    refused("{ goal: x, files: [../x] }", 2, "..");
    refused("{ goal: x, plan: docs/NO.md }", 1, "docs/NO.md");
    refused("{ goal: x, files: [.env] }", 4, ".env");
    let gone = "{ goal: x, from: ['pack:00000000-0000-8000-8000-000000000000'] }";
    refused(gone, 1, "no context pack");
}
