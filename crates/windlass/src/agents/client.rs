//! The clients that are known, and where they look.

use serde_json::{Map, Value, json};

use super::{Merge, codex, json};

/// A client that calls tools by the Model Context Protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentClient {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
}

/// A file, and what is to stand in it.
type ClientFile = (&'static str, Box<Merge<'static>>);

impl AgentClient {
    /// The files of a project that this client reads, each with what is to stand in it. Where it can do something at the
    /// beginning of each session, that restores the context which `runbook` keeps.
    pub(super) fn files(self, runbook: Option<String>) -> Vec<ClientFile> {
        match self {
            Self::Claude => {
                let mut files = vec![servers(".mcp.json", "mcpServers", entry())];
                files.extend(runbook.map(session_start));
                files
            }
            Self::Codex => vec![(".codex/config.toml", Box::new(codex::with_server))],
            Self::Cursor => vec![servers(".cursor/mcp.json", "mcpServers", entry())],
            Self::VsCode => {
                let mut entry = entry();
                entry.shift_insert(0, "type".to_owned(), Value::from("stdio"));
                vec![servers(".vscode/mcp.json", "servers", entry)]
            }
        }
    }
}

fn entry() -> Map<String, Value> {
    Map::from_iter([
        ("command".to_owned(), json!("windlass")),
        ("args".to_owned(), json!(["mcp"])),
    ])
}

fn servers(file: &'static str, key: &'static str, entry: Map<String, Value>) -> ClientFile {
    let merge = move |file: &str, before: Option<&str>| {
        json::changed(file, before, |document| {
            let servers = json::object_at(document, key)?;
            // What somebody made of it stays.
            servers
                .entry("windlass")
                .or_insert_with(|| Value::Object(entry.clone()));
            Some(())
        })
    };
    (file, Box::new(merge))
}

/// A hook that prints the pack whenever a session begins, also after its history was compacted.
fn session_start(runbook: String) -> ClientFile {
    let merge = move |file: &str, before: Option<&str>| {
        json::changed(file, before, |document| {
            let hooks = json::object_at(document, "hooks")?;
            let starts = hooks.entry("SessionStart").or_insert_with(|| json!([]));
            let starts = starts.as_array_mut()?;
            if !starts
                .iter()
                .any(|start| start.to_string().contains("windlass run "))
            {
                let command = format!("windlass run {runbook} --max-chars 6000");
                starts.push(json!({ "hooks": [{ "type": "command", "command": command }] }));
            }
            Some(())
        })
    };
    (".claude/settings.json", Box::new(merge))
}
