//! Supported clients, as a table of the files each of them loads from a repository.

use super::client_hooks::{ClientHooks, StartAnswer};

/// A client of the Model Context Protocol.
#[derive(Debug)]
pub struct AgentClient {
    name: &'static str,
    title: &'static str,
    pub(super) servers: ServerList,
    /// Folder the client loads skills from.
    pub(super) skills: &'static str,
    pub(super) memory: Memory,
    pub(super) hooks: Option<ClientHooks>,
    /// A plugin's manifest, if the client has plugins of this form.
    pub(super) plugin: Option<&'static str>,
    consent: &'static str,
}

/// The list of MCP servers in a project file.
#[derive(Debug)]
pub(super) struct ServerList {
    pub(super) file: &'static str,
    /// Field or table that holds the servers.
    pub(super) key: &'static str,
    pub(super) shape: EntryShape,
    /// Field that makes the client list tools with its first request. Some clients defer that
    /// otherwise.
    pub(super) eager: Option<&'static str>,
    /// Value of `--root`. Clients that start servers outside of the project's folder replace a
    /// variable in it.
    pub(super) root: &'static str,
}

/// Forms of entries in a list of servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryShape {
    /// JSON with `command` and `args`.
    Command,
    /// The same JSON with `type`: `stdio`.
    Stdio,
    /// JSON with `type`: `local`, and one list for program and arguments.
    Local,
    /// A TOML table.
    Toml,
}

/// Ways for a client to read `AGENTS.md`.
#[derive(Debug)]
pub(super) enum Memory {
    /// The client reads the file itself.
    Native,
    /// The client reads this file instead, where a line `@FILE` imports another.
    Imports(&'static str),
    /// The client reads the files listed in `object.field` of a JSON file, or `default` without
    /// such a list.
    Listed {
        file: &'static str,
        object: &'static str,
        field: &'static str,
        default: &'static str,
    },
}

/// Folder for skills shared by most clients.
const SHARED_SKILLS: &str = ".agents/skills";

/// Variable that clients replace by the project's folder if they start servers elsewhere.
const WORKSPACE: &str = "${workspaceFolder}";

/// All supported clients. `tests/clients` shows that three of them load these files.
static CLIENTS: [AgentClient; 7] = [
    AgentClient {
        name: "claude",
        title: "Claude Code",
        servers: ServerList {
            file: ".mcp.json",
            key: "mcpServers",
            shape: EntryShape::Command,
            eager: Some("alwaysLoad"),
            root: ".",
        },
        skills: ".claude/skills",
        memory: Memory::Imports("CLAUDE.md"),
        hooks: Some(ClientHooks {
            file: ".claude/settings.json",
            start: StartAnswer::Text,
            compaction: Some("PreCompact"),
            actor: "claude-code",
        }),
        plugin: Some(".claude-plugin/plugin.json"),
        consent: "start `claude` and approve the server `windlass`",
    },
    AgentClient {
        name: "codex",
        title: "Codex",
        servers: ServerList {
            file: ".codex/config.toml",
            key: "mcp_servers",
            shape: EntryShape::Toml,
            eager: None,
            root: ".",
        },
        skills: SHARED_SKILLS,
        memory: Memory::Native,
        hooks: Some(ClientHooks {
            file: ".codex/hooks.json",
            start: StartAnswer::Text,
            compaction: None,
            actor: "codex-mcp-client",
        }),
        plugin: None,
        consent: "start `codex`, trust the project, and approve the hooks under `/hooks`",
    },
    AgentClient {
        name: "gemini",
        title: "Gemini CLI",
        servers: ServerList {
            file: ".gemini/settings.json",
            key: "mcpServers",
            shape: EntryShape::Command,
            eager: None,
            root: ".",
        },
        skills: SHARED_SKILLS,
        memory: Memory::Listed {
            file: ".gemini/settings.json",
            object: "context",
            field: "fileName",
            default: "GEMINI.md",
        },
        hooks: Some(ClientHooks {
            file: ".gemini/settings.json",
            start: StartAnswer::Json,
            compaction: None,
            actor: "gemini-cli-mcp-client",
        }),
        plugin: None,
        consent: "start `gemini` and trust the folder",
    },
    AgentClient {
        name: "cursor",
        title: "Cursor",
        servers: ServerList {
            file: ".cursor/mcp.json",
            key: "mcpServers",
            shape: EntryShape::Command,
            eager: None,
            root: WORKSPACE,
        },
        skills: SHARED_SKILLS,
        memory: Memory::Native,
        hooks: None,
        plugin: None,
        consent: "enable the server `windlass` in the settings of Cursor",
    },
    AgentClient {
        name: "vscode",
        title: "Visual Studio Code",
        servers: ServerList {
            file: ".vscode/mcp.json",
            key: "servers",
            shape: EntryShape::Stdio,
            eager: None,
            root: WORKSPACE,
        },
        skills: SHARED_SKILLS,
        memory: Memory::Native,
        hooks: None,
        plugin: None,
        consent: "open .vscode/mcp.json and start the server `windlass`",
    },
    AgentClient {
        name: "zed",
        title: "Zed",
        servers: ServerList {
            file: ".zed/settings.json",
            key: "context_servers",
            shape: EntryShape::Command,
            eager: None,
            root: ".",
        },
        skills: SHARED_SKILLS,
        memory: Memory::Native,
        hooks: None,
        plugin: None,
        consent: "open the project and trust it",
    },
    AgentClient {
        name: "opencode",
        title: "OpenCode",
        servers: ServerList {
            file: "opencode.json",
            key: "mcp",
            shape: EntryShape::Local,
            eager: None,
            root: ".",
        },
        skills: SHARED_SKILLS,
        memory: Memory::Native,
        hooks: None,
        plugin: None,
        consent: "start `opencode`",
    },
];

impl AgentClient {
    /// Returns all supported clients.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &CLIENTS
    }

    /// Returns the client called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.name == name)
    }

    /// Returns the name used in `init --mcp`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the product's name.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.title
    }

    /// Returns the consent the client asks of its user before loading the files.
    #[must_use]
    pub fn consent(&self) -> &'static str {
        self.consent
    }

    /// Returns true if a hook restores context at the beginning of a session.
    #[must_use]
    pub fn starts_with_context(&self) -> bool {
        self.hooks.is_some()
    }

    /// Returns the skill's path.
    pub(super) fn skill_file(&self) -> String {
        format!("{}/windlass/SKILL.md", self.skills)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_found_by_their_names() {
        for client in AgentClient::all() {
            let found = AgentClient::named(client.name()).unwrap();
            assert_eq!(found.title(), client.title());
        }
        assert!(AgentClient::named("emacs").is_none());
    }
}
