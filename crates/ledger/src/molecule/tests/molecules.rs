//! Relations between molecules: made from outputs, bonded, temporary.

use super::*;

#[test]
fn waits_for_children_of_output() {
    let with = json!({ "end": { "waits_for": { "mode": "all", "of": ["plan"] } } });
    let (_folder, mut ledger) = pour("plan; end: plan", with);
    let token = token(&mut ledger, "ann", 1, "plan");
    // The children are created in the same write as the completion, and the second follows the
    // first.
    let children: Vec<MolCreated> = (0..2_u32)
        .map(|index| {
            let after = (0..index).map(|before| MolBond {
                mol_id: format!("mol-c{before}"),
                kind: BondKind::Sequential,
            });
            MolCreated {
                from: Some(MolOrigin {
                    mol_id: "mol-a".to_owned(),
                    step_id: "plan".to_owned(),
                    index,
                }),
                after: after.collect(),
                ..poured(&format!("mol-c{index}"), "x", json!({}))
            }
        })
        .collect();
    act(&mut ledger, "ann", 2, |draft| {
        draft.complete(
            &proof("plan", &token),
            Value::Null,
            children.clone(),
            &Nowhere,
        )
    })
    .unwrap();
    let second = Claim {
        mol: Some("mol-c1".to_owned()),
        step: Some("x".to_owned()),
        ..Claim::default()
    };
    let early = act(&mut ledger, "eve", 2, |draft| {
        draft.claim(&second, &Nowhere)
    });
    assert_eq!(
        early.unwrap_err().to_string(),
        "`x` of `mol-c1` cannot start: its molecule waits for `mol-c0`"
    );
    assert_eq!(statuses(&ledger), "plan=completed end=blocked");
    for (child, want) in [("mol-c0", "blocked"), ("mol-c1", "ready")] {
        act(&mut ledger, "bob", 3, |draft| {
            let claim = Claim {
                mol: Some(child.to_owned()),
                ..Claim::default()
            };
            let claimed = draft.claim(&claim, &Nowhere)?;
            draft.complete(&claimed.proof, Value::Null, Vec::new(), &Nowhere)
        })
        .unwrap();
        assert_eq!(statuses(&ledger), format!("plan=completed end={want}"));
    }
}

#[test]
fn bonded_molecule_waits_for_other() {
    let bonded = |after: &str, kind| MolBonded {
        mol_id: "mol-b".to_owned(),
        after: after.to_owned(),
        kind,
    };
    let gates = json!({ "x": { "gates": [{ "type": "timer", "duration": "10s" }] } });
    for (kind, fails, want) in [
        (BondKind::Sequential, false, "open"),
        (BondKind::Sequential, true, "waits"),
        (BondKind::Conditional, false, "gone"),
        (BondKind::Conditional, true, "open"),
    ] {
        let (_folder, mut ledger) = pour("a", json!({}));
        emit(&mut ledger, 0, poured("mol-b", "x", gates.clone())).unwrap();
        emit(&mut ledger, 1, bonded("mol-a", kind)).unwrap();
        for wrong in ["mol-a", "mol-b", "mol-none"] {
            assert!(
                emit(&mut ledger, 1, bonded(wrong, kind)).is_err(),
                "{wrong}"
            );
        }
        if fails {
            assert!(!fail(&mut ledger, 50, "a"));
        } else {
            do_step(&mut ledger, 50, "a", Value::Null);
        }
        act(&mut ledger, "ann", 51, |draft| {
            draft.settle("mol-b", &Nowhere)
        })
        .unwrap();
        let other = ledger.state().molecules.get("mol-b").unwrap();
        let progress = match (&other.closing, other.is_waiting()) {
            (Some(_), _) => "gone",
            (None, true) => "waits",
            (None, false) => "open",
        };
        assert_eq!(progress, want, "{kind:?} {fails}");
        if want == "open" {
            // A timer starts when the step is reached, which may be long after pouring.
            assert_eq!(
                step(&other, "x").reached_at.unwrap().to_string(),
                "2026-01-01T00:00:51.000Z"
            );
        }
    }
    let (_folder, mut ledger) = pour("a", json!({}));
    emit(&mut ledger, 0, poured("mol-b", "x", json!({}))).unwrap();
    emit(&mut ledger, 1, bonded("mol-a", BondKind::Sequential)).unwrap();
    let back = MolBonded {
        mol_id: "mol-a".to_owned(),
        after: "mol-b".to_owned(),
        kind: BondKind::Parallel,
    };
    let error = emit(&mut ledger, 2, back).unwrap_err().to_string();
    assert_eq!(error, "`mol-a` and `mol-b` would wait for each other");
}

#[test]
fn vapor_idle_past_ttl_burned() {
    let folder = Folder::new(false);
    let mut ledger = folder.open();
    let wisp = MolCreated {
        state: MolState::Vapor,
        ttl_ms: Some(20_000),
        ..poured("mol-a", "a; b: a", json!({}))
    };
    emit(&mut ledger, 0, wisp).unwrap();
    let name = folder.path(".beads/mols/mol-a.json");
    assert!(name.exists());
    let claimed = token(&mut ledger, "ann", 15, "a");
    // A heartbeat counts as activity, so the molecule stays alive.
    act(&mut ledger, "ann", 24, |draft| {
        draft.prolong(&proof("a", &claimed), Some(60_000))
    })
    .unwrap();
    assert_eq!(settle(&mut ledger, 60), "a=in_progress b=pending");
    complete(&mut ledger, 61, "a", &claimed, Value::Null);
    assert_eq!(settle(&mut ledger, 80), "a=completed b=ready");
    // More than 20 seconds after the last activity, the next command burns the molecule.
    assert_eq!(settle(&mut ledger, 82), "");
    assert!(!name.exists());
    let late = claim(&mut ledger, "bob", 83, Some("b"));
    assert_eq!(late, "there is no step `b`");
    let event = MolStepSkipped {
        mol_id: "mol-a".to_owned(),
        step_id: "b".to_owned(),
        ..MolStepSkipped::default()
    };
    let error = emit(&mut ledger, 84, event).unwrap_err().to_string();
    assert_eq!(
        error,
        "`mol-a` was burned by ann at 2026-01-01T00:01:22.000Z"
    );
}

#[test]
fn pour_invalid_steps_refused() {
    let folder = Folder::new(false);
    let mut ledger = folder.open();
    for cooked in [Value::Null, json!({ "steps": 7 })] {
        let event = MolCreated {
            cooked,
            ..poured("mol-a", "a", json!({}))
        };
        let error = emit(&mut ledger, 0, event).unwrap_err().to_string();
        assert!(error.starts_with("invalid steps"), "{error}");
    }
    let circle = poured("mol-a", "a: b; b: a", json!({}));
    assert!(
        emit(&mut ledger, 0, circle)
            .unwrap_err()
            .to_string()
            .contains("circle")
    );
    assert!(emit(&mut ledger, 0, poured("../x", "a", json!({}))).is_err());
}

/// All events of a molecule have its id as their correlation id, and name their cause.
#[test]
fn molecule_events_name_cause() {
    let (_folder, mut ledger) = pour("a; b: a; c: b", json!({ "c": { "children": ["b"] } }));
    let first = token(&mut ledger, "ann", 1, "a");
    act(&mut ledger, "ann", 2, |draft| {
        let mut child = poured("mol-b", "x", json!({}));
        child.from = Some(MolOrigin {
            mol_id: "mol-a".to_owned(),
            step_id: "a".to_owned(),
            index: 0,
        });
        draft.complete(&proof("a", &first), Value::Null, vec![child], &Nowhere)
    })
    .unwrap();
    do_step(&mut ledger, 3, "b", Value::Null);
    let x = act(&mut ledger, "ann", 4, |draft| {
        let claim = Claim {
            mol: Some("mol-b".to_owned()),
            ..Claim::default()
        };
        draft.claim(&claim, &Nowhere)
    });
    x.unwrap();
    let found = crate::EventFilter::default().find_in(&ledger).unwrap();
    let events: Vec<EventLine<'_>> = found
        .iter()
        .map(|found| EventLine::parse(found.line.as_ref()).unwrap())
        .collect();
    let number = |id: Option<&str>| {
        let at = id.and_then(|id| events.iter().position(|event| event.event_id == id));
        at.map_or("-".to_owned(), |at| at.to_string())
    };
    let links: Vec<String> = events
        .iter()
        .enumerate()
        .map(|(at, event)| {
            assert_eq!(event.correlation_id.as_deref(), Some("mol-a"));
            let kind = event.event_type.trim_start_matches("mol.");
            format!("{at} {kind} <- {}", number(event.caused_by.as_deref()))
        })
        .collect();
    assert_eq!(
        links,
        [
            "0 created <- -",
            "1 step_started <- 0",
            "2 step_completed <- 1",
            "3 created <- 2",
            "4 step_started <- 2",
            "5 step_completed <- 4",
            "6 step_completed <- 5",
            "7 completed <- 6",
            "8 step_started <- 3",
        ]
    );
}
