//! Plugins of clients. A plugin is a folder with a skill, hooks and a server. They come from the
//! same sources as a repository's set-up.

use serde_json::{Map, Value, json};

use super::SKILL;
use super::agent_client::AgentClient;

/// The runbook that the start hook runs. `windlass init` writes it, and in a repository without it,
/// the hook prints nothing.
const RUNBOOK: &str = "overview";

impl AgentClient {
    /// Paths and contents of the plugin's files, or `None` if the client has no plugins.
    pub(super) fn plugin_files(&self) -> Option<Vec<(&'static str, String)>> {
        let manifest = json!({
            "name": "windlass",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Context of a repository from evidence that is verified on each call; anchors, runbooks and shared work",
            "repository": env!("CARGO_PKG_REPOSITORY"),
            "license": env!("CARGO_PKG_LICENSE"),
        });
        // A plugin is for all repositories, so leave out `--root`. The client tells the server its
        // roots.
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
