//! The parts of a pack that the request states, including payloads and packs from earlier nodes.

use serde_json::{Map, Value, json};
use windlass_packs::context::{
    ArtifactKind, ArtifactRef, Conflict, ContextPack, Decision, EdgePayload, PayloadRef, Source,
    SourceKind, artifact_item, decision_item,
};
use windlass_redact::redact_value;

use super::ground::Ground;
use super::nameable::{safe, safe_under};
use super::pack_draft::Draft;
use crate::context_error::ContextError;
use windlass_site::Error;

/// The folder of documents, if the request does not name one. It does not have to exist.
const DOCS: &str = "docs";
/// We cut the message of a payload to this many characters.
const MAX_SAID: usize = 1_200;

pub(super) struct Given<'b, 'w> {
    pub(super) ground: &'b Ground<'w>,
    pub(super) draft: &'b mut Draft,
}

impl Given<'_, '_> {
    /// Adds what the request states, after replacing secrets.
    pub(super) fn take(&mut self) -> Result<(), Error> {
        let request = self.ground.request;
        self.draft.pack.goal = safe(request.goal.trim());
        self.draft.pack.definition_of_done =
            request.done.iter().map(|it| safe(it.trim())).collect();
        self.draft.pack.global_mode = request.mode;
        self.draft.pack.node_mode = request.node_mode;
        self.draft.pack.tool_policy = request.tool_policy.fields()?;
        self.draft.pack.run_id = request.run_id.as_deref().map(safe);
        self.draft.pack.node_id = request.node_id.as_deref().map(safe);
        self.draft.pack.output_schema_ref = request.output_schema.as_deref().map(safe);
        self.draft.pack.docs_root = match &request.docs_root {
            Some(given) => safe(&self.ground.docs_root(given)?),
            None => DOCS.to_owned(),
        };
        for (name, rule) in &request.constraints {
            self.draft
                .pack
                .constraints
                .insert(safe(name), Value::String(safe_under(name, rule)));
        }
        for (id, summary) in &request.decisions {
            self.decide(Decision {
                id: safe(id),
                summary: safe_under(id, summary),
                ..Decision::default()
            });
        }
        for payload in &request.payloads {
            self.take_payload(payload);
        }
        for name in &request.from {
            if !self.ground.may_name_pack(name) {
                let name = name.clone();
                return Err(ContextError::NoSuchPack { name }.into());
            }
            let before =
                self.ground
                    .shelf
                    .find_whole(name, &request.start, &self.ground.snapshot)?;
            self.take_pack(&before);
        }
        Ok(())
    }

    fn decide(&mut self, decision: Decision) {
        let item = decision_item(&decision.id);
        if !self
            .draft
            .pack
            .decisions
            .iter()
            .any(|it| it.id == decision.id)
        {
            self.draft
                .note(item, Source::default(), "it was decided", 0);
            self.draft.pack.decisions.push(decision);
        }
    }

    /// Adds a payload from an earlier node, as a reference with the message as its summary.
    fn take_payload(&mut self, payload: &EdgePayload) {
        let reference = format!("payload:{}", payload.payload_id);
        self.draft.pack.inputs.push(PayloadRef {
            payload_id: payload.payload_id,
            from_node_id: Some(safe(&payload.from_node_id)),
            edge_id: Some(safe(&payload.edge_id)),
            rest: Map::new(),
        });
        let said = match &payload.message {
            Some(message) => message.content.clone(),
            None if payload.structured.is_empty() => return,
            None => redact_value(Value::Object(payload.structured.clone())).to_string(),
        };
        let said = safe(&said);
        let mut summary: String = said.chars().take(MAX_SAID).collect();
        if summary.len() < said.len() {
            summary.push('…');
        }
        let why = format!("output of `{}`", payload.from_node_id);
        self.draft
            .note(artifact_item(&reference), Source::default(), &why, 100);
        self.draft.pack.artifacts.push(ArtifactRef {
            reference,
            kind: ArtifactKind::Report,
            summary: Some(summary),
            ..ArtifactRef::default()
        });
    }

    /// Adds a reference to the pack of an earlier node, and adopts the decisions in that pack.
    fn take_pack(&mut self, before: &ContextPack) {
        let reference = format!("pack:{}", before.pack_id);
        let goal: String = before.goal.chars().take(200).collect();
        self.draft.note(
            artifact_item(&reference),
            Source {
                kind: SourceKind::Pack,
                ..Source::default()
            },
            "the pack of a node before",
            100,
        );
        self.draft.pack.artifacts.push(ArtifactRef {
            reference,
            kind: ArtifactKind::ContextPack,
            summary: Some(goal),
            ..ArtifactRef::default()
        });
        for decision in before.decisions.clone() {
            self.decide_as_before(decision);
        }
    }

    /// Adopts a decision of an earlier pack. If several packs disagree, we take the first one and
    /// note the conflict. It is no conflict if the request itself decides, because that takes
    /// precedence.
    fn decide_as_before(&mut self, decision: Decision) {
        let known = self
            .draft
            .pack
            .decisions
            .iter()
            .find(|it| it.id == decision.id);
        let is_decided_now = |id: &str| {
            self.ground
                .request
                .decisions
                .iter()
                .any(|(now, _)| safe(now) == id)
        };
        let Some(known) = known else {
            return self.decide(decision);
        };
        if known.summary == decision.summary || is_decided_now(&decision.id) {
            return;
        }
        let values = [known, &decision].map(|it| json!(it));
        let item = decision_item(&decision.id);
        let conflicts = &mut self.draft.pack.conflicts;
        match conflicts.iter_mut().find(|conflict| conflict.item == item) {
            Some(conflict) if conflict.values.contains(&values[1]) => {}
            Some(conflict) => conflict.values.extend(values.into_iter().skip(1)),
            None => conflicts.push(Conflict {
                item,
                values: values.into(),
            }),
        }
    }
}
