//! The log, the state and the files beside it, together.
#![expect(clippy::disallowed_methods, reason = "tests make the files they need")]

use std::path::Path;

use crate::event::*;
use crate::testing::*;
use crate::*;

/// The copy of the log, or without git the log itself.
const COPY: &str = ".beads/events.jsonl";

#[test]
fn what_was_decided_is_there_for_the_next_one() {
    for has_git in [false, true] {
        let folder = Folder::new(has_git);
        let mut ledger = folder.open();
        assert_eq!(ledger.state().events(), 0);
        create(&mut ledger, "t-a", 1);
        // A clock that runs backwards changes nothing of the order.
        create(&mut ledger, "t-b", -100);
        let again = folder.open();
        assert_eq!(again.state().beads.count(), 2);
        let created = |id: &str| again.state().beads.get(id).unwrap().created_at.to_string();
        assert_eq!(created("t-b"), "2026-01-01T00:00:01.000Z");
        if has_git {
            folder.sync();
        }
        assert_eq!(folder.read(".beads/issues.jsonl").lines().count(), 2);
        let log = folder.read(".beads/events.jsonl");
        assert!(
            log.lines()
                .nth(1)
                .unwrap()
                .contains("\"seq\":1,\"clock\":\"2025-12-31T23:58:20.000Z\""),
            "{log}"
        );
        assert!(
            folder
                .read(".beads/.gitattributes")
                .contains("*.jsonl merge=union text eol=lf")
        );
    }
}

#[test]
fn all_of_it_happens_or_nothing() {
    let (folder, mut ledger) = with(&["t-a"]);
    let before = folder.read(".beads/events.jsonl");
    let failed = ledger.transact(&writer("ann", 2), |draft| {
        draft.emit(made("t-b"))?;
        draft.emit(made("t-a"))
    });
    let error = failed.unwrap_err().to_string();
    assert_eq!(error, "there is a bead `t-a` already");
    assert_eq!(folder.read(".beads/events.jsonl"), before);
    assert!(!ledger.state().beads.contains("t-b"));
    create(&mut ledger, "t-b", 3);
}

#[test]
fn a_claim_has_one_winner_and_the_loser_learns_who() {
    let (_folder, mut ledger) = with(&["t-a"]);
    let claim = |actor: &str, ledger: &mut Ledger| {
        let claim = BeadStatusChanged {
            bead_id: "t-a".to_owned(),
            from_status: "open".to_owned(),
            to_status: "in_progress".to_owned(),
            assignee: Some(actor.to_owned()),
            claim: true,
            reason: None,
        };
        ledger.transact(&writer(actor, 3), |draft| draft.emit(claim))
    };
    let won = claim("ann", &mut ledger).unwrap();
    let LedgerError::Rejected(rejected) = claim("bob", &mut ledger).unwrap_err() else {
        panic!()
    };
    assert_eq!(rejected.reason, "ann has `t-a`, which is in_progress");
    assert_eq!(rejected.won, Some(won));
}

fn claim_of(bead: &str, actor: &str) -> BeadStatusChanged {
    BeadStatusChanged {
        bead_id: bead.to_owned(),
        from_status: "open".to_owned(),
        to_status: "in_progress".to_owned(),
        assignee: Some(actor.to_owned()),
        claim: true,
        reason: None,
    }
}

#[test]
fn two_clones_that_are_merged_agree_and_keep_what_lost() {
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
    // As git's union driver leaves it: first what one side has, then what the other has.
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
    // The loser is told, in each clone the same.
    assert_eq!(mails[0], mails[1]);
    let [mail] = &mails[0][..] else {
        panic!("{mails:?}")
    };
    assert_eq!((mail.to.as_str(), mail.from.as_str()), ("ann", "windlass"));
    assert_eq!(mail.subject, "your claim of `t-a` does not count");
    assert!(mail.body.starts_with("bob was first"), "{}", mail.body);
    for folder in [&one, &two] {
        folder.sync();
        assert!(folder.open().verify().unwrap().is_clean());
    }
    for file in ["issues.jsonl", "messages.jsonl"] {
        let name = format!(".beads/{file}");
        assert_eq!(one.read(&name), two.read(&name));
    }
}

/// Everything in `.beads` but what git never sees, and the files beside git's own.
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
fn reading_what_git_brought_writes_nothing() {
    let folder = Folder::new(true);
    create(&mut folder.open(), "t-a", 0);
    folder.sync();
    let text = folder.read(COPY);
    let other = |id: &str| {
        text.replace("evt-", &format!("evt-{id}"))
            .replace("t-a", id)
    };
    // Another branch, an older state, both sides of a conflict, and a line that is cut off.
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
        assert_eq!(ledger.events(&EventFilter::default()).unwrap().len(), beads);
        drop(ledger.verify().unwrap());
        let after = [".beads", ".git/windlass/ledger"].map(|below| contents(&folder, below));
        assert_eq!(before, after);
    }
    // Work writes nothing that git tracks, and rests on what git brought.
    folder.write(COPY, &pulled);
    let tracked = contents(&folder, ".beads");
    emit(&mut folder.open(), 9, claim_of("t-b", "ann")).unwrap();
    let hidden = |files: Vec<(String, String)>| -> Vec<_> {
        files
            .into_iter()
            .filter(|(name, _)| name != "feed.jsonl")
            .collect()
    };
    assert_eq!(hidden(contents(&folder, ".beads")), hidden(tracked));
    folder.write(COPY, &text);
    let bead = folder.open().state().beads.get("t-b").unwrap();
    assert_eq!(bead.assignee.as_deref(), Some("ann"));
}

#[test]
fn feed_grows_by_what_happened_and_stays_the_same_file() {
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
        // What another clone did is news as well.
        let log = folder.read(COPY);
        let line = log.lines().next().unwrap();
        let other = line.replace("evt-", "evt-x").replace("t-a", "t-c");
        folder.write(COPY, &format!("{log}{other}\n"));
        create(&mut folder.open(), "t-d", 2);
        assert_eq!(read(), 2);
        // Who was stopped between the log and the feed is made good for.
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
fn nothing_git_does_to_the_working_tree_loses_an_event() {
    let folder = Folder::new(true);
    create(&mut folder.open(), "t-a", 0);
    folder.sync();
    let old = folder.read(COPY);
    create(&mut folder.open(), "t-b", 1);
    folder.sync();
    let new = folder.read(COPY);
    assert_eq!((old.lines().count(), new.lines().count()), (1, 2));
    // An older state, a file that is gone, and one that was appended to by somebody else.
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
    // With the folder, the log stays where it is, and comes back with the next sync.
    std::fs::remove_dir_all(folder.path(".beads")).unwrap();
    assert_eq!(folder.open().state().beads.count(), 4);
    assert!(!folder.path(".beads").exists());
    folder.sync();
    assert_eq!(folder.open().state().beads.count(), 4);
    assert_eq!(folder.read(COPY).lines().count(), 4);
    // A log that is gone comes back from the copy.
    std::fs::remove_dir_all(folder.path(".git/windlass")).unwrap();
    assert_eq!(folder.open().state().beads.count(), 4);
    create(&mut folder.open(), "t-e", 3);
    assert_eq!(folder.open().state().beads.count(), 5);
}

#[test]
fn each_working_tree_has_a_copy_of_its_own() {
    let folder = Folder::new(true);
    create(&mut folder.open(), "t-a", 0);
    folder.sync();
    let linked = folder.path("linked");
    let places = || folder.places().seen_from(&linked);
    let text = folder.read(COPY);
    let other = text.replace("evt-", "evt-x").replace("t-a", "t-b");
    folder.write("linked/.beads/events.jsonl", &other);
    assert_eq!(folder.open().state().beads.count(), 1);
    let mut ledger = Ledger::open(places()).unwrap();
    assert_eq!(ledger.state().beads.count(), 2);
    ledger
        .sync(Stamp::default(), std::time::Duration::from_secs(20), "test")
        .unwrap();
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
fn rows_that_git_ignores_are_written_at_once() {
    let folder = Folder::new(true);
    folder.write(".beads/.gitignore", "/issues.jsonl\n");
    create(&mut folder.open(), "t-a", 0);
    assert_eq!(folder.read(".beads/issues.jsonl").lines().count(), 1);
    assert!(!folder.path(".beads/messages.jsonl").exists());
    assert!(!folder.path(COPY).exists());
}

#[test]
fn imported_circles_are_kept_and_waited_for_by_nobody() {
    let folder = Folder::new(false);
    let record = |id: &str, needs: &[(&str, &str)]| {
        let needs = needs
            .iter()
            .map(|(on, kind)| serde_json::json!({ "depends_on_id": on, "type": kind }));
        let needs: Vec<_> = needs.collect();
        let record = serde_json::json!({ "id": id, "title": id, "dependencies": needs });
        BeadImported {
            bead_id: id.to_owned(),
            record: record.as_object().cloned().unwrap(),
            ..BeadImported::default()
        }
    };
    let all = [
        record("t-self", &[("t-self", "blocks"), ("t-free", "blocks")]),
        record("t-a", &[("t-b", "blocks")]),
        record("t-b", &[("t-c", "conditional-blocks")]),
        record("t-c", &[("t-a", "blocks"), ("t-free", "related")]),
        record("t-free", &[]),
        record("t-part", &[("t-whole", "parent-child")]),
        record("t-whole", &[("t-part", "blocks")]),
    ];
    let mut ledger = folder.open();
    for data in &all {
        emit(&mut ledger, 1, data.clone()).unwrap();
    }
    let aside: Vec<String> = all
        .iter()
        .filter_map(|data| ledger.state().beads.get(&data.bead_id))
        .flat_map(|bead| {
            let aside = bead.dependencies.clone().into_iter();
            let aside = aside.filter_map(|one| {
                Some(format!(
                    "{} {}",
                    one.put_aside_kind()?.as_str(),
                    one.depends_on_id
                ))
            });
            aside
                .map(move |one| format!("{} {one}", bead.id))
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(
        aside,
        [
            "t-self blocks t-self",
            "t-c blocks t-a",
            "t-whole blocks t-part"
        ]
    );
    assert_eq!(ready(&ledger), "t-c t-free t-part t-whole");
    for data in &all {
        let bead = ledger.state().beads.get(&data.bead_id).unwrap();
        let record = bead::original_record(&bead);
        assert_eq!(
            record.get("dependencies"),
            data.record
                .get("dependencies")
                .filter(|list| *list != &serde_json::json!([]))
        );
    }
    assert!(folder.open().verify().unwrap().is_clean());
}

#[test]
fn what_changed_since_the_import_goes_out_as_it_is() {
    let folder = Folder::new(false);
    let mut ledger = folder.open();
    create(&mut ledger, "t-a", 0);
    let record = serde_json::json!({ "id": "t-b", "status": "closed", "labels": ["b", "a"], "closed_at": "soon",
        "updated_at": "2025-01-01T00:00:00.123456Z", "assignee": 7, "dependencies": ["t-a", 3], "metadata": [1] });
    let imported = BeadImported {
        bead_id: "t-b".to_owned(),
        record: record.as_object().cloned().unwrap(),
        ..BeadImported::default()
    };
    emit(&mut ledger, 1, imported).unwrap();
    emit(
        &mut ledger,
        2,
        BeadReopened {
            bead_id: "t-b".to_owned(),
            reason: None,
        },
    )
    .unwrap();
    emit(&mut ledger, 3, claim_of("t-b", "ann")).unwrap();
    let removed = BeadDependencyRemoved {
        bead_id: "t-b".to_owned(),
        depends_on_id: "t-a".to_owned(),
        kind: None,
    };
    emit(&mut ledger, 4, removed).unwrap();
    let updated = BeadUpdated {
        bead_id: "t-b".to_owned(),
        labels_added: vec!["c".to_owned()],
        metadata_set: Fields::from_iter([("k".to_owned(), 1.into())]),
        ..BeadUpdated::default()
    };
    emit(&mut ledger, 5, updated).unwrap();
    close(&mut ledger, "t-b", Outcome::Done);
    let now = bead::original_record(&ledger.state().beads.get("t-b").unwrap());
    let want = serde_json::json!({ "status": "closed", "labels": ["a", "b", "c"], "closed_at": "2026-01-01T00:00:06.000Z",
        "close_reason": "it is", "updated_at": "2026-01-01T00:00:06.000Z", "assignee": "ann", "metadata": { "k": 1 } });
    for (name, value) in want.as_object().unwrap() {
        assert_eq!(now.get(name), Some(value), "{name}");
    }
    assert_eq!(now.get("dependencies"), None);
}

#[test]
fn conflict_markers_are_told_and_both_sides_count() {
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
    // They are told until they are gone.
    assert_eq!(folder.open().warnings().len(), 1);
    assert_eq!(ledger.clean_copy().unwrap(), 3);
    let ledger = folder.open();
    assert!(ledger.warnings().is_empty() && ledger.verify().unwrap().is_clean());
    assert_eq!(folder.read(".beads/events.jsonl").lines().count(), 3);
    // What was told before it was taken in is told after that.
    folder.write(COPY, &text);
    create(&mut folder.open(), "t-d", 9);
    assert_eq!(folder.open().warnings().len(), 1);
}

#[test]
fn hooks_of_agents_with_one_file_name_stay_apart() {
    let (folder, mut ledger) = with(&["t-a", "t-b"]);
    for (agent, bead) in [("x/y-z", "t-a"), ("x-y/z", "t-b")] {
        let hook_path = ledger.state().hook_path(agent);
        let hooked = BeadHooked {
            bead_id: bead.to_owned(),
            agent: agent.to_owned(),
            hook_path,
        };
        emit(&mut ledger, 3, hooked).unwrap();
    }
    let of = |ledger: &Ledger, agent: &str| ledger.state().hooks()[agent].clone();
    let (first, second) = (of(&ledger, "x/y-z"), of(&ledger, "x-y/z"));
    assert_eq!(
        (first.reference.as_str(), second.reference.as_str()),
        ("t-a", "t-b")
    );
    assert_eq!(folder.read(".beads/.hook-x-y-z"), "bead:t-a\n");
    assert_eq!(folder.read(&second.path), "bead:t-b\n");
    close(&mut ledger, "t-a", Outcome::Done);
    assert!(!folder.path(".beads/.hook-x-y-z").exists() && folder.path(&second.path).exists());
    // Wherever an event says that a hook's file is, it is in our folder.
    let hooked = HookSet {
        agent: "evil".to_owned(),
        kind: "bead".to_owned(),
        reference: "t-b".to_owned(),
        hook_path: "../outside".to_owned(),
    };
    emit(&mut ledger, 4, hooked).unwrap();
    assert_eq!(of(&ledger, "evil").path, ".beads/.hook-evil");
}

#[test]
fn a_folder_of_another_tool_is_left_alone() {
    let folder = Folder::new(false);
    folder.write(".beads/beads.db", "SQLite");
    let opened = Ledger::open(folder.places());
    let error = opened.unwrap_err().to_string();
    assert!(
        error.starts_with("`.beads` belongs to another tool (`beads.db` is in it)"),
        "{error}"
    );
    let names = std::fs::read_dir(folder.path(".beads")).unwrap().count();
    assert_eq!(names, 1);
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    let (folder, outside) = (Folder::new(true), tempfile::tempdir().unwrap());
    std::os::unix::fs::symlink(outside.path(), folder.path(".beads")).unwrap();
    let error = emit(&mut folder.open(), 1, made("t-a")).unwrap_err();
    assert!(matches!(error, LedgerError::Link(_)), "{error}");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn what_is_written_has_the_shape_that_is_published() {
    let (folder, mut ledger) = with(&["t-a", "t-b"]);
    depend(&mut ledger, "t-a", "blocks", "t-b").unwrap();
    let sent = MailSent {
        message_id: "msg-1".to_owned(),
        from: "ann".to_owned(),
        to: "mayor".to_owned(),
        subject: "help".to_owned(),
        message_type: Some("HELP".to_owned()),
        ..MailSent::default()
    };
    emit(&mut ledger, 7, sent).unwrap();
    let schemas = schemas();
    let check = |name: &str, file: &str| {
        let (_, schema) = schemas.iter().find(|(known, _)| known == name).unwrap();
        let schema = jsonschema::validator_for(schema).unwrap();
        for line in folder.read(file).lines() {
            let value = serde_json::from_str(line).unwrap();
            assert!(schema.is_valid(&value), "{name}: {line}");
        }
        schema
    };
    let event = check("event", ".beads/events.jsonl");
    check("bead", ".beads/issues.jsonl");
    check("message", ".beads/messages.jsonl");
    let wrong = serde_json::json!({ "event_id": "evt-1", "event_type": "bead.closed", "actor": "a",
        "timestamp": "2026-01-01T00:00:00Z", "data": {} });
    assert!(!event.is_valid(&wrong), "a closed bead has an id");
}

#[test]
fn events_are_found_by_what_they_are_about() {
    let (_folder, mut ledger) = with(&["t-a", "t-ab", "t-b"]);
    close(&mut ledger, "t-a", Outcome::Done);
    let found = |filter: EventFilter| {
        let found = ledger.events(&filter).unwrap();
        let told = found.iter().map(|found| {
            let event = EventLine::parse(found.line.as_bytes()).unwrap();
            format!("{} {}", event.event_type, event.timestamp)
        });
        told.collect::<Vec<_>>()
    };
    let some = |text: &str| Some(text.to_owned());
    let about = EventFilter {
        about: some("t-a"),
        ..EventFilter::default()
    };
    let want = [
        "bead.created 2026-01-01T00:00:00.000Z",
        "bead.closed 2026-01-01T00:00:06.000Z",
    ];
    assert_eq!(found(about), want);
    let of = |event_type: &str, actor: &str| EventFilter {
        event_type: some(event_type),
        actor: some(actor),
        ..EventFilter::default()
    };
    assert_eq!(found(of("bead.cre*", "a*")).len(), 3);
    assert_eq!(found(of("bead.created", "ben")).len(), 0);
    let newest = EventFilter {
        limit: Some(1),
        ..of("bead.*", "ann")
    };
    assert_eq!(found(newest), want[1..]);
    let until = EventFilter {
        until: "2026-01-01T00:00:01Z".parse().ok(),
        ..EventFilter::default()
    };
    assert_eq!(found(until).len(), 2);
}

#[test]
fn time_can_be_turned_back() {
    let (_folder, mut ledger) = with(&["t-a", "t-b"]);
    close(&mut ledger, "t-a", Outcome::Done);
    let at = |second: i64| {
        let state = ledger.state_at(writer("x", second).now).unwrap();
        let status = state.beads.get("t-a").map(|bead| bead.status.to_string());
        (state.beads.count(), status.unwrap_or_default())
    };
    assert_eq!(at(-1), (0, String::new()));
    assert_eq!(at(0), (1, "open".to_owned()));
    assert_eq!(at(6), (2, "closed".to_owned()));
}

#[test]
fn a_thousand_events_that_several_processes_append_are_all_there() {
    let folder = Folder::new(true);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let folder = &folder;
            scope.spawn(move || {
                draw_from(thread << 32);
                let mut ledger = folder.open();
                for number in 0..25 {
                    create(&mut ledger, &format!("t-{thread}x{number}"), number);
                }
            });
        }
    });
    folder.sync();
    let ledger = folder.open();
    assert_eq!(ledger.state().beads.count(), 200);
    assert!(ledger.state().rejected().is_empty());
    assert_eq!(folder.read(".beads/feed.jsonl").lines().count(), 200);
    assert_eq!(folder.read(".beads/events.jsonl").lines().count(), 200);
    assert!(ledger.verify().unwrap().is_clean());
    assert!(Path::new(&folder.path(".git/windlass/ledger/events.jsonl")).exists());
}

#[test]
fn what_was_taken_back_is_not_counted_by_who_has_read_it() {
    let (folder, mut ledger) = with(&["t-a"]);
    let log = ".beads/events.jsonl";
    let before = folder.read(log);
    create(&mut ledger, "t-b", 3);
    let mut late = folder.open();
    assert!(late.state().beads.contains("t-b"));
    // It did not fit as a whole, and another came in its place.
    folder.write(log, &before);
    create(&mut folder.open(), "t-with-a-longer-name", 4);
    create(&mut late, "t-c", 5);
    let there: Vec<&str> = late.state().beads.iter().map(|(id, _)| id).collect();
    assert_eq!(there, ["t-a", "t-c", "t-with-a-longer-name"]);
    assert_eq!(folder.open().state().events(), 3);
}
