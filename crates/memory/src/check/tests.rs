//! Tests each rule on a memory that breaks it.

use std::collections::BTreeSet;

use crate::check::missing_patterns;
use crate::draft::Draft;
use crate::testing::Sample;
use crate::{check, fix};

const DECISION: &str = "memory/decisions/settings-store.md";
const LOOP: &str = "memory/open-loops/settings-refactor.md";
const SUMMARY: &str = "memory/summary.md";
const INDEX: &str = "memory/index.md";
const IMPRESSIONS: &str = "memory/impressions.jsonl";
const FEEDBACK: &str = "memory/recall-feedback.jsonl";

fn rules(sample: &Sample) -> BTreeSet<&'static str> {
    check(&sample.memory()).iter().map(|one| one.rule).collect()
}

fn mended(sample: &Sample) -> Sample {
    let memory = sample.memory();
    let mut draft = Draft::new(&memory);
    let fixes = fix(&memory, &mut draft);
    let changes = draft.changes().unwrap();
    assert_eq!(fixes.is_empty(), changes.is_empty(), "{fixes:?}");
    let mut sample = sample.clone();
    for change in changes {
        sample.0.insert(change.path.to_string(), change.text);
    }
    sample
}

#[test]
fn sample_has_no_findings() {
    let sample = Sample::new();
    assert_eq!(
        rules(&sample),
        BTreeSet::new(),
        "{}",
        check(&sample.memory())
    );
    assert_eq!(mended(&sample).0, sample.0);
}

/// The cases: a file, a text in it and what to replace it with, the rules that we expect, and true
/// if `--fix` resolves the problem.
const CASES: &[(&str, &str, &str, &[&str], bool)] = &[
    (
        DECISION,
        "id: settings-store\n",
        "",
        &["missing-field"],
        false,
    ),
    (
        DECISION,
        "status: active",
        "status:",
        &["empty-field"],
        false,
    ),
    (
        DECISION,
        "status: active",
        "status: actve",
        &["invalid-status"],
        false,
    ),
    (
        DECISION,
        "scope: project:demo",
        "scope: everywhere",
        &["invalid-scope", "route-scope"],
        false,
    ),
    (
        DECISION,
        "scope: project:demo",
        "scope: project:other",
        &["mixed-scopes", "route-scope"],
        false,
    ),
    (
        DECISION,
        "updated: 2026-02-01",
        "updated: last week",
        &["invalid-date"],
        false,
    ),
    (
        DECISION,
        "date: 2026-02-01\n",
        "",
        &["missing-section"],
        false,
    ),
    (
        DECISION,
        "## Rationale\n",
        "## Why\n",
        &["missing-section"],
        false,
    ),
    (
        DECISION,
        "Two writers lost each other's edits when both synced.\n",
        "",
        &["empty-section"],
        false,
    ),
    (
        DECISION,
        "title: One store",
        "title: Note: One store",
        &["frontmatter-syntax"],
        false,
    ),
    (
        DECISION,
        "---\n\n# One",
        "\n# One",
        &["missing-frontmatter"],
        false,
    ),
    (
        DECISION,
        "",
        "\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n",
        &["conflict-marker"],
        false,
    ),
    (
        DECISION,
        "## Rationale\n",
        "## 1. Decision\n\nx\n\n## Rationale\n",
        &["duplicate-section"],
        false,
    ),
    (
        DECISION,
        "## Decision\n",
        "## Decision (first)\n\nx\n\n## Decision (accepted)\n",
        &["duplicate-section"],
        false,
    ),
    (DECISION, "", "[x](../gone.md)\n", &["broken-link"], false),
    (
        DECISION,
        "",
        "[x](../../../x.md)\n",
        &["link-outside"],
        false,
    ),
    (
        DECISION,
        "",
        "[x](../private/x.md)\n",
        &["link-private"],
        false,
    ),
    (
        DECISION,
        "",
        "Ask jane.doe@bigcorp.com\n",
        &["personal-data"],
        false,
    ),
    (
        DECISION,
        "",
        "User: please do it\nAssistant: I did it.\nUser: thanks\n",
        &["transcript"],
        false,
    ),
    (
        DECISION,
        "",
        "aws_secret_access_key = \"wJalrXUtnFEMIK7MDENGbPxRfiCYzzQ9v2LkTq8A\"\n",
        &["secret"],
        false,
    ),
    (
        LOOP,
        "id: settings-refactor",
        "id: settings-store",
        &["duplicate-record-id"],
        false,
    ),
    (LOOP, "owner: ui team\n", "", &["missing-section"], false),
    (
        SUMMARY,
        "status: active",
        "status: archived",
        &["inactive-summary"],
        false,
    ),
    (
        SUMMARY,
        "- [One store owns the settings](decisions/settings-store.md)\n",
        "None.\n",
        &["summary-link"],
        true,
    ),
    (
        INDEX,
        "- [One store owns the settings](decisions/settings-store.md)\n",
        "None.\n",
        &["index-link"],
        true,
    ),
    (
        INDEX,
        "- [Summary](summary.md)\n",
        "Here.\n",
        &["index-link"],
        true,
    ),
    (
        INDEX,
        "## Active open loops\n",
        "## Loops\n",
        &["missing-section"],
        false,
    ),
    (
        IMPRESSIONS,
        "",
        "{\"id\":\"x\"",
        &["impression-syntax"],
        false,
    ),
    (
        IMPRESSIONS,
        "\"title\":\"One store owns the settings\",",
        "",
        &["impression-field"],
        false,
    ),
    (
        IMPRESSIONS,
        "\"schema_version\":1,",
        "",
        &["missing-schema-version"],
        true,
    ),
    (
        IMPRESSIONS,
        "\"schema_version\":1",
        "\"schema_version\":2",
        &["schema-version"],
        false,
    ),
    (
        IMPRESSIONS,
        "\"settings\",\"store\",\"sync\",\"writer\"",
        "\"settings\",\"Settings\",\"store\",\"sync\"",
        &["repeated-keyword"],
        true,
    ),
    (
        IMPRESSIONS,
        "\"settings\",\"store\",\"sync\",\"writer\"",
        "\"settings\"",
        &["few-keywords"],
        false,
    ),
    (
        IMPRESSIONS,
        "\"settings\",\"store\",\"sync\",\"writer\"",
        "\"data\",\"file\",\"work\"",
        &["generic-keywords"],
        false,
    ),
    (
        IMPRESSIONS,
        "\"settings\",\"store\",\"sync\",\"writer\"",
        "\"settings\",\"refactor\",\"dialog\"",
        &["same-keywords"],
        false,
    ),
    (
        IMPRESSIONS,
        "\"weight\":0.6",
        "\"weight\":6",
        &["impression-weight"],
        false,
    ),
    (
        IMPRESSIONS,
        "\"updated\":\"2026-02-01\"",
        "\"updated\":\"2026\"",
        &["invalid-date"],
        false,
    ),
    (
        IMPRESSIONS,
        "\"id\":\"settings-refactor\"",
        "\"id\":\"settings-store\"",
        &["duplicate-impression-id"],
        false,
    ),
    (
        IMPRESSIONS,
        "memory/decisions/settings-store.md",
        "memory/decisions/store.md",
        &["route-missing", "unrouted-record"],
        true,
    ),
    (
        IMPRESSIONS,
        "memory/decisions/settings-store.md",
        "../x/settings-store.md",
        &["route-outside", "unrouted-record"],
        false,
    ),
    (
        IMPRESSIONS,
        "memory/decisions/settings-store.md",
        "/etc/passwd",
        &["route-outside", "unrouted-record"],
        false,
    ),
    (
        IMPRESSIONS,
        "memory/decisions/settings-store.md",
        "memory/private/x.md",
        &["route-private", "unrouted-record"],
        false,
    ),
    (
        IMPRESSIONS,
        "\"weight\":0.6",
        "\"status\":\"superseded\"",
        &["missing-successor", "inactive-impression"],
        false,
    ),
    (
        IMPRESSIONS,
        "\"weight\":0.6",
        "\"status\":\"archived\"",
        &["inactive-impression"],
        true,
    ),
    (
        IMPRESSIONS,
        "\"weight\":0.6",
        "\"status\":\"superseded\",\"superseded_by\":\"settings-store\"",
        &["inactive-impression"],
        true,
    ),
    (
        INDEX,
        "## Current project scope\n\n`project:demo`\n\n",
        "",
        &["missing-section"],
        false,
    ),
    (
        INDEX,
        "- [One store owns the settings](decisions/settings-store.md)\n",
        "<!-- memory/decisions/settings-store.md -->\n",
        &["index-link"],
        true,
    ),
    (
        FEEDBACK,
        "",
        "{\"schema_version\":1,\"query\":\"settings\",\"outcome\":\"missed\",\"created\":\"2026-02-01\",\"matched_id\":7}\n",
        &["feedback-field"],
        false,
    ),
    (
        FEEDBACK,
        "",
        "{\"schema_version\":1,\"query\":\"settings\",\"outcome\":\"missed\",\"created\":\"2026-02-01\",\"note\":[]}\n",
        &["feedback-field"],
        false,
    ),
    (
        IMPRESSIONS,
        "\"weight\":0.6",
        "\"superseded_by\":\"settings-store\"",
        &["superseded-but-active"],
        true,
    ),
    (
        IMPRESSIONS,
        "\"weight\":0.6",
        "\"status\":\"superseded\",\"superseded_by\":\"x\"",
        &["unknown-successor", "inactive-impression"],
        false,
    ),
    (
        IMPRESSIONS,
        "\"weight\":0.6",
        "\"status\":\"superseded\",\"superseded_by\":\"settings-refactor\"",
        &["supersession-cycle"],
        false,
    ),
    (
        LOOP,
        "status: active",
        "status: archived",
        &["active-impression", "outdated-link"],
        true,
    ),
    (
        LOOP,
        "status: active",
        "status: superseded",
        &["missing-successor", "active-impression", "outdated-link"],
        false,
    ),
    (
        LOOP,
        "owner: ui team\n",
        "owner: ui team\nsuperseded_by: settings-store\n",
        &["superseded-but-active", "missing-supersedes"],
        true,
    ),
    (
        LOOP,
        "owner: ui team\n",
        "owner: ui team\nsupersedes: settings-store\n",
        &["missing-superseded-by"],
        true,
    ),
    (
        LOOP,
        "owner: ui team\n",
        "owner: ui team\nsuperseded_by: gone\n",
        &["unknown-successor"],
        false,
    ),
    (
        FEEDBACK,
        "",
        "{\"schema_version\":1,\"query\":\"settings\",\"outcome\":\"good\",\"created\":\"2026-02-01\"}\n",
        &["feedback-outcome"],
        false,
    ),
    (
        FEEDBACK,
        "",
        "{\"schema_version\":1,\"query\":\" \",\"outcome\":\"missed\",\"created\":\"2026-02-01\"}\n",
        &["feedback-field"],
        false,
    ),
    (
        FEEDBACK,
        "",
        "{\"schema_version\":1,\"query\":\"settings\",\"outcome\":\"missed\",\"created\":\"2026-02-01\",\"matched_id\":\"x\"}\n",
        &["unmatched-feedback"],
        false,
    ),
    (FEEDBACK, "", "nonsense\n", &["feedback-syntax"], false),
    (
        FEEDBACK,
        "",
        "{\"schema_version\":1,\"query\":\"a\",\"query\":\"settings\",\"outcome\":\"missed\",\"created\":\"2026-02-01\"}\n",
        &["feedback-syntax"],
        false,
    ),
    (
        FEEDBACK,
        "",
        "{\"schema_version\":1,\"query\":\"settings\",\"outcome\":\"missed\"}\n",
        &["feedback-field"],
        false,
    ),
    (
        FEEDBACK,
        "",
        "{\"schema_version\":1,\"query\":\"settings\",\"outcome\":\"missed\",\"created\":\"soon\"}\n",
        &["invalid-date"],
        false,
    ),
    (
        FEEDBACK,
        "",
        "{\"query\":\"settings\",\"outcome\":\"missed\",\"created\":\"2026-02-01\"}\n",
        &["missing-schema-version"],
        true,
    ),
    (
        FEEDBACK,
        "",
        "{\"schema_version\":1,\"query\":\"settings\",\"created\":\"2026-02-01\"}\n",
        &["feedback-outcome"],
        false,
    ),
];

#[test]
fn feedback_missing_field_errors() {
    for field in ["schema_version", "query", "outcome", "created"] {
        let mut line = serde_json::json!({
            "schema_version": 1, "query": "settings", "outcome": "missed", "created": "2026-02-01",
        });
        line.as_object_mut().unwrap().remove(field);
        let sample = Sample::new().with(FEEDBACK, "", &format!("{line}\n"));
        assert!(check(&sample.memory()).has_errors(), "{field}");
    }
}

#[test]
fn rules_report_and_fix_breakage() {
    for (path, old, new, wanted, is_mended) in CASES {
        let sample = Sample::new().with(path, old, new);
        let found = check(&sample.memory());
        let rules = rules(&sample);
        for rule in *wanted {
            let is_there = rules.iter().any(|one| one.starts_with(rule));
            assert!(
                is_there,
                "{path}: {old:?} -> {new:?}: {rule} is missing in {found}"
            );
        }
        for one in found.iter() {
            let place = one
                .place
                .as_ref()
                .unwrap_or_else(|| panic!("{} has no place", one.rule));
            assert!(
                place.range.end <= place.source.text().len() && one.help.is_some(),
                "{}",
                one.rule
            );
        }
        let unexpected: Vec<_> = rules
            .iter()
            .filter(|rule| !wanted.iter().any(|one| rule.starts_with(one)))
            .collect();
        assert!(
            unexpected.is_empty(),
            "{path}: {old:?} -> {new:?}: {unexpected:?} in {found}"
        );
        let after = self::rules(&mended(&sample));
        let left = wanted
            .iter()
            .any(|rule| after.iter().any(|one| one.starts_with(rule)));
        assert_eq!(
            left, !is_mended,
            "{path}: {old:?} -> {new:?}: after --fix {after:?}"
        );
    }
}

#[test]
fn secret_value_never_shown() {
    let value = "wJalrXUtnFEMIK7MDENGbPxRfiCYzzQ9v2LkTq8A";
    let line = format!("aws_secret_access_key = \"{value}\"\n");
    let found = check(&Sample::new().with(DECISION, "", &line).memory());
    let told = serde_json::to_string(&found.iter().collect::<Vec<_>>()).unwrap();
    assert!(
        told.contains("\"secret\"") && !told.contains(value),
        "{told}"
    );
}

#[test]
fn missing_memory_reported() {
    let found = check(&crate::Memory::default());
    assert_eq!(found.iter().next().unwrap().rule, "not-initialized");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]
    #[test]
    fn changed_bytes_never_panic(
        file in 0usize..6, at in 0usize..2000, new in "[\\PC\n]{0,6}", cut in 0usize..40,
    ) {
        let mut sample = Sample::new();
        let path = sample.0.keys().nth(file).unwrap().clone();
        let text = sample.0.get_mut(&path).unwrap();
        let chars: Vec<char> = text.chars().collect();
        let at = at.min(chars.len());
        let rest = chars[(at + cut).min(chars.len())..].iter();
        *text = chars[..at].iter().chain(new.chars().collect::<Vec<_>>().iter()).chain(rest).collect();
        let _ = check(&sample.memory());
        let once = mended(&sample);
        // There must be nothing left to fix.
        proptest::prop_assert_eq!(mended(&once).0, once.0);
    }
}

/// If the help for a finding promises that `--fix` resolves it, then it must.
#[test]
fn promised_fix_is_applied() {
    let store = "memory/decisions/settings-store.md";
    let lines = "memory/impressions.jsonl";
    let refactor = "memory/open-loops/settings-refactor.md";
    let front = |id: &str, day: &str| {
        format!("---\nid: {id}\ntitle: {id}\nstatus: active\nscope: project:demo\n{day}---\n\nx\n")
    };
    let samples = [
        (
            "superseded-but-active",
            Sample::new().with(
                store,
                "status: active",
                "status: active\nsuperseded_by: settings-refactor",
            ),
        ),
        (
            "missing-superseded-by",
            Sample::new().with(
                store,
                "status: active",
                "status: active\nsupersedes: settings-refactor",
            ),
        ),
        (
            "inactive-impression",
            Sample::new().with(
                lines,
                "\"weight\":0.6",
                "\"status\":\"superseded\",\"superseded_by\":\"settings-store\"",
            ),
        ),
        (
            "active-impression",
            Sample::new().with(refactor, "status: active", "status: archived"),
        ),
        (
            "unrouted-record",
            Sample::new().with(
                "memory/context/it.md",
                "",
                &front("it", "updated: 2026-01-01\n"),
            ),
        ),
        (
            "unrouted-record",
            Sample::new().with(
                "memory/context/it.md",
                "",
                &front("it", "updated: soon\ndate: 2026-01-01\n"),
            ),
        ),
        (
            "repeated-keyword",
            Sample::new().with(
                lines,
                "\"settings\",\"refactor\"",
                "\"settings\",\"Settings \",\"refactor\"",
            ),
        ),
        (
            "missing-schema-version",
            Sample::new().with(lines, "\"schema_version\":1,", ""),
        ),
    ];
    for (rule, sample) in samples {
        let rules = |sample: &Sample| -> Vec<&'static str> {
            check(&sample.memory()).iter().map(|one| one.rule).collect()
        };
        assert!(rules(&sample).contains(&rule), "{rule}");
        let mut sample = sample;
        // Fixing one problem may reveal another one, so repeat this a few times.
        for _ in 0..4 {
            let memory = sample.memory();
            let mut draft = Draft::new(&memory);
            if fix(&memory, &mut draft).is_empty() {
                break;
            }
            for change in draft.changes().unwrap() {
                sample.0.insert(change.path.to_string(), change.text);
            }
        }
        let left: Vec<&str> = rules(&sample)
            .into_iter()
            .filter(|left| !matches!(*left, "invalid-date" | "few-keywords"))
            .collect();
        assert_eq!(left, [""; 0], "{rule}");
    }
}

#[test]
fn private_files_any_pattern_covers() {
    for (ignore, lacks) in [
        (
            "memory/private/**\n/memory/local\nraw/\n**/transcripts/\n*.secret.*\n",
            0,
        ),
        (
            "memory/private/\nmemory/local/\nmemory/raw/\nmemory/transcripts/\n",
            1,
        ),
        (
            "memory/private/\n!memory/private/\nmemory/local/\nmemory/raw/\nmemory/transcripts/\n*.secret.*",
            1,
        ),
        ("# nothing\n", 5),
    ] {
        let mut memory = Sample::new().memory();
        memory.files.ignore = Some(windlass_base::Source::new(".gitignore", ignore));
        assert_eq!(missing_patterns(&memory).len(), lacks, "{ignore}");
    }
}

#[test]
fn inner_ignore_files_apply() {
    let lacking = |inner: &[(&str, &str)]| {
        let mut memory = Sample::new().memory();
        memory.files.ignore = Some(windlass_base::Source::new(".gitignore", "memory/raw/\n"));
        for (folder, text) in inner {
            let folder = windlass_base::RepoPath::parse(folder).unwrap();
            let source = windlass_base::Source::new(format!("{folder}/.gitignore"), *text);
            memory.files.inner_ignores.insert(folder, source);
        }
        missing_patterns(&memory)
    };
    let all = "private/\n/local/\ntranscripts/\n*.secret.*\n";
    assert_eq!(lacking(&[("memory", all)]), [""; 0]);
    let one = lacking(&[("memory/private", "*\n!.gitignore\n")]);
    assert_eq!(
        one,
        [
            "memory/local/",
            "memory/transcripts/",
            "memory/**/*.secret.*"
        ]
    );
    // As in git, the deepest ignore file takes precedence.
    let back = [("memory", all), ("memory/private", "!*\n")];
    assert_eq!(lacking(&back), ["memory/private/"]);
}

#[test]
fn ignored_parent_hides_private_file() {
    for (ignore, is_exposed) in [
        ("memory/\n", false),
        ("memory/raw/\n", false),
        ("raw\n", false),
        ("memory/private/\n", true),
    ] {
        let mut memory = Sample::new().memory();
        memory.files.ignore = Some(windlass_base::Source::new(".gitignore", ignore));
        memory.files.exposed = vec![windlass_base::RepoPath::parse("memory/raw/t.md").unwrap()];
        let told = check(&memory);
        let is_told = told.iter().any(|one| one.rule == "exposed-private-file");
        assert_eq!(is_told, is_exposed, "{ignore}");
    }
}

#[test]
fn transcript_and_output_detected() {
    for (text, rule) in [
        (
            "**User:** fix it\n\n**Assistant:** done\n\n**User:** thanks\n",
            "transcript",
        ),
        (
            "> user: fix it\n> assistant: done\n> user: thanks\n",
            "transcript",
        ),
        (
            "{\"role\":\"user\",\"content\":\"fix it\"}\n{\"role\":\"assistant\",\"content\":\"done\"}\n",
            "transcript",
        ),
        (
            "panic: x\n\ngoroutine 1 [running]:\nmain.main()\n",
            "raw-output",
        ),
        (
            "IllegalStateException: no\n\tat java.base/java.lang.A.b(A.java:12) ~[a.jar:1.0]\n",
            "raw-output",
        ),
        (
            "Unhandled exception:\n   at Shop.Cart.Add(String item) in /src/Cart.cs:line 12\n",
            "raw-output",
        ),
        (
            "thread 'main' (4711) panicked at src/main.rs:2:5:\n",
            "raw-output",
        ),
        (
            "TypeError: x\n    at foo (/a/b.js:1:2)\n    at async bar (file:///a/b.mjs:3:4)\n    at /a/b.js:3:4",
            "raw-output",
        ),
    ] {
        let sample = Sample::new().with(DECISION, "", &format!("\n{text}"));
        assert_eq!(rules(&sample), BTreeSet::from([rule]), "{text}");
    }
    for text in [
        "### Users\n\nThey ask.\n\n### User\n\nOne of them.\n",
        "### Assistant\n\nIt answers the user.\n",
        "**User:** somebody who has an account.\n\n**Tenant:** whom users belong to.\n",
        "**System:** Debian 12 with much memory runs the builds.\n",
        "```\n{\"name\":\"bob\",\"role\":\"user\",\"content\":\"a\"}\n{\"name\":\"eve\",\"role\":\"system\"}\n```\n",
        "A message is `{\"role\": \"user\", \"content\": \"hi\"}` there.\n",
        "```json\n[\n  {\"role\": \"system\", \"content\": \"be short\"},\n  {\"role\": \"user\", \"content\": \"hi\"}\n]\n```\n",
        "```json\n{\"role\": \"user\", \"content\": \"hi\"}\n```\n",
        "It was lost\n    at send (src/mail.js:3:4)\nonce, and each goroutine has its own stack.\n",
        "We look\n  at 10:30:00\n  at 11:30\n",
        "- The parser fails when it looks\n  at parse(input) and at nothing else.\n- It ends\n  at parse(input)\n",
        "```yaml\nuser: postgres\nhost: db\n```\n",
        "### User\n\nBuys.\n\n### Assistant\n\nHelps a user.\n",
        "The panic says `goroutine 1 [running]`.\n",
    ] {
        let sample = Sample::new().with(DECISION, "", &format!("\n{text}"));
        assert_eq!(rules(&sample), BTreeSet::new(), "{text}");
    }
}

#[test]
fn ignored_file_and_open_code_found() {
    let mut memory = Sample::new()
        .with(
            "memory/decisions/settings-store.md",
            "## Rationale",
            "```\n\n## Rationale",
        )
        .memory();
    memory.files.ignored =
        vec![windlass_base::RepoPath::parse("memory/decisions/gone.md").unwrap()];
    let rules: Vec<&str> = check(&memory).iter().map(|one| one.rule).collect();
    assert!(
        rules.contains(&"memory-ignored") && rules.contains(&"open-code"),
        "{rules:?}"
    );
}

#[test]
fn cycle_is_not_fixed() {
    let says = |sample: Sample, path: &str, field: &str, name: &str| {
        let says = format!("status: active\n{field}: {name}");
        sample.with(path, "status: active", &says)
    };
    for (field, still_active) in [("superseded_by", 2), ("supersedes", 1)] {
        let sample = says(Sample::new(), DECISION, field, "settings-refactor");
        let mut sample = says(sample, LOOP, field, "settings-store");
        for _ in 0..4 {
            sample = mended(&sample);
        }
        let paths = [DECISION, LOOP];
        let active = paths
            .iter()
            .filter(|path| sample.0[**path].contains("status: active"));
        assert_eq!(active.count(), still_active, "{field}");
        // Now both records are superseded, and we can't tell which one should be active.
        let told = rules(&sample).contains("supersession-cycle");
        assert_eq!(told, field == "superseded_by", "{field}");
    }
}

#[test]
fn fake_conflict_marks_are_syntax() {
    let broken = "=======\n<<<<<<<HEAD {\"id\":\"x\"\n======= {\"id\":\"lost\"}\n";
    let sample = Sample::new().with(IMPRESSIONS, "", broken);
    let found = check(&sample.memory());
    let told = found.iter().filter(|one| one.rule == "impression-syntax");
    assert_eq!(told.count(), 3, "{found}");
    // These are actual conflict markers. They must only be reported once, as an unfinished merge.
    let merge = "<<<<<<< HEAD\n=======\n>>>>>>> other\n";
    let sample = Sample::new().with(IMPRESSIONS, "", merge);
    assert_eq!(rules(&sample), BTreeSet::from(["conflict-marker"]));
}

#[test]
fn line_after_bom_is_fixed() {
    let sample = Sample::new().with(IMPRESSIONS, "{\"schema_version\":1,", "\u{feff}{");
    let mended = mended(&sample);
    assert_eq!(rules(&mended), BTreeSet::new());
    assert!(mended.0[IMPRESSIONS].starts_with("\u{feff}{"));
}

#[test]
fn moved_record_keeps_impression() {
    let mut sample = Sample::new();
    let text = sample.0.remove(DECISION).unwrap();
    let text = text.replace(
        "## Rationale\n",
        "## Rationale\n\nNot said yet.\n\n## Aside\n",
    );
    let moved = "memory/decisions/ui/settings-store.md";
    sample.0.insert(moved.to_owned(), text);
    let after = mended(&sample);
    let lines: Vec<&str> = after.0[IMPRESSIONS].lines().collect();
    let before = sample.0[IMPRESSIONS].lines().count();
    assert_eq!(lines.len(), before, "{lines:?}");
    assert!(lines[0].contains(moved), "{lines:?}");
    // Without an impression, the keywords come from the text of the record.
    let line = sample.0[IMPRESSIONS].lines().next().unwrap().to_owned() + "\n";
    let after = mended(&sample.with(IMPRESSIONS, &line, ""));
    let line = after.0[IMPRESSIONS]
        .lines()
        .find(|line| line.contains(moved))
        .unwrap();
    assert!(
        !line.contains("\"said\"") && !line.contains("\"yet\""),
        "{line}"
    );
}

#[test]
fn references_follow_moved_record() {
    let old = "memory/decisions/settings-store.md";
    let mut sample = Sample::new();
    let newer = "---\nid: cloud\ntitle: Cloud\nstatus: active\nscope: project:demo\nupdated: 2026-03-01\nsupersedes:\n  - memory/decisions/settings-store.md\n---\n\n## Decision\n\nSee [what was][1] and [there](settings-store.md#rationale).\n\n[1]: ./settings-store.md\n\n## Date\n\nx\n\n## Rationale\n\nx\n\n## Consequences\n\nx\n\n## Related\n\nx\n";
    sample = sample
        .with("memory/decisions/cloud.md", "", newer)
        .with(old, "status: active", "status: superseded\nsuperseded_by: cloud")
        .with(
            "memory/index.md",
            "- [One store owns the settings](decisions/settings-store.md)\n",
            "- [Cloud](decisions/cloud.md)\n",
        )
        .with(
            "memory/index.md",
            "None.\n",
            "- [One store owns the settings](decisions/settings-store.md \"it\"), superseded by [Cloud](decisions/cloud.md): for the record\n",
        );
    // The result has to be the same as if the record had never been moved.
    let mut moved = mended(&mended(&sample));
    let text = moved.0.remove(old).unwrap();
    let now = "memory/decisions/ui/settings-store.md";
    moved.0.insert(now.to_owned(), text);
    assert!(rules(&moved).contains("broken-link"));
    let after = mended(&moved);
    assert_eq!(rules(&after), BTreeSet::new());
    assert_eq!(mended(&after).0, after.0);
    let index = &after.0["memory/index.md"];
    let entry = "- [One store owns the settings](decisions/ui/settings-store.md \"it\"), superseded by [Cloud](decisions/cloud.md): for the record\n";
    assert!(index.contains(entry), "{index}");
    let cloud = &after.0["memory/decisions/cloud.md"];
    for said in [
        "- memory/decisions/ui/settings-store.md\n",
        "[there](ui/settings-store.md#rationale)",
        "[1]: ui/settings-store.md\n",
    ] {
        assert!(cloud.contains(said), "{cloud}");
    }
    assert!(after.0[now].contains("](../../open-loops/settings-refactor.md)"));
}

#[test]
fn index_separates_active_inactive() {
    let link = "- [One store owns the settings](decisions/settings-store.md)";
    // The index only lists the record as inactive.
    let sample = Sample::new().with(INDEX, link, "None.").with(
        INDEX,
        "## Superseded or archived records\n\nNone.",
        &format!("## Superseded or archived records\n\n{link}"),
    );
    let told = rules(&sample);
    assert_eq!(told, BTreeSet::from(["index-link", "outdated-link"]));
    assert_eq!(rules(&mended(&sample)), BTreeSet::from(["outdated-link"]));
    // The index doesn't list the record at all, although it's inactive.
    let sample = Sample::new()
        .with(DECISION, "status: active", "status: archived")
        .with(INDEX, link, "None.")
        .with(
            IMPRESSIONS,
            "\"updated\":\"2026-02-01\"",
            "\"updated\":\"2026-02-01\",\"status\":\"archived\"",
        );
    let told = rules(&sample);
    assert_eq!(told, BTreeSet::from(["outdated-link", "unlisted-record"]));
    assert_eq!(rules(&mended(&sample)), BTreeSet::new());
}

#[test]
fn conflicting_successor_reported() {
    let record = |id: &str, rest: &str| {
        format!(
            "---\nid: {id}\ntitle: {id}\nstatus: {rest}\nscope: project:demo\nupdated: 2026-02-01\n---\n\nx\n"
        )
    };
    let line = |id: &str, rest: &str| {
        format!(
            "{{\"schema_version\":1,\"id\":\"{id}\",\"scope\":\"project:demo\",\"title\":\"{id}\",\"keywords\":[\"{id}1\",\"{id}2\",\"{id}3\"],\"record_path\":\"memory/context/{id}.md\",\"updated\":\"2026-02-01\"{rest}}}\n"
        )
    };
    let told = |by: &str| {
        let old = format!(",\"status\":\"superseded\",\"superseded_by\":\"{by}\"");
        let sample = Sample::new()
            .with(
                "memory/context/a.md",
                "",
                &record("a", "superseded\nsuperseded_by: b"),
            )
            .with(
                "memory/context/b.md",
                "",
                &record("b", "active\nsupersedes: a"),
            )
            .with("memory/context/c.md", "", &record("c", "active"))
            .with(IMPRESSIONS, "", &line("a", &old))
            .with(IMPRESSIONS, "", &line("b", ""))
            .with(IMPRESSIONS, "", &line("c", ""));
        rules(&sample)
    };
    assert_eq!(told("b"), BTreeSet::new());
    assert_eq!(told("c"), BTreeSet::from(["other-successor"]));
}

#[test]
fn closed_folder_blocks_fixes() {
    let mut sample = Sample::new();
    sample.0.remove(DECISION);
    let mut memory = sample.memory();
    let (folder, path) = ("memory/decisions", DECISION);
    let path = windlass_base::RepoPath::parse(path).unwrap();
    memory.files.closed = vec![windlass_base::RepoPath::parse(folder).unwrap()];
    assert!(memory.files.is_closed(&path));
    memory.files.outside.insert(path, true);
    let told: Vec<_> = check(&memory).iter().map(|one| one.rule).collect();
    assert_eq!(told, ["unreadable-folder"]);
    let mut draft = Draft::new(&memory);
    assert_eq!(fix(&memory, &mut draft), []);
    let other = windlass_base::RepoPath::parse("memory/decisions-old/x.md").unwrap();
    assert!(!memory.files.is_closed(&other));
}

#[test]
fn file_behind_symlink_not_missing() {
    let mut sample = Sample::new();
    sample.0.remove(DECISION);
    for odd in ["memory/decisions", DECISION] {
        let mut memory = sample.memory();
        let path = windlass_base::RepoPath::parse(DECISION).unwrap();
        let odd = windlass_base::RepoPath::parse(odd).unwrap();
        memory.files.odd.insert(odd, "a link");
        assert!(memory.files.is_closed(&path));
        memory.files.outside.insert(path, true);
        let told: Vec<_> = check(&memory).iter().map(|one| one.rule).collect();
        assert_eq!(told, ["no-file"]);
        let mut draft = Draft::new(&memory);
        assert_eq!(fix(&memory, &mut draft), []);
        assert!(draft.changes().unwrap().is_empty());
    }
}

#[test]
fn impression_gets_record_successor() {
    let newer = "---\nid: cloud\ntitle: Cloud\nstatus: active\nscope: project:demo\nsupersedes: settings-store\n---\nx\n";
    let sample = Sample::new()
        .with("memory/decisions/cloud.md", "", newer)
        .with(DECISION, "status: active", "status: superseded\nsuperseded_by: cloud")
        .with(IMPRESSIONS, "\"updated\":\"2026-02-01\"", "\"updated\":\"2026-02-01\",\"status\":\"superseded\"")
        .with(IMPRESSIONS, "", "{\"schema_version\":1,\"id\":\"c\",\"scope\":\"project:demo\",\"title\":\"Cloud\",\"keywords\":[\"cloud\",\"store\",\"remote\"],\"record_path\":\"memory/decisions/cloud.md\",\"updated\":\"2026-02-01\"}\n");
    assert!(rules(&sample).contains("missing-successor"));
    let memory = sample.memory();
    let mut draft = Draft::new(&memory);
    let fixes = fix(&memory, &mut draft);
    assert!(
        fixes.iter().any(|one| one.rule == "missing-successor"),
        "{fixes:?}"
    );
    let changes = draft.changes().unwrap();
    let mut texts = changes.iter().map(|change| change.text.as_str());
    assert!(texts.any(|text| text.contains("\"superseded_by\":\"c\"")));
    // This successor would close a cycle, so it's ignored.
    let back = sample.with(
        IMPRESSIONS,
        "\"id\":\"c\"",
        "\"id\":\"c\",\"superseded_by\":\"settings-store\"",
    );
    let memory = back.memory();
    let mut draft = Draft::new(&memory);
    let fixes = fix(&memory, &mut draft);
    assert!(
        fixes.iter().all(|one| one.rule != "missing-successor"),
        "{fixes:?}"
    );
}

#[test]
fn secret_file_name_is_hidden() {
    let value = ["gh", "p_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"].concat();
    let mut memory = Sample::new().memory();
    let path = windlass_base::RepoPath::parse(&format!("memory/decisions/{value}.md")).unwrap();
    memory.files.unnamed = vec![path];
    let found = check(&memory);
    let told = serde_json::to_string(&found.iter().collect::<Vec<_>>()).unwrap();
    assert!(
        told.contains("\"secret\"") && !told.contains(&value),
        "{told}"
    );
}

#[test]
fn event_short_with_few_keywords() {
    let head =
        "---\nid: e\ntitle: e\nstatus: active\nscope: project:demo\nupdated: 2026-02-01\n---\n\n";
    let line = "{\"schema_version\":1,\"id\":\"e\",\"scope\":\"project:demo\",\"title\":\"e\",\"keywords\":[\"e1\"],\"record_path\":\"memory/events/2026-02.md\",\"updated\":\"2026-02-01\"}\n";
    let short = Sample::new()
        .with("memory/events/2026-02.md", "", &format!("{head}- short\n"))
        .with(IMPRESSIONS, "", line);
    assert_eq!(rules(&short), BTreeSet::new());
    let long = format!("- {}\n", "word ".repeat(300));
    let long = short.with("memory/events/2026-02.md", "", &long);
    assert_eq!(rules(&long), BTreeSet::from(["long-event"]));
}
