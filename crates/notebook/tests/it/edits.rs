//! Edits are atomic, and concurrent ones don't get in each other's way.

use std::sync::Barrier;

use windlass_base::Ident;
use windlass_notebook::{
    AnchorDraft, AnchorFreshness, AnchorKind, EditMode, NotebookError, NotebookFile, Operation,
    SavedRunbook, Writer,
};

use crate::support::{Changing as _, Shelf, anchor};

#[test]
fn first_change_creates_notebook() {
    let shelf = Shelf::new();
    assert_eq!(shelf.file.read().unwrap().anchors().len(), 0);
    assert!(!shelf.file.path().exists());
    shelf.edit(|notebook| notebook.add(anchor("a"))).unwrap();
    let text = shelf.text();
    let start = concat!(
        r#"{"schema_version":1,"repo":{"repo_id":"r","root_fingerprint":"root"},"revision":1,"#,
        r#""written":{"anchors":{"added":{"total":1,"names":["a"]}}},"runbooks":[],"anchors":[{"id":"a","#
    );
    assert!(text.starts_with(start) && text.ends_with("]}\n"), "{text}");
    assert_eq!(
        shelf.file.read().unwrap().anchor("a").unwrap(),
        &anchor("a")
    );
}

#[test]
fn failed_change_writes_nothing() {
    let shelf = Shelf::new();
    shelf
        .edit(|n| n.add_all(vec![anchor("a"), anchor("b")]))
        .unwrap();
    let before = shelf.text();
    let mut baseless = anchor("c");
    baseless.evidence.clear();
    let mut reversed = anchor("c");
    reversed.evidence[0].end_line = 0;
    for (name, anchors, says) in [
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
        let error = shelf.edit(|notebook| notebook.add_all(anchors));
        assert!(error.unwrap_err().to_string().contains(says), "{name}");
        assert_eq!(shelf.text(), before, "{name}");
    }
    // Changes made before the failure are discarded, too.
    let error = shelf.edit(|notebook| {
        notebook.add(anchor("z"))?;
        notebook.remove_anchor("nothing")
    });
    assert!(matches!(error, Err(NotebookError::NoSuchAnchor { .. })));
    assert_eq!(shelf.text(), before);
    // So are those before a panic, which also mustn't leave the lock behind.
    let panics = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        shelf.edit(|notebook| {
            notebook.add(anchor("z"))?;
            if true {
                panic!("in the middle")
            }
            Ok(())
        })
    }));
    assert!(panics.is_err());
    assert_eq!(shelf.text(), before);
    shelf.edit(|notebook| notebook.add(anchor("z"))).unwrap();
    assert_eq!(shelf.ids(), ["a", "b", "z"]);
}

#[test]
fn replace_keeps_order() {
    let shelf = Shelf::new();
    shelf
        .edit(|n| n.add_all(["router", "b", "c"].map(anchor).to_vec()))
        .unwrap();
    shelf
        .edit(|n| n.add_all(vec![anchor("d"), anchor("b")]))
        .unwrap();
    // `b` was replaced in its place, while `d` is new and goes to the end.
    assert_eq!(shelf.ids(), ["router", "b", "c", "d"]);
    let error = shelf
        .edit(|notebook| notebook.remove_anchor("ruoter"))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "no anchor `ruoter`; did you mean `router`?"
    );
}

#[test]
fn concurrent_changes_all_kept() {
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
                        .edit(|n| n.add(anchor(&format!("t{thread}-{at}"))))
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
fn many_anchors_order_kept() {
    let shelf = Shelf::new();
    let anchors: Vec<_> = (0..5_000).map(|at| anchor(&format!("a{at}"))).collect();
    shelf
        .edit(|notebook| notebook.add_all(anchors.clone()))
        .unwrap();
    let notebook = shelf.file.read().unwrap();
    assert!(notebook.anchors().eq(&anchors));
    assert_eq!(
        notebook.anchor("a4999").unwrap().id,
        Ident::parse("a4999").unwrap()
    );
}

fn draft(id: &str) -> AnchorDraft {
    AnchorDraft {
        id: Ident::parse(id).unwrap(),
        kind: None,
        label: None,
        evidence: Vec::new(),
        locator: None,
        zone: None,
        tags: None,
        freshness: AnchorFreshness::default(),
        must_be_new: false,
        is_suggestion: false,
    }
}

#[test]
fn upsert_absent_fields_kept() {
    let shelf = Shelf::new();
    let evidence = anchor("a").evidence;
    let upsert = |draft: AnchorDraft| {
        shelf.edit(|notebook| notebook.apply(Operation::UpsertAnchor(Box::new(draft))))
    };
    let error = upsert(draft("a")).unwrap_err();
    assert!(matches!(error, NotebookError::NoPlace(_)), "{error}");
    upsert(AnchorDraft {
        evidence,
        tags: Some(vec!["t".to_owned()]),
        kind: Some(AnchorKind::Ci),
        ..draft("a")
    })
    .unwrap();
    upsert(AnchorDraft {
        label: Some("A".to_owned()),
        ..draft("a")
    })
    .unwrap();
    let saved = shelf.file.read().unwrap().anchor("a").unwrap().clone();
    assert_eq!((saved.label.as_str(), saved.kind), ("A", AnchorKind::Ci));
    assert_eq!((saved.tags.len(), saved.evidence.len()), (1, 1));
    // An empty list isn't the same as no list, so it clears the tags.
    upsert(AnchorDraft {
        tags: Some(Vec::new()),
        ..draft("a")
    })
    .unwrap();
    assert!(
        shelf
            .file
            .read()
            .unwrap()
            .anchor("a")
            .unwrap()
            .tags
            .is_empty()
    );
    let error = upsert(AnchorDraft {
        must_be_new: true,
        is_suggestion: false,
        ..draft("a")
    });
    assert!(matches!(error, Err(NotebookError::Exists(_))));
}

#[test]
fn runbook_limits_enforced() {
    let shelf = Shelf::new();
    let runbook = |id: &str, length: usize| SavedRunbook {
        id: Ident::parse(id).unwrap(),
        text: "x".repeat(length),
    };
    for (runbooks, says) in [
        (vec![runbook("a", (1 << 20) + 1)], "takes at most 1048576"),
        (
            (0..501).map(|at| runbook(&format!("r{at}"), 1)).collect(),
            "at most 500 runbooks",
        ),
    ] {
        let error = shelf.edit(|n| {
            runbooks
                .iter()
                .try_for_each(|runbook| n.put_runbook(runbook))
        });
        let error = error.unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert!(!shelf.file.path().exists());
    }
}

#[test]
fn dry_run_reports_without_writing() {
    let shelf = Shelf::new();
    let dry = |file: &NotebookFile| {
        file.edit(&Writer::default(), EditMode::DryRun, |n| n.add(anchor("a")))
            .unwrap()
    };
    assert_eq!(dry(&shelf.file).changes.anchors.len(), 1);
    assert!(
        !shelf.file.path().parent().unwrap().exists(),
        "not even a lock"
    );
    shelf.edit(|n| n.add(anchor("b"))).unwrap();
    let before = shelf.text();
    let edited = dry(&shelf.file);
    assert_eq!((edited.before, edited.revision), (1, 1));
    assert_eq!(shelf.text(), before);
}

#[test]
fn changed_revision_refused() {
    let shelf = Shelf::new();
    for (by, id) in [("ann", "a"), ("ben", "b"), ("cal", "c")] {
        let writer = Writer {
            by: Some(by.to_owned()),
            at: Some("2026-01-02T03:04:05Z".to_owned()),
            ..Writer::default()
        };
        shelf
            .file
            .edit(&writer, EditMode::Write, |n| n.add(anchor(id)))
            .unwrap();
    }
    let check = |expected| shelf.edit(|notebook| shelf.file.check_revision(notebook, expected));
    check(3).unwrap();
    let error = check(1).unwrap_err().to_string();
    let want = "the notebook is at revision 3, not at 1: revision 2 by ben at 2026-01-02T03:04:05Z: anchor added: `b`; \
                revision 3 by cal at 2026-01-02T03:04:05Z: anchor added: `c`";
    assert_eq!(error, want);
}
