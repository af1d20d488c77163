//! The log, its copies in working trees, and the feed.
#![expect(clippy::disallowed_methods, reason = "tests make the files they need")]

use crate::tests::*;
use crate::*;

/// Path of the log's copy. Without git, it's the log itself.
const COPY: &str = ".beads/events.jsonl";

#[test]
fn merged_clones_agree_on_winner() {
    let (one, two) = (Folder::new(true), Folder::new(true));
    create(&mut one.open(), "t-a", 0);
    one.sync();
    two.write(COPY, &one.read(COPY));
    let claim = |folder: &Folder, actor: &str, second: i64| {
        let done = folder.open().transact(&writer(actor, second), |draft| {
            draft.emit(claim_of("t-a", actor))
        });
        folder.sync();
        done.unwrap()
    };
    claim(&one, "ann", 20);
    let won = claim(&two, "bob", 10);
    create(&mut one.open(), "t-b", 30);
    one.sync();
    // Git's union merge driver writes one side's lines and then the other's.
    let (ours, theirs) = (one.read(COPY), two.read(COPY));
    let shared = ours.lines().next().unwrap();
    one.write(COPY, &format!("{ours}{}\n", theirs.lines().nth(1).unwrap()));
    let rest = ours.trim_start_matches(shared).trim_start();
    two.write(COPY, &format!("{theirs}{rest}"));
    let mut mails = Vec::new();
    for folder in [&one, &two] {
        let ledger = folder.open();
        let bead = ledger.state().beads.get("t-a").unwrap();
        assert_eq!(bead.assignee.as_deref(), Some("bob"));
        let rejected = ledger.state().rejected();
        assert_eq!(
            (rejected.len(), rejected[0].won.as_deref()),
            (1, Some(won.as_str()))
        );
        assert_eq!(rejected[0].actor, "ann");
        let messages = ledger.state().messages.iter();
        mails.push(
            messages
                .filter_map(|(_, found)| found.record())
                .collect::<Vec<_>>(),
        );
    }
    // The loser gets the same message in every clone.
    assert_eq!(mails[0], mails[1]);
    let [mail] = &mails[0][..] else {
        panic!("{mails:?}")
    };
    assert_eq!((mail.to.as_str(), mail.from.as_str()), ("ann", "windlass"));
    assert_eq!(mail.subject, "your claim of `t-a` does not count");
    assert!(mail.body.starts_with("bob was first"), "{}", mail.body);
    for folder in [&one, &two] {
        folder.sync();
        assert!(crate::Check::of(&folder.open()).unwrap().is_clean());
    }
    for file in ["issues.jsonl", "messages.jsonl"] {
        let name = format!(".beads/{file}");
        assert_eq!(one.read(&name), two.read(&name));
    }
}

fn contents(folder: &Folder, below: &str) -> Vec<(String, String)> {
    let found = std::fs::read_dir(folder.path(below)).unwrap();
    let names = found
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file());
    let mut files: Vec<_> = names
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let bytes = std::fs::read(&path).unwrap();
            (name, String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn open_changed_copy_writes_nothing() {
    let folder = Folder::new(true);
    create(&mut folder.open(), "t-a", 0);
    folder.sync();
    let text = folder.read(COPY);
    let other = |id: &str| {
        text.replace("evt-", &format!("evt-{id}"))
            .replace("t-a", id)
    };
    // States that git may leave behind: another branch, an older state, both sides of a conflict,
    // and an incomplete line.
    let pulled = format!("{text}{}", other("t-b"));
    let conflict = format!(
        "{text}<<<<<<< x\n{}=======\n{}>>>>>>> y\n",
        other("t-b"),
        other("t-c")
    );
    for (copy, beads) in [
        (&pulled, 2),
        (&String::new(), 1),
        (&conflict, 3),
        (&text[..9].to_owned(), 1),
    ] {
        folder.write(COPY, copy);
        let before = [".beads", ".git/windlass/ledger"].map(|below| contents(&folder, below));
        let ledger = folder.open();
        assert_eq!(ledger.state().beads.count(), beads);
        assert_eq!(ledger.state().events(), beads as u64);
        assert_eq!(
            EventFilter::default().find_in(&ledger).unwrap().len(),
            beads
        );
        drop(crate::Check::of(&ledger).unwrap());
        let after = [".beads", ".git/windlass/ledger"].map(|below| contents(&folder, below));
        assert_eq!(before, after);
    }
    // A write changes no tracked file, but takes the events of the copy into account.
    folder.write(COPY, &pulled);
    let tracked = contents(&folder, ".beads");
    emit(&mut folder.open(), 9, claim_of("t-b", "ann")).unwrap();
    let hidden = |files: Vec<(String, String)>| -> Vec<_> {
        files
            .into_iter()
            .filter(|(name, _)| name != "feed.jsonl")
            .collect()
    };
    // Even without the copy, the event from there isn't lost.
    assert_eq!(hidden(contents(&folder, ".beads")), hidden(tracked));
    folder.write(COPY, &text);
    let bead = folder.open().state().beads.get("t-b").unwrap();
    assert_eq!(bead.assignee.as_deref(), Some("ann"));
}

#[test]
fn feed_appends_new_events_in_place() {
    use std::io::Read as _;
    for has_git in [false, true] {
        let folder = Folder::new(has_git);
        let feed = ".beads/feed.jsonl";
        create(&mut folder.open(), "t-a", 0);
        let mut follower = std::fs::File::open(folder.path(feed)).unwrap();
        let mut read = || {
            let mut text = String::new();
            follower.read_to_string(&mut text).unwrap();
            text.matches("\"bead.created\"").count()
        };
        assert_eq!(read(), 1);
        create(&mut folder.open(), "t-b", 1);
        assert_eq!(read(), 1);
        folder.sync();
        drop(folder.open());
        assert_eq!(read(), 0);
        // Events from another clone count as new.
        let log = folder.read(COPY);
        let line = log.lines().next().unwrap();
        let other = line.replace("evt-", "evt-x").replace("t-a", "t-c");
        folder.write(COPY, &format!("{log}{other}\n"));
        create(&mut folder.open(), "t-d", 2);
        assert_eq!(read(), 2);
        // If a crash has cut off the feed, the next append repairs it.
        let whole = folder.read(feed);
        let cut = whole.len() - 40;
        std::fs::File::options()
            .write(true)
            .open(folder.path(feed))
            .unwrap()
            .set_len(cut as u64)
            .unwrap();
        create(&mut folder.open(), "t-e", 3);
        let lines: Vec<_> = folder.read(feed).lines().map(str::to_owned).collect();
        let whole = lines
            .iter()
            .filter(|line| serde_json::from_str::<serde_json::Value>(line).is_ok());
        assert_eq!((lines.len(), whole.count()), (6, 5));
    }
}

#[test]
fn git_changes_lose_no_event() {
    let folder = Folder::new(true);
    create(&mut folder.open(), "t-a", 0);
    folder.sync();
    let old = folder.read(COPY);
    create(&mut folder.open(), "t-b", 1);
    folder.sync();
    let new = folder.read(COPY);
    assert_eq!((old.lines().count(), new.lines().count()), (1, 2));
    // States of the copy: an older one, a missing file, and one with an event from another clone.
    folder.write(COPY, &old);
    assert_eq!(folder.open().state().beads.count(), 2);
    folder.sync();
    assert_eq!(folder.read(COPY), new);
    std::fs::remove_file(folder.path(COPY)).unwrap();
    assert_eq!(folder.open().state().beads.count(), 2);
    folder.sync();
    assert_eq!(folder.read(COPY), new);
    let foreign = new
        .lines()
        .next()
        .unwrap()
        .replace("evt-", "evt-x")
        .replace("t-a", "t-c");
    folder.write(COPY, &format!("{new}{foreign}\n"));
    assert_eq!(folder.open().state().beads.count(), 3);
    create(&mut folder.open(), "t-d", 2);
    // The log survives when the folder is removed, and the next sync restores the copy.
    std::fs::remove_dir_all(folder.path(".beads")).unwrap();
    assert_eq!(folder.open().state().beads.count(), 4);
    assert!(!folder.path(".beads").exists());
    folder.sync();
    assert_eq!(folder.open().state().beads.count(), 4);
    assert_eq!(folder.read(COPY).lines().count(), 4);
    // If the log is missing, it is restored from the copy.
    std::fs::remove_dir_all(folder.path(".git/windlass")).unwrap();
    assert_eq!(folder.open().state().beads.count(), 4);
    create(&mut folder.open(), "t-e", 3);
    assert_eq!(folder.open().state().beads.count(), 5);
}

#[test]
fn working_trees_have_own_copies() {
    let folder = Folder::new(true);
    create(&mut folder.open(), "t-a", 0);
    folder.sync();
    let linked = folder.path("linked");
    let places = || folder.places().seen_from(&linked);
    let text = folder.read(COPY);
    let other = text.replace("evt-", "evt-x").replace("t-a", "t-b");
    folder.write("linked/.beads/events.jsonl", &other);
    // The main working tree doesn't see the other one's copy until somebody there writes.
    assert_eq!(folder.open().state().beads.count(), 1);
    let mut ledger = Journal::open(places()).unwrap();
    assert_eq!(ledger.state().beads.count(), 2);
    ledger.sync(Stamp::default(), &soon()).unwrap();
    assert_eq!(
        folder.read(COPY),
        text,
        "a commit elsewhere changes nothing here"
    );
    assert_eq!(folder.read("linked/.beads/events.jsonl").lines().count(), 2);
    assert_eq!(folder.read("linked/.beads/issues.jsonl").lines().count(), 2);
    assert_eq!(folder.open().state().beads.count(), 2);
}

#[test]
fn rows_ignored_by_git_written_at_once() {
    let folder = Folder::new(true);
    folder.write(".beads/.gitignore", "/issues.jsonl\n");
    create(&mut folder.open(), "t-a", 0);
    assert_eq!(folder.read(".beads/issues.jsonl").lines().count(), 1);
    assert!(!folder.path(".beads/messages.jsonl").exists());
    assert!(!folder.path(COPY).exists());
}

#[test]
fn conflict_markers_warn_both_sides_count() {
    let folder = Folder::new(true);
    create(&mut folder.open(), "t-a", 0);
    folder.sync();
    let line = folder.read(".beads/events.jsonl");
    let other = |id: &str| {
        line.replace("evt-", &format!("evt-{id}"))
            .replace("t-a", id)
    };
    let text = format!(
        "{line}<<<<<<< HEAD\n{}=======\n{}>>>>>>> other\n",
        other("t-b"),
        other("t-c")
    );
    folder.write(".beads/events.jsonl", &text);
    let ledger = folder.open();
    assert_eq!(ledger.state().beads.count(), 3);
    assert!(ledger.warnings()[0].starts_with(".beads/events.jsonl:2: git left conflict markers"));
    // The warning is repeated until the markers are gone.
    assert_eq!(folder.open().warnings().len(), 1);
    assert_eq!(ledger.copies().here().unwrap().clean().unwrap(), 3);
    let ledger = folder.open();
    assert!(ledger.warnings().is_empty() && crate::Check::of(&ledger).unwrap().is_clean());
    assert_eq!(folder.read(".beads/events.jsonl").lines().count(), 3);
    // Copying the events doesn't remove the markers, so the warning is repeated.
    folder.write(COPY, &text);
    create(&mut folder.open(), "t-d", 9);
    assert_eq!(folder.open().warnings().len(), 1);
}

#[test]
fn loser_gets_output_by_mail() {
    let one = Folder::new(true);
    create(&mut one.open(), "t-a", 0);
    emit(&mut one.open(), 1, claim_of("t-a", "ann")).unwrap();
    one.sync();
    let two = Folder::new(true);
    two.write(COPY, &one.read(COPY));
    for (folder, actor, second) in [(&one, "bob", 10), (&two, "ann", 20)] {
        let closed = event::BeadClosed {
            bead_id: "t-a".to_owned(),
            reason: format!("the output of {actor}"),
            outcome: None,
        };
        let done = folder
            .open()
            .transact(&writer(actor, second), |draft| draft.emit(closed.clone()));
        done.unwrap();
        folder.sync();
    }
    let theirs = two.read(COPY);
    let last = theirs.lines().last().unwrap();
    one.write(COPY, &format!("{}{last}\n", one.read(COPY)));
    // The result is the same if the bead comes from a checkpoint.
    for is_stored in [false, true] {
        if is_stored {
            std::fs::write(one.path(COPY), &theirs).unwrap();
            rebuild(&mut one.open());
        }
        let ledger = one.open();
        let messages = ledger.state().messages.iter();
        let mails: Vec<_> = messages.filter_map(|(_, found)| found.record()).collect();
        let [mail] = &mails[..] else {
            panic!("{mails:?}")
        };
        assert_eq!(mail.to, "ann");
        assert!(mail.body.starts_with("bob was first"), "{}", mail.body);
        assert!(mail.body.contains("the output of ann"), "{}", mail.body);
    }
}

#[test]
fn has_grown_copy_changed_by_git() {
    let folder = Folder::new(true);
    create(&mut folder.open(), "t-a", 0);
    folder.sync();
    let mut waiting = folder.open();
    assert!(!waiting.has_grown());
    let text = folder.read(COPY);
    let other = text.replace("evt-", "evt-x").replace("t-a", "t-b");
    folder.write(COPY, &format!("{text}{other}"));
    assert!(waiting.has_grown());
    waiting.follow_others().unwrap();
    assert!(!waiting.has_grown());
    assert_eq!(waiting.state().beads.count(), 2);
    // The session's own imports and writes do not count as news.
    create(&mut waiting, "t-c", 1);
    assert!(!waiting.has_grown());
    std::fs::remove_file(folder.path(COPY)).unwrap();
    assert!(waiting.has_grown());
    waiting.follow_others().unwrap();
    assert!(!waiting.has_grown());
    assert_eq!(waiting.state().beads.count(), 3);
}

#[test]
fn second_copy_adds_only_missing_events() {
    let folder = Folder::new(true);
    create(&mut folder.open(), "t-a", 0);
    folder.sync();
    let text = folder.read(COPY);
    let other = |id: &str| {
        text.replace("evt-", &format!("evt-{id}"))
            .replace("t-a", id)
    };
    let both = format!("{text}{}", other("t-b"));
    folder.write(COPY, &both);
    let linked = format!("{both}{}", other("t-c"));
    folder.write("linked/.beads/events.jsonl", &linked);
    let places = folder.places().seen_from(&folder.path("linked"));
    let ledger = Journal::open(places).unwrap();
    assert_eq!(ledger.state().beads.count(), 3);
    let beside = [other("t-b"), other("t-c")].concat();
    assert_eq!(String::from_utf8_lossy(ledger.copies().beside()), beside);
}
