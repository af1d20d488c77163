//! Supported clients and their configuration files.

use serde_json::{Map, Value, json};

use super::json_config::{Odd, changed, input, object_at};
use super::server_entry::ServerEntry;
use super::{Merge, codex_config, json_config};

/// Client of the Model Context Protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentClient {
    /// Claude Code, by Anthropic.
    Claude,
    /// Codex, by OpenAI.
    Codex,
    /// The editor Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
}

/// Configuration file, and the change to make.
type ClientFile = (&'static str, Box<Merge<'static>>);

impl AgentClient {
    /// Returns the project files that this client reads, with the change to each. Clients with session hooks restore
    /// the pack of `runbook` at the beginning of a session; see [`hooks`].
    pub(super) fn files(self, runbook: Option<&str>) -> Vec<ClientFile> {
        let file = self.server_file();
        let Some(key) = self.json_key() else {
            return vec![(file, Box::new(codex_config::with_server))];
        };
        let mut entry = entry();
        if self == Self::VsCode {
            entry.shift_insert(0, "type".to_owned(), Value::from("stdio"));
        }
        let mut files = vec![servers(file, key, entry)];
        if self == Self::Claude {
            files.push(hooks(runbook));
        }
        files
    }

    pub(super) const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Cursor, Self::VsCode];

    /// Returns the name of the client.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::VsCode => "Visual Studio Code",
        }
    }

    /// Returns the project file that lists the servers of the client.
    pub(super) fn server_file(self) -> &'static str {
        match self {
            Self::Claude => ".mcp.json",
            Self::Codex => ".codex/config.toml",
            Self::Cursor => ".cursor/mcp.json",
            Self::VsCode => ".vscode/mcp.json",
        }
    }

    /// Returns the field with the servers in a JSON file; `None` for TOML.
    fn json_key(self) -> Option<&'static str> {
        match self {
            Self::Claude | Self::Cursor => Some("mcpServers"),
            Self::VsCode => Some("servers"),
            Self::Codex => None,
        }
    }

    /// Returns the entry of Windlass in `text`, the contents of the server file.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub(super) fn server_entry(self, text: &str) -> Result<Option<ServerEntry>, String> {
        let Some(key) = self.json_key() else {
            return codex_config::server_entry(text);
        };
        let document = json_config::value(text)?;
        let servers = document.get(key);
        let entry = servers.and_then(|servers| servers.get("windlass"));
        Ok(entry.map(ServerEntry::of_json))
    }
}

fn entry() -> Map<String, Value> {
    Map::from_iter([
        ("command".to_owned(), json!("windlass")),
        ("args".to_owned(), json!(["mcp", "--root", "."])),
    ])
}

fn servers(file: &'static str, key: &'static str, entry: Map<String, Value>) -> ClientFile {
    let merge = move |file: &str, before: Option<&str>| {
        changed(file, before, |document| {
            let servers = object_at(document, key)?;
            match servers.get("windlass") {
                // An entry edited by the user is kept if it starts Windlass.
                Some(there) => {
                    let there = there.value().and_then(|there| there.to_serde_value());
                    let there = ServerEntry::of_json(&there.unwrap_or_default());
                    if !there.starts_windlass() {
                        return Err(Odd::Taken);
                    }
                }
                None => {
                    servers.append("windlass", input(Value::Object(entry.clone())));
                }
            }
            Ok(())
        })
    };
    (file, Box::new(merge))
}

/// Returns the client hooks, one command each: at the beginning of a session and after compaction the pack of `runbook`
/// is printed; before compaction, places that were read are suggested as anchors; at the end, claims are released.
fn hooks(runbook: Option<&str>) -> ClientFile {
    let start = runbook.map(|runbook| format!("windlass run {runbook} --max-chars 6000"));
    let all = [
        ("SessionStart", "windlass run ", start),
        (
            "PreCompact",
            "windlass notebook suggest ",
            Some("windlass notebook suggest --read - --max-chars 2000".to_owned()),
        ),
        (
            "SessionEnd",
            "windlass mol release ",
            Some("windlass mol release --all --reason 'the session ended'".to_owned()),
        ),
    ];
    let merge = move |file: &str, before: Option<&str>| {
        changed(file, before, |document| {
            let hooks = object_at(document, "hooks")?;
            for (turn, begins, command) in &all {
                let Some(command) = command else { continue };
                let there = hooks.array_value_or_create(turn).ok_or(Odd::Shape)?;
                // An entry edited by the user is kept.
                if !there.to_string().contains(begins) {
                    there.append(input(
                        json!({ "hooks": [{ "type": "command", "command": command }] }),
                    ));
                }
            }
            Ok(())
        })
    };
    (".claude/settings.json", Box::new(merge))
}
