//! Nothing is shown as true that was not verified.

use serde_json::{Value, json};
use windlass_base::{
    Entry, Evidence, Freshness, Judgement, Redacted, Repair, RepairOutcome, ResponseMode,
    SourceHash,
};
use windlass_pack::{Format, TextPolicy, ViewOptions};

use crate::support::{FORMATS, MODES, Sandbox, item, options, pack, place};

fn sandbox() -> Sandbox {
    Sandbox::with([
        ("a.rs", "zero\nneedle one\nneedle two\nlast\n"),
        ("copy.rs", "needle one\nneedle two\n"),
        (".env", "needle=1\n"),
    ])
}

/// `evidence` as a step claims it, after it was judged.
fn judged(sandbox: &Sandbox, evidence: Evidence) -> Evidence {
    let Some(Entry::Item(mut item)) = sandbox.judged(vec![item("x", vec![evidence])]).pop() else {
        panic!("not an item");
    };
    item.evidence.remove(0)
}

fn claim(evidence: Evidence, outcome: RepairOutcome, new: Option<Evidence>) -> Evidence {
    let repair = Repair {
        outcome,
        evidence: new.map(|new| new.pointer),
        method: None,
        confidence: 255,
        candidates: vec![place("a.rs", 1, 1).pointer; 9],
    };
    Evidence {
        judgement: Judgement {
            repair: Some(repair),
            ..Judgement::new(Freshness::Fresh, Some("believe me".to_owned()))
        },
        ..evidence
    }
}

#[test]
fn no_claim_of_a_step_is_taken_over() {
    let sandbox = sandbox();
    let (hash, other) = (sandbox.fresh("a.rs", 2, 3), sandbox.fresh("a.rs", 1, 1));
    let at = |mut evidence: Evidence, hash: &Evidence| {
        evidence.pointer.source_hash = hash.pointer.source_hash;
        evidence
    };
    let whole = |file: &str, start, end| {
        let mut evidence = place(file, start, end);
        let source = sandbox.snapshot().read(&evidence.pointer.file).unwrap();
        evidence.pointer.source_hash = Some(SourceHash::File(source.sha256()));
        evidence
    };
    let gone = |start, end| Evidence {
        pointer: windlass_base::Pointer {
            file: "gone.rs".parse().unwrap(),
            ..whole("copy.rs", start, end).pointer
        },
        ..place("a.rs", 1, 1)
    };
    use RepairOutcome::{Ambiguous, Edited, Gone, Moved, Unproven};
    for (name, evidence, outcome, new, status, want) in [
        (
            "fresh is fresh",
            hash.clone(),
            Moved,
            Some(other.clone()),
            Freshness::Fresh,
            None,
        ),
        (
            "a real move",
            at(place("a.rs", 1, 2), &hash),
            Moved,
            Some(hash.clone()),
            Freshness::StaleHashMismatch,
            Some(Moved),
        ),
        (
            "a wrong hash",
            sandbox.stale("a.rs", 2, 3),
            Unproven,
            None,
            Freshness::StaleHashMismatch,
            Some(Unproven),
        ),
        (
            "moved to another text",
            sandbox.stale("a.rs", 2, 3),
            Moved,
            Some(other.clone()),
            Freshness::StaleHashMismatch,
            Some(Unproven),
        ),
        (
            "moved to where it does not stand",
            at(place("a.rs", 1, 2), &hash),
            Moved,
            Some(at(place("a.rs", 3, 4), &hash)),
            Freshness::StaleHashMismatch,
            Some(Unproven),
        ),
        (
            "moved without a place",
            at(place("a.rs", 1, 2), &hash),
            Moved,
            None,
            Freshness::StaleHashMismatch,
            Some(Unproven),
        ),
        (
            "moved into a secret",
            at(place("a.rs", 1, 2), &hash),
            Moved,
            Some(at(place(".env", 1, 1), &hash)),
            Freshness::StaleHashMismatch,
            Some(Unproven),
        ),
        (
            "a secret",
            sandbox.stale(".env", 1, 1),
            Moved,
            Some(hash.clone()),
            Freshness::BlockedSecret,
            None,
        ),
        (
            "a missing file",
            at(place("gone.rs", 1, 2), &hash),
            Unproven,
            None,
            Freshness::MissingFile,
            Some(Unproven),
        ),
        (
            "a renamed file",
            at(place("gone.rs", 1, 2), &hash),
            Moved,
            Some(at(place("copy.rs", 1, 2), &hash)),
            Freshness::MissingFile,
            Some(Moved),
        ),
        (
            "a renamed file, by its whole hash",
            gone(1, 2),
            Moved,
            Some(whole("copy.rs", 1, 2)),
            Freshness::MissingFile,
            Some(Moved),
        ),
        (
            "other lines of a renamed file",
            gone(1, 1),
            Moved,
            Some(whole("copy.rs", 2, 2)),
            Freshness::MissingFile,
            Some(Unproven),
        ),
        (
            "past the end",
            at(place("a.rs", 9, 10), &hash),
            Gone,
            None,
            Freshness::SpanInvalid,
            Some(Unproven),
        ),
        (
            "edited",
            sandbox.stale("a.rs", 2, 3),
            Edited,
            Some(other.clone()),
            Freshness::StaleHashMismatch,
            Some(Unproven),
        ),
        (
            "ambiguous, with a place",
            sandbox.stale("a.rs", 2, 3),
            Ambiguous,
            Some(other),
            Freshness::StaleHashMismatch,
            Some(Ambiguous),
        ),
        (
            "without a hash",
            place("a.rs", 1, 2),
            Moved,
            Some(place("a.rs", 2, 3)),
            Freshness::Unknown,
            None,
        ),
    ] {
        let judged = judged(&sandbox, claim(evidence, outcome, new));
        assert_eq!(judged.judgement.status, status, "{name}");
        assert_eq!(judged.judgement.outcome(), want, "{name}");
        assert_ne!(
            judged.judgement.reason.as_deref(),
            Some("believe me"),
            "{name}"
        );
        if let Some(repair) = &judged.judgement.repair {
            assert_eq!(repair.evidence.is_some(), want == Some(Moved), "{name}");
            assert!(
                repair.confidence <= 100 && repair.candidates.len() <= 3,
                "{name}"
            );
        }
        for (policy, shows) in [
            (TextPolicy::InPlace, status == Freshness::Fresh),
            (
                TextPolicy::Repaired,
                status == Freshness::Fresh || want == Some(Moved),
            ),
        ] {
            let pack = pack(vec![sandbox.section(
                "s",
                9,
                vec![item("x", vec![judged.clone()])],
            )]);
            // The section judges it again; what it claims now is what was found before.
            for format in FORMATS {
                let shown = sandbox
                    .show(
                        &pack,
                        &ViewOptions {
                            format,
                            text: policy,
                            ..options(9_000)
                        },
                    )
                    .unwrap();
                assert_eq!(
                    shown.contains("needle"),
                    shows,
                    "{name} {policy:?}:\n{shown}"
                );
            }
        }
    }
}

#[test]
fn text_is_verified_at_the_moment_it_is_shown() {
    let sandbox = sandbox();
    let pack = pack(vec![sandbox.section(
        "s",
        9,
        vec![item("x", vec![sandbox.fresh("a.rs", 2, 3)])],
    )]);
    assert!(sandbox.text(&pack).contains("needle one"));
    sandbox.write("a.rs", "zero\nneedle changed\nneedle two\nlast\n");
    assert!(!sandbox.text(&pack).contains("needle"));
}

#[test]
fn text_that_an_entry_brings_along_is_not_shown() {
    let sandbox = sandbox();
    let mut stale = sandbox.stale("a.rs", 2, 3);
    stale.text = Some(serde_json::from_value::<Redacted>(json!("forged")).unwrap());
    stale.text_start_line = Some(7);
    let mut fresh = sandbox.fresh("a.rs", 2, 3);
    fresh.text.clone_from(&stale.text);
    let pack = pack(vec![sandbox.section(
        "s",
        9,
        vec![item("x", vec![stale, fresh])],
    )]);
    for format in FORMATS {
        for mode in MODES {
            let shown = sandbox
                .show(
                    &pack,
                    &ViewOptions {
                        format,
                        mode,
                        ..options(9_000)
                    },
                )
                .unwrap();
            assert!(!shown.contains("forged"), "{shown}");
        }
    }
}

#[test]
fn secret_values_in_evidence_and_context_are_redacted() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let sandbox = Sandbox::with([(
        "a.rs",
        format!("// {token}\nlet x = 1;\nlet t = \"{token}\";\n").as_str(),
    )]);
    let mut entry = item("x", vec![sandbox.fresh("a.rs", 2, 3)]);
    if let Entry::Item(item) = &mut entry {
        item.context = 2;
    }
    let pack = pack(vec![sandbox.section("s", 9, vec![entry])]);
    for format in FORMATS {
        let shown = sandbox
            .show(
                &pack,
                &ViewOptions {
                    format,
                    noise_permille: 1000,
                    ..options(9_000)
                },
            )
            .unwrap();
        assert!(shown.contains("let x") && shown.contains("// "), "{shown}");
        assert!(!shown.contains(&token), "{shown}");
    }
}

#[test]
fn what_could_drive_a_terminal_or_a_shell_stays_outside() {
    let sandbox = Sandbox::with([("a\u{1b}]0;b\u{202e}.rs", "x\u{1b}[2J\u{9b}31m\u{202e}\n")]);
    let odd = "l\u{1b}[31m\u{7}\u{9b}\u{202e}\u{2028}\u{61c}\r\nabel";
    let mut entry = item(
        odd,
        vec![
            sandbox.stale("a\u{1b}]0;b\u{202e}.rs", 1, 1),
            sandbox.fresh("a\u{1b}]0;b\u{202e}.rs", 1, 1),
        ],
    );
    if let Entry::Item(item) = &mut entry {
        item.id = Some("$(rm -rf)\u{1b}`x`".to_owned());
        item.kind = Some(odd.to_owned());
    }
    let mut section = sandbox.section(
        "s",
        9,
        vec![
            entry,
            crate::support::observation(json!({odd: [odd, {"x": odd}]})),
        ],
    );
    section.reason = Some(odd.to_owned());
    section.title = odd.to_owned();
    section.notes.push(odd.to_owned());
    let mut pack = pack(vec![section]);
    pack.runbook.title = odd.to_owned();
    pack.runbook.purpose = odd.to_owned();
    pack.notes.push(odd.to_owned());
    for format in FORMATS {
        let shown = sandbox
            .show(
                &pack,
                &ViewOptions {
                    format,
                    mode: ResponseMode::Full,
                    ..options(9_000)
                },
            )
            .unwrap();
        let bad = |c: char| c.is_control() && c != '\n' || "\u{202e}\u{2028}\u{61c}".contains(c);
        assert!(!shown.contains(bad), "{shown:?}");
        assert!(!shown.contains("windlass anchor show"), "{shown}");
        if format == Format::Json {
            let json: Value = serde_json::from_str(&shown).unwrap();
            assert_eq!(json["sections"][0]["title"], odd, "the value is the same");
        }
    }
}

#[test]
fn markdown_stays_what_it_is() {
    let sandbox = Sandbox::with([
        ("a.md", "````\n## not a heading\n```\n~~~\n\n"),
        ("b.md", "\n```rust\n"),
    ]);
    let sections = vec![
        sandbox.section(
            "s",
            9,
            vec![item(
                "`~~~` <b> [x](y) **z**",
                vec![sandbox.fresh("a.md", 1, 5)],
            )],
        ),
        sandbox.section(
            "t",
            9,
            vec![
                // Matches of a search: a nameless line, here an empty one and one that opens a fence.
                item("", vec![sandbox.fresh("b.md", 1, 1)]),
                item("", vec![sandbox.fresh("b.md", 2, 2)]),
                crate::support::observation(json!("~~~\n```\n# x")),
            ],
        ),
    ];
    let shown = sandbox
        .show(
            &pack(sections),
            &ViewOptions {
                format: Format::Markdown,
                ..options(9_000)
            },
        )
        .unwrap();
    let want = r"# A book — ok

What it is for.

## Section s — fresh (1)

- fresh `a.md:1-5` \`\~\~\~\` \<b\> \[x\](y) \*\*z\*\*
`````
````
## not a heading
```
~~~

`````

## Section t — fresh (3)

- fresh `b.md:1`
- fresh `b.md:2` ```` ```rust ````
- \~\~\~
  \`\`\`
  \# x
";
    assert_eq!(shown, want);
}
