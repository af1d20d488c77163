//! What a newer or another program wrote is kept, where and as it stood.

use windlass_base::Ident;
use windlass_notebook::AnchorKind;

use crate::support::{Shelf, anchor};

/// Fields we do not know at every level, numbers we could not hold, and an order of its own.
const STRANGE: &str = concat!(
    r#"{"first":{"b":1,"a":[1e400,12345678901234567890123]},"anchors":["#,
    r#"{"colour":"red","label":"A","id":"a","evidence":[{"why":1.50,"file":"x","start_line":1,"#,
    r#""end_line":2,"capture":{"odd":[],"copies_in_file":1,"line_ending":"lf"}}],"#,
    r#""freshness":{"git_head":"abc","branch":"main"},"tags":[],"last":null}"#,
    r#"],"between":0,"repo":{"moved_from":"/old","repo_id":"r","root_fingerprint":"another worktree"},"#,
    r#""schema_version":1,"end":"é\u0041"}"#
);

#[test]
fn a_change_elsewhere_leaves_everything_as_it_was() {
    let shelf = Shelf::holding(STRANGE);
    shelf.edit(|_| Ok(())).unwrap();
    assert_eq!(shelf.text(), format!("{STRANGE}\n"));
    shelf
        .edit(|notebook| notebook.add(anchor("b"), false))
        .unwrap();
    let added = serde_json::to_string(&anchor("b")).unwrap();
    let want = STRANGE.replace(r#""last":null}]"#, &format!(r#""last":null}},{added}]"#));
    assert_eq!(shelf.text(), format!("{want}\n"));
    shelf
        .edit(|notebook| notebook.remove("b").map(drop))
        .unwrap();
    assert_eq!(shelf.text(), format!("{STRANGE}\n"));
}

#[test]
fn a_replaced_anchor_keeps_what_is_not_known() {
    let shelf = Shelf::holding(STRANGE);
    shelf
        .edit(|notebook| {
            let mut anchor = notebook.anchor("a")?.clone();
            anchor.label = "B".to_owned();
            anchor.kind = AnchorKind::Ci;
            notebook.add(anchor, true)
        })
        .unwrap();
    let want = STRANGE
        .replace(r#""label":"A""#, r#""label":"B""#)
        .replace(r#""tags":[],"#, "")
        .replace(r#""last":null"#, r#""last":null,"kind":"ci""#);
    assert_eq!(shelf.text(), format!("{want}\n"));
}

#[test]
fn what_was_taken_out_does_not_come_back_as_unknown() {
    let shelf = Shelf::with_anchors(concat!(
        r#"{"id":"a","label":"A","evidence":[{"file":"x","start_line":1,"end_line":1,"source_hash":"#,
        r#""sha256:0000000000000000000000000000000000000000000000000000000000000000","note":"n"}],"#,
        r#""tags":["t"],"zone":["z"],"locator":{"kind":"grep","value":"v"},"freshness":{"git_head":"h"},"x":1}"#
    ));
    shelf
        .edit(|notebook| {
            let mut anchor = notebook.anchor("a")?.clone();
            (anchor.tags, anchor.zone) = (Vec::new(), Vec::new());
            (anchor.locator, anchor.freshness) = (None, None);
            anchor.evidence[0].start_line = 2;
            anchor.evidence[0].end_line = 2;
            anchor.evidence[0].source_hash = None;
            notebook.add(anchor, true)
        })
        .unwrap();
    let text = shelf.text();
    for gone in [
        "tags",
        "zone",
        "locator",
        "freshness",
        "source_hash",
        "note",
    ] {
        assert!(!text.contains(gone), "{gone}: {text}");
    }
    assert!(text.contains(r#""x":1"#), "{text}");
}

#[test]
fn a_name_that_stands_twice_means_the_first() {
    let twice = r#"{"id":"a","label":"1","evidence":[{"file":"x","start_line":1,"end_line":1}]},{"id":"a","label":"2","evidence":[{"file":"x","start_line":1,"end_line":1}]}"#;
    let shelf = Shelf::with_anchors(twice);
    shelf
        .edit(|notebook| {
            let mut anchor = notebook.anchor("a")?.clone();
            anchor.label = "new".to_owned();
            notebook.add(anchor, true)
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
