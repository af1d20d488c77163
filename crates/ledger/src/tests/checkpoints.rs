//! Checkpoints, where the state is saved beside the log.
#![expect(clippy::disallowed_methods, reason = "tests damage files")]

use crate::event::*;
use crate::tests::*;
use crate::*;

#[test]
fn checkpoint_other_log_ignored() {
    let folder = Folder::new(false);
    let mut ledger = folder.open();
    for number in 0..40 {
        create(&mut ledger, &format!("t-{number}"), number);
    }
    depend(&mut ledger, "t-1", "blocks", "t-0").unwrap();
    rebuild(&mut ledger);
    let mut again = folder.open();
    assert!(crate::Check::of(&again).unwrap().is_clean());
    close(&mut again, "t-0", Outcome::Done);
    assert!(
        !again
            .state()
            .work()
            .ready(
                &WorkFilter::default(),
                Stamp::default(),
                &Elsewhere::default(),
                usize::MAX
            )
            .ids
            .contains(&"t-0".to_owned())
    );
    assert!(crate::Check::of(&again).unwrap().is_clean());
    let issues = folder.read(".beads/issues.jsonl");
    rebuild(&mut again);
    assert_eq!(folder.read(".beads/issues.jsonl"), issues);
    // Give the same file different contents.
    let log = folder
        .read(".beads/events.jsonl")
        .replace("the bead", "the BEAD");
    std::fs::write(folder.path(".beads/events.jsonl"), log).unwrap();
    let ledger = folder.open();
    assert_eq!(
        ledger.state().beads.get("t-7").unwrap().title,
        "the BEAD t-7"
    );
    // We ignore a damaged checkpoint and fold the log.
    std::fs::write(folder.path(".beads/.windlass/checkpoint"), "{}\n\0").unwrap();
    assert_eq!(folder.open().state().beads.count(), 40);
}

/// Readers write nothing, so without a checkpoint each of them would fold a log that others sent.
#[test]
fn sync_of_a_long_log_saves_a_checkpoint() {
    let folder = Folder::new(false);
    let mut ledger = folder.open();
    for number in 0..200 {
        create(&mut ledger, &format!("t-{number}"), number);
    }
    let checkpoint = folder.path(".beads/.windlass/checkpoint");
    std::fs::remove_file(&checkpoint).unwrap();
    folder.sync();
    assert!(checkpoint.exists());
    // The log is complete without one.
    std::fs::remove_file(&checkpoint).unwrap();
    let parts = folder.path(".beads/.windlass/checkpoint.parts");
    std::fs::remove_dir_all(&parts).unwrap();
    std::fs::write(&parts, "").unwrap();
    folder.sync();
    assert!(!checkpoint.exists());
}

/// Damages the last occurrence of `old` in the checkpoint of `folder`.
fn damage_checkpoint(folder: &Folder, old: &[u8]) {
    let parts = std::fs::read_dir(folder.path(".beads/.windlass/checkpoint.parts")).unwrap();
    for path in parts.map(|entry| entry.unwrap().path()) {
        let mut bytes = std::fs::read(&path).unwrap();
        if let Some(at) = memchr::memmem::rfind(&bytes, old) {
            bytes[at] = 0;
            std::fs::write(&path, bytes).unwrap();
        }
    }
}

#[test]
fn checkpoint_damaged_record_reported() {
    let folder = Folder::new(false);
    let mut ledger = folder.open();
    // The first line fills the block of the small state, so the second line gets its own block.
    let large = BeadCreated {
        description: "x".repeat(9_000),
        ..made("t-a")
    };
    emit(&mut ledger, 0, large).unwrap();
    create(&mut ledger, "t-b", 1);
    rebuild(&mut ledger);
    drop(ledger);
    damage_checkpoint(&folder, b"{\"id\":\"t-b\"");
    let looked = folder.open();
    assert!(looked.state().beads.get("t-a").is_some());
    looked.check_sound().unwrap();
    assert!(looked.state().beads.get("t-b").is_none());
    // The read failed, so what we've got so far may be incomplete.
    assert!(matches!(
        looked.check_sound(),
        Err(LedgerError::Damaged { .. })
    ));
    // The next command rebuilds the checkpoint from the log.
    assert!(folder.open().state().beads.get("t-b").is_some());

    let mut ledger = folder.open();
    rebuild(&mut ledger);
    damage_checkpoint(&folder, b"{\"id\":\"t-b\"");
    let mut writes = folder.open();
    let before = folder.read(".beads/events.jsonl");
    let failed = emit(
        &mut writes,
        3,
        BeadClosed {
            bead_id: "t-b".to_owned(),
            reason: String::new(),
            outcome: None,
        },
    );
    assert!(
        matches!(failed, Err(LedgerError::Damaged { .. })),
        "{failed:?}"
    );
    // A decision on a damaged state isn't written.
    assert_eq!(folder.read(".beads/events.jsonl"), before);
    close(&mut writes, "t-b", Outcome::Done);
    assert!(crate::Check::of(&writes).unwrap().is_clean());
}

#[test]
fn checkpoint_repeated_lines_refold() {
    let (folder, mut ledger) = with(&["t-a"]);
    rebuild(&mut ledger);
    let line = folder.read(".beads/events.jsonl");
    // A merge of branches may leave the same event twice.
    std::fs::write(folder.path(".beads/events.jsonl"), format!("{line}{line}")).unwrap();
    assert_eq!(folder.open().state().events(), 1);
    create(&mut ledger, "t-b", 7);
    assert!(crate::Check::of(&folder.open()).unwrap().is_clean());
}

#[test]
fn search_equals_linear_scan() {
    let folder = Folder::new(false);
    let mut ledger = folder.open();
    for number in 0..40 {
        create(&mut ledger, &format!("t-{number}"), number);
    }
    rebuild(&mut ledger);
    let mut ledger = folder.open();
    let sized = BeadCreated {
        title: "Die Größe \"id\" *".to_owned(),
        ..made("t-50")
    };
    emit(&mut ledger, 50, sized).unwrap();
    close(&mut ledger, "t-7", Outcome::Done);
    let all = WorkFilter {
        all: true,
        ..WorkFilter::default()
    };
    let beads = &ledger.state().beads;
    for text in [
        "t-7", "THE BEAD", "t-3", "größe", "\"id\"", "", "*", "open", "nothing", "it is",
    ] {
        let wanted = text.to_lowercase();
        let has = |id: &&str| beads.get(id).is_some_and(|bead| bead.has(&wanted));
        let mut want: Vec<&str> = beads.iter().map(|(id, _)| id).filter(has).collect();
        let found = ledger.state().work().search(text, &all, usize::MAX);
        let mut ids: Vec<&str> = found.ids.iter().map(String::as_str).collect();
        ids.sort_unstable();
        want.sort_unstable();
        assert_eq!(ids, want, "{text}");
        // With a limit, we get the first matches.
        let some = ledger.state().work().search(text, &all, 3);
        assert_eq!(some.total, found.total, "{text}");
        assert_eq!(some.ids[..], found.ids[..found.total.min(3)], "{text}");
        let open = ledger
            .state()
            .work()
            .search(text, &WorkFilter::default(), 99);
        assert!(!open.ids.contains(&"t-7".to_owned()), "{text}");
    }
}

#[test]
fn file_in_place_of_the_parts_is_reported() {
    let (folder, ledger) = with(&["t-a"]);
    let parts = folder.path(".beads/.windlass/checkpoint.parts");
    let _ = std::fs::remove_dir_all(&parts);
    std::fs::write(&parts, "").unwrap();
    let check = crate::Check::of(&ledger).unwrap();
    let found = check.findings.iter().find(|found| found.is_wrong).unwrap();
    assert!(
        found.message.contains("checkpoint.parts` is not a folder"),
        "{found:?}"
    );
    std::fs::remove_file(&parts).unwrap();
    assert!(crate::Check::of(&ledger).unwrap().is_clean());
}
