//! How steps end: completed, failed, skipped, sent back.

use super::*;

#[test]
fn failures_are_tried_again_by_policy_and_hold_back_what_needs_them() {
    let retry = json!({ "a": { "retry": { "max_attempts": 3, "backoff": "2s" } } });
    let (_folder, mut ledger) = pour("a; b: a; c", retry);
    assert!(fail(&mut ledger, 1, "a"));
    assert_eq!(told(&ledger), "a=blocked b=pending c=ready");
    let early = claim(&mut ledger, "bob", 2, Some("a"));
    assert_eq!(
        early,
        "`a` of `mol-a` is blocked: it broke; it may be tried again from 2026-01-01T00:00:03.000Z"
    );
    assert!(fail(&mut ledger, 3, "a"), "the second of three");
    assert!(!fail(&mut ledger, 8, "a"), "the last");
    assert_eq!(told(&ledger), "a=failed b=blocked c=ready");
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    assert_eq!(
        molecule.reason(step(&molecule, "b")).as_deref(),
        Some("`a` failed")
    );
    assert_eq!(molecule.outcome, None, "c can still be done");
    do_step(&mut ledger, 9, "c", Value::Null);
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    assert_eq!(
        (molecule.outcome, molecule.summary),
        (Some(Outcome::Failed), None)
    );
    // Done anew it has all its attempts again.
    let again = MolPushedBack {
        mol_id: "mol-a".to_owned(),
        step_id: "a".to_owned(),
        reason: "mended".to_owned(),
        ..MolPushedBack::default()
    };
    emit(&mut ledger, 10, again).unwrap();
    assert_eq!(told(&ledger), "a=ready b=pending c=completed");
    assert!(fail(&mut ledger, 11, "a"));
    do_step(&mut ledger, 20, "a", Value::Null);
    do_step(&mut ledger, 21, "b", Value::Null);
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    assert_eq!(molecule.outcome, Some(Outcome::Completed));
    assert_eq!(
        (
            step(&molecule, "a").generation,
            step(&molecule, "a").attempt
        ),
        (1, 5)
    );
}

#[test]
fn an_attempt_that_takes_too_long_has_failed() {
    let with = json!({ "a": { "timeout": "30s", "retry": { "max_attempts": 2 } } });
    let (_folder, mut ledger) = pour("a", with);
    let first = token(&mut ledger, "ann", 0, "a");
    let more = |draft: &mut Draft<'_>| draft.prolong(&proof("a", &first), Some(600_000));
    act(&mut ledger, "ann", 5, more).unwrap();
    assert_eq!(settle(&mut ledger, 30), "a=in_progress");
    assert_eq!(settle(&mut ledger, 31), "a=ready", "it may be tried again");
    let late = complete(&mut ledger, 31, "a", &first, Value::Null);
    assert!(late.contains("is not in progress by this claim"), "{late}");
    token(&mut ledger, "bob", 40, "a");
    assert_eq!(settle(&mut ledger, 45), "a=in_progress");
    act(&mut ledger, "bob", 49, |draft| {
        let token = step(&draft.molecule("mol-a")?, "a").token.clone().unwrap();
        draft.prolong(&proof("a", &token), Some(600_000))
    })
    .unwrap();
    assert_eq!(settle(&mut ledger, 71), "a=failed");
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    let note = step(&molecule, "a").note.clone();
    assert_eq!(note.as_deref(), Some("it took longer than 30s"));
}

#[test]
fn dependents_of_a_skipped_step_inherit_what_it_needed() {
    let (_folder, mut ledger) = pour("a; b: a; c: b", json!({}));
    let skipped = act(&mut ledger, "ann", 1, |draft| {
        draft.skip("mol-a", "b", "not needed", &Nowhere)
    });
    skipped.unwrap();
    assert_eq!(told(&ledger), "a=ready b=skipped c=pending");
    do_step(&mut ledger, 2, "a", Value::Null);
    assert_eq!(told(&ledger), "a=completed b=skipped c=ready");
    claim(&mut ledger, "bob", 3, Some("c"));
    let skipped = act(&mut ledger, "ann", 3, |draft| {
        draft.skip("mol-a", "c", "", &Nowhere)
    });
    assert_eq!(
        skipped.unwrap_err().to_string(),
        "bob has `c` of `mol-a`, and works on it"
    );
}

#[test]
fn nothing_is_said_to_be_done_that_is_not() {
    let (_folder, mut ledger) = pour("a; b: a; c", json!({}));
    do_step(&mut ledger, 1, "a", Value::Null);
    let done = MolCompleted {
        mol_id: "mol-a".to_owned(),
        summary: "all of it".to_owned(),
    };
    let error = emit(&mut ledger, 2, done.clone()).unwrap_err().to_string();
    assert_eq!(error, "`mol-a` is not done: `b` is not");
    let skipped = |draft: &mut Draft<'_>| draft.skip("mol-a", "c", "not now", &Nowhere);
    act(&mut ledger, "ann", 3, skipped).unwrap();
    assert!(
        emit(&mut ledger, 4, done).is_err(),
        "what is blocked or ready is not done"
    );
    assert_eq!(told(&ledger), "a=completed b=ready c=skipped");
    // What nobody claims stays, however long: nothing ends by itself.
    assert_eq!(
        settle(&mut ledger, 100_000_000),
        "a=completed b=ready c=skipped"
    );
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    assert_eq!(molecule.outcome, None);
}

#[test]
fn a_reviewer_sends_the_work_back() {
    let gates = json!({ "ship": { "gates": [{ "type": "human" }] } });
    let (_folder, mut ledger) = pour("write; test: write; ship: test; notes: write", gates);
    for step in ["write", "test", "notes"] {
        do_step(&mut ledger, 1, step, json!("first"));
    }
    let back = MolPushedBack {
        mol_id: "mol-a".to_owned(),
        step_id: "write".to_owned(),
        from_step: Some("ship".to_owned()),
        reason: "too long".to_owned(),
    };
    emit(&mut ledger, 2, back.clone()).unwrap();
    assert_eq!(
        told(&ledger),
        "write=ready test=pending ship=pending notes=pending"
    );
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    let write = step(&molecule, "write");
    assert_eq!((write.generation, &write.output), (1, &Value::Null));
    assert_eq!(
        write.note.as_deref(),
        Some("pushed back from `ship`: too long")
    );
    let twice = emit(&mut ledger, 3, back).unwrap_err().to_string();
    assert_eq!(
        twice,
        "step `write` of `mol-a` cannot be done anew: it is ready"
    );
}

#[test]
fn what_only_contains_others_is_done_when_they_are() {
    let with = json!({ "all": { "children": ["a", "b"] }, "any": { "waits_for": { "mode": "any", "of": ["a"] } } });
    let (_folder, mut ledger) = pour("a; b; all: a b; any: a; end: all", with);
    let refused = claim(&mut ledger, "ann", 1, Some("all"));
    assert!(refused.contains("is pending"), "{refused}");
    do_step(&mut ledger, 1, "a", Value::Null);
    do_step(&mut ledger, 2, "b", Value::Null);
    assert_eq!(
        told(&ledger),
        "a=completed b=completed all=completed any=ready end=ready"
    );
}

#[test]
fn the_last_time_of_a_loop_must_have_what_it_was_repeated_for() {
    let with = json!({ "try": { "must_hold": output_is("try", "ok", "true") } });
    let (_folder, mut ledger) = pour("try; end: try", with);
    let token = token(&mut ledger, "ann", 1, "try");
    assert_eq!(
        complete(&mut ledger, 2, "try", &token, json!({ "ok": false })),
        "false"
    );
    assert_eq!(told(&ledger), "try=failed end=blocked");
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    let note = step(&molecule, "try").note.clone().unwrap();
    assert_eq!(
        note,
        "this was the last time, and it does not hold: it is so"
    );
}

/// A formula that says so is squashed by itself once it is done, and never before.
#[test]
fn what_is_done_is_squashed_where_its_formula_says_so() {
    let folder = Folder::new(false);
    let mut ledger = folder.open();
    let mut made = poured(
        "mol-a",
        "a; b: a",
        json!({ "a": { "retry": { "max_attempts": 2 } } }),
    );
    made.cooked["squash"] =
        json!({ "trigger": "on_complete", "template_type": "patrol", "include_metrics": true });
    emit(&mut ledger, 0, made).unwrap();
    assert!(fail(&mut ledger, 1, "a"));
    do_step(&mut ledger, 2, "a", Value::Null);
    assert_eq!(told(&ledger), "a=completed b=ready");
    let token = token(&mut ledger, "ann", 4, "b");
    assert_eq!(complete(&mut ledger, 9, "b", &token, Value::Null), "true");
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    let closing = molecule.closing.as_ref().unwrap();
    assert_eq!(
        (closing.how, closing.reason.as_str()),
        (PutAway::Squashed, "2 completed")
    );
    assert!(!folder.path(".beads/mols/mol-a.json").exists());
    let file = folder.read(".beads/mols/mol-a.archive.json");
    let file: Value = serde_json::from_str(&file).unwrap();
    assert_eq!(
        file["digest"],
        json!({ "template_type": "patrol", "metrics": { "took_ms": 9000, "worked_ms": 5000, "completed": 2, "skipped": 0,
            "failed": 0, "attempts": 3, "expired": 0, "done_anew": 0 } })
    );
    let late = claim(&mut ledger, "ann", 10, Some("a"));
    assert!(late.contains("was squashed by ann"), "{late}");
}

#[test]
fn what_failed_is_not_squashed_for_it_may_be_mended() {
    let folder = Folder::new(false);
    let mut ledger = folder.open();
    let mut made = poured("mol-a", "a", json!({}));
    made.cooked["squash"] = json!({ "trigger": "on_complete" });
    emit(&mut ledger, 0, made).unwrap();
    assert!(!fail(&mut ledger, 1, "a"));
    settle(&mut ledger, 2);
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    assert_eq!(
        (molecule.outcome, molecule.closing),
        (Some(Outcome::Failed), None)
    );
}

/// Of a step that contains others and asks for something itself, somebody has to do that.
#[test]
fn a_step_that_contains_others_is_not_done_without_what_it_asks_for() {
    let (_folder, mut ledger) = pour(
        "a; b; c: a; d: b",
        json!({ "c": { "children": ["a"], "acceptance": [{ "file": "x" }] }, "d": { "children": ["b"] } }),
    );
    do_step(&mut ledger, 1, "a", Value::Null);
    do_step(&mut ledger, 1, "b", Value::Null);
    assert_eq!(told(&ledger), "a=completed b=completed c=ready d=completed");
}

/// The last time of a loop ends with a step that only contains others: it is not done either unless that holds.
#[test]
fn what_only_contains_others_fails_where_the_loop_did_not_reach_its_end() {
    let (_folder, mut ledger) = pour(
        "a; b: a",
        json!({ "b": { "children": ["a"], "must_hold": output_is("a", "ok", "true") } }),
    );
    do_step(&mut ledger, 1, "a", json!({ "ok": false }));
    assert_eq!(told(&ledger), "a=completed b=failed");
}
