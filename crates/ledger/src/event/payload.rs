//! What happened: the table of all types of events, and the shape of each one's `data`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::molecule::*;
use crate::Stamp;

/// Fields that are kept as they are.
pub type Fields = Map<String, Value>;

macro_rules! payloads {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// What happened.
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        pub enum Payload {
            $($(#[$doc])* $variant($variant),)*
            /// Something a newer or another program knows of; it is kept, and changes nothing.
            Unknown,
        }

        $(impl From<$variant> for Payload {
            fn from(data: $variant) -> Self {
                Self::$variant(data)
            }
        })*

        impl Payload {
            /// The type of the event; nothing for one that is not known.
            #[must_use]
            pub fn event_type(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                    Self::Unknown => "",
                }
            }

            /// Reads the `data` of an event of this type.
            ///
            /// # Errors
            /// When it has not the shape that such events have.
            pub fn parse(event_type: &str, data: &str) -> Result<Self, serde_json::Error> {
                match event_type {
                    $($name => serde_json::from_str(data).map(Self::$variant),)*
                    _ => Ok(Self::Unknown),
                }
            }

            /// The `data` of the event, without what it does not say.
            ///
            /// # Errors
            /// When it cannot be expressed in JSON.
            pub fn to_value(&self) -> Result<Value, serde_json::Error> {
                let mut data = match self {
                    $(Self::$variant(data) => serde_json::to_value(data)?,)*
                    Self::Unknown => Value::Object(Map::new()),
                };
                if let Value::Object(fields) = &mut data {
                    fields.retain(|_, value| !value.is_null());
                }
                Ok(data)
            }
        }

        /// The types of events, each with the JSON Schema of its `data`.
        #[must_use]
        pub fn event_types() -> Vec<(&'static str, Value)> {
            vec![$(($name, schemars::schema_for!($variant).to_value()),)*]
        }
    };
}

payloads! {
    /// A bead was made.
    BeadCreated = "bead.created",
    /// Fields of a bead were changed.
    BeadUpdated = "bead.updated",
    /// A bead went from one status to another; also a claim.
    BeadStatusChanged = "bead.status_changed",
    /// A bead was put on an agent's hook.
    BeadHooked = "bead.hooked",
    /// A bead is done, or given up.
    BeadClosed = "bead.closed",
    /// A closed bead is open again.
    BeadReopened = "bead.reopened",
    /// A bead depends on another.
    BeadDependencyAdded = "bead.dependency_added",
    /// It does no longer.
    BeadDependencyRemoved = "bead.dependency_removed",
    /// A record of another tool was taken over.
    BeadImported = "bead.imported",
    /// A message was sent.
    MailSent = "mail.sent",
    /// It is in the inbox.
    MailDelivered = "mail.delivered",
    /// It was read.
    MailRead = "mail.read",
    /// Something was put on an agent's hook.
    HookSet = "hook.set",
    /// The hook is empty again.
    HookCleared = "hook.cleared",
    /// An agent began a session.
    AgentStarted = "agent.started",
    /// It looked at its hook.
    AgentHookChecked = "agent.hook_checked",
    /// It is at work.
    AgentWorking = "agent.working",
    /// It waits.
    AgentIdle = "agent.idle",
    /// Its session ended.
    AgentStopped = "agent.stopped",
    /// A formula was poured.
    MolCreated = "mol.created",
    /// Somebody claimed a step.
    MolStepStarted = "mol.step_started",
    /// Whoever has it is still at work.
    MolStepHeartbeat = "mol.step_heartbeat",
    /// Whoever has it was given a context pack.
    MolStepPacked = "mol.step_packed",
    /// Whoever had it was not heard of in time.
    MolStepLeaseExpired = "mol.step_lease_expired",
    /// Whoever had it gave it back.
    MolStepReleased = "mol.step_released",
    /// A step is done.
    MolStepCompleted = "mol.step_completed",
    /// An attempt at a step failed.
    MolStepFailed = "mol.step_failed",
    /// It may be tried again.
    MolStepRetryDue = "mol.step_retry_due",
    /// A step is left out.
    MolStepSkipped = "mol.step_skipped",
    /// The conditions of a step hold.
    MolStepConditionHeld = "mol.step_condition_held",
    /// A step is to be done anew, and all that follows from it.
    MolPushedBack = "mol.pushed_back",
    /// A gate before a step is open.
    MolGateOpened = "mol.gate_opened",
    /// It will never open: the step has failed.
    MolGateClosed = "mol.gate_closed",
    /// How a molecule is worked through was changed.
    MolChanged = "mol.changed",
    /// A molecule comes after another.
    MolBonded = "mol.bonded",
    /// It need wait for that no longer.
    MolBondMet = "mol.bond_met",
    /// All steps of a molecule are done.
    MolCompleted = "mol.completed",
    /// A molecule was put away, a digest of it in its place.
    MolSquashed = "mol.squashed",
    /// A molecule was thrown away.
    MolBurned = "mol.burned",
    /// Somebody looks whether work is done as it should be.
    VerifyStarted = "verify.started",
    /// What they found.
    VerifyVerdict = "verify.verdict",
    /// Somebody's clock says that something is over that is not over by the log's time.
    ClockObserved = "clock.observed",
}

/// `bead.created`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BeadCreated {
    /// Its id.
    pub bead_id: String,
    /// Its title.
    pub title: String,
    /// Markdown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// `task`, `bug`, `feature`, `epic`, `merge-request`.
    pub issue_type: String,
    /// 0 (critical) to 4 (backlog).
    pub priority: Option<u8>,
    /// Who made it; the actor if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// Who it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Its labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// What somebody wants to keep with it.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub metadata: Fields,
}

/// `bead.updated`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BeadUpdated {
    /// Which bead.
    pub bead_id: String,
    /// The fields with their new values; `null` takes one away.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub changes: Fields,
    /// Labels it has from now on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels_added: Vec<String>,
    /// Labels it has no longer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels_removed: Vec<String>,
    /// Keys of `metadata` with their new values; `null` takes one away.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata_set: Fields,
}

/// `bead.status_changed`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BeadStatusChanged {
    /// Which bead.
    pub bead_id: String,
    /// What it was; the event counts only if it still is.
    pub from_status: String,
    /// What it is.
    pub to_status: String,
    /// Who it is for from now on.
    pub assignee: Option<String>,
    /// Whether somebody takes it for themselves: counts only if nobody else has it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub claim: bool,
    /// Why.
    pub reason: Option<String>,
}

/// `bead.hooked`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BeadHooked {
    /// Which bead.
    pub bead_id: String,
    /// Whose hook.
    pub agent: String,
    /// The file of the hook, from the folder that `.beads` lies in.
    #[serde(default)]
    pub hook_path: String,
}

/// How a bead ended.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// What it asked for is done.
    Done,
    /// It is not, and will not be: what waits for a failure may begin.
    Failed,
}

/// `bead.closed`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BeadClosed {
    /// Which bead.
    pub bead_id: String,
    /// Why.
    #[serde(default)]
    pub reason: String,
    /// How it ended; `done` if not given.
    pub outcome: Option<Outcome>,
}

/// `bead.reopened`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BeadReopened {
    /// Which bead.
    pub bead_id: String,
    /// Why.
    pub reason: Option<String>,
}

/// `bead.dependency_added`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BeadDependencyAdded {
    /// The bead that depends on another.
    pub bead_id: String,
    /// The other.
    pub depends_on_id: String,
    /// `blocks`, `parent-child`, `conditional-blocks`, `waits-for`, `related` …
    #[serde(rename = "type", default = "blocks")]
    pub kind: String,
    /// Of `waits-for`: `all-children` or `any-children`.
    pub gate: Option<String>,
}

fn blocks() -> String {
    "blocks".to_owned()
}

/// `bead.dependency_removed`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BeadDependencyRemoved {
    /// The bead that depended on another.
    pub bead_id: String,
    /// The other.
    pub depends_on_id: String,
    /// Which sort of dependency; all of them if not given.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// `bead.imported`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BeadImported {
    /// Its id.
    pub bead_id: String,
    /// The record, as it was found.
    pub record: Fields,
    /// What it was found in.
    pub source: Option<String>,
    /// Priority where the record gives none; 2 if absent.
    pub missing_priority: Option<u8>,
}

/// `clock.observed`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct ClockObserved {
    /// How far the clock is ahead of the log's time, in milliseconds.
    #[serde(default)]
    pub ahead_ms: i64,
}

/// `mail.sent`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MailSent {
    /// Its id.
    pub message_id: String,
    /// Who sent it.
    pub from: String,
    /// Who is to get it.
    pub to: String,
    /// What it is about.
    pub subject: String,
    /// What it says.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// `POLECAT_DONE`, `MERGE_READY` …
    pub message_type: Option<String>,
    /// `urgent`, `normal`, `low`.
    pub priority: Option<String>,
    /// What belongs to it: `bead_id`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Fields,
}

/// `mail.delivered`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MailDelivered {
    /// Which message.
    pub message_id: String,
    /// To whom.
    pub recipient: String,
}

/// `mail.read`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct MailRead {
    /// Which message.
    pub message_id: String,
    /// Who read it.
    pub reader: String,
    /// When; the time of the event if not given.
    pub read_at: Option<Stamp>,
}

/// `hook.set`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct HookSet {
    /// Whose hook.
    pub agent: String,
    /// What is on it: `bead`, `mail`, `mol`.
    pub kind: String,
    /// Its id.
    pub reference: String,
    /// The file of the hook, from the folder that `.beads` lies in.
    #[serde(default)]
    pub hook_path: String,
}

/// `hook.cleared`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct HookCleared {
    /// Whose hook.
    pub agent: String,
}

/// `agent.started`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentStarted {
    /// What the session is called.
    pub session_name: Option<String>,
    /// Where it works.
    pub worktree: Option<String>,
    /// Which sort of agent it is.
    pub profile: Option<String>,
    /// The bead on its hook.
    pub hooked_bead: Option<String>,
}

/// `agent.hook_checked`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentHookChecked {
    /// Whether something was on it.
    pub found: bool,
    /// How long that took, in milliseconds.
    pub response_ms: Option<u64>,
    /// What is done about it: `execute_immediately`.
    pub action: Option<String>,
}

/// `agent.working`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentWorking {
    /// On which bead.
    pub bead_id: Option<String>,
}

/// `agent.idle`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentIdle {
    /// Since when; the time of the event if not given.
    pub idle_since: Option<Stamp>,
    /// What it did last.
    pub last_activity: Option<String>,
}

/// `agent.stopped`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct AgentStopped {
    /// Why.
    pub reason: Option<String>,
    /// Its exit code.
    pub exit_code: Option<i32>,
}
