//! Conditions and gates holding a step back.

use super::*;

#[test]
fn condition_evaluated_when_step_reached() {
    let run_if = |holds: bool| json!({ "run_if": [{ "holds": holds, "condition": output_is("a", "ok", "true") }] });
    let (_folder, mut ledger) = pour(
        "a; yes: a; no: a; end: yes no",
        json!({ "yes": run_if(true), "no": run_if(false) }),
    );
    do_step(&mut ledger, 1, "a", json!({ "ok": true }));
    assert_eq!(
        statuses(&ledger),
        "a=completed yes=ready no=skipped end=pending"
    );
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    assert_eq!(
        step(&molecule, "no").note.as_deref(),
        Some("its condition holds: it is so")
    );
    do_step(&mut ledger, 2, "yes", Value::Null);
    assert_eq!(
        statuses(&ledger),
        "a=completed yes=completed no=skipped end=ready"
    );
}

#[test]
fn failure_step_skipped_on_success() {
    let test = json!({ "op": "==", "value": "failed" });
    let failed = holds(
        "a.status == 'failed'",
        json!({ "what": "steps", "steps": ["a"], "test": test }),
    );
    let with = json!({ "mend": { "run_if": [{ "holds": true, "condition": failed }],
        "needs": [{ "step": "a", "kind": "condition" }] } });
    let (_folder, mut ledger) = pour("a; mend", with.clone());
    assert!(!fail(&mut ledger, 1, "a"));
    assert_eq!(statuses(&ledger), "a=failed mend=ready");
    let (_folder, mut ledger) = pour("a; mend", with);
    do_step(&mut ledger, 1, "a", Value::Null);
    assert_eq!(statuses(&ledger), "a=completed mend=skipped");
}

#[test]
fn timer_gate_counts_from_reached() {
    let gates = json!({ "b": { "gates": [{ "type": "timer", "duration": "60s" }] } });
    let (_folder, mut ledger) = pour("a; b: a", gates);
    do_step(&mut ledger, 100, "a", Value::Null);
    assert_eq!(settle(&mut ledger, 159), "a=completed b=blocked");
    let refused = claim(&mut ledger, "bob", 159, Some("b"));
    assert_eq!(
        refused,
        "`b` of `mol-a` cannot start: waits for its gate: timer"
    );
    assert_eq!(settle(&mut ledger, 160), "a=completed b=ready");
}

#[test]
fn gate_timeout_fails_step() {
    for kind in [
        json!({ "type": "human" }),
        json!({ "type": "file", "path": "missing.txt" }),
    ] {
        let mut gate = kind.as_object().unwrap().clone();
        gate.insert("timeout".to_owned(), json!("30s"));
        let (_folder, mut ledger) = pour("a; b: a; c: b", json!({ "b": { "gates": [gate] } }));
        do_step(&mut ledger, 100, "a", Value::Null);
        assert_eq!(settle(&mut ledger, 129), "a=completed b=blocked c=pending");
        assert_eq!(settle(&mut ledger, 130), "a=completed b=failed c=blocked");
        let molecule = ledger.state().molecules.get("mol-a").unwrap();
        let note = step(&molecule, "b").note.clone();
        assert_eq!(note.as_deref(), Some("its gate was not opened within 30s"));
    }
}

#[test]
fn gates_open_on_awaited_event() {
    let gates = json!({ "file": { "gates": [{ "type": "file", "path": "there.txt" }] },
        "env": { "gates": [{ "type": "condition",
            "condition": holds("CI", json!({ "what": "environment", "name": "CI", "op": "==", "value": "true" })) }] },
        "bead": { "gates": [{ "type": "bead", "await_id": "t-1" }] },
        "mail": { "gates": [{ "type": "mail", "await_id": "MERGED" }] },
        "two": { "gates": [{ "type": "human" }, { "type": "timer", "duration": "1s" }] } });
    let (_folder, mut ledger) = pour("file; env; bead; mail; two", gates);
    crate::tests::create(&mut ledger, "t-1", 1);
    assert_eq!(
        settle(&mut ledger, 2),
        "file=ready env=ready bead=blocked mail=blocked two=blocked"
    );
    crate::tests::close(&mut ledger, "t-1", crate::event::Outcome::Done);
    let sent = MailSent {
        message_id: "msg-1".to_owned(),
        message_type: Some("MERGED".to_owned()),
        ..MailSent::default()
    };
    emit(&mut ledger, 7, sent).unwrap();
    assert_eq!(
        settle(&mut ledger, 8),
        "file=ready env=ready bead=ready mail=ready two=blocked"
    );
    let approve = |gate| MolGateOpened {
        mol_id: "mol-a".to_owned(),
        step_id: "two".to_owned(),
        gate,
        ..MolGateOpened::default()
    };
    emit(&mut ledger, 9, approve(0)).unwrap();
    assert!(statuses(&ledger).ends_with("two=ready"));
    let twice = emit(&mut ledger, 10, approve(0)).unwrap_err().to_string();
    assert_eq!(
        twice,
        "gate 0 of `two` in `mol-a` was already opened by ann"
    );
    // There's no such gate.
    assert!(emit(&mut ledger, 10, approve(7)).is_err());
}

struct Wary;

impl World for Wary {
    fn file_exists(&self, _: &str) -> bool {
        false
    }

    fn may_ask(&self, _: &str, _: &CookedFormula) -> bool {
        false
    }

    fn variable(&self, _: &str) -> String {
        unreachable!("the formula is not trusted")
    }
}

#[test]
fn condition_untrusted_env_refused() {
    let asks = || {
        let looks_at = json!({ "what": "environment", "name": "CI", "op": "==", "value": "true" });
        holds("env.CI == 'true'", looks_at)
    };
    let run_if = json!({ "b": { "run_if": [{ "holds": true, "condition": asks() }] } });
    let gate = json!({ "b": { "gates": [{ "type": "condition", "condition": asks() }] } });
    let must_hold = json!({ "a": { "must_hold": asks() } });
    for (with, refused_at) in [(run_if, "b"), (gate, "b"), (must_hold, "a")] {
        let (_folder, mut ledger) = pour("a; b", with);
        let claim = Claim {
            mol: Some("mol-a".to_owned()),
            step: Some(refused_at.to_owned()),
            ..Claim::default()
        };
        let before = ledger.state().events();
        let refused = act(&mut ledger, "ann", 1, |draft| {
            let claimed = draft.claim(&claim, &Wary)?;
            draft.complete(&claimed.proof, Value::Null, Vec::new(), &Wary)
        });
        let error = refused.unwrap_err().to_string();
        assert_eq!(
            error,
            "molecule `mol-a` is not trusted to read the environment variable `CI`"
        );
        // The claim is part of the same draft, so it's gone as well.
        assert_eq!(ledger.state().events(), before);
    }
}
