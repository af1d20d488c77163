//! Payloads of events, one struct per event type.
//!
//! `payloads!` has the list of all types and generates [`Payload`] from it. To add a type, write
//! its struct and add it to the list; the state then has to handle the new variant. The doc
//! comments of the structs end up in the JSON Schema of events, so they're written for users.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::molecule::*;
use crate::Stamp;

/// A JSON object that keeps unknown fields and their order.
pub type Fields = Map<String, Value>;

macro_rules! payloads {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// An event's data, with one variant per event type.
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        pub enum Payload {
            $($(#[$doc])* $variant($variant),)*
            /// An event type unknown to this version. The event changes nothing here, but stays in
            /// the log for a newer version.
            Unknown,
        }

        $(impl From<$variant> for Payload {
            fn from(data: $variant) -> Self {
                Self::$variant(data)
            }
        })*

        impl Payload {
            /// The name in the log, or an empty string for [`Self::Unknown`].
            #[must_use]
            pub fn event_type(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                    Self::Unknown => "",
                }
            }

            /// Parses an event's `data`. An unknown type isn't an error.
            ///
            /// # Errors
            /// Returns an error if the data doesn't have the shape that its type requires.
            pub fn parse(event_type: &str, data: &str) -> Result<Self, serde_json::Error> {
                match event_type {
                    $($name => serde_json::from_str(data).map(Self::$variant),)*
                    _ => Ok(Self::Unknown),
                }
            }

            /// The event's `data`, without null fields.
            ///
            /// # Errors
            /// Returns an error if the payload can't be expressed in JSON.
            pub fn to_value(&self) -> Result<Value, serde_json::Error> {
                let mut data = match self {
                    $(Self::$variant(data) => serde_json::to_value(data)?,)*
                    Self::Unknown => Value::Object(Map::new()),
                };
                // A missing field and a null one mean the same, so write the shorter form. This
                // only applies to the outermost fields: a null within `changes`, for example,
                // removes a field of the bead.
                if let Value::Object(fields) = &mut data {
                    fields.retain(|_, value| !value.is_null());
                }
                Ok(data)
            }
        }

        /// Lists all event types, each with the JSON Schema of its `data`.
        #[must_use]
        pub fn event_types() -> Vec<(&'static str, Value)> {
            vec![$(($name, schemars::schema_for!($variant).to_value()),)*]
        }
    };
}

payloads! {
    /// A bead was created.
    BeadCreated = "bead.created",
    /// Fields of a bead were changed.
    BeadUpdated = "bead.updated",
    /// A bead's status changed. Claims use this event too.
    BeadStatusChanged = "bead.status_changed",
    /// A bead was put on an agent's hook.
    BeadHooked = "bead.hooked",
    /// A bead was completed or abandoned.
    BeadClosed = "bead.closed",
    /// A closed bead was reopened.
    BeadReopened = "bead.reopened",
    /// A dependency on another bead was added.
    BeadDependencyAdded = "bead.dependency_added",
    /// A dependency was removed.
    BeadDependencyRemoved = "bead.dependency_removed",
    /// A record from another tool was imported.
    BeadImported = "bead.imported",
    /// A message was sent.
    MailSent = "mail.sent",
    /// A message reached the inbox.
    MailDelivered = "mail.delivered",
    /// A message was read.
    MailRead = "mail.read",
    /// An agent's hook was set.
    HookSet = "hook.set",
    /// An agent's hook was cleared.
    HookCleared = "hook.cleared",
    /// An agent began a session.
    AgentStarted = "agent.started",
    /// An agent checked its hook.
    AgentHookChecked = "agent.hook_checked",
    /// An agent started to work.
    AgentWorking = "agent.working",
    /// An agent became idle.
    AgentIdle = "agent.idle",
    /// The session of an agent ended.
    AgentStopped = "agent.stopped",
    /// A formula was poured.
    MolCreated = "mol.created",
    /// A step was claimed.
    MolStepStarted = "mol.step_started",
    /// The holder of a step reported still working on it.
    MolStepHeartbeat = "mol.step_heartbeat",
    /// The holder of a step received a context pack.
    MolStepPacked = "mol.step_packed",
    /// The lease of a claim ended without a heartbeat.
    MolStepLeaseExpired = "mol.step_lease_expired",
    /// A claim was released.
    MolStepReleased = "mol.step_released",
    /// A step was completed.
    MolStepCompleted = "mol.step_completed",
    /// An attempt at a step failed.
    MolStepFailed = "mol.step_failed",
    /// A failed step may be tried again.
    MolStepRetryDue = "mol.step_retry_due",
    /// A step was skipped.
    MolStepSkipped = "mol.step_skipped",
    /// The conditions of a step hold.
    MolStepConditionHeld = "mol.step_condition_held",
    /// A step and everything that depends on it must be repeated.
    MolPushedBack = "mol.pushed_back",
    /// A gate was opened.
    MolGateOpened = "mol.gate_opened",
    /// A gate was closed for good, so its step failed.
    MolGateClosed = "mol.gate_closed",
    /// A molecule's settings were changed.
    MolChanged = "mol.changed",
    /// A molecule was bonded to another, which it follows.
    MolBonded = "mol.bonded",
    /// A molecule stopped waiting for the one it follows.
    MolBondMet = "mol.bond_met",
    /// All steps of a molecule are completed.
    MolCompleted = "mol.completed",
    /// A molecule was replaced by its digest.
    MolSquashed = "mol.squashed",
    /// A molecule was discarded.
    MolBurned = "mol.burned",
    /// A verification started.
    VerifyStarted = "verify.started",
    /// A verification reached a verdict.
    VerifyVerdict = "verify.verdict",
    /// An actor's clock shows that a deadline has passed, but the log's time doesn't agree yet.
    ClockObserved = "clock.observed",
}

/// Payload of `bead.created`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BeadCreated {
    /// The bead's id.
    pub bead_id: String,
    /// Title.
    pub title: String,
    /// Description in Markdown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Type of work: `task`, `bug`, `feature`, `epic` or `merge-request`.
    pub issue_type: String,
    /// Priority from 0 (critical) to 4 (backlog).
    pub priority: Option<u8>,
    /// Creator; the actor if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// Assigned actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Additional data from users and tools.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub metadata: Fields,
}

/// Payload of `bead.updated`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BeadUpdated {
    /// The bead's id.
    pub bead_id: String,
    /// Fields with their new values; `null` removes a field.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub changes: Fields,
    /// Labels to add.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels_added: Vec<String>,
    /// Labels to remove.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels_removed: Vec<String>,
    /// Keys of `metadata` with their new values; `null` removes a key.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata_set: Fields,
}

/// Payload of `bead.status_changed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BeadStatusChanged {
    /// The bead's id.
    pub bead_id: String,
    /// Previous status. The event is rejected if it differs.
    pub from_status: String,
    /// New status.
    pub to_status: String,
    /// New assignee.
    pub assignee: Option<String>,
    /// True for a claim by the actor, which is rejected if another actor has the bead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub claim: bool,
    /// Reason for the change.
    pub reason: Option<String>,
}

/// Payload of `bead.hooked`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BeadHooked {
    /// The bead's id.
    pub bead_id: String,
    /// The agent's name.
    pub agent: String,
    /// Path of the hook file, relative to the folder containing `.beads`.
    #[serde(default)]
    pub hook_path: String,
}

/// Outcomes of closed beads.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The work is done.
    Done,
    /// The work was abandoned. Beads waiting for a failure may start.
    Failed,
}

/// Payload of `bead.closed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BeadClosed {
    /// The bead's id.
    pub bead_id: String,
    /// Reason for closing.
    #[serde(default)]
    pub reason: String,
    /// Outcome; `done` if absent.
    pub outcome: Option<Outcome>,
}

/// Payload of `bead.reopened`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BeadReopened {
    /// The bead's id.
    pub bead_id: String,
    /// Reason for reopening.
    pub reason: Option<String>,
}

/// Payload of `bead.dependency_added`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BeadDependencyAdded {
    /// The dependent bead.
    pub bead_id: String,
    /// The bead it depends on.
    pub depends_on_id: String,
    /// Kind: `blocks`, `parent-child`, `conditional-blocks`, `waits-for`, `related` …
    #[serde(rename = "type", default = "blocks")]
    pub kind: String,
    /// For `waits-for`: `all-children` or `any-children`.
    pub gate: Option<String>,
}

fn blocks() -> String {
    "blocks".to_owned()
}

/// Payload of `bead.dependency_removed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BeadDependencyRemoved {
    /// The dependent bead.
    pub bead_id: String,
    /// The bead it depended on.
    pub depends_on_id: String,
    /// Kind of dependency; all kinds if absent.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// Payload of `bead.imported`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BeadImported {
    /// The bead's id.
    pub bead_id: String,
    /// The record as found.
    pub record: Fields,
    /// The source's name.
    pub source: Option<String>,
    /// Priority for a record without one; 2 if absent.
    pub missing_priority: Option<u8>,
}

/// Payload of `clock.observed`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct ClockObserved {
    /// Offset of the clock from the log's time in milliseconds, positive if the clock is ahead.
    #[serde(default)]
    pub ahead_ms: i64,
}

/// Payload of `mail.sent`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MailSent {
    /// The message's id.
    pub message_id: String,
    /// The sending actor.
    pub from: String,
    /// The receiving actor.
    pub to: String,
    /// Subject line.
    pub subject: String,
    /// Text of the message.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// Type of message, such as `POLECAT_DONE` or `MERGE_READY`.
    pub message_type: Option<String>,
    /// Priority: `urgent`, `normal` or `low`.
    pub priority: Option<String>,
    /// Additional data, such as `bead_id`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Fields,
}

/// Payload of `mail.delivered`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MailDelivered {
    /// The message's id.
    pub message_id: String,
    /// The receiving actor.
    pub recipient: String,
}

/// Payload of `mail.read`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MailRead {
    /// The message's id.
    pub message_id: String,
    /// The actor that read it.
    pub reader: String,
    /// Time of reading; the event's time if absent.
    pub read_at: Option<Stamp>,
}

/// Payload of `hook.set`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct HookSet {
    /// The agent's name.
    pub agent: String,
    /// Kind of record: `bead`, `mail` or `mol`.
    pub kind: String,
    /// The record's id.
    pub reference: String,
    /// Path of the hook file, relative to the folder containing `.beads`.
    #[serde(default)]
    pub hook_path: String,
}

/// Payload of `hook.cleared`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct HookCleared {
    /// The agent's name.
    pub agent: String,
}

/// Payload of `agent.started`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentStarted {
    /// The session's name.
    pub session_name: Option<String>,
    /// The agent's working tree.
    pub worktree: Option<String>,
    /// Kind of agent.
    pub profile: Option<String>,
    /// The bead on its hook.
    pub hooked_bead: Option<String>,
}

/// Payload of `agent.hook_checked`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentHookChecked {
    /// True if there was a record on the hook.
    pub found: bool,
    /// Response time in milliseconds.
    pub response_ms: Option<u64>,
    /// The agent's reaction, such as `execute_immediately`.
    pub action: Option<String>,
}

/// Payload of `agent.working`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentWorking {
    /// The bead being worked on.
    pub bead_id: Option<String>,
}

/// Payload of `agent.idle`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentIdle {
    /// Start of the idle time; the event's time if absent.
    pub idle_since: Option<Stamp>,
    /// Last activity.
    pub last_activity: Option<String>,
}

/// Payload of `agent.stopped`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentStopped {
    /// Reason for stopping.
    pub reason: Option<String>,
    /// Exit code.
    pub exit_code: Option<i32>,
}
