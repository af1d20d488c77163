//! Stored revisions can be listed and restored.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use windlass_notebook::{ChangeKind, EditMode, HistoryLimits, NotebookError, NotebookFile, Writer};
use windlass_store::{Disk, DiskCall};

use crate::support::{Changing as _, Shelf, anchor, edit};

/// A notebook at revision `count`. Each revision has added an anchor: `a1`, `a2` and so on.
fn with_revisions(count: u64) -> Shelf {
    let shelf = Shelf::new();
    for at in 1..=count {
        shelf.edit(|n| n.add(anchor(&format!("a{at}")))).unwrap();
    }
    shelf
}

fn revisions(file: &NotebookFile) -> Vec<u64> {
    let history = file.history().unwrap().into_iter();
    history.map(|revision| revision.revision).collect()
}

fn rollback(file: &NotebookFile, revision: u64) -> Result<u64, NotebookError> {
    let edited = file.rollback(&Writer::default(), EditMode::Write, revision)?;
    Ok(edited.revision)
}

#[test]
fn change_recorded_as_revision() {
    let shelf = with_revisions(2);
    shelf.edit(|n| n.remove_anchor("a1")).unwrap();
    let history = shelf.file.history().unwrap();
    let told: Vec<String> = history
        .iter()
        .map(|revision| {
            let written = revision.written.as_ref().unwrap();
            format!("{} {} {written}", revision.revision, revision.current)
        })
        .collect();
    assert_eq!(
        told,
        [
            "3 true anchor removed: `a1`",
            "2 false anchor added: `a2`",
            "1 false anchor added: `a1`"
        ]
    );
}

#[test]
fn rollback_adds_revision() {
    let shelf = with_revisions(3);
    let dry = shelf
        .file
        .rollback(&Writer::default(), EditMode::DryRun, 1)
        .unwrap();
    let removed: Vec<_> = dry.changes.anchors.into_iter().collect();
    let want = ["a2", "a3"].map(|id| (id.to_owned(), ChangeKind::Removed));
    assert_eq!((removed, dry.revision), (want.to_vec(), 3));
    assert_eq!(shelf.ids(), ["a1", "a2", "a3"]);

    assert_eq!(rollback(&shelf.file, 1).unwrap(), 4);
    assert_eq!(shelf.ids(), ["a1"]);
    assert_eq!(rollback(&shelf.file, 3).unwrap(), 5);
    assert_eq!(shelf.ids(), ["a1", "a2", "a3"]);
    assert_eq!(revisions(&shelf.file), [5, 4, 3, 2, 1]);
    let newest = shelf.file.history().unwrap().remove(0).written.unwrap();
    assert_eq!(
        newest.to_string(),
        "back to revision 3; 2 anchors added: `a2`, `a3`"
    );
    let error = rollback(&shelf.file, 9).unwrap_err().to_string();
    assert_eq!(error, "revision 9 is not stored; stored revisions: 1 to 4");
}

#[test]
fn rollback_unreadable_set_aside() {
    for text in [
        "",
        "nonsense",
        "{\"schema_version\":1",
        "{\"schema_version\":1,\"anchors\":[]}",
    ] {
        let shelf = with_revisions(2);
        fs::write(shelf.file.path(), text).unwrap();
        assert!(shelf.file.read().is_err());
        let edited = shelf
            .file
            .rollback(&Writer::default(), EditMode::Write, 1)
            .unwrap();
        assert_eq!(shelf.ids(), ["a1"]);
        let aside = edited.set_aside.unwrap();
        assert_eq!(fs::read_to_string(aside.path).unwrap(), text);
    }
}

#[test]
fn hand_restored_notebook_kept() {
    let shelf = with_revisions(3);
    let first = shelf
        .file
        .path()
        .with_file_name("history")
        .join("0000000001.json");
    // This is an older revision that the history already has, so nothing needs to be stored.
    fs::write(shelf.file.path(), fs::read(&first).unwrap()).unwrap();
    shelf.edit(|n| n.add(anchor("b"))).unwrap();
    assert_eq!(revisions(&shelf.file), [3, 2, 1]);
    // Someone edits the notebook by hand and leaves the revision number as it is. The history has
    // another file for that number, so this text gets a new one.
    let other = fs::read_to_string(&first).unwrap().replace("a1", "hand");
    fs::write(shelf.file.path(), &other).unwrap();
    shelf.edit(|n| n.add(anchor("c"))).unwrap();
    assert_eq!(shelf.ids(), ["hand", "c"]);
    let kept = revisions(&shelf.file);
    assert_eq!(kept[0], kept[1] + 1);
    assert_eq!(
        fs::read_to_string(
            shelf
                .file
                .path()
                .with_file_name("history")
                .join(format!("{:010}.json", kept[1]))
        )
        .unwrap(),
        other
    );
}

#[test]
fn history_limited_and_collected() {
    let shelf = with_revisions(104);
    // 100 stored revisions and the current one.
    assert_eq!(revisions(&shelf.file).len(), 101);
    let limits = HistoryLimits {
        max_count: 2,
        ..HistoryLimits::default()
    };
    let writer = Writer::default();
    let collect = |mode| shelf.file.collect_garbage(&writer, mode, limits).unwrap();
    let would = collect(EditMode::DryRun);
    assert_eq!((would.len(), would[0]), (98, 4));
    assert_eq!(revisions(&shelf.file).len(), 101);
    assert_eq!(collect(EditMode::Write), would);
    assert_eq!(revisions(&shelf.file), [104, 103, 102]);
    assert_eq!(rollback(&shelf.file, 102).unwrap(), 105);
}

#[test]
fn stale_temporary_files_removed() {
    let shelf = with_revisions(1);
    let left = shelf.file.path().with_file_name(".tmp-left");
    fs::write(&left, "half").unwrap();
    let written = fs::metadata(&left).unwrap().modified().unwrap();
    for (now, stays) in [
        (written - Duration::from_hours(48), true),
        (written + Duration::from_hours(23), true),
        (written + Duration::from_hours(25), false),
    ] {
        let writer = Writer {
            now: Some(now),
            ..Writer::default()
        };
        shelf
            .file
            .collect_garbage(&writer, EditMode::Write, HistoryLimits::default())
            .unwrap();
        assert_eq!(left.exists(), stays);
    }
}

#[test]
fn foreign_history_unchanged() {
    let shelf = Shelf::new();
    let (one, two) = (shelf.with_lineage("one"), shelf.with_lineage("two"));
    edit(&one, |n| n.add(anchor("a"))).unwrap();
    edit(&one, |n| n.add(anchor("b"))).unwrap();
    fs::remove_file(shelf.file.path()).unwrap();
    // The stored revisions belong to the other repository, and must not be visible here.
    assert_eq!(revisions(&two), [0; 0]);
    let error = rollback(&two, 1).unwrap_err();
    assert!(
        matches!(error, NotebookError::NoSuchRevision { .. }),
        "{error}"
    );
    assert_eq!(rollback(&one, 1).unwrap(), 2);
}

#[test]
fn rollback_damaged_refused() {
    let shelf = with_revisions(2);
    let first = shelf
        .file
        .path()
        .with_file_name("history")
        .join("0000000001.json");
    let text = fs::read_to_string(&first).unwrap();
    fs::write(&first, &text[..text.len() - 9]).unwrap();
    let error = rollback(&shelf.file, 1).unwrap_err();
    assert!(
        matches!(error, NotebookError::DamagedRevision { .. }),
        "{error}"
    );
    assert_eq!(shelf.ids(), ["a1", "a2"]);
}

/// A disk on which step number `last` and all later ones fail, as if the process had been killed at
/// that point.
fn ending_at(last: usize, steps: &Arc<AtomicUsize>) -> Disk {
    let steps = Arc::clone(steps);
    steps.store(0, Ordering::Relaxed);
    Disk::watched(move |_| {
        if steps.fetch_add(1, Ordering::Relaxed) < last {
            Ok(())
        } else {
            Err(io::ErrorKind::StorageFull.into())
        }
    })
}

/// Interrupts `change` at every step.
///
/// Afterwards, the notebook must be either the old or the new one, it must be possible to restore
/// every stored revision, and the next change must succeed.
fn ends_anywhere(
    prepare: impl Fn() -> Shelf,
    change: impl Fn(&NotebookFile) -> Result<(), NotebookError>,
    wanted: &[&str],
) {
    let steps = Arc::new(AtomicUsize::new(0));
    for last in 0.. {
        let shelf = prepare();
        let old = shelf.ids();
        let kept: Vec<u64> = revisions(&shelf.file).split_off(1.min(old.len()));
        let file = shelf.file.clone().on(&ending_at(last, &steps));
        let changed = change(&file);
        let ids = shelf.ids();
        assert!(ids == old || ids == wanted, "step {last}: {ids:?}");
        let all = shelf.file.history().unwrap();
        let superseded = all.iter().filter(|revision| !revision.current);
        for revision in superseded {
            let dry = shelf
                .file
                .rollback(&Writer::default(), EditMode::DryRun, revision.revision);
            dry.unwrap_or_else(|error| panic!("step {last}: {error}"));
        }
        let is_there = |revision: &u64| all.iter().any(|one| one.revision == *revision);
        assert!(kept.iter().all(is_there), "step {last}: {kept:?} {all:?}");
        // The next change must not be hindered by the leftovers of this one.
        shelf.edit(|n| n.add(anchor("next"))).unwrap();
        assert!(shelf.ids().contains(&"next".to_owned()));
        assert_eq!(
            shelf
                .file
                .read()
                .unwrap()
                .damage()
                .iter()
                .filter(|damage| !damage.path.to_string_lossy().contains("damaged"))
                .count(),
            0
        );
        let done = steps.load(Ordering::Relaxed);
        // No step has failed, so this was the last round.
        if changed.is_ok() && done <= last {
            assert_eq!(ids, wanted);
            assert!(last > 4, "only {last} steps");
            return;
        }
    }
}

#[test]
fn first_change_interrupted_atomic() {
    ends_anywhere(
        Shelf::new,
        |file| edit(file, |n| n.add(anchor("a"))),
        &["a"],
    );
}

#[test]
fn change_interrupted_atomic() {
    ends_anywhere(
        || with_revisions(2),
        |file| edit(file, |n| n.add(anchor("b"))),
        &["a1", "a2", "b"],
    );
}

#[test]
fn rollback_interrupted_atomic() {
    ends_anywhere(
        || with_revisions(3),
        |file| rollback(file, 1).map(drop),
        &["a1"],
    );
}

#[test]
fn broken_change_interrupted_lossless() {
    ends_anywhere(
        || {
            let shelf = with_revisions(2);
            let text = shelf.text();
            fs::write(shelf.file.path(), &text[..text.len() - 10]).unwrap();
            shelf
        },
        |file| edit(file, |n| n.add(anchor("b"))),
        &["a1", "b"],
    );
}

#[test]
fn disk_full_or_read_only_named() {
    for (kind, says) in [
        (io::ErrorKind::StorageFull, "free some space"),
        (io::ErrorKind::ReadOnlyFilesystem, "is read-only"),
    ] {
        let shelf = with_revisions(1);
        let file = shelf
            .file
            .clone()
            .on(&Disk::watched(move |_| Err(kind.into())));
        let error = edit(&file, |n| n.add(anchor("b"))).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert_eq!(shelf.file.read().unwrap().anchors().len(), 1);
    }
}

#[test]
fn rollback_to_zero_empties() {
    let shelf = Shelf::new();
    assert!(
        rollback(&shelf.file, 0).is_err(),
        "nothing was ever written"
    );
    shelf.edit(|notebook| notebook.add(anchor("a"))).unwrap();
    assert_eq!(rollback(&shelf.file, 0).unwrap(), 2);
    assert!(shelf.ids().is_empty());
    assert_eq!(rollback(&shelf.file, 1).unwrap(), 3);
    assert_eq!(shelf.ids(), ["a"]);
    // Without revision 1, we can't tell if revision 0 was really the empty notebook.
    let first = shelf
        .file
        .path()
        .with_file_name("history")
        .join("0000000001.json");
    fs::remove_file(first).unwrap();
    assert!(rollback(&shelf.file, 0).is_err());
}

/// A location that had three revisions of one repository and now belongs to another one. The first
/// notebook was moved aside, but its history is still there.
fn of_another() -> (Shelf, NotebookFile) {
    let shelf = Shelf::new();
    let first = shelf.with_lineage("one");
    for id in ["a", "b", "c"] {
        edit(&first, |n| n.add(anchor(id))).unwrap();
    }
    fs::rename(shelf.file.path(), shelf.file.path().with_file_name("mine")).unwrap();
    let second = shelf.with_lineage("two");
    (shelf, second)
}

#[test]
fn new_owner_starts_own_history() {
    let (shelf, second) = of_another();
    let edited = second
        .edit(&Writer::default(), EditMode::Write, |n| n.add(anchor("x")))
        .unwrap();
    let aside = edited.set_aside.unwrap();
    assert!(
        aside.to_string().contains("history.of-another-1"),
        "{aside}"
    );
    assert_eq!(fs::read_dir(&aside.path).unwrap().count(), 2);
    edit(&second, |n| n.add(anchor("y"))).unwrap();
    assert_eq!(revisions(&second), [2, 1]);
    let since = second.edit(&Writer::default(), EditMode::Write, |edit| {
        second.check_revision(edit, 1)
    });
    assert!(matches!(since, Err(NotebookError::Changed { .. })));
    assert_eq!(rollback(&second, 1).unwrap(), 3);
    assert_eq!(second.strangers().unwrap(), None);
    // The revisions are still there for the other repository.
    let text = fs::read_to_string(aside.path.join("0000000002.json")).unwrap();
    assert!(text.contains("\"lineage\":[\"one\"]"), "{text}");
    drop(shelf);
}

#[test]
fn foreign_revisions_skipped_and_reported() {
    let (shelf, second) = of_another();
    let dry = second.rollback(&Writer::default(), EditMode::DryRun, 2);
    assert!(
        matches!(dry, Err(NotebookError::NoSuchRevision { .. })),
        "{dry:?}"
    );
    edit(&second, |n| n.add(anchor("x"))).unwrap();
    // An earlier version kept both histories in the same folder, so we may still find them like
    // that.
    let history = shelf.file.path().with_file_name("history");
    let aside = shelf.file.path().with_file_name("history.of-another-1");
    fs::rename(aside, &history).unwrap();
    edit(&second, |n| n.add(anchor("y"))).unwrap();
    let own = revisions(&second);
    assert_eq!(own.len(), 2);
    let told = second.strangers().unwrap().unwrap().to_string();
    assert!(
        told.contains("in this place before") && told.contains("history`"),
        "{told}"
    );
    rollback(&second, own[1]).unwrap();
    assert_eq!(second.read().unwrap().anchors().len(), 1);
    assert!(history.join("0000000001.json").exists());
}

#[test]
fn damaged_notebook_set_aside_once() {
    let shelf = with_revisions(2);
    let damaged = "{\"schema_version\":1,\"repo\":{\"repo_id\":\"r\"},\"anchors\":[oops";
    let asides = || {
        let files = fs::read_dir(shelf.file.path().parent().unwrap()).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        names
            .filter(|name| name.starts_with("notebook.damaged-"))
            .count()
    };
    fs::write(shelf.file.path(), damaged).unwrap();
    let full = Disk::watched(|call| match call {
        DiskCall::Write(..) => Err(io::ErrorKind::StorageFull.into()),
        _ => Ok(()),
    });
    let full = shelf.file.clone().on(&full);
    // The copy of the damaged file is made before the write fails. A retry must reuse it.
    for _ in 0..3 {
        edit(&full, |n| n.add(anchor("b"))).unwrap_err();
        assert_eq!(asides(), 1);
    }
    shelf.edit(|n| n.add(anchor("b"))).unwrap();
    assert_eq!(asides(), 1);
    // A file with different damage is moved aside under another name.
    fs::write(shelf.file.path(), damaged.replace("oops", "ooops")).unwrap();
    shelf.edit(|n| n.add(anchor("c"))).unwrap();
    assert_eq!(asides(), 2);
}
