//! Shared helpers for the tests of molecules.
#![expect(
    clippy::disallowed_methods,
    clippy::needless_pass_by_value,
    reason = "tests make the files they need, and write values where they use them"
)]

mod claims;
mod clocks;
mod endings;
mod files;
mod gates;
mod laws;
mod molecules;
mod outputs;
mod scopes;

use serde_json::{Value, json};
use windlass_plan::{Outcome, Status};

use super::*;
use crate::event::*;
use crate::tests::{Folder, draw_from, emit, writer};
use crate::{Draft, Journal, LedgerError, fold};

/// A world that trusts everything and has a single file, `there.txt`.
struct Nowhere;

impl World for Nowhere {
    fn may_ask(&self, _: &str, _: &CookedFormula) -> bool {
        true
    }

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

/// Parses steps with their needs, such as `"a; b: a"`.
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

/// The event that pours a molecule. `with` adds fields to its steps.
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

fn pour(text: &str, with: Value) -> (Folder, Journal) {
    let folder = Folder::new(false);
    let mut ledger = folder.open();
    emit(&mut ledger, 0, poured("mol-a", text, with)).unwrap();
    (folder, ledger)
}

fn act<T>(
    ledger: &mut Journal,
    actor: &str,
    second: i64,
    work: impl FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
) -> Result<T, LedgerError> {
    ledger.transact(&writer(actor, second), work)
}

fn claim(ledger: &mut Journal, actor: &str, second: i64, step: Option<&str>) -> String {
    let claim = Claim {
        mol: Some("mol-a".to_owned()),
        step: step.map(str::to_owned),
        ..Claim::default()
    };
    match act(ledger, actor, second, |draft| draft.claim(&claim, &Nowhere)) {
        Ok(claimed) => format!("{} {}", claimed.proof.step, claimed.proof.token),
        Err(error) => error.to_string(),
    }
}

fn token(ledger: &mut Journal, actor: &str, second: i64, step: &str) -> String {
    let claimed = claim(ledger, actor, second, Some(step));
    claimed
        .strip_prefix(&format!("{step} "))
        .unwrap()
        .to_owned()
}

fn proof(step: &str, token: &str) -> StepProof {
    StepProof {
        mol: "mol-a".to_owned(),
        step: step.to_owned(),
        token: token.to_owned(),
    }
}

fn complete(ledger: &mut Journal, second: i64, step: &str, token: &str, output: Value) -> String {
    let done = act(ledger, "ann", second, |draft| {
        draft.complete(&proof(step, token), output.clone(), Vec::new(), &Nowhere)
    });
    done.map_or_else(|error| error.to_string(), |done| done.to_string())
}

fn do_step(ledger: &mut Journal, second: i64, step: &str, output: Value) {
    let token = token(ledger, "ann", second, step);
    assert_eq!(complete(ledger, second, step, &token, output), "true");
}

fn fail(ledger: &mut Journal, second: i64, step: &str) -> bool {
    let token = token(ledger, "ann", second, step);
    let failed = MolStepFailed {
        reason: "it broke".to_owned(),
        ..MolStepFailed::default()
    };
    act(ledger, "ann", second, |draft| {
        draft.fail(&proof(step, &token), failed.clone(), &Nowhere)
    })
    .unwrap()
}

fn settle(ledger: &mut Journal, second: i64) -> String {
    act(ledger, "ann", second, |draft| {
        draft.settle("mol-a", &Nowhere)
    })
    .unwrap();
    statuses(ledger)
}

fn statuses(ledger: &Journal) -> String {
    let molecule = ledger.state().molecule("mol-a").unwrap();
    let steps = molecule.steps.iter();
    let statuses = steps.map(|step| format!("{}={}", step.id, step.shown().as_str()));
    statuses.collect::<Vec<_>>().join(" ")
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
