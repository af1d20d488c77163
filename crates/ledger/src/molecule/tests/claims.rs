//! Claims of steps and their leases.

use super::*;

#[test]
fn claim_takes_steps_by_priority() {
    let (folder, mut ledger) = pour("a; b: a; c: a; d: b c", json!({ "c": { "priority": 0 } }));
    assert_eq!(statuses(&ledger), "a=ready b=pending c=pending d=pending");
    do_step(&mut ledger, 1, "a", json!({ "n": 1 }));
    assert!(
        claim(&mut ledger, "ann", 2, None).starts_with("c 1-"),
        "the more important one"
    );
    assert!(claim(&mut ledger, "bob", 2, None).starts_with("b 1-"));
    assert_eq!(
        claim(&mut ledger, "eve", 2, None),
        "no unclaimed step of `mol-a` is ready"
    );
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    let tokens = ["c", "b"].map(|id| step(&molecule, id).token.clone().unwrap());
    complete(&mut ledger, 3, "c", &tokens[0], Value::Null);
    complete(&mut ledger, 3, "b", &tokens[1], Value::Null);
    do_step(&mut ledger, 4, "d", Value::Null);
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    assert_eq!(molecule.outcome, Some(Outcome::Completed));
    assert_eq!(molecule.summary.as_deref(), Some("4 completed"));
    let file: Value = serde_json::from_str(&folder.read(".beads/mols/mol-a.json")).unwrap();
    assert_eq!(
        (
            &file["steps"][0]["status"],
            &file["steps"][0]["completed_at"]
        ),
        (&json!("completed"), &json!("2026-01-01T00:00:01.000Z"))
    );
    assert_eq!(file["steps"][3]["needs"], json!(["b", "c"]));
}

#[test]
fn claim_race_has_one_winner() {
    let rounds: usize = 5;
    let folder = Folder::new(true);
    let text: Vec<String> = (0..rounds).map(|round| format!("s{round}")).collect();
    emit(
        &mut folder.open(),
        0,
        poured("mol-a", &text.join(";"), json!({})),
    )
    .unwrap();
    for round in 0..rounds {
        let name = format!("s{round}");
        let winners: usize = std::thread::scope(|scope| {
            let racers: Vec<_> = (0..8_u64)
                .map(|racer| {
                    let (folder, name) = (&folder, &name);
                    scope.spawn(move || {
                        draw_from((racer + 1) << 40 | (round as u64) << 8);
                        let mut ledger = folder.open();
                        let claimed = claim(&mut ledger, &format!("a{racer}"), 1, Some(name));
                        usize::from(claimed.starts_with(&format!("{name} 1-")))
                    })
                })
                .collect();
            racers.into_iter().map(|racer| racer.join().unwrap()).sum()
        });
        assert_eq!(winners, 1, "round {round}");
    }
}

#[test]
fn token_expired_claim_rejected() {
    let (_folder, mut ledger) = pour("a", json!({}));
    let old = token(&mut ledger, "ann", 0, "a");
    let taken = claim(&mut ledger, "bob", 9, Some("a"));
    assert_eq!(
        taken,
        "`a` of `mol-a` is claimed by ann until 2026-01-01T00:00:10.000Z"
    );
    // The heartbeat extends the lease. None follows, so it expires.
    let until = act(&mut ledger, "ann", 9, |draft| {
        draft.prolong(&proof("a", &old), None)
    })
    .unwrap();
    assert_eq!(until.to_string(), "2026-01-01T00:00:19.000Z");
    assert!(claim(&mut ledger, "bob", 15, Some("a")).contains("is claimed by ann"));
    let new = token(&mut ledger, "bob", 20, "a");
    assert!(
        old.starts_with("1-") && new.starts_with("2-"),
        "later claims have higher numbers"
    );
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    assert_eq!(step(&molecule, "a").expired, 1);
    let late = complete(&mut ledger, 21, "a", &old, Value::Null);
    assert_eq!(
        late,
        format!("claim `{old}` of `a` of `mol-a` has ended: bob has claimed it since")
    );
    let late = act(&mut ledger, "ann", 21, |draft| {
        draft.prolong(&proof("a", &old), None)
    });
    assert!(matches!(late, Err(LedgerError::Rejected(rejected)) if rejected.won.is_some()));
    assert_eq!(complete(&mut ledger, 22, "a", &new, json!("x")), "true");
    // Repeating a completion changes nothing if the output is the same, and is rejected otherwise.
    assert_eq!(complete(&mut ledger, 23, "a", &new, json!("x")), "true");
    let again = complete(&mut ledger, 23, "a", &new, json!("y"));
    assert!(again.contains("it is completed by bob"), "{again}");
    let done = filter("mol.step_completed").find_in(&ledger).unwrap();
    assert_eq!(done.len(), 1, "no attempt is completed twice");
}

#[test]
fn lease_expired_holds_until_next_claim() {
    let (_folder, mut ledger) = pour("a", json!({}));
    let token = token(&mut ledger, "ann", 0, "a");
    // Nobody has claimed the step in the meantime, so the late completion is accepted.
    assert_eq!(complete(&mut ledger, 99, "a", &token, Value::Null), "true");
    let (_folder, mut ledger) = pour("a", json!({}));
    let early = MolStepLeaseExpired {
        mol_id: "mol-a".to_owned(),
        step_id: "a".to_owned(),
        token: self::token(&mut ledger, "ann", 0, "a"),
        due_at: None,
    };
    let error = emit(&mut ledger, 5, early).unwrap_err().to_string();
    assert_eq!(
        error,
        "the lease of `a` lasts until 2026-01-01T00:00:10.000Z"
    );
}

#[test]
fn merged_claims_have_same_winner() {
    let one = Folder::new(true);
    emit(&mut one.open(), 0, poured("mol-a", "a; b: a", json!({}))).unwrap();
    one.sync();
    let two = Folder::new(true);
    two.write(".beads/events.jsonl", &one.read(".beads/events.jsonl"));
    draw_from(1 << 40);
    let (mut ann, mut bob) = (one.open(), two.open());
    // Bob's claim has the earlier time, so it wins once both logs are merged.
    let first = token(&mut ann, "ann", 3, "a");
    draw_from(2 << 40);
    let second = token(&mut bob, "bob", 2, "a");
    complete(&mut ann, 4, "a", &first, json!("of ann"));
    complete(&mut bob, 5, "a", &second, json!("of bob"));
    do_step(&mut bob, 6, "b", Value::Null);
    one.sync();
    two.sync();
    let (ours, theirs) = (
        one.read(".beads/events.jsonl"),
        two.read(".beads/events.jsonl"),
    );
    // The first line is the event that has poured the molecule, which both logs have.
    let both = |first: &str, second: &str| {
        let rest = second.split_once('\n').unwrap().1;
        format!("{first}{rest}")
    };
    one.write(".beads/events.jsonl", &both(&ours, &theirs));
    two.write(".beads/events.jsonl", &both(&theirs, &ours));
    for folder in [&one, &two] {
        let ledger = folder.open();
        let molecule = ledger.state().molecules.get("mol-a").unwrap();
        assert_eq!(
            step(&molecule, "a").output.value(),
            Some(&json!("of bob")),
            "bob was first"
        );
        assert_eq!(molecule.outcome, Some(Outcome::Completed));
        let rejected = ledger.state().rejected();
        let reasons: Vec<_> = rejected
            .iter()
            .map(|r| format!("{} {}", r.actor, r.reason))
            .collect();
        assert_eq!(
            reasons,
            [
                "ann `a` of `mol-a` is claimed by bob until 2026-01-01T00:00:12.000Z".to_owned(),
                format!(
                    "ann claim `{first}` of `a` of `mol-a` has ended: bob has claimed it since"
                ),
            ]
        );
        assert!(rejected.iter().all(|rejected| rejected.won.is_some()));
        // A claim and its result produce a single message, which has the output.
        let messages = ledger.state().messages.iter();
        let mails: Vec<_> = messages.filter_map(|(_, found)| found.record()).collect();
        assert_eq!(mails.len(), 1);
        assert_eq!(mails[0].to, "ann");
        assert_eq!(
            mails[0].subject,
            "your result of `a` of `mol-a` does not count"
        );
        assert!(mails[0].body.contains("of ann"), "{}", mails[0].body);
        folder.sync();
        assert!(crate::Check::of(&folder.open()).unwrap().is_clean());
    }
    let name = ".beads/mols/mol-a.json";
    assert_eq!(one.read(name), two.read(name));
}

#[test]
fn concurrency_limit_refuses_claim() {
    let (_folder, mut ledger) = pour("a; b; c", json!({}));
    let limit = |limit| MolChanged {
        mol_id: "mol-a".to_owned(),
        concurrency: Some(limit),
        lease_ms: None,
    };
    emit(&mut ledger, 1, limit(1)).unwrap();
    let first = token(&mut ledger, "ann", 1, "a");
    let refused = claim(&mut ledger, "bob", 1, Some("b"));
    assert_eq!(refused, "`mol-a` is at its limit of 1 step in progress");
    assert!(claim(&mut ledger, "bob", 1, None).starts_with("no unclaimed step"));
    complete(&mut ledger, 2, "a", &first, Value::Null);
    assert!(claim(&mut ledger, "bob", 2, None).starts_with("b 1-"));
    // Zero removes the limit.
    emit(&mut ledger, 3, limit(0)).unwrap();
    assert!(claim(&mut ledger, "eve", 3, None).starts_with("c 1-"));
}

#[test]
fn exclusive_step_runs_alone() {
    let (_folder, mut ledger) = pour("a; b; c: a b", json!({ "b": { "parallel": false } }));
    let a = token(&mut ledger, "ann", 1, "a");
    assert_eq!(
        claim(&mut ledger, "bob", 1, Some("b")),
        "`b` of `mol-a` cannot start: `a` is in progress, and `b` must run alone"
    );
    // A claim without a name doesn't offer `b` either, and `c` isn't ready yet.
    assert_eq!(
        claim(&mut ledger, "bob", 1, None),
        "no unclaimed step of `mol-a` is ready"
    );
    complete(&mut ledger, 2, "a", &a, Value::Null);
    let (_folder, mut ledger) = pour("a; b; c: a b", json!({ "b": { "parallel": false } }));
    let b = token(&mut ledger, "bob", 1, "b");
    assert_eq!(
        claim(&mut ledger, "ann", 1, Some("a")),
        "`a` of `mol-a` cannot start: `b` is in progress, and `b` must run alone"
    );
    complete(&mut ledger, 2, "b", &b, Value::Null);
    assert!(claim(&mut ledger, "ann", 3, None).starts_with("a 1-"));
}

#[test]
fn is_for_matches_name_group_or_role() {
    let who = |meant_for: &str, agent: &str| {
        let with = json!({ "a": { "assignee": meant_for, "agent": agent } });
        let (_folder, ledger) = pour("a", with);
        let molecule = ledger.state().molecules.get("mol-a").unwrap();
        let step = step(&molecule, "a").clone();
        move |actor: &str| step.is_for(actor)
    };
    let unassigned = who("", "");
    assert!(unassigned("rig/polecats/x") && unassigned("mayor"));
    for named in [
        "rig/polecats/x",
        "rig/polecats",
        "rig",
        "polecats",
        "polecat",
        "x",
    ] {
        assert!(who(named, "")("rig/polecats/x"), "{named}");
        assert!(who("", named)("rig/polecats/x"), "{named}");
        assert!(!who(named, "")("other/crew/y"), "{named}");
    }
    for other in ["rig/pole", "pole", "rig/polecats/y", "X"] {
        assert!(!who(other, "")("rig/polecats/x"), "{other}");
    }
    assert!(!who("rig", "critic")("rig/polecats/x"), "both must match");
}

#[test]
fn claim_without_ready_step_names_held_step() {
    let (_folder, mut ledger) = pour("a; b: a", json!({}));
    token(&mut ledger, "ann", 1, "a");
    assert_eq!(
        claim(&mut ledger, "ann", 1, None),
        "no unclaimed step of `mol-a` is ready; you hold `a` of `mol-a`"
    );
    assert_eq!(
        claim(&mut ledger, "bob", 1, None),
        "no unclaimed step of `mol-a` is ready"
    );
}
