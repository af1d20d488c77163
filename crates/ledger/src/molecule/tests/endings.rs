//! The ways steps end: completed, failed, skipped or pushed back.

use super::*;

#[test]
fn failed_step_retries_then_blocks_dependents() {
    let retry = json!({ "a": { "retry": { "max_attempts": 3, "backoff": "2s" } } });
    let (_folder, mut ledger) = pour("a; b: a; c", retry);
    assert!(fail(&mut ledger, 1, "a"));
    assert_eq!(statuses(&ledger), "a=blocked b=pending c=ready");
    let early = claim(&mut ledger, "bob", 2, Some("a"));
    assert_eq!(
        early,
        "`a` of `mol-a` is blocked: it broke; next attempt at 2026-01-01T00:00:03.000Z"
    );
    assert!(fail(&mut ledger, 3, "a"), "the second of three");
    assert!(!fail(&mut ledger, 8, "a"), "the last");
    assert_eq!(statuses(&ledger), "a=failed b=blocked c=ready");
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
    // A push-back gives the steps their full number of attempts again.
    let again = MolPushedBack {
        mol_id: "mol-a".to_owned(),
        step_id: "a".to_owned(),
        reason: "mended".to_owned(),
        ..MolPushedBack::default()
    };
    emit(&mut ledger, 10, again).unwrap();
    assert_eq!(statuses(&ledger), "a=ready b=pending c=completed");
    assert!(fail(&mut ledger, 11, "a"));
    do_step(&mut ledger, 20, "a", Value::Null);
    do_step(&mut ledger, 21, "b", Value::Null);
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    assert_eq!(molecule.outcome, Some(Outcome::Completed));
    // The attempts go on counting after the push-back, so that tokens never repeat.
    assert_eq!(
        (
            step(&molecule, "a").generation,
            step(&molecule, "a").attempt
        ),
        (1, 5)
    );
}

#[test]
fn step_over_timeout_fails() {
    let with = json!({ "a": { "timeout": "30s", "retry": { "max_attempts": 2 } } });
    let (_folder, mut ledger) = pour("a", with);
    let first = token(&mut ledger, "ann", 0, "a");
    let more = |draft: &mut Draft<'_>| draft.prolong(&proof("a", &first), Some(600_000));
    act(&mut ledger, "ann", 5, more).unwrap();
    // The heartbeats extend the lease, but not the time limit of the attempt.
    assert_eq!(settle(&mut ledger, 30), "a=in_progress");
    assert_eq!(settle(&mut ledger, 31), "a=ready", "it may be tried again");
    let late = complete(&mut ledger, 31, "a", &first, Value::Null);
    assert!(
        late.contains("this claim of `a` of `mol-a` has ended"),
        "{late}"
    );
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
fn skipped_step_dependents_inherit_needs() {
    let (_folder, mut ledger) = pour("a; b: a; c: b", json!({}));
    let skipped = act(&mut ledger, "ann", 1, |draft| {
        draft.skip("mol-a", "b", "not needed", &Nowhere)
    });
    skipped.unwrap();
    assert_eq!(statuses(&ledger), "a=ready b=skipped c=pending");
    do_step(&mut ledger, 2, "a", Value::Null);
    assert_eq!(statuses(&ledger), "a=completed b=skipped c=ready");
    claim(&mut ledger, "bob", 3, Some("c"));
    let skipped = act(&mut ledger, "ann", 3, |draft| {
        draft.skip("mol-a", "c", "", &Nowhere)
    });
    assert_eq!(
        skipped.unwrap_err().to_string(),
        "`c` of `mol-a` is in progress: bob has claimed it"
    );
}

#[test]
fn complete_with_open_steps_refused() {
    let (_folder, mut ledger) = pour("a; b: a; c", json!({}));
    do_step(&mut ledger, 1, "a", Value::Null);
    let done = MolCompleted {
        mol_id: "mol-a".to_owned(),
        summary: "all of it".to_owned(),
    };
    let error = emit(&mut ledger, 2, done.clone()).unwrap_err().to_string();
    assert_eq!(error, "`mol-a` is not done: step `b` is open");
    let skipped = |draft: &mut Draft<'_>| draft.skip("mol-a", "c", "not now", &Nowhere);
    act(&mut ledger, "ann", 3, skipped).unwrap();
    assert!(
        emit(&mut ledger, 4, done).is_err(),
        "blocked or ready steps are not done"
    );
    assert_eq!(statuses(&ledger), "a=completed b=ready c=skipped");
    // If no actor claims a step, it stays open forever.
    assert_eq!(
        settle(&mut ledger, 100_000_000),
        "a=completed b=ready c=skipped"
    );
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    assert_eq!(molecule.outcome, None);
}

#[test]
fn push_back_reopens_dependents() {
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
        statuses(&ledger),
        "write=ready test=pending ship=pending notes=pending"
    );
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    let write = step(&molecule, "write");
    assert_eq!(
        (write.generation, write.output.value()),
        (1, Some(&Value::Null))
    );
    assert_eq!(
        write.note.as_deref(),
        Some("pushed back from `ship`: too long")
    );
    let twice = emit(&mut ledger, 3, back).unwrap_err().to_string();
    assert_eq!(
        twice,
        "step `write` of `mol-a` cannot be repeated: it is ready"
    );
}

#[test]
fn container_completes_with_children() {
    let with = json!({ "all": { "children": ["a", "b"] }, "any": { "waits_for": { "mode": "any", "of": ["a"] } } });
    let (_folder, mut ledger) = pour("a; b; all: a b; any: a; end: all", with);
    let refused = claim(&mut ledger, "ann", 1, Some("all"));
    assert!(refused.contains("is pending"), "{refused}");
    do_step(&mut ledger, 1, "a", Value::Null);
    do_step(&mut ledger, 2, "b", Value::Null);
    assert_eq!(
        statuses(&ledger),
        "a=completed b=completed all=completed any=ready end=ready"
    );
}

#[test]
fn last_iteration_unmet_condition_fails() {
    let with = json!({ "try": { "must_hold": output_is("try", "ok", "true") } });
    let (_folder, mut ledger) = pour("try; end: try", with);
    let token = token(&mut ledger, "ann", 1, "try");
    assert_eq!(
        complete(&mut ledger, 2, "try", &token, json!({ "ok": false })),
        "false"
    );
    assert_eq!(statuses(&ledger), "try=failed end=blocked");
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    let note = step(&molecule, "try").note.clone().unwrap();
    assert_eq!(
        note,
        "the condition does not hold after the last iteration: it is so"
    );
}

/// A formula with `squash` is squashed when it's done, but not earlier.
#[test]
fn squash_on_complete_writes_digest() {
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
    assert_eq!(statuses(&ledger), "a=completed b=ready");
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
fn squash_failed_molecule_stays_open() {
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

/// A container with acceptance criteria of its own has to be worked on.
#[test]
fn container_with_criteria_stays_ready() {
    let (_folder, mut ledger) = pour(
        "a; b; c: a; d: b",
        json!({ "c": { "children": ["a"], "acceptance": [{ "file": "x" }] }, "d": { "children": ["b"] } }),
    );
    do_step(&mut ledger, 1, "a", Value::Null);
    do_step(&mut ledger, 1, "b", Value::Null);
    assert_eq!(
        statuses(&ledger),
        "a=completed b=completed c=ready d=completed"
    );
}

/// The last iteration of a loop ends with a container, which fails unless the loop's condition
/// holds.
#[test]
fn loop_container_unmet_condition_fails() {
    let (_folder, mut ledger) = pour(
        "a; b: a",
        json!({ "b": { "children": ["a"], "must_hold": output_is("a", "ok", "true") } }),
    );
    do_step(&mut ledger, 1, "a", json!({ "ok": false }));
    assert_eq!(statuses(&ledger), "a=completed b=failed");
}
