//! Health of the entries of Windlass in the configuration of clients.

use std::path::Path;

use windlass::base::RepoPath;
use windlass::repo::Snapshot;
use windlass::site::{Environment, Health, HealthFinding, is_program, program_on_path};
use windlass::{Error, Workspace};

use super::agent_client::AgentClient;
use super::server_entry::{ServerEntry, has_variable};
use super::{refused, text_of};

const WHAT: &str = "MCP client";

/// Checks each client that is configured in `workspace`: its command exists, and serves this repository.
#[must_use]
pub fn client_health(workspace: &Workspace) -> Vec<HealthFinding> {
    let site = workspace.site();
    let snapshot = site.snapshot();
    let checked = AgentClient::ALL.iter().filter_map(|client| {
        let found = entry_of(*client, &snapshot);
        let (file, name) = (client.server_file(), client.name());
        let finding = match found {
            Ok(None) => return None,
            Ok(Some(entry)) => entry.finding(site.repo().root(), site.environment(), file),
            Err(error) => HealthFinding::of_error(WHAT, &error),
        };
        let found = format!("{name}: {}", finding.found);
        Some(HealthFinding { found, ..finding })
    });
    let checked: Vec<HealthFinding> = checked.collect();
    if checked.is_empty() {
        let found = "none configured; `windlass init --mcp CLIENT` configures one";
        return vec![HealthFinding::new(WHAT, Health::Good, found)];
    }
    checked
}

/// Returns the entry of Windlass in the configuration of `client`.
fn entry_of(client: AgentClient, snapshot: &Snapshot) -> Result<Option<ServerEntry>, Error> {
    let file = client.server_file();
    match text_of(snapshot, &RepoPath::parse(file)?)? {
        None => Ok(None),
        Some(text) => client
            .server_entry(&text)
            .map_err(|why| refused(file, &why)),
    }
}

impl ServerEntry {
    /// Checks that the entry in `file` starts an existing program, which serves the repository at `root`.
    fn finding(&self, root: &Path, environment: &Environment, file: &str) -> HealthFinding {
        let Some(command) = &self.command else {
            let found = format!("{file} connects to a running server");
            return HealthFinding::new(WHAT, Health::Good, found);
        };
        let is_there = match command.contains(['/', '\\']) {
            _ if has_variable(command) => true,
            true => is_program(&root.join(command)),
            false => program_on_path(environment, command).is_some(),
        };
        if !is_there {
            let found = format!("{file} starts `{command}`, which does not exist");
            let help = format!(
                "install `{command}` in a folder of the PATH, or set `command` in {file} to the path of windlass"
            );
            return HealthFinding::new(WHAT, Health::Bad, found).help(help);
        }
        match self.other_root(root) {
            Some(other) => {
                let found = format!("{file} serves another repository: `{other}`");
                let help = format!("set `--root` in {file} to `.`");
                HealthFinding::new(WHAT, Health::Bad, found).help(help)
            }
            None => {
                let unchecked = [Some(command.as_str()), self.root_option()];
                let unchecked = match unchecked.into_iter().flatten().any(has_variable) {
                    true => "; not checked, because the client replaces `${…}`",
                    false => "",
                };
                let found = format!("{file} starts `{command}`{unchecked}");
                HealthFinding::new(WHAT, Health::Good, found)
            }
        }
    }

    /// Returns the folder of `--root`.
    fn root_option(&self) -> Option<&str> {
        let args = self.args.iter();
        let given = args.clone().find_map(|arg| arg.strip_prefix("--root="));
        let next = || {
            let mut args = args.clone();
            args.find(|arg| *arg == "--root")?;
            args.next().map(String::as_str)
        };
        given.or_else(next)
    }

    /// Returns the folder of `--root`, if it is known and not `root`. Clients start servers in the root of a project.
    fn other_root(&self, root: &Path) -> Option<&str> {
        let other = self.root_option().filter(|other| !has_variable(other))?;
        let real = root.join(other).canonicalize();
        real.map_or(true, |real| real != root).then_some(other)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::Arc;
    use std::time::{Duration, SystemTime};

    use super::*;

    fn entry(args: &[&str]) -> ServerEntry {
        ServerEntry {
            command: Some("windlass".to_owned()),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        }
    }

    #[test]
    fn root_elsewhere_is_found() {
        let root = std::env::temp_dir().canonicalize().unwrap();
        let here = root.display().to_string();
        for args in [
            &["mcp", "--root", "."][..],
            &["mcp"],
            &["mcp", &format!("--root={here}")],
            &["mcp", "--root", "${workspaceFolder}"],
        ] {
            assert_eq!(entry(args).other_root(&root), None, "{args:?}");
        }
        let other = entry(&["mcp", "--root", "/nowhere"]);
        assert_eq!(other.other_root(&root), Some("/nowhere"));
    }

    #[test]
    fn variables_are_not_checked() {
        let root = std::env::temp_dir().canonicalize().unwrap();
        let environment = Environment {
            variables: Arc::default(),
            clock: || SystemTime::UNIX_EPOCH,
            elapsed: || Duration::ZERO,
            seeds: windlass::Seeds::new(|| 0),
            threads: NonZeroUsize::MIN,
            holder: String::new(),
            user_id: None,
        };
        let finding = |command: &str, given: &str| {
            let entry = ServerEntry {
                command: Some(command.to_owned()),
                ..entry(&["mcp", "--root", given])
            };
            entry.finding(&root, &environment, "x.json")
        };
        let unknown = finding("${workspaceFolder}/bin/windlass", ".");
        assert!(unknown.health == Health::Good && unknown.found.contains("not checked"));
        let elsewhere = finding("${workspaceFolder}/bin/windlass", "/nowhere");
        assert!(elsewhere.health == Health::Bad && elsewhere.found.contains("another repository"));
        let missing = finding("bin/no-such-windlass", "${workspaceFolder}");
        assert!(missing.health == Health::Bad && missing.found.contains("does not exist"));
    }

    #[test]
    fn entries_of_all_clients_are_read() {
        let json = |key: &str| {
            format!(r#"{{ "{key}": {{ "windlass": {{ "command": "w", "args": ["mcp"] }} }} }}"#)
        };
        let toml = "[mcp_servers.windlass]\ncommand = \"w\"\nargs = [\"mcp\"]\n".to_owned();
        for (client, text) in [
            (AgentClient::Claude, json("mcpServers")),
            (AgentClient::Codex, toml),
            (AgentClient::Cursor, json("mcpServers")),
            (AgentClient::VsCode, json("servers")),
        ] {
            let wanted = ServerEntry {
                command: Some("w".to_owned()),
                args: vec!["mcp".to_owned()],
            };
            assert_eq!(client.server_entry(&text), Ok(Some(wanted)), "{client:?}");
            assert_eq!(client.server_entry(""), Ok(None), "{client:?}");
            assert!(client.server_entry("{ [").is_err(), "{client:?}");
        }
    }
}
