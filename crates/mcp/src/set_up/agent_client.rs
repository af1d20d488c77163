//! The clients that we support, as a table of the files that each of them loads from a repository.

use super::client_hooks::{ClientHooks, StartAnswer};

/// A client of the Model Context Protocol.
#[derive(Debug)]
pub struct AgentClient {
    name: &'static str,
    title: &'static str,
    pub(super) servers: ServerList,
    pub(super) skills: &'static str,
    pub(super) memory: Memory,
    pub(super) hooks: Option<ClientHooks>,
    /// Path of a plugin's manifest. `None` if the client has no plugins of the form in
    /// `plugin_bundle`.
    pub(super) plugin: Option<&'static str>,
    consent: &'static str,
}

/// A client's list of MCP servers, in a file of the project.
#[derive(Debug)]
pub(super) struct ServerList {
    pub(super) file: &'static str,
    /// Field or table that has the servers.
    pub(super) key: &'static str,
    pub(super) shape: EntryShape,
    /// Field that makes the client load the tools at once. Without it, some clients load them on
    /// demand.
    pub(super) eager: Option<&'static str>,
    /// Value of `--root`. If the client starts servers outside of the project's folder, that is a
    /// variable which the client replaces.
    pub(super) root: &'static str,
}

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

/// Ways in which a client gets to read `AGENTS.md`.
#[derive(Debug)]
pub(super) enum Memory {
    /// The client reads the file itself.
    Native,
    /// The client reads this file instead. There, a line `@FILE` imports another.
    Imports(&'static str),
    /// The client reads the files that `object.field` of a JSON file lists. If there is no such
    /// list, it reads `default`.
    Listed {
        file: &'static str,
        object: &'static str,
        field: &'static str,
        default: &'static str,
    },
}

const SHARED_SKILLS: &str = ".agents/skills";

/// Variable for the project's folder. Clients that start servers in another folder replace it.
const WORKSPACE: &str = "${workspaceFolder}";

/// The table. To add a client, find out which files it loads from a project, and in which folder it
/// starts servers. `tests/clients` shows that three of these clients really load the files.
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

    /// Looks up a client by the name that `init --mcp` takes, e.g. `claude`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.name == name)
    }

    /// Name that `init --mcp` takes, e.g. `claude`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Name of the product, e.g. `Claude Code`.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.title
    }

    /// The consent that the client asks for before it loads the files, as an instruction to the
    /// user.
    #[must_use]
    pub fn consent(&self) -> &'static str {
        self.consent
    }

    /// True if the client has hooks. We use one of them to restore context when a session begins.
    #[must_use]
    pub fn starts_with_context(&self) -> bool {
        self.hooks.is_some()
    }

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
