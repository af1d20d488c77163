//! Answers to gates waiting for a person.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use windlass_formula::{GateInput, GateKind, answers};
use windlass_ledger::event::{MolGateClosed, MolGateOpened};
use windlass_ledger::{Draft, LedgerError};

use crate::StepWork;
use crate::step_report::StepReport;
use windlass_site::Error;

/// Answers to a human gate.
#[derive(Debug, Clone)]
pub enum GateAnswer {
    /// The step may begin. The inputs must have the types declared by the gate. If it declares
    /// none, any input is accepted and may be JSON or plain text.
    Approve {
        /// Inputs by name.
        inputs: BTreeMap<String, String>,
        /// Remark for the log; empty if there is none.
        comment: String,
    },
    /// The gate stays closed, and the step fails for the given reason.
    Reject(String),
}

impl StepWork<'_> {
    /// Answers a human gate of a step, which by default is the first closed one.
    ///
    /// # Errors
    /// Returns an error if no human gate is closed, or if the step hasn't been reached.
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

/// Returns the inputs declared by a human gate.
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

/// Returns the number of the gate to answer. This is `gate` if given, and otherwise the first
/// closed human gate. Other kinds of gates can only be opened by hand if they are named.
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
