//! Tests the effect of a runbook's own policy on a run by another runbook.

use windlass::packs::{PackStatus, SectionStatus};
use windlass::{Ending, Refresh};

use crate::support::Sandbox;

const ANY_HASH: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";

/// Makes a runbook with valid or stale evidence.
fn inner(id: &str, freshness: &str, is_valid: bool) -> String {
    let step = if is_valid {
        "{ id: s, uses: search, with: { pattern: one, globs: ['*.txt'] } }".to_owned()
    } else {
        format!(
            "{{ id: s, uses: evidence, with: {{ items: [{{ file: a.txt, start_line: 1, end_line: 1, source_hash: '{ANY_HASH}' }}] }} }}"
        )
    };
    format!(
        "schema_version: 1\nid: {id}\npolicy: {{ freshness: {freshness} }}\nsteps:\n  - {step}\noutputs:\n  - {{ id: s, from: s }}\n"
    )
}

/// Makes a runbook that runs another one.
fn outer(id: &str, name: &str, on_failure: &str) -> String {
    format!(
        "schema_version: 1\nid: {id}\nsteps:\n  - {{ id: n, uses: runbook, with: {{ name: {name} }}, on_failure: {on_failure} }}\n  - {{ id: after, uses: read, with: {{ file: a.txt }}, needs: [n] }}\noutputs:\n  - {{ id: n, from: n }}\n  - {{ id: after, from: after }}\n"
    )
}

fn run(files: &[(&str, &str)], runbook: &str) -> Refresh {
    let mut all = vec![("a.txt", "one\n")];
    all.extend(files);
    Sandbox::with(&all).run(runbook, None).0.unwrap()
}

#[test]
fn nested_strict_runbook_fails() {
    let (strict, outer_text) = (inner("in", "strict", false), outer("out", "in", "stop"));
    let top = outer("top", "out", "stop");
    let files = [
        ("runbooks/in.yaml", strict.as_str()),
        ("runbooks/out.yaml", &outer_text),
        ("runbooks/top.yaml", &top),
    ];
    assert_eq!(run(&files, "in").ending, Ending::Stale);
    for name in ["out", "top"] {
        let refreshed = run(&files, name);
        assert_eq!(refreshed.ending, Ending::Stale, "{name}");
        assert_eq!(refreshed.pack.status, PackStatus::Failed, "{name}");
        let sections = &refreshed.pack.sections;
        let reason = sections[0].reason.as_deref().unwrap();
        assert!(
            reason.contains("runbook `in` has the policy `freshness: strict`")
                && reason.contains("`s` is stale"),
            "{reason}"
        );
        assert_eq!(sections[1].status, SectionStatus::Failed, "what follows it");
    }
}

#[test]
fn continue_covers_nested_failure() {
    let (strict, outer) = (inner("in", "strict", false), outer("out", "in", "continue"));
    let files = [
        ("runbooks/in.yaml", strict.as_str()),
        ("runbooks/out.yaml", &outer),
    ];
    let refreshed = run(&files, "out");
    assert_eq!(refreshed.ending, Ending::Done);
    assert_eq!(refreshed.pack.status, PackStatus::Partial);
    assert_eq!(refreshed.pack.sections[0].status, SectionStatus::Failed);
    assert_eq!(refreshed.pack.sections[1].status, SectionStatus::Fresh);
}

#[test]
fn outer_judges_reported_staleness() {
    for (freshness, ending) in [("report", Ending::Done), ("strict", Ending::Stale)] {
        let report = inner("in", "report", false);
        let outer = outer("out", "in", "stop").replace(
            "id: out\n",
            &format!("id: out\npolicy: {{ freshness: {freshness} }}\n"),
        );
        let files = [
            ("runbooks/in.yaml", report.as_str()),
            ("runbooks/out.yaml", &outer),
        ];
        let refreshed = run(&files, "out");
        assert_eq!(refreshed.ending, ending, "{freshness}");
        assert_eq!(refreshed.pack.sections[0].status, SectionStatus::Stale);
    }
}

#[test]
fn nested_strict_valid_passes() {
    let (strict, outer) = (inner("in", "strict", true), outer("out", "in", "stop"));
    let files = [
        ("runbooks/in.yaml", strict.as_str()),
        ("runbooks/out.yaml", &outer),
    ];
    let refreshed = run(&files, "out");
    assert_eq!(refreshed.ending, Ending::Done);
    assert_eq!(refreshed.pack.sections[0].status, SectionStatus::Fresh);
}

#[test]
fn nested_failure_is_reported() {
    let partial = "
schema_version: 1
id: in
steps:
  - { id: lost, uses: read, with: { file: none.txt }, on_failure: continue }
  - { id: some, uses: search, with: { pattern: one, globs: ['*.txt'] } }
outputs:
  - { id: some, from: some }
";
    let outer = outer("out", "in", "stop");
    let files = [("runbooks/in.yaml", partial), ("runbooks/out.yaml", &outer)];
    let refreshed = run(&files, "out");
    assert_eq!(refreshed.ending, Ending::Done);
    let section = &refreshed.pack.sections[0];
    assert_eq!(section.status, SectionStatus::Fresh);
    let reason = section.reason.as_deref().unwrap();
    assert!(
        reason.starts_with("runbook `in`: step `lost` failed"),
        "{reason}"
    );
}

#[test]
fn nested_error_is_a_failure() {
    let broken = inner("in", "strict", true)
        .replace("a.txt", "none.txt")
        .replace(
            "search, with: { pattern: one, globs: ['*.txt'] }",
            "read, with: { file: none.txt }",
        );
    let outer = outer("out", "in", "stop");
    let files = [
        ("runbooks/in.yaml", broken.as_str()),
        ("runbooks/out.yaml", &outer),
    ];
    assert_eq!(run(&files, "out").ending, Ending::Failed);
}

#[test]
fn missing_nested_is_located() {
    let steps: String = (0..120)
        .map(|at| {
            format!(
                "  - {{ id: s{at}, uses: runbook, with: {{ name: none{} }} }}\n",
                at % 60
            )
        })
        .collect();
    let text =
        format!("schema_version: 1\nid: r\nsteps:\n{steps}outputs: [{{ id: s, from: s0 }}]\n");
    let sandbox = Sandbox::with(&[("runbooks/r.yaml", &text)]);
    let error = sandbox.run("r", None).0.unwrap_err();
    let found = error.found().expect("they are missing");
    let missing = found.iter().filter(|one| one.rule == "nested-runbook");
    let told: Vec<String> = missing
        .map(|one| {
            let place = one.place.as_ref().unwrap();
            format!(
                "{} {}",
                place.position().line,
                &place.source.text()[place.range.clone()]
            )
        })
        .collect();
    assert_eq!(told.len(), 100);
    assert_eq!(
        (told[0].as_str(), told[99].as_str()),
        ("4 none0", "103 none39")
    );
}

#[test]
fn nested_inputs_are_checked_first() {
    let inner = "schema_version: 1\nid: in\n\
                 inputs: { file: { type: string, required: true }, k: { type: integer, default: 1 } }\n\
                 steps: [{ id: a, uses: read, with: { file: { $ref: '#/inputs/file' } } }, { id: b, uses: files, with: { limit: { $ref: '#/inputs/k' } } }]\n\
                 outputs: [{ id: a, from: a }, { id: b, from: b }]\n";
    let step = |inputs: &str| {
        format!(
            "schema_version: 1\nid: out\ninputs: {{ s: {{ default: x }} }}\nsteps:\n  - {{ id: n, uses: runbook, with: {{ name: in{inputs} }} }}\noutputs: [{{ id: n, from: n }}]\n"
        )
    };
    let told = |inputs: &str| {
        let outer = step(inputs);
        let files = [("runbooks/in.yaml", inner), ("runbooks/out.yaml", &outer)];
        match Sandbox::with(&files).run("out", None).0 {
            Err(error) if error.found().is_some() => {
                let found = error.found().unwrap();
                let errors = found.iter().filter(|one| one.rule == "nested-inputs");
                let told = errors.map(|one| {
                    let place = one.place.as_ref().unwrap();
                    let text = &place.source.text()[place.range.clone()];
                    let message = one.message.rsplit("do not fit: ").next().unwrap();
                    format!("{text}: {message}")
                });
                told.collect::<Vec<_>>().join("; ")
            }
            Err(error) => panic!("{error}"),
            Ok(_) => String::new(),
        }
    };
    assert_eq!(told(", inputs: { file: a.txt, k: 2 }"), "");
    assert_eq!(told(", inputs: { file: { $ref: '#/inputs/s' } }"), "");
    assert_eq!(told(""), "in: input `file` is required");
    assert_eq!(
        told(", inputs: { fil: a.txt }"),
        "{ fil: a.txt }: input `file` is required; a.txt: there is no input `fil`; did you mean `file`?"
    );
    assert_eq!(
        told(", inputs: { file: a.txt, k: x }"),
        "x: input `k` must be an integer within 2^53, not `x`"
    );
    assert!(
        told(", inputs: { file: a.txt, k: { $ref: '#/inputs/s' } }")
            .ends_with("input `k` must be of type integer, and `#/inputs/s` is of type string")
    );
}
