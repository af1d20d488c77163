//! Plugin of a client: skill, hooks and server in one folder, from the same sources as the set-up of a repository.

use serde_json::{Map, Value, json};

use super::SKILL;
use super::agent_client::AgentClient;

/// Runbook of the start hook: the one that `windlass init` writes. Nothing is printed where there is none.
const RUNBOOK: &str = "overview";

impl AgentClient {
    /// Returns the files of the plugin with their contents; `None` if the client has no plugins.
    pub(super) fn plugin_files(&self) -> Option<Vec<(&'static str, String)>> {
        let manifest = json!({
            "name": "windlass",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Context of a repository from evidence that is verified on each call; anchors, runbooks and shared work",
            "repository": env!("CARGO_PKG_REPOSITORY"),
            "license": env!("CARGO_PKG_LICENSE"),
        });
        // The client offers its roots to the server.
        let server = self.servers.entry(&["mcp"]);
        let hooks = self.hooks.iter().flat_map(|hooks| hooks.all(Some(RUNBOOK)));
        let hooks = hooks.map(|hook| (hook.event.to_owned(), json!([hook.entry()])));
        let hooks: Map<String, Value> = hooks.collect();
        Some(vec![
            (self.plugin?, pretty(&manifest)),
            (
                ".mcp.json",
                pretty(&json!({ "mcpServers": { "windlass": server } })),
            ),
            ("hooks/hooks.json", pretty(&json!({ "hooks": hooks }))),
            ("skills/windlass/SKILL.md", SKILL.to_owned()),
        ])
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
