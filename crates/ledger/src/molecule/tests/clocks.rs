//! Effects of a wrong clock on the work of others.

use proptest::prelude::*;

use super::*;

const DAY: i64 = 24 * 3600;

fn holder(ledger: &Journal, id: &str) -> Option<String> {
    let molecule = ledger.state().molecule("mol-a").unwrap();
    let step = step(&molecule, id);
    let is_held = step.status == Status::InProgress;
    step.holder.clone().filter(|_| is_held)
}

fn look(ledger: &mut Journal, actor: &str, second: i64) {
    act(ledger, actor, second, |draft| {
        draft.settle("mol-a", &Nowhere)
    })
    .unwrap();
}

/// Writes an event by `actor` that changes nothing but the log's time.
fn write(ledger: &mut Journal, actor: &str, second: i64) {
    act(ledger, actor, second, |draft| {
        draft.emit(ClockObserved::default())
    })
    .unwrap();
}

#[test]
fn clock_far_ahead_ends_nothing() {
    let retried = json!({ "c": { "retry": { "max_attempts": 3, "backoff": "1h" } },
        "t": { "gates": [{ "type": "timer", "duration": "1h" }] } });
    let (_folder, mut ledger) = pour("a; b; c; t", retried);
    token(&mut ledger, "ann", 1, "a");
    assert!(fail(&mut ledger, 2, "c"));
    token(&mut ledger, "bob", 2 * DAY, "b");
    look(&mut ledger, "bob", 2 * DAY + 5);
    assert_eq!(
        statuses(&ledger),
        "a=in_progress b=in_progress c=blocked t=blocked"
    );
    // Events and timestamps of other actors still follow the correct time.
    write(&mut ledger, "cid", 3);
    let last = filter("clock.observed").find_in(&ledger).unwrap();
    let last: Value = serde_json::from_str(&last.last().unwrap().line).unwrap();
    assert_eq!(
        (&last["timestamp"], &last["log_time"]),
        (&json!("2026-01-01T00:00:03.000Z"), &Value::Null)
    );
    let wrong: Vec<_> = ledger.state().clock().wrong().collect();
    assert_eq!(
        wrong.first().map(|(who, by)| (*who, by / 1_000_000)),
        Some(("bob", 2 * DAY - 2))
    );
    // The claim of the actor with the wrong clock ends on time as well.
    look(&mut ledger, "cid", 13);
    assert_eq!(statuses(&ledger), "a=ready b=ready c=blocked t=blocked");
    // Two clocks confirm that two days have passed, so all deadlines have too.
    write(&mut ledger, "ann", 3 * DAY);
    look(&mut ledger, "cid", 3 * DAY);
    assert_eq!(statuses(&ledger), "a=ready b=ready c=ready t=ready");
}

#[test]
fn clock_behind_changes_no_lease() {
    let (_folder, mut ledger) = pour("a", json!({}));
    token(&mut ledger, "ann", DAY, "a");
    write(&mut ledger, "cid", DAY + 1);
    write(&mut ledger, "ann", DAY + 2);
    // Bob's clock shows the previous day, which doesn't get him the step either.
    assert!(claim(&mut ledger, "bob", 0, Some("a")).contains("claimed by ann"));
    write(&mut ledger, "bob", 1);
    look(&mut ledger, "cid", DAY + 13);
    assert_eq!(statuses(&ledger), "a=ready");
}

#[test]
fn claim_after_pause_keeps_lease() {
    let (_folder, mut ledger) = pour("a", json!({}));
    token(&mut ledger, "ann", DAY / 2, "a");
    write(&mut ledger, "bob", DAY / 2 + 5);
    look(&mut ledger, "bob", DAY / 2 + 9);
    assert_eq!(holder(&ledger, "a").as_deref(), Some("ann"));
    look(&mut ledger, "bob", DAY / 2 + 12);
    assert_eq!(holder(&ledger, "a"), None);
}

#[test]
fn old_log_without_due_times_folds() {
    let line = |id: u32, kind: &str, second: i64, more: Value| {
        let stamp = writer("x", second).now.to_string();
        let mut event = json!({ "event_id": format!("evt-{id}"), "event_type": kind, "timestamp": stamp, "actor": "ann" });
        event
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        format!("{event}\n")
    };
    let at = |second: i64| writer("x", second).now.to_string();
    let proof = json!({ "mol_id": "mol-a", "step_id": "a", "token": "1-x" });
    let mut claimed = proof.clone();
    claimed["lease_until"] = at(10).into();
    // A log of an older version. Bob's clock is ahead, and so is every timestamp after his.
    let log = [
        line(
            1,
            "mol.created",
            0,
            json!({ "data": poured("mol-a", "a; b", json!({})) }),
        ),
        line(2, "mol.step_started", 1, json!({ "data": claimed })),
        line(
            3,
            "mol.step_lease_expired",
            2 * DAY,
            json!({ "actor": "bob", "data": proof }),
        ),
        line(
            4,
            "mol.step_started",
            2 * DAY,
            json!({ "seq": 1, "clock": at(5),
            "data": { "mol_id": "mol-a", "step_id": "b", "token": "1-y", "lease_until": at(15) } }),
        ),
    ];
    let state = fold::fold(log.concat().as_bytes(), None);
    assert_eq!(state.rejected(), []);
    let molecule = state.molecules.get("mol-a").unwrap();
    let (a, b) = (step(&molecule, "a"), step(&molecule, "b"));
    assert_eq!(
        (a.status, a.expired, a.note.as_deref()),
        (Status::Ready, 1, Some("the lease of ann expired"))
    );
    assert_eq!(
        (
            b.started_at.unwrap().to_string(),
            b.lease_until.unwrap().to_string()
        ),
        (at(2 * DAY), at(15))
    );
    assert_eq!(molecule.touched_at.to_string(), at(2 * DAY));
    // Later deadlines follow the correct time again.
    assert!(!b.is_overdue(state.clock().now().unwrap()));
}

#[test]
fn bead_after_clock_ahead_gets_honest_times() {
    let (_folder, mut ledger) = pour("a", json!({}));
    crate::tests::create(&mut ledger, "t-a", 1);
    let renamed = |title: &str| {
        let changes = json!({ "title": title }).as_object().unwrap().clone();
        BeadUpdated {
            bead_id: "t-a".to_owned(),
            changes,
            ..BeadUpdated::default()
        }
    };
    act(&mut ledger, "bob", 2 * DAY, |draft| {
        draft.emit(renamed("x"))
    })
    .unwrap();
    emit(&mut ledger, 2, renamed("y")).unwrap();
    let bead = ledger.state().beads.get("t-a").unwrap();
    // The title was changed at second 2, even though Bob's change claims to be two days younger.
    assert_eq!(bead.updated_at, writer("x", 2).now);
}

#[test]
fn old_log_gives_same_molecules() {
    let state = fold::fold(include_bytes!("old/events.jsonl"), None);
    let molecules = state.molecules.iter();
    let files: Vec<Value> = molecules
        .map(|(_, found)| serde_json::to_value(found.record().unwrap().to_file()).unwrap())
        .collect();
    let old: Value = serde_json::from_str(include_str!("old/molecules.json")).unwrap();
    assert_eq!(Value::from(files), old);
    assert_eq!(state.rejected(), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Three actors with correct clocks claim steps and let leases expire. A fourth, whose clock is
    /// wrong, claims at any time.
    #[test]
    fn wrong_clock_never_ends_lease(
        acts in prop::collection::vec((0..4_usize, 0..3_usize, 0..5_i64), 1..40),
        off in prop_oneof![-9 * DAY..-3700, 3700..9 * DAY],
    ) {
        let (_folder, mut ledger) = pour("a; b; c", json!({}));
        let mut now = 1;
        let mut until: [Option<i64>; 3] = [None; 3];
        for (actor, at, passed) in acts {
            now += passed;
            let id = ["a", "b", "c"][at];
            let (name, clock) = match actor {
                3 => ("wrong".to_owned(), now + off),
                honest => (format!("h{honest}"), now),
            };
            let _ = claim(&mut ledger, &name, clock, Some(id));
            look(&mut ledger, &name, clock);
            let held = holder(&ledger, id);
            // A lease lasts ten seconds from the claim.
            let is_mine = held.as_deref() == Some(name.as_str());
            if actor != 3 && is_mine && until[at].is_none_or(|until| until < now) {
                until[at] = Some(now + 10);
            }
            if actor == 3 && is_mine {
                until[at] = None;
            }
            for (step, until) in ["a", "b", "c"].iter().zip(until) {
                if until.is_some_and(|until| until >= now) {
                    prop_assert!(holder(&ledger, step).is_some_and(|by| by.starts_with('h')), "{step} at {now}");
                }
            }
            if actor != 3 {
                look(&mut ledger, "h9", now);
                for step in ["a", "b", "c"] {
                    // Once the correct clocks have passed the end of a lease, it must be over.
                    let molecule = ledger.state().molecule("mol-a").unwrap();
                    let found = super::step(&molecule, step);
                    prop_assert!(!found.is_overdue(ledger.state().clock().now().unwrap()));
                }
            }
        }
    }
}
