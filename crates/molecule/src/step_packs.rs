//! Context packs for steps, built from the claimed step and the payloads of its predecessors.
//!
//! A step gets a pack if its formula asks for one, or if the caller of the claim does. The pack is
//! stored, and an event links it to the attempt. When the step completes, its successors get a
//! payload that refers to the pack.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use windlass_base::Digest;
use windlass_context::BuildPack;
use windlass_formula::{AcceptanceCriterion, CookedFormula, CookedStep, Need, NeedKind};
use windlass_ledger::event::MolStepPacked;
use windlass_ledger::{LedgerError, MolStep, Molecule, StepProof};
use windlass_packs::context::{
    ArtifactKind, ArtifactRef, ContextPack, EdgePayload, PackId, PayloadKind, PayloadMessage,
    PayloadStatus,
};
use windlass_plan::{Status, StepIndex, resolve_references};
use windlass_redact::redact_value;
use windlass_site::Error;
use windlass_steps::PackInput;

use crate::StepWork;
use crate::machine::{MolScope, load_named};

/// Maximum size of a pack's input after references are resolved, in bytes.
const MAX_INPUT: usize = 1 << 20;
/// Maximum number of characters that the goal takes from the description. A goal is meant to be a
/// few sentences.
const MAX_GOAL: usize = 600;

/// Reference to a step's context pack, or the reason why there's none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepPack {
    /// The pack's ID, prefixed with `pack:`.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// A command to print the pack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show: Option<String>,
    /// The reason why a requested pack couldn't be built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl StepPack {
    /// Refers to a stored pack.
    #[must_use]
    pub fn of(id: &str) -> Self {
        Self {
            reference: Some(format!("pack:{id}")),
            show: Some(format!("windlass pack show {id}")),
            problem: None,
        }
    }

    fn missing(why: &Error) -> Self {
        Self {
            reference: None,
            show: None,
            problem: Some(why.to_string()),
        }
    }
}

impl StepWork<'_> {
    /// Builds the context pack for a claimed step, if the step or the caller (`wanted`) asks for
    /// one. The claim is already written at this point, so if the pack can't be built, we report
    /// that as part of the result and not as an error.
    pub(crate) fn give_pack(&mut self, claim: &StepProof, wanted: bool) -> Option<StepPack> {
        match self.pack_for(claim, wanted) {
            Ok(pack) => pack,
            Err(error) => Some(StepPack::missing(&error)),
        }
    }

    fn pack_for(&mut self, claim: &StepProof, wanted: bool) -> Result<Option<StepPack>, Error> {
        let cooked = self.molecules.formula_of(&claim.mol)?;
        // The pack describes the molecule at the time of the claim, so don't settle it first.
        let Some(mut molecule) = self.molecules.session.state().molecules.get(&claim.mol) else {
            return Ok(None);
        };
        let at = molecule.find(&claim.step).map(StepIndex::index);
        let Some(asked) = at.and_then(|at| cooked.steps.get(at)) else {
            return Ok(None);
        };
        if asked.pack.is_none() && !wanted {
            return Ok(None);
        }
        load_named(&mut molecule, asked, &self.molecules.session.world())?;
        let pack = self.compose_step_pack(&molecule, &cooked, asked)?;
        self.molecules.service.packs().keep(&pack)?;
        let id = pack.pack_id.to_string();
        let packed = MolStepPacked {
            mol_id: claim.mol.clone(),
            step_id: claim.step.clone(),
            token: claim.token.clone(),
            pack_id: id.clone(),
        };
        self.molecules
            .session
            .decide(|draft| draft.emit(packed.clone()))?;
        Ok(Some(StepPack::of(&id)))
    }

    fn compose_step_pack(
        &self,
        molecule: &Molecule,
        cooked: &CookedFormula,
        asked: &CookedStep,
    ) -> Result<ContextPack, Error> {
        let invalid = |why: String| {
            let name = format!("{}/{}", molecule.id, asked.id);
            Error::from(LedgerError::Invalid(format!(
                "the context pack of `{name}` cannot be built: {why}"
            )))
        };
        let given = Value::Object(asked.pack.clone().unwrap_or_default());
        let given = resolve_references(&given, &MolScope(molecule), MAX_INPUT)
            .map_err(|error| invalid(error.to_string()))?;
        let input = PackInput::deserialize(with_defaults(given, asked))
            .map_err(|error| invalid(error.to_string()))?;
        let mut request = BuildPack::of_step(input, self.molecules.session.site().repo().root());
        request.run_id = Some(molecule.id.clone());
        request.node_id.get_or_insert_with(|| asked.id.clone());
        request.payloads = payloads_to(molecule, cooked, asked);
        for payload in &request.payloads {
            let before = payload.context_pack_ref.as_ref();
            let id = before.and_then(|it| windlass_steps::whole_id(&it.reference));
            // A pack from another machine is just an ID to us, unless it's stored here too.
            if let Some(id) = id
                && self.molecules.service.packs().kept(id)?.is_some()
            {
                request.from.push(id.to_string());
            }
        }
        let site = self.molecules.session.site();
        let pack =
            (self.molecules.service.packs()).compose(&request, &site.snapshot(), site.cancel());
        // If the build was cancelled, the pack is incomplete. Don't store it.
        site.go_on()?;
        pack
    }
}

fn with_defaults(given: Value, asked: &CookedStep) -> Value {
    let Value::Object(mut given) = given else {
        return given;
    };
    if !given.contains_key("goal") {
        given.insert("goal".to_owned(), goal(asked).into());
    }
    if !given.contains_key("definition_of_done") && !asked.acceptance.is_empty() {
        let done: Vec<String> = asked.acceptance.iter().map(criterion_text).collect();
        given.insert("definition_of_done".to_owned(), json!(done));
    }
    Value::Object(given)
}

fn goal(asked: &CookedStep) -> String {
    let first = asked.description.trim().split("\n\n").next();
    let first: String = first.unwrap_or_default().chars().take(MAX_GOAL).collect();
    let title = asked.title.trim();
    match first.is_empty() {
        true => title.to_owned(),
        false if title.ends_with(['.', '!', '?']) => format!("{title} {first}"),
        false => format!("{title}. {first}"),
    }
}

fn criterion_text(criterion: &AcceptanceCriterion) -> String {
    match criterion {
        AcceptanceCriterion::Prose(text) => text.clone(),
        AcceptanceCriterion::Command(argv) => format!("`{}` ends with 0", argv.join(" ")),
        AcceptanceCriterion::File(path) => format!("`{path}` exists"),
        AcceptanceCriterion::Grep { pattern, paths } if paths.is_empty() => {
            format!("`{pattern}` is found")
        }
        AcceptanceCriterion::Grep { pattern, paths } => {
            format!("`{pattern}` is found in {}", paths.join(", "))
        }
        AcceptanceCriterion::Schema(_) => "the output matches the schema of the step".to_owned(),
    }
}

fn passes(need: &Need) -> bool {
    // If a step only refers to another one in its condition, it doesn't continue that work.
    need.kind != NeedKind::Condition
}

fn payloads_to(molecule: &Molecule, cooked: &CookedFormula, to: &CookedStep) -> Vec<EdgePayload> {
    let needed = to.needs.iter().filter(|need| passes(need));
    let needed = needed.filter_map(|need| {
        let at = molecule.find(&need.step)?.index();
        Some((molecule.steps.get(at)?, cooked.steps.get(at)?))
    });
    needed
        .filter(|(step, _)| step.shown() == Status::Completed)
        .map(|(step, _)| payload(molecule, step, &to.id))
        .collect()
}

/// Returns the payloads from a completed step to the steps that depend on it. There's only one for
/// an edge if either of its steps has a context pack.
pub(crate) fn payloads_from(
    molecule: &Molecule,
    cooked: &CookedFormula,
    step: &str,
) -> Vec<EdgePayload> {
    let Some(from) = molecule.find(step).and_then(|at| molecule.step(at)) else {
        return Vec::new();
    };
    let needs_it = |to: &&CookedStep| {
        let mut needs = to.needs.iter();
        needs.any(|need| need.step == step && passes(need))
    };
    let to = cooked.steps.iter().filter(needs_it);
    to.filter(|to| from.pack.is_some() || to.pack.is_some())
        .map(|to| payload(molecule, from, &to.id))
        .collect()
}

/// Builds the payload from one step to another. The payload only depends on the molecule, so it can
/// be built again at any time, with the same ID.
fn payload(molecule: &Molecule, from: &MolStep, to: &str) -> EdgePayload {
    // Large outputs are stored in their own files. If this one isn't loaded, pass on the reference.
    let output = match (from.output.value(), from.output.stored()) {
        (Some(output), _) => output.clone(),
        (None, stored) => json!({ "stored_output": stored }),
    };
    let (kind, message, structured) = match redact_value(output.clone()) {
        Value::Null => (PayloadKind::Message, None, Map::new()),
        Value::String(content) => {
            let message = PayloadMessage {
                content,
                ..PayloadMessage::default()
            };
            (PayloadKind::Message, Some(message), Map::new())
        }
        Value::Object(fields) => (PayloadKind::Structured, None, fields),
        other => {
            let fields = Map::from_iter([("output".to_owned(), other)]);
            (PayloadKind::Structured, None, fields)
        }
    };
    let context_pack_ref = from.pack.as_ref().map(|id| ArtifactRef {
        reference: format!("pack:{id}"),
        kind: ArtifactKind::ContextPack,
        ..ArtifactRef::default()
    });
    let named = json!([
        molecule.id,
        from.id,
        to,
        from.generation,
        from.attempt,
        output,
        from.pack,
    ]);
    let digest = Digest::of_json(&named).unwrap_or_else(|_| Digest::of_bytes(b""));
    let provenance = json!({
        "molId": molecule.id, "stepId": from.id, "attempt": from.attempt, "by": from.holder,
    });
    EdgePayload {
        payload_id: PackId::of_digest(&digest),
        kind,
        from_node_id: from.id.clone(),
        edge_id: format!("{}->{to}", from.id),
        created_at: from.ended_at.map(|at| at.to_string()).unwrap_or_default(),
        status: PayloadStatus {
            ok: from.shown() == Status::Completed,
            ..PayloadStatus::default()
        },
        message,
        structured,
        artifacts: Vec::new(),
        context_pack_ref,
        provenance: match provenance {
            Value::Object(fields) => fields,
            _ => Map::new(),
        },
        rest: Map::new(),
    }
}
