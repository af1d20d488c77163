//! The files that a client needs in a project, and the change to make in each of them.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::agent_client::{AgentClient, EntryShape, Memory, ServerList};
use super::codex_config;
use super::json_config::{JsonEdit, changed};
use super::memory_file::with_import;
use super::server_entry::ServerEntry;
use super::{AGENTS_FILE, Merge, SKILL, with_paragraph};

type ClientFile = (String, Box<Merge<'static>>);

impl AgentClient {
    /// The files that this client loads from the repository at `root`, with the changes to make.
    ///
    /// If the client has hooks, one of them restores the pack of `runbook` when a session begins.
    pub(super) fn files(&self, root: &Path, runbook: Option<&str>) -> Vec<ClientFile> {
        let mut files = self.settings(runbook);
        files.push((self.skill_file(), Box::new(|_, _| Ok(SKILL.to_owned()))));
        files.push((AGENTS_FILE.to_owned(), Box::new(with_paragraph)));
        if let Memory::Imports(file) = self.memory
            && !is_same_file(root, file, AGENTS_FILE)
        {
            files.push((file.to_owned(), Box::new(with_import)));
        }
        files
    }

    /// The changes to settings, at most one for each file.
    fn settings(&self, runbook: Option<&str>) -> Vec<ClientFile> {
        let mut files: Vec<ClientFile> = Vec::new();
        let mut edits: Vec<(&'static str, JsonEdit)> = Vec::new();
        match self.servers.shape {
            EntryShape::Toml => {
                let (key, root) = (self.servers.key, self.servers.root);
                let merge = move |file: &str, before: Option<&str>| {
                    codex_config::with_server(file, before, key, root)
                };
                files.push((self.servers.file.to_owned(), Box::new(merge)));
            }
            _ => edits.push((self.servers.file, self.servers.edit())),
        }
        if let Memory::Listed {
            file,
            object,
            field,
            default,
        } = self.memory
        {
            let name = AGENTS_FILE;
            edits.push((
                file,
                JsonEdit::Name {
                    object,
                    field,
                    name,
                    default,
                },
            ));
        }
        if let Some(hooks) = &self.hooks {
            let all = hooks.all(runbook).into_iter();
            edits.extend(all.map(|hook| (hooks.file, JsonEdit::Hook(hook))));
        }
        // Several edits may be about the same file, which must be read and written only once.
        while let Some((file, _)) = edits.first() {
            let file = *file;
            let (own, others) = edits.into_iter().partition(|(other, _)| *other == file);
            edits = others;
            let own: Vec<(&str, JsonEdit)> = own;
            let merge = move |file: &str, before: Option<&str>| {
                changed(file, before, |document| {
                    own.iter().try_for_each(|(_, edit)| edit.apply(document))
                })
            };
            files.push((file.to_owned(), Box::new(merge)));
        }
        files
    }

    /// The entry of Windlass in `text`, the contents of the server file.
    ///
    /// # Errors
    /// Returns the reason why we can't read it.
    pub(super) fn server_entry(&self, text: &str) -> Result<Option<ServerEntry>, String> {
        let ServerList { key, shape, .. } = &self.servers;
        if *shape == EntryShape::Toml {
            return codex_config::server_entry(text, key);
        }
        let document = super::json_config::value(text)?;
        let servers = document.get(key);
        let entry = servers.and_then(|servers| servers.get("windlass"));
        Ok(entry.map(ServerEntry::of_json))
    }
}

impl ServerList {
    fn edit(&self) -> JsonEdit {
        JsonEdit::Server {
            key: self.key,
            entry: self.entry(&["mcp", "--root", self.root]),
        }
    }

    pub(super) fn entry(&self, args: &[&str]) -> Value {
        let mut fields = match self.shape {
            EntryShape::Local => {
                let command = ["windlass"].iter().chain(args).collect::<Vec<_>>();
                vec![("type", json!("local")), ("command", json!(command))]
            }
            EntryShape::Stdio => vec![
                ("type", json!("stdio")),
                ("command", json!("windlass")),
                ("args", json!(args)),
            ],
            EntryShape::Command | EntryShape::Toml => {
                vec![("command", json!("windlass")), ("args", json!(args))]
            }
        };
        fields.extend(self.eager.map(|field| (field, json!(true))));
        let fields = fields
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        Value::Object(Map::from_iter(fields))
    }
}

/// True if both names lead to the same file, for example because one is a link. We would write such
/// a file twice, and the second change would undo the first.
fn is_same_file(root: &Path, one: &str, other: &str) -> bool {
    let real = |file: &str| root.join(file).canonicalize().ok();
    real(one).is_some_and(|one| real(other) == Some(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_all_clients_are_read_back() {
        for client in AgentClient::all() {
            let root = std::env::temp_dir();
            let files = client.files(&root, Some("overview"));
            let of_servers = |(file, _): &&ClientFile| *file == client.servers.file;
            let (file, merge) = files.iter().find(of_servers).unwrap();
            let once = merge(file, None).unwrap();
            assert_eq!(merge(file, Some(&once)).unwrap(), once, "{file}");
            let entry = client.server_entry(&once).unwrap().unwrap();
            assert_eq!(entry.command.as_deref(), Some("windlass"), "{file}");
            assert_eq!(entry.args, ["mcp", "--root", client.servers.root], "{file}");
            assert_eq!(client.server_entry(""), Ok(None), "{file}");
            assert!(client.server_entry("{ [").is_err(), "{file}");
        }
    }

    #[test]
    fn settings_of_one_file_are_one_change() {
        for client in AgentClient::all() {
            let files = client.files(&std::env::temp_dir(), Some("overview"));
            let mut names: Vec<&String> = files.iter().map(|(file, _)| file).collect();
            let count = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), count, "{names:?}");
        }
    }
}
