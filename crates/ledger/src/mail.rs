//! Mail between agents. A message type determines who may send it to whom: only a witness may send
//! `MERGE_READY`, for example, and only to a refinery.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Stamp;
use crate::event::Fields;
use windlass_base::word_enum;

/// A message, as stored in `messages.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Message id: `msg-` followed by letters and digits.
    pub id: String,
    /// The sending actor.
    pub from: String,
    /// The receiving actor.
    pub to: String,
    /// Subject line.
    pub subject: String,
    /// Text of the message.
    pub body: String,
    /// The message type, if it's a known one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_type: Option<MessageType>,
    /// Time of sending.
    pub timestamp: Stamp,
    /// Time of reading; `null` while unread.
    pub read_at: Option<Stamp>,
    /// Priority in the recipient's inbox.
    pub priority: MailPriority,
    /// Additional data, such as `bead_id`.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub metadata: Fields,
}

word_enum! {
    /// Priorities of messages.
    #[derive(Default)]
    MailPriority, "priority" {
        /// Before all other messages.
        Urgent = "urgent",
        /// The default.
        #[default]
        Normal = "normal",
        /// Not urgent, so it can wait.
        Low = "low",
    }
}

word_enum! {
    /// Message types, named by their purpose.
    MessageType, "type of message", in_capitals {
        /// Work is done. Sent by a polecat to a witness.
        PolecatDone = "POLECAT_DONE",
        /// Work is ready to be merged. Sent by a witness to a refinery.
        MergeReady = "MERGE_READY",
        /// Work has been merged. Sent by a refinery to the author.
        Merged = "MERGED",
        /// Work needs changes. Sent by a refinery to the author.
        ReworkRequest = "REWORK_REQUEST",
        /// Reminder to continue. Sent by a witness to a polecat.
        Nudge = "NUDGE",
        /// Request for help. Sent by anyone to a witness or the mayor.
        Help = "HELP",
        /// Instructions for an actor's next session. Sent by the actor to itself.
        Handoff = "HANDOFF",
        /// Problem report. Sent by anyone to the mayor.
        Escalation = "ESCALATION",
    }
}

/// Lets users type `merge-ready` for `MERGE_READY`.
fn in_capitals(text: &str) -> String {
    text.to_uppercase().replace('-', "_")
}

/// An actor's role, which we derive from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A worker in a rig: `{rig}/polecats/{name}`.
    Polecat,
    /// The monitor of a rig's workers: `{rig}/witness`.
    Witness,
    /// The merge queue of a rig: `{rig}/refinery`.
    Refinery,
    /// The coordinator of all rigs: `mayor`.
    Mayor,
    /// Any other actor.
    Other,
}

impl Role {
    /// Derives the role from the end of the actor's path, so `gastown/witness` is a witness.
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
    /// Tells who may send this type of message to whom, for use in an error message. This has to
    /// agree with `may_go`.
    #[must_use]
    pub fn direction(self) -> &'static str {
        match self {
            Self::PolecatDone => "a polecat to a witness",
            Self::MergeReady => "a witness to a refinery",
            Self::Merged | Self::ReworkRequest => "a refinery to an author other than itself",
            Self::Nudge => "a witness to a polecat",
            Self::Help => "any actor to a witness or the mayor",
            Self::Handoff => "any actor to itself",
            Self::Escalation => "any actor to the mayor",
        }
    }

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
    fn message_type_limits_recipients() {
        let polecat = "gastown/polecats/slot0";
        let all = [
            polecat,
            "gastown/witness",
            "gastown/refinery",
            "mayor",
            "gastown/crew/ann",
        ];
        let counts: Vec<String> = MessageType::ALL
            .iter()
            .map(|kind| {
                let ways = all
                    .iter()
                    .flat_map(|from| all.iter().map(move |to| (from, to)));
                let count = ways.filter(|(from, to)| kind.may_go(from, to)).count();
                format!("{kind} {count}")
            })
            .collect();
        // The five actors have one role each, so a count goes up if a rule becomes too wide.
        assert_eq!(
            counts.join(", "),
            "POLECAT_DONE 1, MERGE_READY 1, MERGED 4, REWORK_REQUEST 4, NUDGE 1, HELP 10, HANDOFF 5, ESCALATION 5"
        );
        assert!(MessageType::PolecatDone.may_go(polecat, "gastown/witness"));
        assert!(!MessageType::PolecatDone.may_go("gastown/witness", polecat));
        assert_eq!("polecat-done".parse(), Ok(MessageType::PolecatDone));
    }
}
