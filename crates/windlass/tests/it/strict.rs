//! With `freshness: strict`, evidence that's stale or unverified doesn't pass, even if the step
//! with the evidence succeeds.

use windlass::Ending::{self, Done, Stale};
use windlass::engine::{Observer, RunEvent};
use windlass::packs::{PackStatus, SectionStatus};

use crate::support::{Sandbox, VIEW};

/// Hash of the line `one`. [`WRONG`] is the hash of another line.
const RIGHT: &str = "sha256:7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";
const WRONG: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";

/// Makes a runbook with one section for `step`.
fn runbook(id: &str, freshness: &str, step: &str) -> String {
    format!(
        "schema_version: 1\nid: {id}\npolicy: {{ freshness: {freshness} }}\nsteps:\n  - {{ id: s, {step}, on_failure: continue }}\noutputs:\n  - {{ id: s, from: s }}\n"
    )
}

fn pointer(hash: &str) -> String {
    format!("{{ file: a.txt, start_line: 1, end_line: 1, source_hash: '{hash}' }}")
}

/// Returns a list whose second instance has failed. The step itself doesn't read any file, and its
/// outputs are claims.
fn partly(hash: &str) -> String {
    let claim = pointer(hash);
    format!(
        "uses: select, for_each: ['$[*]', 'no path'], with: {{ from: [{claim}], path: {{ $ref: '#/item' }} }}"
    )
}

fn evidence(hash: &str) -> String {
    format!("uses: evidence, with: {{ items: [{}] }}", pointer(hash))
}

struct Silent;

impl Observer for Silent {
    fn event(&self, _: &RunEvent) {}
}

fn replayed(sandbox: &Sandbox) -> Ending {
    let workspace = sandbox.workspace();
    let newest = workspace.runs().records().find_run("last").unwrap();
    workspace
        .runs()
        .replay(&newest, &VIEW, &Silent)
        .unwrap()
        .ending
}

#[test]
fn strict_blocks_stale_evidence() {
    let missing = "uses: read, with: { file: none.txt }".to_owned();
    let some_missing =
        "uses: read, for_each: [a.txt, none.txt], with: { file: { $ref: '#/item' } }".to_owned();
    let unknown = "uses: anchors, with: { ids: [nothing] }".to_owned();
    #[rustfmt::skip]
    let cases = [
        ("it stands", evidence(RIGHT), SectionStatus::Fresh, Done),
        ("it is stale", evidence(WRONG), SectionStatus::Stale, Stale),
        ("it cannot be read", missing, SectionStatus::Failed, Stale),
        ("a part of it cannot be read", some_missing, SectionStatus::Failed, Stale),
        ("a named anchor is not there", unknown, SectionStatus::Unknown, Stale),
        ("a part failed, and what is there is stale", partly(WRONG), SectionStatus::Failed, Stale),
        ("a part failed that was no evidence", partly(RIGHT), SectionStatus::Failed, Done),
        ("it was not asked for", format!("{}, if: '1 > 2'", evidence(WRONG)), SectionStatus::Skipped, Done),
    ];
    for (what, step, status, ending) in cases {
        for (freshness, ending) in [("strict", ending), ("report", Done)] {
            let outer = runbook("out", "report", "uses: runbook, with: { name: in }");
            let above = runbook("above", freshness, "uses: runbook, with: { name: in }");
            let sandbox = Sandbox::with(&[
                ("a.txt", "one\n"),
                ("runbooks/in.yaml", &runbook("in", freshness, &step)),
                ("runbooks/out.yaml", &outer),
                ("runbooks/above.yaml", &above),
            ]);
            let run = |name: &str| sandbox.run(name, None).0.unwrap();
            let refreshed = run("in");
            let section = &refreshed.pack.sections[0];
            assert_eq!(section.status, status, "{what}");
            assert_eq!(refreshed.ending, ending, "{what}, {freshness}");
            assert_eq!(replayed(&sandbox), ending, "{what}, {freshness}, again");
            // If a nested runbook fails, then so does its step. It's up to the outer runbook to
            // carry on.
            let nested = run("out");
            assert_eq!(nested.ending, Done, "{what}, {freshness}, nested");
            let failed = nested.pack.sections[0].status == SectionStatus::Failed;
            assert_eq!(failed, ending == Stale, "{what}, {freshness}, nested");
            // Seen from the outer runbook, we can't tell what has failed.
            let whole = section.status != SectionStatus::Failed || freshness == "report";
            let above = if whole { ending } else { Stale };
            assert_eq!(run("above").ending, above, "{what}, {freshness}, above");
        }
    }
}

#[test]
fn strict_checks_nested_reports() {
    for (what, step, ending) in [
        ("stale", evidence(WRONG), Stale),
        ("failed in part", partly(WRONG), Stale),
        ("fresh", evidence(RIGHT), Done),
    ] {
        let above = runbook("above", "strict", "uses: runbook, with: { name: in }");
        let sandbox = Sandbox::with(&[
            ("a.txt", "one\n"),
            ("runbooks/in.yaml", &runbook("in", "report", &step)),
            ("runbooks/above.yaml", &above),
        ]);
        let refreshed = sandbox.run("above", None).0.unwrap();
        assert_eq!(refreshed.ending, ending, "{what}");
    }
}

#[test]
fn nested_stale_values_are_blocked() {
    let inner = runbook("in", "report", &evidence(WRONG))
        .replace("from: s }", "from: s, select: '$.items[*].file' }");
    let above = runbook("above", "strict", "uses: runbook, with: { name: in }");
    let sandbox = Sandbox::with(&[
        ("a.txt", "one\n"),
        ("runbooks/in.yaml", &inner),
        ("runbooks/above.yaml", &above),
    ]);
    assert_eq!(sandbox.run("above", None).0.unwrap().ending, Stale);
}

#[test]
fn partial_failure_is_reverified() {
    let text = runbook("in", "strict", &partly(RIGHT));
    let sandbox = Sandbox::with(&[("a.txt", "one\n"), ("runbooks/in.yaml", &text)]);
    let refreshed = sandbox.run("in", None).0.unwrap();
    assert_eq!(
        (refreshed.ending, refreshed.pack.status),
        (Done, PackStatus::Partial)
    );
    assert_eq!(replayed(&sandbox), Done);
    sandbox.write("a.txt", "two\n");
    assert_eq!(replayed(&sandbox), Stale);
}
