//! A person's answers to gates.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use windlass_formula::{GateInput, GateKind, answers};
use windlass_ledger::event::{MolGateClosed, MolGateOpened};
use windlass_ledger::{Draft, LedgerError};

use crate::StepWork;
use crate::step_report::StepReport;
use windlass_site::Error;

/// A person's answer to a gate.
#[derive(Debug, Clone)]
pub enum GateAnswer {
    /// Opens the gate. If the gate declares inputs, these have to match their types. If it does
    /// not, we accept any inputs, as JSON or plain text.
    Approve {
        /// Inputs by name.
        inputs: BTreeMap<String, String>,
        /// A remark for the log, which may be empty.
        comment: String,
    },
    /// Rejects the gate for good, and the step fails with this reason.
    Reject(String),
}

impl StepWork<'_> {
    /// Answers a gate of a step, which defaults to the first human gate that is closed.
    ///
    /// # Errors
    /// Returns an error if no human gate is closed, the step has not been reached, or the inputs
    /// do not match.
    pub fn answer_gate(
        &mut self,
        mol: &str,
        step: &str,
        gate: Option<u32>,
        answer: &GateAnswer,
    ) -> Result<StepReport, Error> {
        let world = self.molecules.session.world();
        self.molecules.session.decide(|draft| {
            draft.molecule(mol)?;
            draft.settle(mol, &world)?;
            // Settling has opened or closed every gate that was due, so we don't answer one that
            // has just timed out.
            let gate = human_gate(draft, mol, step, gate)?;
            let asked = gate_inputs(draft, mol, step, gate);
            let (mol_id, step_id) = (mol.to_owned(), step.to_owned());
            match answer {
                GateAnswer::Approve { inputs, comment } => draft.emit(MolGateOpened {
                    mol_id,
                    step_id,
                    gate,
                    reason: Some(match comment.trim() {
                        "" => "approved".to_owned(),
                        comment => format!("approved: {comment}"),
                    }),
                    inputs: parse_answers(step, &asked, inputs)?,
                    due_at: None,
                })?,
                GateAnswer::Reject(reason) => draft.emit(MolGateClosed {
                    mol_id,
                    step_id,
                    gate,
                    reason: format!("rejected by {}: {reason}", draft.actor()),
                    ..MolGateClosed::default()
                })?,
            };
            draft.settle(mol, &world)
        })?;
        self.molecules.step(mol, step)
    }
}

fn gate_inputs(draft: &Draft<'_>, mol: &str, step: &str, gate: u32) -> BTreeMap<String, GateInput> {
    let plan = draft.state().plans.get(mol);
    let cooked = plan.and_then(|plan| plan.cooked());
    let steps = cooked.map(|cooked| cooked.steps).unwrap_or_default();
    let step = steps.into_iter().find(|known| known.id == step);
    let gate = step.and_then(|step| step.gates.into_iter().nth(gate as usize));
    match gate.map(|gate| gate.kind) {
        Some(GateKind::Human { inputs, .. }) => inputs,
        _ => BTreeMap::new(),
    }
}

fn parse_answers(
    step: &str,
    asked: &BTreeMap<String, GateInput>,
    given: &BTreeMap<String, String>,
) -> Result<Map<String, Value>, LedgerError> {
    if asked.is_empty() {
        let value = |text: &String| {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
        };
        let given = given.iter();
        return Ok(given
            .map(|(name, text)| (name.clone(), value(text)))
            .collect());
    }
    answers(asked, given).map_err(|wrong| {
        let wrong = wrong.join("; ");
        LedgerError::Invalid(format!("the gate of `{step}` stays closed: {wrong}"))
    })
}

/// Returns the index of the gate to answer, which defaults to the first closed human gate. Gates of
/// other kinds can be opened by hand too, but not by accident, so the caller has to name them.
fn human_gate(
    draft: &Draft<'_>,
    mol: &str,
    step: &str,
    gate: Option<u32>,
) -> Result<u32, LedgerError> {
    let molecule = draft.molecule(mol)?;
    let at = molecule
        .find(step)
        .ok_or_else(|| LedgerError::no_step(&molecule, step))?;
    let step = &molecule.steps[at.index()];
    if let Some(gate) = gate {
        return Ok(gate);
    }
    let mut closed = step.closed_gates();
    let human = closed.find(|at| step.gates.get(*at).is_some_and(|gate| gate.kind == "human"));
    match human {
        Some(at) => Ok(u32::try_from(at).unwrap_or(u32::MAX)),
        None => {
            let what = match step.gates.iter().any(|gate| gate.kind == "human") {
                true => "has no unanswered gate",
                false => "has no gate that waits for a person; open any other gate with `--gate N`",
            };
            let reason = format!("`{}` of `{mol}` {what}", step.id);
            let by = Some(step.by.clone()).filter(|by| !by.is_empty());
            draft.refuse(reason, by)
        }
    }
}
