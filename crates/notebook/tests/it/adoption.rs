//! Tests adopting a whole notebook from another location. The source must never change.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use windlass_notebook::{EditMode, NotebookError, NotebookFile, Relative, Writer};
use windlass_store::Disk;

use crate::support::{Changing as _, Shelf, anchor, edit};

/// A repository with two revisions, and another one in the same data folder that can adopt them.
fn two() -> (Shelf, NotebookFile, Relative) {
    let shelf = Shelf::new();
    for id in ["a", "b"] {
        shelf.edit(|n| n.add(anchor(id))).unwrap();
    }
    let relative = Relative {
        path: shelf.file.path().to_owned(),
        place: PathBuf::from("/was/here"),
    };
    let other = shelf.opened_as("other", true);
    (shelf, other, relative)
}

fn ids(file: &NotebookFile) -> Vec<String> {
    let notebook = file.read().unwrap();
    let ids = notebook.anchors().map(|anchor| anchor.id.to_string());
    ids.collect()
}

#[test]
fn adopt_copies_history() {
    let (shelf, other, relative) = two();
    let before = shelf.text();
    let dry = other
        .adopt(&Writer::default(), EditMode::DryRun, &relative)
        .unwrap();
    assert_eq!((dry.changes.anchors.len(), ids(&other).len()), (2, 0));
    other
        .adopt(&Writer::default(), EditMode::Write, &relative)
        .unwrap();
    assert_eq!(ids(&other), ["a", "b"]);
    assert_eq!(shelf.text(), before);
    let again = other.adopt(&Writer::default(), EditMode::Write, &relative);
    assert!(matches!(again, Err(NotebookError::Inhabited { .. })));
    // The history has been adopted along with the notebook.
    other
        .rollback(&Writer::default(), EditMode::Write, 1)
        .unwrap();
    assert_eq!(ids(&other), ["a"]);
}

#[test]
fn adopt_damaged_refused() {
    let (shelf, other, relative) = two();
    let text = shelf.text();
    fs::write(&relative.path, &text[..text.len() - 9]).unwrap();
    let error = other
        .adopt(&Writer::default(), EditMode::Write, &relative)
        .unwrap_err();
    assert!(
        matches!(error, NotebookError::DamagedRevision { .. }),
        "{error}"
    );
    // Adopting a part of the notebook would look like success, so nothing is written at all.
    assert!(!other.path().exists());
}

#[test]
fn adopt_interrupted_done_or_repeatable() {
    // Let the disk fail at each step in turn, until a run gets through.
    for last in 0.. {
        let (shelf, other, relative) = two();
        let before = shelf.text();
        let done = AtomicUsize::new(0);
        let disk = Disk::watched(move |_| match done.fetch_add(1, Ordering::Relaxed) {
            at if at < last => Ok(()),
            _ => Err(io::ErrorKind::StorageFull.into()),
        });
        let file = other.clone().on(&disk);
        let adopted = file.adopt(&Writer::default(), EditMode::Write, &relative);
        assert_eq!(shelf.text(), before);
        // If the notebook wasn't adopted, it must be possible to try again.
        if ids(&other).is_empty() {
            other
                .adopt(&Writer::default(), EditMode::Write, &relative)
                .unwrap();
        }
        assert_eq!(ids(&other), ["a", "b"], "step {last}");
        edit(&other, |n| n.add(anchor("c"))).unwrap();
        other
            .rollback(&Writer::default(), EditMode::Write, 1)
            .unwrap();
        assert_eq!(ids(&other), ["a"], "step {last}");
        if adopted.is_ok() {
            // Otherwise, the disk wasn't watched, and the loop has tested nothing.
            assert!(last > 8, "only {last} steps");
            return;
        }
    }
}
