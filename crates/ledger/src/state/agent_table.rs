//! Agents, as far as their events describe them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Stamp;
use crate::event::EventLine;

/// An agent's activity.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// Session started.
    #[default]
    Started,
    /// Working.
    Working,
    /// Idle.
    Idle,
    /// Session ended.
    Stopped,
}

/// An agent, as known from its events.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Agent {
    /// Current activity.
    pub state: AgentState,
    /// Start of that activity.
    pub since: Stamp,
    /// Time of its last event.
    pub last_seen: Stamp,
    /// The session's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_name: Option<String>,
    /// The agent's working tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// Kind of agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The bead being worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bead_id: Option<String>,
    /// Last activity, or the reason for stopping.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The session's exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct AgentTable(BTreeMap<String, Agent>);

impl AgentTable {
    pub(super) fn by_name(&self) -> &BTreeMap<String, Agent> {
        &self.0
    }

    /// Records that the agent that wrote `event` is alive. If `state` is given, this also updates
    /// its activity.
    pub(super) fn heard(&mut self, event: &EventLine<'_>, state: Option<AgentState>) -> &mut Agent {
        let at = event.timestamp;
        let agent = self.0.entry(event.actor.clone().into_owned());
        let agent = agent.or_insert_with(|| Agent {
            since: at,
            ..Agent::default()
        });
        agent.last_seen = at;
        if let Some(state) = state {
            if agent.state != state {
                agent.since = at;
            }
            agent.state = state;
            agent.note = None;
            agent.exit_code = None;
        }
        agent
    }
}
