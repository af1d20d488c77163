//! Mail between agents: the messages, their types, and who may send which to whom.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Stamp;
use crate::event::Fields;
use crate::word_enum::word_enum;

/// A message, as it stands in `messages.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// `msg-` and letters and digits.
    pub id: String,
    /// Who sent it.
    pub from: String,
    /// Who is to get it.
    pub to: String,
    /// What it is about.
    pub subject: String,
    /// What it says.
    pub body: String,
    /// Which sort of message it is, where it is one of those that are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_type: Option<MessageType>,
    /// When it was sent.
    pub timestamp: Stamp,
    /// When it was read; `null` while it was not.
    pub read_at: Option<Stamp>,
    /// How much it matters.
    pub priority: MailPriority,
    /// What belongs to it: `bead_id`.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub metadata: Fields,
}

word_enum! {
    /// How much a message matters.
    #[derive(Default)]
    MailPriority, "priority" {
        /// Before all others.
        Urgent = "urgent",
        /// As most.
        #[default]
        Normal = "normal",
        /// Whenever there is time.
        Low = "low",
    }
}

word_enum! {
    /// What a message is for.
    MessageType, "type of message", in_capitals {
        /// Work is done: polecat to witness.
        PolecatDone = "POLECAT_DONE",
        /// Ready to be merged: witness to refinery.
        MergeReady = "MERGE_READY",
        /// It was merged: refinery to the author.
        Merged = "MERGED",
        /// It has to be changed: refinery to the author.
        ReworkRequest = "REWORK_REQUEST",
        /// Wake up: witness to polecat.
        Nudge = "NUDGE",
        /// Somebody needs help: anybody to witness or mayor.
        Help = "HELP",
        /// To go on in another session: to oneself.
        Handoff = "HANDOFF",
        /// A problem: anybody to the mayor.
        Escalation = "ESCALATION",
    }
}

/// A type of message as it is written, however it was typed.
fn in_capitals(text: &str) -> String {
    text.to_uppercase().replace('-', "_")
}

/// What somebody is, by the path they are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// `{rig}/polecats/{name}`
    Polecat,
    /// `{rig}/witness`
    Witness,
    /// `{rig}/refinery`
    Refinery,
    /// `mayor`
    Mayor,
    /// Anybody else.
    Other,
}

impl Role {
    /// What `actor` is.
    #[must_use]
    pub fn of(actor: &str) -> Self {
        let mut parts = actor.rsplit('/');
        let last = parts.next().unwrap_or_default();
        match (parts.next(), last) {
            (Some("polecats" | "polecat"), _) => Self::Polecat,
            (_, "witness") => Self::Witness,
            (_, "refinery") => Self::Refinery,
            (_, "mayor") => Self::Mayor,
            _ => Self::Other,
        }
    }
}

impl MessageType {
    /// Who sends such messages to whom.
    #[must_use]
    pub fn direction(self) -> &'static str {
        match self {
            Self::PolecatDone => "a polecat to a witness",
            Self::MergeReady => "a witness to a refinery",
            Self::Merged | Self::ReworkRequest => "a refinery to the author, who is somebody else",
            Self::Nudge => "a witness to a polecat",
            Self::Help => "anybody to a witness or the mayor",
            Self::Handoff => "everybody to themselves",
            Self::Escalation => "anybody to the mayor",
        }
    }

    /// Whether `from` may send it to `to`.
    pub(crate) fn may_go(self, from: &str, to: &str) -> bool {
        let (sender, receiver) = (Role::of(from), Role::of(to));
        match self {
            Self::PolecatDone => sender == Role::Polecat && receiver == Role::Witness,
            Self::MergeReady => sender == Role::Witness && receiver == Role::Refinery,
            Self::Merged | Self::ReworkRequest => sender == Role::Refinery && from != to,
            Self::Nudge => sender == Role::Witness && receiver == Role::Polecat,
            Self::Help => matches!(receiver, Role::Witness | Role::Mayor),
            Self::Handoff => from == to,
            Self::Escalation => receiver == Role::Mayor,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_go_where_their_type_says() {
        let polecat = "gastown/polecats/slot0";
        let all = [
            polecat,
            "gastown/witness",
            "gastown/refinery",
            "mayor",
            "gastown/crew/ann",
        ];
        let told: Vec<String> = MessageType::ALL
            .iter()
            .map(|kind| {
                let ways = all
                    .iter()
                    .flat_map(|from| all.iter().map(move |to| (from, to)));
                let count = ways.filter(|(from, to)| kind.may_go(from, to)).count();
                format!("{kind} {count}")
            })
            .collect();
        assert_eq!(
            told.join(", "),
            "POLECAT_DONE 1, MERGE_READY 1, MERGED 4, REWORK_REQUEST 4, NUDGE 1, HELP 10, HANDOFF 5, ESCALATION 5"
        );
        assert!(MessageType::PolecatDone.may_go(polecat, "gastown/witness"));
        assert!(!MessageType::PolecatDone.may_go("gastown/witness", polecat));
        assert_eq!("polecat-done".parse(), Ok(MessageType::PolecatDone));
    }
}
