//! The agents there are, as their events tell of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Stamp;
use crate::event::EventLine;

/// What an agent does.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// It began a session.
    #[default]
    Started,
    /// It is at work.
    Working,
    /// It waits.
    Idle,
    /// Its session ended.
    Stopped,
}

/// An agent, as its events tell of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Agent {
    /// What it does.
    pub state: AgentState,
    /// Since when.
    pub since: Stamp,
    /// When it was last heard of.
    pub last_seen: Stamp,
    /// What its session is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_name: Option<String>,
    /// Where it works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// Which sort of agent it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The bead it works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bead_id: Option<String>,
    /// What it did last, or why it stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// With which code its session ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

/// The agents there are, by name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct AgentTable(BTreeMap<String, Agent>);

impl AgentTable {
    pub(super) fn by_name(&self) -> &BTreeMap<String, Agent> {
        &self.0
    }

    /// The agent that `event` tells of; what it does from now on, where that changes.
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
