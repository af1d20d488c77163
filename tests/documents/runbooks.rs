//! Runbooks: lookup, runs and plans.

use crate::GOOD;
use crate::support::Sandbox;

#[test]
fn runbook_runs_by_its_id() {
    let sandbox = Sandbox::git();
    sandbox
        .write("a.txt", "x\n")
        .write("runbooks/file.yaml", GOOD.replace("id: r\n", "id: other\n"));
    sandbox.windlass(&["run", "other"]).succeeds();
    sandbox.windlass(&["run", "runbooks/file.yaml"]).succeeds();
    let said = sandbox.windlass(&["run", "file"]).exits_with(3).stderr;
    assert!(
        said.contains("no runbook `file`; did you mean `other` (in `runbooks/file.yaml`)?"),
        "{said}"
    );
    let said = sandbox.windlass(&["run", "fiel"]).exits_with(3).stderr;
    assert!(
        said.contains("did you mean `other` (in `runbooks/file.yaml`)?"),
        "{said}"
    );
    for name in ["other", "runbooks/file.yaml"] {
        let said = sandbox.windlass(&["check", name]).succeeds().stderr;
        assert!(
            said.contains(
                "warning[file-name]: the runbook `other` is in a file with a different name"
            ) && said.contains("runbooks/file.yaml:2:5"),
            "{said}"
        );
    }
    assert!(
        !sandbox
            .windlass(&["run", "other"])
            .succeeds()
            .stderr
            .contains("file-name")
    );

    // A file named after its id is found first, but a duplicate id is still an error.
    sandbox.write("runbooks/third.yml", GOOD.replace("id: r\n", "id: other\n"));
    let said = sandbox.windlass(&["run", "other"]).exits_with(2).stderr;
    let both = "duplicate runbook `other`: `runbooks/file.yaml` and `runbooks/third.yml`";
    assert!(said.contains(both), "{said}");
    let said = sandbox.windlass(&["check"]).exits_with(2).stderr;
    assert!(
        said.contains("error[duplicate-runbook]") && said.contains(both),
        "{said}"
    );
    let said = sandbox
        .windlass(&["check", "--format", "json"])
        .exits_with(2)
        .stdout;
    assert!(said.contains("duplicate-runbook"), "{said}");
}

#[test]
fn outside_document_can_run() {
    let sandbox = Sandbox::git();
    let file = sandbox.outside().join("mine.yaml");
    std::fs::write(&file, GOOD).unwrap();
    sandbox.write("a.txt", "x\n");
    let answer = sandbox
        .windlass(&["run", file.to_str().unwrap()])
        .succeeds();
    assert!(answer.stdout.contains("a.txt"), "{}", answer.stdout);
}

#[test]
fn plan_has_every_format() {
    let sandbox = Sandbox::git();
    sandbox.write("runbooks/r.yaml", GOOD);
    for format in ["text", "json", "dot", "mermaid"] {
        let shown = sandbox
            .windlass(&["plan", "r", "--format", format])
            .succeeds()
            .stdout;
        assert!(shown.contains("files"), "{format}: {shown}");
    }
    let explained = sandbox
        .windlass(&["plan", "r", "--explain"])
        .succeeds()
        .stdout;
    assert!(
        explained.contains("at once") && explained.contains("section `a`"),
        "{explained}"
    );
}

#[test]
fn plan_explanation_uses_known_inputs() {
    let sandbox = Sandbox::git();
    sandbox.write(
        "runbooks/r.yaml",
        "schema_version: 1
id: r
inputs:
  focus: { type: string, default: src }
  deep: { type: boolean, default: false }
steps:
  - { id: a, uses: search, with: { pattern: x, paths: [{ $ref: '#/inputs/focus' }] } }
  - { id: b, uses: read, with: { file: f }, if: inputs.deep }
  - { id: c, uses: command, with: { argv: ['true'] }, if: steps.a.output.total > 0 }
outputs:
  - { id: a, from: a }
  - { id: b, from: b }
",
    );
    let explain = |more: &[&str]| {
        let args = [&["plan", "r", "--explain"], more].concat();
        sandbox.windlass(&args).succeeds().stdout
    };
    let text = explain(&[]);
    for wanted in [
        "searches the files under `src` for lines that match the regular expression `x`",
        "not this time: `inputs.deep` does not hold, so it is skipped",
        "only if `steps.a.output.total > 0`: not known yet, it depends on step `a`",
        "starts a program",
        "`windlass trust r --dry-run`",
    ] {
        assert!(text.contains(wanted), "{wanted}:\n{text}");
    }
    let json = explain(&[
        "--input",
        "focus=lib",
        "-i",
        "deep=true",
        "--format",
        "json",
    ]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let steps = &json["explanation"];
    assert_eq!(
        steps[0]["touches"][0],
        "searches the files under `lib` for lines that match the regular expression `x`"
    );
    assert_eq!(steps[1]["when"][1], "because `inputs.deep` holds");
    assert!(steps[2]["refused"].is_string());
    let args = ["plan", "r", "--explain", "--input", "focs=lib"];
    let said = sandbox.windlass(&args).exits_with(2).stderr;
    assert!(said.contains("did you mean `focus`?"), "{said}");
}
