//! Molecule steps with a context pack.

use serde_json::{Value, json};

use crate::by;
use crate::support::Sandbox;

const FORMULA: &str = r##"formula = "feature"
version = 1

[vars]
area = { description = "where", default = "retry" }

[[steps]]
id = "design"
title = "Design how {{area}} works"
description = "A failing step is tried again.\n\nMuch more."
acceptance = ["somebody agrees", { file = "docs/PLAN.md" }]
pack = true

[[steps]]
id = "build"
title = "Build it"
needs = ["design"]

[steps.pack]
goal = "Build {{area}} as it was designed"
files = ["src/{{area}}.rs"]
constraints = { deps = "none" }
search = [{ "$ref" = "#/steps/design/output/pattern" }]

[[steps]]
id = "ship"
title = "Ship it"
needs = ["build"]
"##;

fn sandbox(formula: &str) -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write(".beads/formulas/feature.formula.toml", formula)
        .write("docs/PLAN.md", "# Plan\n\nA failing step is tried again.\n")
        .write("src/retry.rs", "pub fn again() {}\n")
        .write("src/other.rs", "pub fn unrelated() {}\n")
        .commit("one");
    sandbox
}

fn json(sandbox: &Sandbox, args: &[&str]) -> Value {
    let args = [args, &["--format", "json"]].concat();
    by(sandbox, "ann", &args).succeeds().json()
}

fn pour(sandbox: &Sandbox) -> String {
    let made = json(sandbox, &["mol", "pour", "feature"]);
    made["id"].as_str().unwrap().to_owned()
}

fn shown(sandbox: &Sandbox, step: &Value) -> Value {
    let name = step["pack"]["ref"].as_str().unwrap();
    json(sandbox, &["pack", "show", name])
}

#[test]
fn claim_returns_pack_and_payload_flows_on() {
    let sandbox = sandbox(FORMULA);
    let mol = pour(&sandbox);
    let design = json(&sandbox, &["mol", "claim", &mol]);
    let first = shown(&sandbox, &design);
    assert_eq!(
        first["goal"],
        "Design how retry works. A failing step is tried again."
    );
    let done = json!(["somebody agrees", "`docs/PLAN.md` exists"]);
    assert_eq!(first["definitionOfDone"], done);
    assert_eq!(
        (&first["runId"], &first["nodeId"]),
        (&json!(mol), &json!("design"))
    );
    let show = json(&sandbox, &["mol", "show", &mol, "design"]);
    assert_eq!(show["pack"], design["pack"]);
    let token = design["token"].as_str().unwrap();
    let output = r#"{"pattern": "unrelated", "said": "three times"}"#;
    let complete = [
        "mol",
        "complete",
        &mol,
        "design",
        "--token",
        token,
        "--output",
        output,
        "--claim-next",
    ];
    let completed = json(&sandbox, &complete);
    let payload = &completed["payloads"][0];
    assert_eq!(payload["edgeId"], "design->build");
    assert_eq!(payload["structured"]["said"], "three times");
    assert_eq!(payload["contextPackRef"]["ref"], design["pack"]["ref"]);
    sandbox.write("payload.json", payload.to_string());
    sandbox.windlass(&["check", "payload.json"]).succeeds();
    let second = shown(&sandbox, &completed["next"]);
    assert_eq!(second["goal"], "Build retry as it was designed");
    assert_eq!(second["inputs"][0]["payloadId"], payload["payloadId"]);
    assert_eq!(second["constraints"]["deps"], "none");
    let artifacts = second["artifacts"].to_string();
    assert!(artifacts.contains("three times"), "{artifacts}");
    assert!(artifacts.contains(design["pack"]["ref"].as_str().unwrap()));
    let files = second["relevantFiles"].to_string();
    assert!(
        files.contains("src/retry.rs") && files.contains("src/other.rs"),
        "{files}"
    );
    // The ledger's own files aren't part of the work.
    assert!(
        !second.to_string().contains(".beads/events.jsonl"),
        "{second}"
    );
    // A step without `pack` gets none.
    let token = completed["next"]["token"].as_str().unwrap();
    let complete = ["mol", "complete", &mol, "build", "--token", token];
    json(&sandbox, &complete);
    let plain = json(&sandbox, &["mol", "claim", &mol, "ship"]);
    assert!(plain.get("pack").is_none());
}

#[test]
fn claim_prints_pack_within_budget() {
    let sandbox = sandbox(FORMULA);
    let mol = pour(&sandbox);
    let args = ["mol", "claim", &mol, "--pack", "--max-chars", "2500"];
    let text = by(&sandbox, "ann", &args).succeeds().stdout;
    assert!(
        text.contains("claimed ") && text.contains("windlass pack show"),
        "{text}"
    );
    assert!(
        text.contains("docs/PLAN.md") && text.contains("somebody agrees"),
        "{text}"
    );
    let other = pour(&sandbox);
    let claimed = json(&sandbox, &["mol", "claim", &other, "--pack"]);
    assert_eq!(claimed["context_pack"]["nodeId"], "design");
    // A step without `pack` gets one on request.
    let token = claimed["token"].as_str().unwrap();
    json(
        &sandbox,
        &[
            "mol", "fail", &other, "design", "--token", token, "--reason", "no",
        ],
    );
    let budget = ["mol", "claim", &mol, "--max-chars", "100"];
    by(&sandbox, "ann", &budget).exits_with(2);
}

#[test]
fn failed_pack_keeps_the_claim() {
    let formula = FORMULA.replace("pack = true", "pack = { files = [\"gone.rs\"] }");
    let sandbox = sandbox(&formula);
    let mol = pour(&sandbox);
    let design = json(&sandbox, &["mol", "claim", &mol]);
    let problem = design["pack"]["problem"].as_str().unwrap();
    assert!(problem.contains("gone.rs"), "{problem}");
    let token = design["token"].as_str().unwrap();
    let output = r#"{"pattern": "x"}"#;
    json(
        &sandbox,
        &[
            "mol", "complete", &mol, "design", "--token", token, "--output", output,
        ],
    );
}

#[test]
fn invalid_pack_field_is_reported() {
    for (pack, part) in [
        ("pack = \"yes\"", "pack"),
        ("pack = { gaol = \"x\" }", "gaol"),
        ("pack = { files = [\"../x\"] }", ".."),
        ("pack = true\nuses = \"files\"", "performed by the machine"),
        ("pack = { from = [\"last\"] }", "whole id"),
    ] {
        let sandbox = sandbox(&FORMULA.replace("pack = true", pack));
        let answer = by(&sandbox, "ann", &["mol", "pour", "feature"]);
        let answer = answer.exits_with(2);
        assert!(answer.stderr.contains(part), "{pack}: {}", answer.stderr);
    }
}
