//! Changes are made one after the other, as a whole or not at all.

use std::sync::Barrier;

use windlass_base::Ident;
use windlass_notebook::NotebookError;

use crate::support::{Shelf, anchor};

#[test]
fn a_new_notebook_is_made_by_its_first_change() {
    let shelf = Shelf::new();
    assert_eq!(shelf.file.read().unwrap().anchors().len(), 0);
    assert!(!shelf.file.path().exists());
    shelf
        .edit(|notebook| notebook.add(anchor("a"), false))
        .unwrap();
    let text = shelf.text();
    let start = r#"{"schema_version":1,"repo":{"repo_id":"r","root_fingerprint":"root"},"anchors":[{"id":"a","#;
    assert!(text.starts_with(start) && text.ends_with("]}\n"), "{text}");
    assert_eq!(
        shelf.file.read().unwrap().anchor("a").unwrap(),
        &anchor("a")
    );
}

#[test]
fn a_change_that_fails_changes_nothing() {
    let shelf = Shelf::new();
    shelf
        .edit(|n| n.add_all(vec![anchor("a"), anchor("b")], false))
        .unwrap();
    let before = shelf.text();
    let mut baseless = anchor("c");
    baseless.evidence.clear();
    let mut reversed = anchor("c");
    reversed.evidence[0].end_line = 0;
    for (name, anchors, says) in [
        (
            "taken",
            vec![anchor("c"), anchor("b")],
            "there is an anchor `b` already",
        ),
        (
            "twice",
            vec![anchor("c"), anchor("c")],
            "there is an anchor `c` already",
        ),
        (
            "no evidence",
            vec![anchor("d"), baseless],
            "anchor `c` has no evidence",
        ),
        (
            "no lines",
            vec![anchor("d"), reversed],
            "anchor `c` has no evidence",
        ),
        (
            "too many",
            (0..20_000).map(|at| anchor(&format!("n{at}"))).collect(),
            "at most 20000 anchors",
        ),
    ] {
        let error = shelf.edit(|notebook| {
            let result = notebook.add_all(anchors, false);
            assert_eq!(notebook.anchors().len(), 2, "{name}");
            result
        });
        assert!(error.unwrap_err().to_string().contains(says), "{name}");
        assert_eq!(shelf.text(), before, "{name}");
    }
    // What was changed before the failure is forgotten as well.
    let error = shelf.edit(|notebook| {
        notebook.add(anchor("z"), false)?;
        notebook.remove("nothing").map(drop)
    });
    assert!(matches!(error, Err(NotebookError::NoSuchAnchor { .. })));
    assert_eq!(shelf.text(), before);
    // And so is everything when the change panics.
    let panics = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        shelf.edit(|notebook| {
            notebook.add(anchor("z"), false)?;
            if true {
                panic!("in the middle")
            }
            Ok(())
        })
    }));
    assert!(panics.is_err());
    assert_eq!(shelf.text(), before);
    shelf
        .edit(|notebook| notebook.add(anchor("z"), false))
        .unwrap();
    assert_eq!(shelf.ids(), ["a", "b", "z"]);
}

#[test]
fn replacing_keeps_the_place_and_a_wrong_name_gets_the_nearest() {
    let shelf = Shelf::new();
    shelf
        .edit(|n| n.add_all(["router", "b", "c"].map(anchor).to_vec(), false))
        .unwrap();
    shelf
        .edit(|n| n.add_all(vec![anchor("d"), anchor("b")], true))
        .unwrap();
    assert_eq!(shelf.ids(), ["router", "b", "c", "d"]);
    let error = shelf
        .edit(|notebook| notebook.remove("ruoter").map(drop))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no anchor `ruoter`; did you mean `router`?"
    );
}

#[test]
fn changes_at_the_same_time_lose_nothing() {
    const THREADS: usize = 8;
    const EACH: usize = 8;
    let (shelf, start) = (Shelf::new(), Barrier::new(THREADS));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (shelf, start) = (&shelf, &start);
            scope.spawn(move || {
                start.wait();
                for at in 0..EACH {
                    shelf
                        .edit(|n| n.add(anchor(&format!("t{thread}-{at}")), false))
                        .unwrap();
                }
            });
        }
    });
    let mut ids = shelf.ids();
    assert_eq!(ids.len(), THREADS * EACH);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), THREADS * EACH);
}

#[test]
fn five_thousand_anchors_come_back_in_order() {
    let shelf = Shelf::new();
    let anchors: Vec<_> = (0..5_000).map(|at| anchor(&format!("a{at}"))).collect();
    shelf
        .edit(|notebook| notebook.add_all(anchors.clone(), false))
        .unwrap();
    let notebook = shelf.file.read().unwrap();
    assert!(notebook.anchors().eq(&anchors));
    assert_eq!(
        notebook.anchor("a4999").unwrap().id,
        Ident::parse("a4999").unwrap()
    );
}
