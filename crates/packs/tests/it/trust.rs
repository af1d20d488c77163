//! Checks that unverified evidence is never presented as true.
//!
//! A step can return anything, including verdicts of its own. These tests forge such
//! verdicts and check that we ignore them.

use serde_json::{Value, json};
use windlass_base::{
    Entry, Evidence, Freshness, Judgement, Repair, RepairOutcome, ResponseMode, SourceHash,
};
use windlass_packs::{Format, StoredPack, TextPolicy, ViewOptions};

use crate::support::{FORMATS, MODES, Sandbox, item, options, pack, place};

fn sandbox() -> Sandbox {
    Sandbox::with([
        ("a.rs", "zero\nneedle one\nneedle two\nlast\n"),
        ("copy.rs", "needle one\nneedle two\n"),
        (
            "twin.rs",
            "needle one\nneedle two\nneedle one\nneedle two\n",
        ),
        (".env", "needle=1\n"),
    ])
}

/// `evidence` with our own verdict, in place of the one that a step may have claimed.
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
        commit: None,
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
fn claims_of_steps_are_ignored() {
    let sandbox = sandbox();
    let (hash, other) = (sandbox.fresh("a.rs", 2, 3), sandbox.fresh("a.rs", 1, 1));
    let captured = sandbox.captured("a.rs", 2, 3);
    let at = |mut evidence: Evidence, from: &Evidence| {
        evidence.pointer.source_hash = from.pointer.source_hash;
        evidence.capture.clone_from(&from.capture);
        evidence
    };
    let whole = |file: &str, start, end| {
        let mut evidence = place(file, start, end);
        let source = sandbox.snapshot().read(&evidence.pointer.file).unwrap();
        evidence.pointer.source_hash = Some(SourceHash::File(source.sha256()));
        evidence
    };
    use Freshness::{
        BlockedSecret, Fresh, MissingFile, SpanInvalid, StaleHashMismatch as Stale, Unknown,
    };
    use RepairOutcome::{Ambiguous, Edited, Gone, Moved, Unproven};
    type Case = (
        &'static str,
        Evidence,
        RepairOutcome,
        Option<Evidence>,
        Freshness,
        Option<RepairOutcome>,
    );
    let some = |evidence: &Evidence| Some(evidence.clone());
    #[rustfmt::skip]
    let cases: [Case; 18] = [
        ("fresh is fresh", hash.clone(), Moved, some(&other), Fresh, None),
        ("a move, proven", at(place("a.rs", 1, 2), &captured), Moved, some(&hash), Stale, Some(Moved)),
        ("a move, proven, said to be gone", at(place("a.rs", 1, 2), &captured), Gone, None, Stale, Some(Moved)),
        ("a move, proven, said to lead elsewhere", at(place("a.rs", 1, 2), &captured), Moved, some(&other), Stale, Some(Moved)),
        ("a move without a capture", at(place("a.rs", 1, 2), &hash), Moved, some(&hash), Stale, Some(Unproven)),
        ("a move of one of two", at(place("twin.rs", 2, 3), &sandbox.captured("twin.rs", 1, 2)), Moved, Some(sandbox.fresh("twin.rs", 1, 2)), Stale, Some(Unproven)),
        ("a capture of other lines", Evidence { capture: captured.capture.clone(), ..sandbox.stale("a.rs", 2, 3) }, Moved, some(&hash), Stale, Some(Unproven)),
        ("a wrong hash", sandbox.stale("a.rs", 2, 3), Unproven, None, Stale, Some(Unproven)),
        ("moved to another text", sandbox.stale("a.rs", 2, 3), Moved, some(&other), Stale, Some(Unproven)),
        ("moved into a secret", at(place("a.rs", 1, 2), &hash), Moved, Some(at(place(".env", 1, 1), &hash)), Stale, Some(Unproven)),
        ("a secret", sandbox.stale(".env", 1, 1), Moved, some(&hash), BlockedSecret, None),
        ("a missing file", at(place("gone.rs", 1, 2), &captured), Moved, some(&hash), MissingFile, Some(Ambiguous)),
        ("a renamed file", at(place("gone.rs", 1, 2), &hash), Moved, Some(at(place("copy.rs", 1, 2), &hash)), MissingFile, Some(Unproven)),
        ("a renamed file, by its whole hash", at(place("gone.rs", 1, 2), &whole("copy.rs", 1, 2)), Moved, Some(whole("copy.rs", 1, 2)), MissingFile, Some(Unproven)),
        ("past the end", at(place("a.rs", 9, 10), &hash), Gone, None, SpanInvalid, Some(Unproven)),
        ("edited", sandbox.stale("a.rs", 2, 3), Edited, some(&other), Stale, Some(Unproven)),
        ("ambiguous, with a place", sandbox.stale("a.rs", 2, 3), Ambiguous, some(&other), Stale, Some(Unproven)),
        ("without a hash", place("a.rs", 1, 2), Moved, Some(place("a.rs", 2, 3)), Unknown, None),
    ];
    for (name, evidence, outcome, new, status, want) in cases {
        let judged = judged(&sandbox, claim(evidence, outcome, new));
        assert_eq!(judged.judgement.status, status, "{name}");
        assert_eq!(judged.judgement.outcome(), want, "{name}");
        assert_eq!(
            judged
                .judgement
                .reason
                .as_deref()
                .filter(|why| *why == "believe me"),
            None
        );
        if let Some(repair) = &judged.judgement.repair {
            let now = repair.evidence.as_ref().map(ToString::to_string);
            let place = (want == Some(Moved)).then(|| "a.rs:2-3".to_owned());
            assert_eq!(now, place, "{name}");
            // Candidates may be listed, because a pack doesn't claim that the text is there.
            let names_places = want == Some(Ambiguous);
            assert_eq!(repair.candidates.is_empty(), !names_places, "{name}");
            assert!(repair.confidence <= 100, "{name}");
        }
        let pack = pack(vec![sandbox.section("s", 9, vec![item("x", vec![judged])])]);
        for (policy, shows) in [
            (TextPolicy::InPlace, status == Fresh),
            (TextPolicy::Repaired, status == Fresh || want == Some(Moved)),
        ] {
            for format in FORMATS {
                let options = ViewOptions {
                    format,
                    text: policy,
                    ..options(9_000)
                };
                let shown = sandbox.show(&pack, &options).unwrap();
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
fn captured_context_is_stored_not_printed() {
    let sandbox = sandbox();
    let bare = |mut evidence: Evidence| {
        evidence.capture = None;
        evidence
    };
    let captured = sandbox.captured("a.rs", 2, 3);
    let hashes = serde_json::to_string(&captured.capture).unwrap();
    let of = |evidence: Evidence| {
        let entries = vec![item("x", vec![evidence])];
        pack(vec![sandbox.section("s", 9, entries)])
    };
    let (with, without) = (of(captured.clone()), of(bare(captured)));
    assert_eq!((with.digest, with.key), (without.digest, without.key));
    for format in FORMATS {
        for mode in MODES {
            let options = ViewOptions {
                format,
                mode,
                ..options(9_000)
            };
            let shown = sandbox.show(&with, &options).unwrap();
            assert_eq!(shown, sandbox.show(&without, &options).unwrap());
        }
    }

    // A page may be requested long after the run. The stored context must still prove the new
    // location.
    let stored = serde_json::to_string(&StoredPack::of(&with).unwrap()).unwrap();
    assert!(stored.contains(&hashes), "{stored}");
    let stored: StoredPack = serde_json::from_str(&stored).unwrap();
    let mut entries = stored.into_pack().unwrap().sections.remove(0).entries;
    sandbox.write("a.rs", "new\nzero\nneedle one\nneedle two\nlast\n");
    entries = sandbox.judged(entries);
    let Entry::Item(item) = &entries[0] else {
        panic!("{entries:?}")
    };
    assert_eq!(
        item.evidence[0].judgement.outcome(),
        Some(RepairOutcome::Moved)
    );
}

#[test]
fn text_is_verified_when_shown() {
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
fn text_of_steps_is_not_shown() {
    let sandbox = sandbox();
    let forged = |evidence: Evidence| {
        let mut value = json!(evidence);
        value["text"] = json!("forged");
        value["text_start_line"] = json!(7);
        serde_json::from_value::<Evidence>(value).unwrap()
    };
    let stale = forged(sandbox.stale("a.rs", 2, 3));
    let fresh = forged(sandbox.fresh("a.rs", 2, 3));
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
fn secrets_in_evidence_are_redacted() {
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
fn control_characters_are_removed() {
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
            let clean = windlass_packs::clean_value(odd.to_owned());
            assert_eq!(json["sections"][0]["title"], clean);
        }
    }
}

#[test]
fn markup_in_text_is_escaped() {
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
                // Search matches without a label: an empty line, and a line that opens a code
                // fence.
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
