//! Printed data conforms to its schema.

use serde_json::Value;

use crate::support::Sandbox;

#[track_caller]
fn follows(sandbox: &Sandbox, schema: &str, args: &[&str]) {
    let args = [args, &["--format", "json"]].concat();
    let answer = sandbox.windlass(&args);
    assert!(matches!(answer.code, 0 | 1), "{args:?}: {}", answer.stderr);
    let schema: Value = sandbox.windlass(&["schema", schema]).succeeds().json();
    let printed: Value = answer.json();
    let wrong = jsonschema::validate(&schema, &printed).err();
    assert!(wrong.is_none(), "{args:?} gives {printed}: {wrong:?}");
}

#[test]
fn optional_fields_conform_to_schema() {
    let sandbox = Sandbox::git();
    sandbox
        .write("AGENTS.md", "# Rules\n")
        .write(
            "src/retry.rs",
            "/// Retries what fails.\npub fn retry() {}\n",
        )
        .commit("one");
    let run = |args: &[&str]| drop(sandbox.windlass(args).succeeds());
    run(&["memory", "init", "--project", "demo", "--rules"]);
    let remember = [
        "memory",
        "remember",
        "decision",
        "One store owns the settings",
    ];
    run(&[
        &remember[..],
        &["--text", "Two writers lost each other's edits."],
    ]
    .concat());
    follows(&sandbox, "memory-recall", &["memory", "recall", "settings"]);
    follows(
        &sandbox,
        "memory-recall",
        &["memory", "recall", "zeppelins"],
    );
    follows(&sandbox, "memory-check", &["memory", "check"]);
    sandbox.write("memory/decisions/bad.md", "no record\n");
    follows(&sandbox, "memory-check", &["memory", "check"]);
    follows(
        &sandbox,
        "memory-check",
        &["memory", "check", "--max-chars", "1200"],
    );
    follows(&sandbox, "suggestions", &["notebook", "suggest"]);

    follows(&sandbox, "context-pack", &["pack", "build", "retry"]);
    run(&["pack", "build", "retry", "--out", "one.json"]);
    follows(&sandbox, "pack-rebuild", &["pack", "rebuild"]);
    follows(&sandbox, "pack-diff", &["pack", "diff", "one.json"]);
    sandbox.write(
        "src/retry.rs",
        "/// Retries twice what fails.\npub fn retry() {}\n",
    );
    run(&["pack", "build", "retry"]);
    follows(&sandbox, "pack-diff", &["pack", "diff", "one.json"]);
    follows(&sandbox, "pack-rebuild", &["pack", "rebuild", "one.json"]);

    let runbook = "schema_version: 1\nid: r\nsteps:\n  - { id: a, uses: search, with: { pattern: retry } }\noutputs:\n  - { id: a, from: a }\n";
    sandbox.write("runbooks/r.yaml", runbook);
    follows(&sandbox, "pack", &["run", "r"]);
}
