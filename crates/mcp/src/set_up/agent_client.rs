//! The clients that are known, and where they look.

use jsonc_parser::cst::CstObjectProp;
use serde_json::{Map, Value, json};

use super::json_config::{Odd, changed, input, object_at};
use super::{Merge, codex_config};

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
    /// turns of a session, the context that `runbook` keeps is restored at its beginning; see [`hooks`].
    pub(super) fn files(self, runbook: Option<&str>) -> Vec<ClientFile> {
        match self {
            Self::Claude => {
                let servers = servers(".mcp.json", "mcpServers", entry());
                vec![servers, hooks(runbook)]
            }
            Self::Codex => vec![(".codex/config.toml", Box::new(codex_config::with_server))],
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
        ("args".to_owned(), json!(["mcp", "--root", "."])),
    ])
}

fn servers(file: &'static str, key: &'static str, entry: Map<String, Value>) -> ClientFile {
    let merge = move |file: &str, before: Option<&str>| {
        changed(file, before, |document| {
            let servers = object_at(document, key)?;
            match servers.get("windlass") {
                // What somebody made of it stays, as long as it is ours.
                Some(there) if starts_windlass(&there) => {}
                Some(_) => return Err(Odd::Taken),
                None => {
                    servers.append("windlass", input(Value::Object(entry.clone())));
                }
            }
            Ok(())
        })
    };
    (file, Box::new(merge))
}

/// Whether an entry starts Windlass, as far as it starts something: it may name a server that runs already.
fn starts_windlass(entry: &CstObjectProp) -> bool {
    let entry = entry.object_value();
    let text = |name: &str| {
        let value = entry.as_ref()?.get(name)?.value()?;
        Some(value.to_string())
    };
    text("command").is_none_or(|command| {
        command.contains("windlass") || text("args").is_some_and(|args| args.contains("windlass"))
    })
}

/// What is done at turns of a session, one command each: at its beginning, also after its history was compacted, the pack
/// of `runbook` is printed; before it is compacted, places that were read are proposed as anchors; at its end, what is
/// claimed is given back.
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
                // What somebody made of it stays.
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
