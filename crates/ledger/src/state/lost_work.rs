//! Sends mail to actors whose work was rejected because another actor was faster.
//!
//! On one machine this can't happen, since we never write an event that the state rejects. Two
//! clones, however, can each claim the same bead, and only a merge decides between them. The loser
//! then gets a message. We derive it from the events, so every clone has the same one exactly once.

use serde_json::{Value, json};

use super::{Rejected, State};
use crate::bead::BeadStatus;
use crate::event::EventLine;
use crate::id;
use crate::mail::{MailPriority, Message};

/// Maximum length of an output to include in the message, in bytes. If it's longer, the message
/// names the event instead.
const MAX_OUTPUT: usize = 16 << 10;
const SENDER: &str = "windlass";

/// Work that was lost because the event that reports it was rejected.
struct Loss {
    /// The work: the bead's id, or the ids of the step and the molecule.
    what: String,
    /// Action of the loser, for use in the message, such as "claim of".
    did: &'static str,
    winner: String,
    /// Token or event of the claim. A claim and its result have the same one, so an actor that
    /// loses both gets a single message.
    claim: String,
    output: Option<String>,
    /// Metadata of the message, which has the ids of what the message is about.
    metadata: Value,
}

/// Creates the message about `rejected` if another event took precedence over it, or returns `None`
/// if there's nobody to tell.
pub(super) fn message_to_loser(
    state: &State,
    event: &EventLine<'_>,
    rejected: &Rejected,
) -> Option<Message> {
    let won = rejected.won.as_ref()?;
    let data: Value = serde_json::from_str(event.data.get()).unwrap_or_default();
    let Loss {
        what,
        did,
        winner,
        claim,
        output,
        metadata,
    } = Loss::of(state, event, &data)?;
    let loser = match (&*event.event_type, &data["agent"], &data["assignee"]) {
        ("bead.hooked", Value::String(agent), _) => agent.clone(),
        (_, _, Value::String(assignee)) => assignee.clone(),
        _ => event.actor.clone().into_owned(),
    };
    // An actor may have lost against itself, for example in two clones.
    if loser == winner {
        return None;
    }
    let mut body = format!(
        "{winner} was first, so your {did} {what} does not count: {}.\n\
         Your event is `{}`; `{won}` takes precedence.\n",
        rejected.reason, rejected.event_id
    );
    if let Some(output) = output {
        body.push_str(&match output.len() <= MAX_OUTPUT {
            true => format!("\nYour output:\n\n{output}\n"),
            false => format!(
                "\nYour output: `windlass events list --id {} --format json`\n",
                rejected.event_id
            ),
        });
    }
    // Every clone derives the same id, so the message isn't duplicated when the clones are merged.
    let parts = ["lost", &loser, &what, &claim];
    let parts = parts.map(str::as_bytes);
    let metadata = metadata.as_object().cloned().unwrap_or_default();
    Some(Message {
        id: format!("msg-{}", id::drawn(&parts, id::LONG_CHARS)),
        from: SENDER.to_owned(),
        to: loser,
        subject: format!("your {did} {what} does not count"),
        body,
        message_type: None,
        timestamp: event.timestamp.to_millis(),
        read_at: None,
        priority: MailPriority::Urgent,
        metadata,
    })
}

impl Loss {
    /// Returns `None` unless the event was a claim or a result. Other rejected events don't cost
    /// anybody any work.
    fn of(state: &State, event: &EventLine<'_>, data: &Value) -> Option<Self> {
        let of = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
        let did = match &*event.event_type {
            "bead.status_changed" if data["claim"] == true => "claim of",
            "bead.hooked" => "claim of",
            "bead.closed" => "closing of",
            "mol.step_started" => "claim of",
            "mol.step_completed" | "mol.step_failed" => "result of",
            _ => return None,
        };
        let text = |value: &Value| match value {
            Value::Null => None,
            Value::String(text) if text.is_empty() => None,
            Value::String(text) => Some(text.clone()),
            value => serde_json::to_string_pretty(value).ok(),
        };
        if event.event_type.starts_with("bead.") {
            let bead = state.beads.get(&of("bead_id"))?;
            let winner = match bead.status {
                BeadStatus::Open => return None,
                // An actor other than the assignee may have closed the bead, so take the actor of
                // its last status change below.
                BeadStatus::Closed => None,
                _ => bead.assignee,
            };
            return Some(Self {
                what: format!("`{}`", bead.id),
                did,
                winner: winner.unwrap_or_else(|| state.beads.status_actor(&bead.id)),
                claim: did.to_owned(),
                output: text(&data["reason"]),
                metadata: json!({ "bead_id": bead.id, "event_id": event.event_id }),
            });
        }
        let molecule = state.molecules.get(&of("mol_id"))?;
        let step = &molecule.steps[molecule.find(&of("step_id"))?.index()];
        let output = match (text(&data["output"]), text(&data["reason"])) {
            (Some(output), Some(reason)) => Some(format!("{reason}\n{output}")),
            (output, reason) => output.or(reason),
        };
        Some(Self {
            what: format!("`{}` of `{}`", step.id, molecule.id),
            did,
            winner: step.holder.clone()?,
            claim: match of("token") {
                token if token.is_empty() => event.actor.clone().into_owned(),
                token => token,
            },
            output,
            metadata: json!({ "mol_id": molecule.id, "step_id": step.id, "event_id": event.event_id }),
        })
    }
}
