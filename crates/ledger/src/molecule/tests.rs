#![expect(
    clippy::disallowed_methods,
    clippy::needless_pass_by_value,
    reason = "tests make the files they need, and write values where they use them"
)]

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_plan::{Outcome, Status};

use super::*;
use crate::event::*;
use crate::testing::{Folder, draw_from, emit, writer};
use crate::{Draft, Ledger, LedgerError, fold};

/// Nothing but the molecule.
struct Nowhere;

impl World for Nowhere {
    fn file_exists(&self, path: &str) -> bool {
        path == "there.txt"
    }

    fn variable(&self, name: &str) -> String {
        if name == "CI" {
            "true".to_owned()
        } else {
            String::new()
        }
    }
}

/// `"a; b: a"`: steps, and what each needs.
fn steps(text: &str) -> Value {
    let step = |line: &str| {
        let (id, needs) = line.split_once(':').unwrap_or((line, ""));
        let needs: Vec<Value> = needs
            .split_whitespace()
            .map(|need| json!({ "step": need, "kind": "needs" }))
            .collect();
        json!({ "id": id.trim(), "title": id.trim(), "needs": needs, "origin": { "source": 0, "line": 1 } })
    };
    text.split(';').map(step).collect()
}

/// The event that pours it, each step changed as `with` says.
fn poured(id: &str, text: &str, with: Value) -> MolCreated {
    let mut steps = steps(text);
    for step in steps.as_array_mut().unwrap() {
        let more = with.get(step["id"].as_str().unwrap()).cloned();
        if let Some(Value::Object(more)) = more {
            step.as_object_mut().unwrap().extend(more);
        }
    }
    MolCreated {
        mol_id: id.to_owned(),
        formula: "test".to_owned(),
        lease_ms: Some(10_000),
        cooked: json!({ "schema_version": 1, "formula": "test", "kind": "workflow", "dialect": "beads", "version": 1,
            "title": "A test", "steps": steps, "sources": [], "digest": windlass_base::Digest::of_bytes(b"test") }),
        ..MolCreated::default()
    }
}

fn pour(text: &str, with: Value) -> (Folder, Ledger) {
    let folder = Folder::new(false);
    let mut ledger = folder.open();
    emit(&mut ledger, 0, poured("mol-a", text, with)).unwrap();
    (folder, ledger)
}

fn act<T>(
    ledger: &mut Ledger,
    actor: &str,
    second: i64,
    work: impl FnOnce(&mut Draft<'_>) -> Result<T, LedgerError>,
) -> Result<T, LedgerError> {
    ledger.transact(&writer(actor, second), work)
}

fn claim(ledger: &mut Ledger, actor: &str, second: i64, step: Option<&str>) -> String {
    let claim = Claim {
        mol: Some("mol-a"),
        step,
        ..Claim::default()
    };
    match act(ledger, actor, second, |draft| {
        draft.claim_step(&claim, &Nowhere)
    }) {
        Ok(claimed) => format!("{} {}", claimed.step_id, claimed.token),
        Err(error) => error.to_string(),
    }
}

/// Claims a step; the token.
fn token(ledger: &mut Ledger, actor: &str, second: i64, step: &str) -> String {
    let claimed = claim(ledger, actor, second, Some(step));
    claimed
        .strip_prefix(&format!("{step} "))
        .unwrap()
        .to_owned()
}

fn proof<'a>(step: &'a str, token: &'a str) -> StepProof<'a> {
    StepProof {
        mol: "mol-a",
        step,
        token,
    }
}

fn complete(ledger: &mut Ledger, second: i64, step: &str, token: &str, output: Value) -> String {
    let done = act(ledger, "ann", second, |draft| {
        draft.complete(proof(step, token), output, Vec::new(), &Nowhere)
    });
    done.map_or_else(|error| error.to_string(), |done| done.to_string())
}

/// Claims a step and completes it.
fn do_step(ledger: &mut Ledger, second: i64, step: &str, output: Value) {
    let token = token(ledger, "ann", second, step);
    assert_eq!(complete(ledger, second, step, &token, output), "true");
}

fn fail(ledger: &mut Ledger, second: i64, step: &str) -> bool {
    let token = token(ledger, "ann", second, step);
    let failed = MolStepFailed {
        reason: "it broke".to_owned(),
        ..MolStepFailed::default()
    };
    act(ledger, "ann", second, |draft| {
        draft.fail(proof(step, &token), failed, &Nowhere)
    })
    .unwrap()
}

fn settle(ledger: &mut Ledger, second: i64) -> String {
    act(ledger, "ann", second, |draft| {
        draft.settle("mol-a", &Nowhere)
    })
    .unwrap();
    told(ledger)
}

fn told(ledger: &Ledger) -> String {
    let molecule = ledger.state().molecule("mol-a").unwrap();
    let steps = molecule.steps.iter();
    let told = steps.map(|step| format!("{}={}", step.id, step.shown().as_str()));
    told.collect::<Vec<_>>().join(" ")
}

fn filter(event_type: &str) -> crate::EventFilter {
    crate::EventFilter {
        event_type: Some(event_type.to_owned()),
        ..crate::EventFilter::default()
    }
}

fn step<'a>(molecule: &'a Molecule, id: &str) -> &'a MolStep {
    molecule.step(molecule.find(id).unwrap()).unwrap()
}

#[test]
fn steps_are_claimed_in_order_and_the_last_one_ends_it() {
    let (folder, mut ledger) = pour("a; b: a; c: a; d: b c", json!({ "c": { "priority": 0 } }));
    assert_eq!(told(&ledger), "a=ready b=pending c=pending d=pending");
    do_step(&mut ledger, 1, "a", json!({ "n": 1 }));
    assert!(
        claim(&mut ledger, "ann", 2, None).starts_with("c 1-"),
        "the more important one"
    );
    assert!(claim(&mut ledger, "bob", 2, None).starts_with("b 1-"));
    assert_eq!(
        claim(&mut ledger, "eve", 2, None),
        "no step of `mol-a` is ready that nobody has"
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
fn one_of_many_who_claim_at_once_gets_the_step() {
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
fn a_claim_that_is_over_proves_nothing() {
    let (_folder, mut ledger) = pour("a", json!({}));
    let old = token(&mut ledger, "ann", 0, "a");
    let taken = claim(&mut ledger, "bob", 9, Some("a"));
    assert_eq!(
        taken,
        "ann has `a` of `mol-a` until 2026-01-01T00:00:10.000Z"
    );
    // A heartbeat prolongs it; then nobody hears of ann any more.
    let until = act(&mut ledger, "ann", 9, |draft| {
        draft.prolong(proof("a", &old), None)
    })
    .unwrap();
    assert_eq!(until.to_string(), "2026-01-01T00:00:19.000Z");
    assert!(claim(&mut ledger, "bob", 15, Some("a")).starts_with("ann has"));
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
        format!("the claim `{old}` of `a` of `mol-a` is over: bob has it now")
    );
    let late = act(&mut ledger, "ann", 21, |draft| {
        draft.prolong(proof("a", &old), None)
    });
    assert!(matches!(late, Err(LedgerError::Rejected(rejected)) if rejected.won.is_some()));
    assert_eq!(complete(&mut ledger, 22, "a", &new, json!("x")), "true");
    // Said again it is the same; another output is not.
    assert_eq!(complete(&mut ledger, 23, "a", &new, json!("x")), "true");
    let again = complete(&mut ledger, 23, "a", &new, json!("y"));
    assert!(again.contains("it is completed, by bob"), "{again}");
    let done = ledger.events(&filter("mol.step_completed")).unwrap();
    assert_eq!(done.len(), 1, "no attempt is completed twice");
}

#[test]
fn a_lease_that_is_over_still_holds_until_somebody_else_comes() {
    let (_folder, mut ledger) = pour("a", json!({}));
    let token = token(&mut ledger, "ann", 0, "a");
    assert_eq!(complete(&mut ledger, 99, "a", &token, Value::Null), "true");
    let (_folder, mut ledger) = pour("a", json!({}));
    let early = MolStepLeaseExpired {
        mol_id: "mol-a".to_owned(),
        step_id: "a".to_owned(),
        token: self::token(&mut ledger, "ann", 0, "a"),
    };
    let error = emit(&mut ledger, 5, early).unwrap_err().to_string();
    assert_eq!(
        error,
        "the lease of `a` holds until 2026-01-01T00:00:10.000Z"
    );
}

#[test]
fn what_two_clones_did_apart_is_decided_the_same_everywhere() {
    let one = Folder::new(true);
    emit(&mut one.open(), 0, poured("mol-a", "a; b: a", json!({}))).unwrap();
    let two = Folder::new(true);
    two.write(".beads/events.jsonl", &one.read(".beads/events.jsonl"));
    draw_from(1 << 40);
    let (mut ann, mut bob) = (one.open(), two.open());
    let first = token(&mut ann, "ann", 3, "a");
    draw_from(2 << 40);
    let second = token(&mut bob, "bob", 2, "a");
    complete(&mut ann, 4, "a", &first, json!("of ann"));
    complete(&mut bob, 5, "a", &second, json!("of bob"));
    do_step(&mut bob, 6, "b", Value::Null);
    let (ours, theirs) = (
        one.read(".beads/events.jsonl"),
        two.read(".beads/events.jsonl"),
    );
    let both = |first: &str, second: &str| {
        let rest = second.split_once('\n').unwrap().1;
        format!("{first}{rest}")
    };
    one.write(".beads/events.jsonl", &both(&ours, &theirs));
    two.write(".beads/events.jsonl", &both(&theirs, &ours));
    for folder in [&one, &two] {
        let mut ledger = folder.open();
        let molecule = ledger.state().molecules.get("mol-a").unwrap();
        assert_eq!(
            step(&molecule, "a").output,
            json!("of bob"),
            "bob was first"
        );
        assert_eq!(molecule.outcome, Some(Outcome::Completed));
        let rejected = ledger.state().rejected();
        let told: Vec<_> = rejected
            .iter()
            .map(|r| format!("{} {}", r.actor, r.reason))
            .collect();
        assert_eq!(
            told,
            [
                "ann bob has `a` of `mol-a` until 2026-01-01T00:00:12.000Z".to_owned(),
                format!("ann the claim `{first}` of `a` of `mol-a` is over: bob has it now"),
            ]
        );
        assert!(rejected.iter().all(|rejected| rejected.won.is_some()));
        ledger.sync(Stamp::default()).unwrap();
        assert!(ledger.verify().unwrap().is_clean());
    }
    let name = ".beads/mols/mol-a.json";
    assert_eq!(one.read(name), two.read(name));
}

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
    let more = |draft: &mut Draft<'_>| draft.prolong(proof("a", &first), Some(600_000));
    act(&mut ledger, "ann", 5, more).unwrap();
    assert_eq!(settle(&mut ledger, 30), "a=in_progress");
    assert_eq!(settle(&mut ledger, 31), "a=ready", "it may be tried again");
    let late = complete(&mut ledger, 31, "a", &first, Value::Null);
    assert!(late.contains("is not in progress by this claim"), "{late}");
    token(&mut ledger, "bob", 40, "a");
    assert_eq!(settle(&mut ledger, 45), "a=in_progress");
    act(&mut ledger, "bob", 49, |draft| {
        let token = step(&draft.molecule("mol-a")?, "a").token.clone().unwrap();
        draft.prolong(proof("a", &token), Some(600_000))
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
fn no_more_steps_are_in_progress_than_it_says() {
    let (_folder, mut ledger) = pour("a; b; c", json!({}));
    let limit = |limit| MolChanged {
        mol_id: "mol-a".to_owned(),
        concurrency: Some(limit),
        lease_ms: None,
    };
    emit(&mut ledger, 1, limit(1)).unwrap();
    let first = token(&mut ledger, "ann", 1, "a");
    let refused = claim(&mut ledger, "bob", 1, Some("b"));
    assert_eq!(
        refused,
        "1 step of `mol-a` may be in progress at once, and as many are"
    );
    assert!(claim(&mut ledger, "bob", 1, None).starts_with("no step"));
    complete(&mut ledger, 2, "a", &first, Value::Null);
    assert!(claim(&mut ledger, "bob", 2, None).starts_with("b 1-"));
    emit(&mut ledger, 3, limit(0)).unwrap();
    assert!(claim(&mut ledger, "eve", 3, None).starts_with("c 1-"));
}

fn holds(text: &str, looks_at: Value) -> Value {
    json!({ "text": text, "looks_at": looks_at })
}

fn output_is(step: &str, field: &str, value: &str) -> Value {
    let test = json!({ "output": [field], "op": "==", "value": value });
    holds(
        "it is so",
        json!({ "what": "steps", "steps": [step], "test": test }),
    )
}

#[test]
fn conditions_are_looked_at_once_a_step_is_reached() {
    let run_if = |holds: bool| json!({ "run_if": [{ "holds": holds, "condition": output_is("a", "ok", "true") }] });
    let (_folder, mut ledger) = pour(
        "a; yes: a; no: a; end: yes no",
        json!({ "yes": run_if(true), "no": run_if(false) }),
    );
    do_step(&mut ledger, 1, "a", json!({ "ok": true }));
    assert_eq!(
        told(&ledger),
        "a=completed yes=ready no=skipped end=pending"
    );
    let molecule = ledger.state().molecules.get("mol-a").unwrap();
    assert_eq!(
        step(&molecule, "no").note.as_deref(),
        Some("its condition holds: it is so")
    );
    do_step(&mut ledger, 2, "yes", Value::Null);
    assert_eq!(
        told(&ledger),
        "a=completed yes=completed no=skipped end=ready"
    );
}

#[test]
fn a_step_that_is_only_for_failures_runs_after_one_and_is_skipped_otherwise() {
    let test = json!({ "op": "==", "value": "failed" });
    let failed = holds(
        "a.status == 'failed'",
        json!({ "what": "steps", "steps": ["a"], "test": test }),
    );
    let with = json!({ "mend": { "run_if": [{ "holds": true, "condition": failed }],
        "needs": [{ "step": "a", "kind": "condition" }] } });
    let (_folder, mut ledger) = pour("a; mend", with.clone());
    assert!(!fail(&mut ledger, 1, "a"));
    assert_eq!(told(&ledger), "a=failed mend=ready");
    let (_folder, mut ledger) = pour("a; mend", with);
    do_step(&mut ledger, 1, "a", Value::Null);
    assert_eq!(told(&ledger), "a=completed mend=skipped");
}

#[test]
fn a_timer_counts_from_when_the_step_is_reached() {
    let gates = json!({ "b": { "gates": [{ "type": "timer", "duration": "60s" }] } });
    let (_folder, mut ledger) = pour("a; b: a", gates);
    do_step(&mut ledger, 100, "a", Value::Null);
    assert_eq!(settle(&mut ledger, 159), "a=completed b=blocked");
    let refused = claim(&mut ledger, "bob", 159, Some("b"));
    assert_eq!(
        refused,
        "`b` of `mol-a` cannot be begun: waits for its gate: timer"
    );
    assert_eq!(settle(&mut ledger, 160), "a=completed b=ready");
}

#[test]
fn a_gate_that_is_not_opened_in_time_lets_its_step_fail() {
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
fn gates_open_by_what_they_wait_for() {
    let gates = json!({ "file": { "gates": [{ "type": "file", "path": "there.txt" }] },
        "env": { "gates": [{ "type": "condition",
            "condition": holds("CI", json!({ "what": "environment", "name": "CI", "op": "==", "value": "true" })) }] },
        "bead": { "gates": [{ "type": "bead", "await_id": "t-1" }] },
        "mail": { "gates": [{ "type": "mail", "await_id": "MERGED" }] },
        "two": { "gates": [{ "type": "human" }, { "type": "timer", "duration": "1s" }] } });
    let (_folder, mut ledger) = pour("file; env; bead; mail; two", gates);
    crate::testing::create(&mut ledger, "t-1", 1);
    assert_eq!(
        settle(&mut ledger, 2),
        "file=ready env=ready bead=blocked mail=blocked two=blocked"
    );
    crate::testing::close(&mut ledger, "t-1", crate::event::Outcome::Done);
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
    assert!(told(&ledger).ends_with("two=ready"));
    let twice = emit(&mut ledger, 10, approve(0)).unwrap_err().to_string();
    assert_eq!(
        twice,
        "gate 0 of `two` in `mol-a` was opened already, by ann"
    );
    assert!(emit(&mut ledger, 10, approve(7)).is_err());
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
fn who_waits_for_what_is_made_of_an_output_waits_for_it() {
    let with = json!({ "end": { "waits_for": { "mode": "all", "of": ["plan"] } } });
    let (_folder, mut ledger) = pour("plan; end: plan", with);
    let token = token(&mut ledger, "ann", 1, "plan");
    // The molecules are made together with the completion, so that there is no moment without them; the second comes
    // after the first.
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
        draft.complete(proof("plan", &token), Value::Null, children, &Nowhere)
    })
    .unwrap();
    let second = Claim {
        mol: Some("mol-c1"),
        step: Some("x"),
        ..Claim::default()
    };
    let early = act(&mut ledger, "eve", 2, |draft| {
        draft.claim_step(&second, &Nowhere)
    });
    assert_eq!(
        early.unwrap_err().to_string(),
        "`x` of `mol-c1` cannot be begun: it comes after `mol-c0`"
    );
    assert_eq!(told(&ledger), "plan=completed end=blocked");
    for (child, want) in [("mol-c0", "blocked"), ("mol-c1", "ready")] {
        act(&mut ledger, "bob", 3, |draft| {
            let claim = Claim {
                mol: Some(child),
                ..Claim::default()
            };
            let claimed = draft.claim_step(&claim, &Nowhere)?;
            let proof = StepProof {
                mol: child,
                step: "x",
                token: &claimed.token,
            };
            draft.complete(proof, Value::Null, Vec::new(), &Nowhere)
        })
        .unwrap();
        assert_eq!(told(&ledger), format!("plan=completed end={want}"));
    }
}

#[test]
fn molecules_come_after_each_other() {
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
        let stands = match (&other.closing, other.is_waiting()) {
            (Some(_), _) => "gone",
            (None, true) => "waits",
            (None, false) => "open",
        };
        assert_eq!(stands, want, "{kind:?} {fails}");
        if want == "open" {
            // Its timer counts from when it could be begun.
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

#[test]
fn what_passes_is_gone_when_nobody_works_on_it() {
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
    // Somebody works on it, and what is worked on stays.
    act(&mut ledger, "ann", 24, |draft| {
        draft.prolong(proof("a", &claimed), Some(60_000))
    })
    .unwrap();
    assert_eq!(settle(&mut ledger, 60), "a=in_progress b=pending");
    complete(&mut ledger, 61, "a", &claimed, Value::Null);
    assert_eq!(settle(&mut ledger, 80), "a=completed b=ready");
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
fn what_follows_from_the_log_is_made_again_byte_for_byte() {
    let (folder, mut ledger) = pour("a; b: a; c", json!({}));
    emit(&mut ledger, 0, poured("mol-b", "x", json!({}))).unwrap();
    do_step(&mut ledger, 1, "a", json!({ "deep": [1, { "x": null }] }));
    claim(&mut ledger, "bob", 2, Some("b"));
    let squashed = MolSquashed {
        mol_id: "mol-b".to_owned(),
        summary: "given up".to_owned(),
    };
    emit(&mut ledger, 3, squashed).unwrap();
    let names = ["mols/mol-a.json", "mols/mol-b.archive.json"];
    let texts = names.map(|name| folder.read(&format!(".beads/{name}")));
    std::fs::remove_dir_all(folder.path(".beads/mols")).unwrap();
    std::fs::remove_file(folder.path(".beads/.windlass/checkpoint")).ok();
    ledger.rebuild(Stamp::default()).unwrap();
    assert_eq!(
        names.map(|name| folder.read(&format!(".beads/{name}"))),
        texts
    );
    assert!(!folder.path(".beads/mols/mol-b.json").exists());
    // What a checkpoint keeps is gone on with as if all had been applied anew.
    let mut again = folder.open();
    do_step(&mut again, 5, "c", Value::Null);
    assert!(again.verify().unwrap().is_clean());
    let schemas = crate::schemas();
    let check = |name: &str, value: &Value| {
        let (_, schema) = schemas.iter().find(|(known, _)| known == name).unwrap();
        let validator = jsonschema::validator_for(schema).unwrap();
        let wrong: Vec<String> = validator
            .iter_errors(value)
            .map(|error| error.to_string())
            .collect();
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
    };
    for text in &texts {
        check("molecule", &serde_json::from_str(text).unwrap());
    }
    for line in folder.read(".beads/events.jsonl").lines() {
        check("event", &serde_json::from_str(line).unwrap());
    }
}

#[test]
fn what_a_merge_changed_long_ago_is_written_as_well() {
    let (folder, mut ledger) = pour("a; b", json!({}));
    crate::testing::create(&mut ledger, "t-1", 50);
    let name = ".beads/mols/mol-a.json";
    let before = folder.read(name);
    // Another clone was at work before that.
    let skipped = json!({ "event_id": "evt-other", "event_type": "mol.step_skipped", "actor": "bob",
        "timestamp": "2026-01-01T00:00:05.000Z", "data": { "mol_id": "mol-a", "step_id": "b", "reason": "no need" } });
    let log = folder.read(".beads/events.jsonl");
    folder.write(".beads/events.jsonl", &format!("{log}{skipped}\n"));
    let mut ledger = folder.open();
    ledger.refresh(writer("ann", 60).now).unwrap();
    let after = folder.read(name);
    assert!(after != before && after.contains("no need"), "{after}");
}

#[cfg(unix)]
#[test]
fn nothing_of_a_molecule_is_written_through_a_link() {
    let (folder, outside) = (Folder::new(false), tempfile::tempdir().unwrap());
    crate::testing::create(&mut folder.open(), "t-1", 0);
    std::os::unix::fs::symlink(outside.path(), folder.path(".beads/mols")).unwrap();
    let poured = emit(&mut folder.open(), 1, poured("mol-a", "a", json!({})));
    assert!(matches!(poured, Err(LedgerError::Link(_))), "{poured:?}");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn a_molecule_without_steps_that_can_be_read_is_told_and_not_made() {
    let folder = Folder::new(false);
    let mut ledger = folder.open();
    for cooked in [Value::Null, json!({ "steps": 7 })] {
        let event = MolCreated {
            cooked,
            ..poured("mol-a", "a", json!({}))
        };
        let error = emit(&mut ledger, 0, event).unwrap_err().to_string();
        assert!(error.starts_with("its steps cannot be read"), "{error}");
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

/// Some events about a molecule; most of them cannot be applied.
fn some_event() -> impl Strategy<Value = Value> {
    let step = prop_oneof![Just("a"), Just("b"), Just("c"), Just("z")];
    let token = prop_oneof![Just("1-x"), Just("2-x"), Just("1-y")];
    let kind = prop_oneof![
        4 => Just("mol.step_started"),
        4 => Just("mol.step_completed"),
        2 => Just("mol.step_failed"),
        1 => Just("mol.step_skipped"),
        1 => Just("mol.step_released"),
        1 => Just("mol.step_lease_expired"),
        1 => Just("mol.step_heartbeat"),
        1 => Just("mol.step_retry_due"),
        1 => Just("mol.pushed_back"),
        1 => Just("mol.gate_opened"),
        1 => Just("mol.gate_closed"),
        1 => Just("mol.step_condition_held"),
        1 => Just("mol.completed"),
        1 => Just("mol.burned"),
    ];
    (kind, step, token, 1..9_u32, 0..2_u32, "[a-z]{6}", any::<bool>()).prop_map(
        |(kind, step, token, second, seq, id, first)| {
            let data = json!({ "mol_id": "mol-a", "step_id": step, "token": token, "reason": "r", "gate": 0,
                "lease_until": format!("2026-01-01T00:00:0{}.000Z", second / 2), "output": second });
            json!({ "event_id": format!("evt-{id}"), "event_type": kind, "actor": if first { "ann" } else { "bob" },
                "timestamp": format!("2026-01-01T00:00:0{second}.000Z"), "seq": seq, "data": data })
        },
    )
}

fn all_told(state: &crate::State) -> String {
    let lines = state
        .molecules
        .iter()
        .map(|(_, found)| found.line().into_owned());
    let lines: Vec<_> = lines.map(|line| String::from_utf8(line).unwrap()).collect();
    format!("{lines:#?}\n{:#?}", state.rejected())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn applying_is_total_and_the_order_of_lines_changes_nothing(
        events in prop::collection::vec(some_event(), 0..40),
    ) {
        let with = json!({ "b": { "retry": { "max_attempts": 2 } }, "c": { "gates": [{ "type": "human" }] } });
        let made = json!({ "event_id": "evt-0", "event_type": "mol.created", "actor": "ann",
            "timestamp": "2026-01-01T00:00:00.000Z", "data": poured("mol-a", "a; b: a; c: a", with) });
        let lines: Vec<String> = std::iter::once(&made).chain(&events).map(|event| format!("{event}\n")).collect();
        let all = fold::fold(lines.concat().as_bytes(), None);
        let mut turned = lines.clone();
        turned.reverse();
        turned.extend(lines.iter().take(5).cloned());
        prop_assert_eq!(all_told(&fold::fold(turned.concat().as_bytes(), None)), all_told(&all));
        // One after the other, each molecule read again from its line in between, as after a checkpoint.
        let mut sorted = lines;
        sorted.sort_by_key(|line| fold::event_of(line.trim_end().as_bytes()).unwrap().key());
        let mut state = crate::State::default();
        for line in &sorted {
            let place = crate::LinePlace { start: 0, bytes: 0 };
            state.apply(&fold::event_of(line.trim_end().as_bytes()).unwrap(), place);
            if let Some(molecule) = state.molecules.get("mol-a") {
                let text = serde_json::to_vec(&molecule).unwrap();
                state.molecules.insert(serde_json::from_slice(&text).unwrap(), ());
            }
        }
        prop_assert_eq!(all_told(&state), all_told(&all));
        // A step that is in progress is somebody's, and nothing else is.
        if let Some(molecule) = all.molecules.get("mol-a") {
            for step in &molecule.steps {
                let is_held = step.token.is_some() && step.holder.is_some() && step.lease_until.is_some();
                prop_assert_eq!(step.status == Status::InProgress, is_held && !step.has_ended(), "{:?}", step);
            }
        }
    }
}
