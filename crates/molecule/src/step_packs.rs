//! Context packs for steps, built from the claimed step and the payloads of its predecessors.

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
use crate::machine::MolScope;

/// Maximum size of a pack's input after references are resolved, in bytes.
const MAX_INPUT: usize = 1 << 20;
/// Maximum length of the description included in the goal, in characters.
const MAX_GOAL: usize = 600;

/// A step's context pack, or the reason why it's missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepPack {
    /// Reference to the pack, made of `pack:` and its id.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Command for printing the pack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show: Option<String>,
    /// The reason why a requested pack is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl StepPack {
    /// Returns the entry for an existing pack.
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
    /// Builds the context pack for a claimed step if the step or the caller (`wanted`) requests
    /// one. If the build fails, the claim is still valid and the result names the problem.
    pub(crate) fn give_pack(&mut self, claim: &StepProof, wanted: bool) -> Option<StepPack> {
        match self.pack_for(claim, wanted) {
            Ok(pack) => pack,
            Err(error) => Some(StepPack::missing(&error)),
        }
    }

    fn pack_for(&mut self, claim: &StepProof, wanted: bool) -> Result<Option<StepPack>, Error> {
        let cooked = self.molecules.formula_of(&claim.mol)?;
        // The pack describes the molecule as it was when the step was claimed, so don't apply due
        // events first.
        let Some(molecule) = self.molecules.session.state().molecules.get(&claim.mol) else {
            return Ok(None);
        };
        let at = molecule.find(&claim.step).map(StepIndex::index);
        let Some(asked) = at.and_then(|at| cooked.steps.get(at)) else {
            return Ok(None);
        };
        if asked.pack.is_none() && !wanted {
            return Ok(None);
        }
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
            // The payload of a pack from another machine contains only a reference, so only use the
            // pack if it's stored here.
            if let Some(id) = id
                && self.molecules.service.packs().kept(id)?.is_some()
            {
                request.from.push(id.to_string());
            }
        }
        let site = self.molecules.session.site();
        let pack =
            (self.molecules.service.packs()).compose(&request, &site.snapshot(), site.cancel());
        // If the build was cancelled, discard the partial pack.
        site.go_on()?;
        pack
    }
}

/// Completes a step's pack settings with defaults derived from the step.
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

/// Returns the title, followed by the first paragraph of the description.
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

/// True if `need` passes a payload on, which a need from a condition doesn't.
fn passes(need: &Need) -> bool {
    need.kind != NeedKind::Condition
}

/// Returns a step's payloads from its completed predecessors, in order.
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

/// Returns the payloads from a completed step to its dependents. Only edges with a context pack at
/// either end have a payload.
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

/// Returns the payload from one step to another. The same molecule always produces the same
/// payload.
fn payload(molecule: &Molecule, from: &MolStep, to: &str) -> EdgePayload {
    let output = redact_value(from.output.clone());
    let (kind, message, structured) = match output {
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
        from.output,
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
