//! Mail between agents: the messages, their types, and who may send which to whom.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Stamp;
use crate::event::Fields;

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

/// How much a message matters.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum MailPriority {
    /// Before all others.
    Urgent,
    /// As most.
    #[default]
    Normal,
    /// Whenever there is time.
    Low,
}

impl FromStr for MailPriority {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "urgent" => Ok(Self::Urgent),
            "normal" => Ok(Self::Normal),
            "low" => Ok(Self::Low),
            _ => Err(format!(
                "there is no priority `{text}`: urgent, normal, low"
            )),
        }
    }
}

/// What a message is for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MessageType {
    /// Work is done: polecat to witness.
    PolecatDone,
    /// Ready to be merged: witness to refinery.
    MergeReady,
    /// It was merged: refinery to the author.
    Merged,
    /// It has to be changed: refinery to the author.
    ReworkRequest,
    /// Wake up: witness to polecat.
    Nudge,
    /// Somebody needs help: anybody to witness or mayor.
    Help,
    /// To go on in another session: to oneself.
    Handoff,
    /// A problem: anybody to the mayor.
    Escalation,
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
    /// All there are.
    pub const ALL: [Self; 8] = [
        Self::PolecatDone,
        Self::MergeReady,
        Self::Merged,
        Self::ReworkRequest,
        Self::Nudge,
        Self::Help,
        Self::Handoff,
        Self::Escalation,
    ];

    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PolecatDone => "POLECAT_DONE",
            Self::MergeReady => "MERGE_READY",
            Self::Merged => "MERGED",
            Self::ReworkRequest => "REWORK_REQUEST",
            Self::Nudge => "NUDGE",
            Self::Help => "HELP",
            Self::Handoff => "HANDOFF",
            Self::Escalation => "ESCALATION",
        }
    }

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

impl fmt::Display for MessageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for MessageType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = text.to_uppercase().replace('-', "_");
        Self::ALL
            .into_iter()
            .find(|known| known.as_str() == wanted)
            .ok_or_else(|| {
                let known: Vec<&str> = Self::ALL.iter().map(|known| known.as_str()).collect();
                format!("there is no type of message `{text}`: {}", known.join(", "))
            })
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
