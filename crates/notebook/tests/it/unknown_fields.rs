//! Unknown fields from other programs and newer versions stay in place, byte for byte.

use windlass_base::Ident;
use windlass_notebook::{
    AnchorDraft, AnchorEvidence, AnchorFreshness, AnchorKind, Operation, Relocate, Relocation,
    SavedRunbook,
};

use crate::support::{Changing as _, Shelf, anchor};

/// A notebook that tries to break every assumption: unknown fields at all levels, numbers too large
/// for any type, and fields in an unusual order.
const STRANGE: &str = concat!(
    r#"{"first":{"b":1,"a":[1e400,12345678901234567890123]},"anchors":["#,
    r#"{"colour":"red","label":"A","id":"a","evidence":[{"why":1.50,"file":"x","start_line":1,"#,
    r#""end_line":2,"capture":{"odd":[],"copies_in_file":1,"line_ending":"lf"}}],"#,
    r#""freshness":{"git_head":"abc","branch":"main"},"tags":[],"last":null}"#,
    r#"],"between":0,"repo":{"moved_from":"/old","repo_id":"r","root_fingerprint":"another worktree"},"#,
    r#""schema_version":1,"end":"é\u0041"}"#
);

/// The notebook's text without the fields that every write replaces.
fn lasting(shelf: &Shelf) -> String {
    let text = shelf.text();
    let (before, rest) = text.split_once(r#""revision":"#).unwrap();
    let (_, after) = rest.split_once(r#""runbooks":[],"#).unwrap();
    format!("{before}{after}")
}

#[test]
fn unrelated_change_keeps_fields() {
    let shelf = Shelf::holding(STRANGE);
    shelf.edit(|_| Ok(())).unwrap();
    assert_eq!(
        shelf.text(),
        STRANGE,
        "nothing changed, so nothing is written"
    );
    shelf.edit(|notebook| notebook.add(anchor("b"))).unwrap();
    let added = serde_json::to_string(&anchor("b")).unwrap();
    let want = STRANGE.replace(r#""last":null}]"#, &format!(r#""last":null}},{added}]"#));
    assert_eq!(lasting(&shelf), format!("{want}\n"));
    shelf.edit(|notebook| notebook.remove_anchor("b")).unwrap();
    assert_eq!(lasting(&shelf), format!("{STRANGE}\n"));
}

#[test]
fn runbook_order_and_fields_kept() {
    let text = STRANGE.replace(
        r#""between":0"#,
        r##""runbooks":[{"by":"ann","id":"a","text":"# one\n"}, {"id":"b","text":"b"}],"between":0"##,
    );
    let shelf = Shelf::holding(&text);
    let runbook = |id: &str, text: &str| SavedRunbook {
        id: Ident::parse(id).unwrap(),
        text: text.to_owned(),
    };
    let edited = shelf.edit(|notebook| {
        notebook.put_runbook(&runbook("b", "b"))?;
        notebook.put_runbook(&runbook("a", "# two\n"))?;
        notebook.put_runbook(&runbook("c", "c"))?;
        Ok(notebook.changes().runbooks.clone())
    });
    let changed: Vec<String> = edited.unwrap().into_keys().collect();
    // Runbook `b` was saved with the text it already had.
    assert_eq!(changed, ["a", "c"], "the same text is no change");
    let want = r##""runbooks":[{"by":"ann","id":"a","text":"# two\n"},{"id":"b","text":"b"},{"id":"c","text":"c"}],"between":0"##;
    assert!(shelf.text().contains(want), "{}", shelf.text());
    assert!(
        shelf.text().contains(r#""revision":1,"written":"#),
        "{}",
        shelf.text()
    );
}

#[test]
fn replaced_anchor_keeps_unknown_fields() {
    let shelf = Shelf::holding(STRANGE);
    shelf
        .edit(|notebook| {
            let mut anchor = notebook.anchor("a").unwrap();
            anchor.label = "B".to_owned();
            anchor.kind = AnchorKind::Ci;
            notebook.add(anchor)
        })
        .unwrap();
    let want = STRANGE
        .replace(r#""label":"A""#, r#""label":"B""#)
        // Empty tags are dropped, since that's how we write an anchor without any.
        .replace(r#""tags":[],"#, "")
        .replace(r#""last":null"#, r#""last":null,"kind":"ci""#);
    assert_eq!(lasting(&shelf), format!("{want}\n"));
}

#[test]
fn removed_field_stays_removed() {
    let shelf = Shelf::with_anchors(concat!(
        r#"{"id":"a","label":"A","evidence":[{"file":"x","start_line":1,"end_line":1,"source_hash":"#,
        r#""sha256:0000000000000000000000000000000000000000000000000000000000000000","note":"n"}],"#,
        r#""tags":["t"],"zone":["z"],"locator":{"kind":"grep","value":"v"},"freshness":{"git_head":"h"},"x":1}"#
    ));
    shelf
        .edit(|notebook| {
            let mut anchor = notebook.anchor("a").unwrap();
            (anchor.tags, anchor.zone) = (Vec::new(), Vec::new());
            (anchor.locator, anchor.freshness) = (None, None);
            anchor.evidence[0].start_line = 2;
            anchor.evidence[0].end_line = 2;
            anchor.evidence[0].source_hash = None;
            notebook.add(anchor)
        })
        .unwrap();
    let text = shelf.text();
    for gone in [
        "tags",
        "zone",
        "locator",
        "freshness",
        "source_hash",
        // The note belongs to the evidence, which has nothing in common with the old one.
        "note",
    ] {
        assert!(!text.contains(gone), "{gone}: {text}");
    }
    assert!(text.contains(r#""x":1"#), "{text}");
}

/// Evidence for one line of `file`, with a hash of one repeated digit, and an unknown field `note`.
fn noted(file: &str, line: u32, digit: &str, note: &str) -> String {
    let hash = digit.repeat(64);
    format!(
        r#"{{"file":"{file}","start_line":{line},"end_line":{line},"source_hash":"sha256:{hash}","note":"{note}"}}"#
    )
}

#[test]
fn evidence_edit_keeps_unknown_fields() {
    let evidence = [
        noted("x", 1, "1", "one"),
        noted("x", 5, "2", "two"),
        noted("y", 7, "3", "three"),
    ];
    let anchor = format!(
        r#"{{"id":"a","label":"A","evidence":[{}]}}"#,
        evidence.join(",")
    );
    let shelf = Shelf::with_anchors(&anchor);
    // Remove the first piece of evidence, move the second one down, and the third to another file.
    shelf
        .edit(|notebook| {
            let mut anchor = notebook.anchor("a").unwrap();
            anchor.evidence.remove(0);
            (anchor.evidence[0].start_line, anchor.evidence[0].end_line) = (8, 8);
            anchor.evidence[1].file = "z".parse().unwrap();
            notebook.add(anchor)
        })
        .unwrap();
    let text = shelf.text();
    let want = format!(
        "[{},{}]",
        noted("x", 8, "2", "two"),
        noted("z", 7, "3", "three")
    );
    assert!(text.contains(&want), "{text}");
    assert!(!text.contains("one"), "{text}");
}

#[test]
fn relocated_evidence_keeps_unknown_fields() {
    let anchor = format!(
        r#"{{"id":"a","label":"A","evidence":[{}]}}"#,
        noted("x", 1, "1", "one")
    );
    let shelf = Shelf::with_anchors(&anchor);
    shelf
        .edit(|notebook| {
            let from = notebook.anchor("a").unwrap().evidence[0].pointer().unwrap();
            // The text has changed as well, so the hash doesn't help. Only the relocation says that
            // this is the same piece of evidence.
            let moved = noted("y", 9, "4", "");
            let mut moved: AnchorEvidence = serde_json::from_str(&moved).unwrap();
            moved.capture = None;
            let repair = windlass_base::Repair {
                outcome: windlass_base::RepairOutcome::Edited,
                evidence: moved.pointer(),
                ..windlass_base::Repair::unproven()
            };
            notebook.apply(Operation::Relocate(Box::new(Relocate {
                id: Ident::parse("a").unwrap(),
                places: vec![(
                    Relocation {
                        from,
                        repair,
                        at: None,
                        capture: None,
                    },
                    moved,
                )],
                freshness: AnchorFreshness {
                    captured_at: None,
                    git_head: None,
                },
                keeps_locator: true,
            })))
        })
        .unwrap();
    let text = shelf.text();
    assert!(text.contains(&noted("y", 9, "4", "one")), "{text}");
}

#[test]
fn unreadable_anchor_not_missing() {
    let shelf = Shelf::with_anchors(r#"{"id":"a","evidence":7}"#);
    let draft = AnchorDraft {
        id: Ident::parse("a").unwrap(),
        kind: None,
        label: Some("L".to_owned()),
        evidence: Vec::new(),
        locator: None,
        zone: None,
        tags: None,
        freshness: AnchorFreshness {
            captured_at: None,
            git_head: None,
        },
        must_be_new: false,
        is_suggestion: false,
    };
    let refused = shelf.edit(|n| n.apply(Operation::UpsertAnchor(Box::new(draft))));
    let said = refused.unwrap_err().to_string();
    assert!(
        said.contains("is in the notebook but cannot be read"),
        "{said}"
    );
}

#[test]
fn duplicate_name_first_used() {
    let twice = r#"{"id":"a","label":"1","evidence":[{"file":"x","start_line":1,"end_line":1}]},{"id":"a","label":"2","evidence":[{"file":"x","start_line":1,"end_line":1}]}"#;
    let shelf = Shelf::with_anchors(twice);
    shelf
        .edit(|notebook| {
            let mut anchor = notebook.anchor("a").unwrap();
            anchor.label = "new".to_owned();
            notebook.add(anchor)
        })
        .unwrap();
    let notebook = shelf.file.read().unwrap();
    let labels: Vec<&str> = notebook
        .anchors()
        .map(|anchor| anchor.label.as_str())
        .collect();
    assert_eq!(labels, ["new", "2"]);
    assert_eq!(
        shelf.ids(),
        [Ident::parse("a").unwrap().to_string(), "a".to_owned()]
    );
}
