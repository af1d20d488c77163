//! Entry of a server in the configuration of a client.

use std::path::Path;

use serde_json::Value;

/// Fault of a configuration whose entry `windlass` does not start Windlass.
pub(super) const TAKEN: &str = "its entry `windlass` starts another program; remove or rename it";

/// Entry of Windlass in the configuration of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServerEntry {
    /// Program to start; `None` for a running server.
    pub(super) command: Option<String>,
    pub(super) args: Vec<String>,
}

impl ServerEntry {
    /// Reads an entry of a JSON file.
    pub(super) fn of_json(entry: &Value) -> Self {
        let args = entry.get("args").and_then(Value::as_array);
        let args = args.into_iter().flatten().filter_map(Value::as_str);
        let command = entry.get("command").and_then(Value::as_str);
        Self {
            command: command.map(str::to_owned),
            args: args.map(str::to_owned).collect(),
        }
    }

    /// True if it starts Windlass or no program at all: it may name a running server. Another program may start it
    /// with `mcp`, as `npx windlass mcp` does.
    pub(super) fn starts_windlass(&self) -> bool {
        let Some(command) = &self.command else {
            return true;
        };
        let mut words = self.args.iter().flat_map(|arg| arg.split_whitespace());
        is_windlass(command) || words.any(is_windlass) && words.any(|word| word == "mcp")
    }
}

/// True if the file name of `program` is that of Windlass, or unknown.
fn is_windlass(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let stem = Path::new(name).file_stem();
    has_variable(name) || stem.is_some_and(|stem| stem.eq_ignore_ascii_case("windlass"))
}

/// True if the client replaces a variable in `value`, such as `${workspaceFolder}`, so that the real value is unknown.
pub(super) fn has_variable(value: &str) -> bool {
    value.contains("${")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn program_is_known_by_its_file_name() {
        for (entry, is_ours) in [
            (json!({ "url": "http://localhost:1" }), true),
            (json!({ "command": "windlass" }), true),
            (json!({ "command": "C:\\bin\\Windlass.exe" }), true),
            (
                json!({ "command": "${workspaceFolder}/bin/windlass" }),
                true,
            ),
            (
                json!({ "command": "npx", "args": ["windlass", "mcp"] }),
                true,
            ),
            (
                json!({ "command": "sh", "args": ["-c", "exec windlass mcp"] }),
                true,
            ),
            (json!({ "command": "/windlass/bin/other" }), false),
            (json!({ "command": "unwindlass" }), false),
            (
                json!({ "command": "other", "args": ["--root", "/src/windlass"] }),
                false,
            ),
        ] {
            let starts = ServerEntry::of_json(&entry).starts_windlass();
            assert_eq!(starts, is_ours, "{entry}");
        }
    }
}
