//! Health checks for the set-up of clients.

use std::path::Path;

use serde_json::Value;
use windlass::base::RepoPath;
use windlass::repo::Snapshot;
use windlass::site::{Environment, Health, HealthFinding, is_program, program_on_path};
use windlass::{Error, Workspace};

use super::agent_client::{AgentClient, ServerList};
use super::client_hooks::{RELEASE, actor_of};
use super::json_config;
use super::server_entry::{ServerEntry, TAKEN, has_variable};
use super::{AgentSetUp, text_of};

const WHAT: &str = "MCP client";

/// Checks each client configured in `workspace`.
///
/// The client's server has to start and serve this repository. The skill, the memory file and the
/// hooks have to be in place, and the hooks must use the same actor name as the server.
#[must_use]
pub fn client_health(workspace: &Workspace) -> Vec<HealthFinding> {
    let all = AgentClient::all().iter();
    let mut checked = Vec::new();
    for client in all {
        let title = client.title();
        let named = |finding: HealthFinding| HealthFinding {
            found: format!("{title}: {}", finding.found),
            ..finding
        };
        checked.extend(findings(workspace, client).into_iter().map(named));
    }
    if checked.is_empty() {
        let found = "none configured; `windlass init --mcp CLIENT` configures one";
        checked.push(HealthFinding::new(WHAT, Health::Good, found));
    }
    checked
}

/// Returns the findings about `client`. If it is not configured, there are none.
fn findings(workspace: &Workspace, client: &AgentClient) -> Vec<HealthFinding> {
    let site = workspace.site();
    let snapshot = site.snapshot();
    let entry = match entry_of(client, &snapshot) {
        Ok(None) => return Vec::new(),
        Ok(Some(entry)) => entry,
        Err(error) => return vec![HealthFinding::of_error(WHAT, &error)],
    };
    if !entry.starts_server() {
        let error = Error::unusable(client.servers.file, TAKEN);
        return vec![HealthFinding::of_error(WHAT, &error)];
    }
    let mut found = vec![entry.finding(site.repo().root(), site.environment(), &client.servers)];
    found.extend(set_up_finding(workspace, client));
    found.extend(actor_finding(client, &entry, &snapshot));
    found
}

fn set_up_finding(workspace: &Workspace, client: &AgentClient) -> Option<HealthFinding> {
    let set_up = AgentSetUp::of(workspace, client);
    if let Some(error) = set_up.left.first() {
        return Some(HealthFinding::of_error(WHAT, error));
    }
    let open = set_up.files.iter().filter(|file| !file.is_done());
    let open: Vec<&str> = open.map(|file| file.file.as_str()).collect();
    if open.is_empty() {
        return None;
    }
    let found = format!("missing or out of date: {}", open.join(", "));
    let help = format!("run `windlass init --mcp {}`", client.name());
    Some(HealthFinding::new(WHAT, Health::Fair, found).help(help))
}

/// Checks that the hook at the end of a session releases the claims of the server's actor. If they
/// use different names, claims stay until they expire.
fn actor_finding(
    client: &AgentClient,
    entry: &ServerEntry,
    snapshot: &Snapshot,
) -> Option<HealthFinding> {
    let hooks = client.hooks.as_ref()?;
    let text = text_of(snapshot, &RepoPath::parse(hooks.file).ok()?).ok()??;
    let document = json_config::value(&text).ok()?;
    let release = release_command(&document)?;
    let of_hook = actor_of(release);
    let of_server = entry.actor().unwrap_or(hooks.actor);
    if of_hook == Some(of_server) || has_variable(of_server) {
        return None;
    }
    let file = hooks.file;
    let of_hook = of_hook.map_or("the user".to_owned(), |name| format!("`{name}`"));
    let found = format!(
        "tools act as `{of_server}`, but the hook in {file} releases the claims of {of_hook}"
    );
    let help = format!("add `--actor \"${{BD_ACTOR:-{of_server}}}\"` to `{RELEASE}` in {file}");
    Some(HealthFinding::new(WHAT, Health::Fair, found).help(help))
}

/// Returns the command of the hook that releases claims, wherever it is in the document.
fn release_command(document: &Value) -> Option<&str> {
    match document {
        Value::String(text) => text.contains(RELEASE).then_some(text),
        Value::Array(list) => list.iter().find_map(release_command),
        Value::Object(fields) => fields.values().find_map(release_command),
        _ => None,
    }
}

fn entry_of(client: &AgentClient, snapshot: &Snapshot) -> Result<Option<ServerEntry>, Error> {
    let file = client.servers.file;
    match text_of(snapshot, &RepoPath::parse(file)?)? {
        None => Ok(None),
        Some(text) => client
            .server_entry(&text)
            .map_err(|why| Error::unusable(file, why)),
    }
}

impl ServerEntry {
    /// Checks that this entry starts an existing program, and that the program serves the
    /// repository at `root`.
    fn finding(
        &self,
        root: &Path,
        environment: &Environment,
        servers: &ServerList,
    ) -> HealthFinding {
        let file = servers.file;
        let Some(command) = &self.command else {
            let found = format!("{file} connects to a running server");
            return HealthFinding::new(WHAT, Health::Good, found);
        };
        let is_there = match command.contains(['/', '\\']) {
            // The client replaces variables. We can't, so assume that the program exists.
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
        let given = self.option("--root");
        if let Some(fault) = root_fault(given, root, servers) {
            let help = format!("set `--root` in {file} to `{}`", servers.root);
            return HealthFinding::new(WHAT, Health::Bad, format!("{file} {fault}")).help(help);
        }
        let unchecked = [Some(command.as_str()), given].into_iter().flatten();
        let unchecked = match unchecked.into_iter().any(has_variable) {
            true => "; not checked, because the client replaces `${…}`",
            false => "",
        };
        let found = format!("{file} starts `{command}`{unchecked}");
        HealthFinding::new(WHAT, Health::Good, found)
    }
}

/// Returns what's wrong with the value of `--root`, if anything. Values with variables cannot be
/// checked.
fn root_fault(given: Option<&str>, root: &Path, servers: &ServerList) -> Option<String> {
    let given = given.filter(|given| !has_variable(given))?;
    if has_variable(servers.root) && Path::new(given).is_relative() {
        return Some(format!(
            "serves `{given}`, but the client starts servers in another folder"
        ));
    }
    let real = root.join(given).canonicalize();
    let is_other = real.map_or(true, |real| real != root);
    is_other.then(|| format!("serves another repository: `{given}`"))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::Arc;
    use std::time::{Duration, SystemTime};

    use super::*;

    fn servers(client: &str) -> &'static ServerList {
        &AgentClient::named(client).unwrap().servers
    }

    #[test]
    fn root_elsewhere_is_found() {
        let root = std::env::temp_dir().canonicalize().unwrap();
        let here = root.display().to_string();
        for given in [None, Some("."), Some(&here), Some("${workspaceFolder}")] {
            let fault = root_fault(given, &root, servers("claude"));
            assert_eq!(fault, None, "{given:?}");
        }
        for (given, client) in [
            ("/nowhere", "claude"),
            ("/nowhere", "cursor"),
            (".", "cursor"),
        ] {
            assert!(
                root_fault(Some(given), &root, servers(client)).is_some(),
                "{given} {client}"
            );
        }
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
            on_long_wait: |_| {},
            user_id: None,
        };
        let finding = |command: &str, given: &str| {
            let entry = ServerEntry {
                command: Some(command.to_owned()),
                args: ["mcp", "--root", given].map(str::to_owned).to_vec(),
                variable: None,
            };
            entry.finding(&root, &environment, servers("claude"))
        };
        let unknown = finding("${workspaceFolder}/bin/windlass", ".");
        assert!(unknown.health == Health::Good && unknown.found.contains("not checked"));
        let elsewhere = finding("${workspaceFolder}/bin/windlass", "/nowhere");
        assert!(elsewhere.health == Health::Bad && elsewhere.found.contains("another repository"));
        let missing = finding("bin/no-such-windlass", "${workspaceFolder}");
        assert!(missing.health == Health::Bad && missing.found.contains("does not exist"));
    }
}
