//! Supported clients: one table of what each of them loads from a repository.

use super::client_hooks::{ClientHooks, StartAnswer};

/// Client of the Model Context Protocol.
#[derive(Debug)]
pub struct AgentClient {
    name: &'static str,
    title: &'static str,
    pub(super) servers: ServerList,
    /// Folder of the skills that it loads.
    pub(super) skills: &'static str,
    pub(super) memory: Memory,
    pub(super) hooks: Option<ClientHooks>,
    /// Manifest of a plugin, if the client has plugins of this form.
    pub(super) plugin: Option<&'static str>,
    consent: &'static str,
}

/// List of MCP servers in a project file.
#[derive(Debug)]
pub(super) struct ServerList {
    pub(super) file: &'static str,
    /// Name of the field or table with the servers.
    pub(super) key: &'static str,
    pub(super) shape: EntryShape,
    /// Field that makes the client list the tools from the first request on, where it would defer them otherwise.
    pub(super) eager: Option<&'static str>,
    /// Value of `--root`. Clients that start servers in another folder than the project replace a variable.
    pub(super) root: &'static str,
}

/// Form of an entry in a list of servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryShape {
    /// JSON with `command` and `args`.
    Command,
    /// The same with `type`: `stdio`.
    Stdio,
    /// JSON with program and arguments in one list, and `type`: `local`.
    Local,
    /// TOML table.
    Toml,
}

/// Way in which a client comes to read `AGENTS.md`.
#[derive(Debug)]
pub(super) enum Memory {
    /// It reads that file.
    Native,
    /// It reads this file instead, which can import others by a line `@FILE`.
    Imports(&'static str),
    /// It reads the files listed in `object.field` of a JSON file; `default` if none are.
    Listed {
        file: &'static str,
        object: &'static str,
        field: &'static str,
        default: &'static str,
    },
}

/// Skill folder that most clients share.
const SHARED_SKILLS: &str = ".agents/skills";

/// Root for clients that start servers elsewhere; they replace the variable.
const WORKSPACE: &str = "${workspaceFolder}";

/// All supported clients. `tests/clients` shows for three of them that they load these files.
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

    /// Returns the name for `init --mcp`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the product name.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.title
    }

    /// Returns the consent that the client asks of its user before it loads the files.
    #[must_use]
    pub fn consent(&self) -> &'static str {
        self.consent
    }

    /// True if a hook restores context at the beginning of a session.
    #[must_use]
    pub fn starts_with_context(&self) -> bool {
        self.hooks.is_some()
    }

    /// Returns the path of the skill.
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
