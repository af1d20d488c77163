//! The log, the state and the files beside it as a whole.
#![expect(clippy::disallowed_methods, reason = "tests make the files they need")]

use std::path::Path;

use crate::event::*;
use crate::tests::*;
use crate::*;

#[test]
fn reopened_ledger_has_all_events() {
    for has_git in [false, true] {
        let folder = Folder::new(has_git);
        let mut ledger = folder.open();
        assert_eq!(ledger.state().events(), 0);
        create(&mut ledger, "t-a", 1);
        // A clock that runs backwards doesn't change the order of events, but we store its time as
        // it is.
        create(&mut ledger, "t-b", -100);
        let again = folder.open();
        assert_eq!(again.state().beads.count(), 2);
        let created = |id: &str| again.state().beads.get(id).unwrap().created_at.to_string();
        assert_eq!(created("t-b"), "2025-12-31T23:58:20.000Z");
        if has_git {
            folder.sync();
        }
        assert_eq!(folder.read(".beads/issues.jsonl").lines().count(), 2);
        let log = folder.read(".beads/events.jsonl");
        assert!(
            log.lines()
                .nth(1)
                .unwrap()
                .contains("\"log_time\":\"2026-01-01T00:00:01.000Z\",\"seq\":1"),
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
fn transact_error_writes_nothing() {
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
    // If the failed draft had left its bead in the state, this would be refused.
    create(&mut ledger, "t-b", 3);
}

#[test]
fn claim_second_actor_gets_winner() {
    let (_folder, mut ledger) = with(&["t-a"]);
    let claim = |actor: &str, ledger: &mut Journal| {
        let claim = BeadStatusChanged {
            bead_id: "t-a".to_owned(),
            from_status: "open".to_owned(),
            to_status: "in_progress".to_owned(),
            assignee: Some(actor.to_owned()),
            claim: true,
            reason: None,
        };
        ledger.transact(&writer(actor, 3), |draft| draft.emit(claim.clone()))
    };
    let won = claim("ann", &mut ledger).unwrap();
    let LedgerError::Rejected(rejected) = claim("bob", &mut ledger).unwrap_err() else {
        panic!()
    };
    assert_eq!(
        rejected.reason,
        "`t-a` is claimed by ann (status in_progress)"
    );
    assert_eq!(rejected.won, Some(won));
}

#[test]
fn hooks_same_file_name_kept_apart() {
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
    let of = |ledger: &Journal, agent: &str| ledger.state().hooks()[agent].clone();
    let (first, second) = (of(&ledger, "x/y-z"), of(&ledger, "x-y/z"));
    assert_eq!(
        (first.reference.as_str(), second.reference.as_str()),
        ("t-a", "t-b")
    );
    assert_eq!(folder.read(".beads/.hook-x-y-z"), "bead:t-a\n");
    assert_eq!(folder.read(&second.path), "bead:t-b\n");
    close(&mut ledger, "t-a", Outcome::Done);
    assert!(!folder.path(".beads/.hook-x-y-z").exists() && folder.path(&second.path).exists());
    // If a hook path leads outside of `.beads`, we use the default path instead.
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
fn open_foreign_folder_refused() {
    let folder = Folder::new(false);
    folder.write(".beads/beads.db", "SQLite");
    let opened = Journal::open(folder.places());
    let error = opened.unwrap_err().to_string();
    assert!(
        error.starts_with("`.beads` belongs to another tool (it contains `beads.db`)"),
        "{error}"
    );
    let names = std::fs::read_dir(folder.path(".beads")).unwrap().count();
    // The refusal hasn't created any files.
    assert_eq!(names, 1);
}

#[cfg(unix)]
#[test]
fn open_linked_folder_refused() {
    let (folder, outside) = (Folder::new(true), tempfile::tempdir().unwrap());
    std::os::unix::fs::symlink(outside.path(), folder.path(".beads")).unwrap();
    let error = crate::Journal::open(folder.places()).unwrap_err();
    assert!(error.to_string().contains("is a symbolic link"), "{error}");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn written_records_match_schemas() {
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
fn find_events_by_subject() {
    let (_folder, mut ledger) = with(&["t-a", "t-ab", "t-b"]);
    close(&mut ledger, "t-a", Outcome::Done);
    let found = |filter: EventFilter| {
        let found = filter.find_in(&ledger).unwrap();
        let events = found.iter().map(|found| {
            let event = EventLine::parse(found.line.as_bytes()).unwrap();
            format!("{} {}", event.event_type, event.timestamp)
        });
        events.collect::<Vec<_>>()
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
fn state_at_returns_past_state() {
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
fn concurrent_appends_keep_all_events() {
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
    assert!(crate::Check::of(&ledger).unwrap().is_clean());
    assert!(Path::new(&folder.path(".git/windlass/ledger/events.jsonl")).exists());
}

#[test]
fn withdrawn_lines_not_counted() {
    let (folder, mut ledger) = with(&["t-a"]);
    let log = ".beads/events.jsonl";
    let before = folder.read(log);
    create(&mut ledger, "t-b", 3);
    let mut late = folder.open();
    assert!(late.state().beads.contains("t-b"));
    // The lines didn't fit on the disk, so their writer has removed them, and another event has
    // taken their place.
    folder.write(log, &before);
    create(&mut folder.open(), "t-with-a-longer-name", 4);
    create(&mut late, "t-c", 5);
    let there: Vec<&str> = late.state().beads.iter().map(|(id, _)| id).collect();
    assert_eq!(there, ["t-a", "t-c", "t-with-a-longer-name"]);
    assert_eq!(folder.open().state().events(), 3);
}

#[test]
fn unfinished_line_is_news_once() {
    let (folder, mut ledger) = with(&["t-a"]);
    assert!(!ledger.has_grown());
    let path = folder.path(".beads/events.jsonl");
    let whole = folder.read(".beads/events.jsonl");
    std::fs::write(&path, format!("{whole}{{\"event_id\":")).unwrap();
    assert!(ledger.has_grown());
    ledger.follow_others().unwrap();
    assert!(!ledger.has_grown());
    let other = whole.replace("evt-", "evt-x").replace("t-a", "t-b");
    std::fs::write(&path, format!("{whole}{other}")).unwrap();
    assert!(ledger.has_grown());
    ledger.follow_others().unwrap();
    assert!(!ledger.has_grown() && ledger.state().beads.contains("t-b"));
    // A file that was replaced is read again, and a missing file is news only once.
    std::fs::remove_file(&path).unwrap();
    ledger.follow_others().unwrap();
    assert!(!ledger.has_grown() && ledger.state().events() == 0);
    std::fs::write(&path, &whole).unwrap();
    assert!(ledger.has_grown());
}
