//! Reads a client's entry for our server.

use std::path::Path;

use serde_json::Value;

/// Error message if something else in the configuration is named `windlass`.
pub(super) const TAKEN: &str =
    "its entry `windlass` does not start `windlass mcp`; remove or rename it";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServerEntry {
    /// Program to start, or `None` if the entry refers to a running server.
    pub(super) command: Option<String>,
    pub(super) args: Vec<String>,
    /// Value that the entry sets for the variable `BD_ACTOR`.
    pub(super) variable: Option<String>,
}

impl ServerEntry {
    pub(super) fn of_json(entry: &Value) -> Self {
        let command = entry.get("command");
        // Some clients have one list for the program and its arguments.
        let list = command.and_then(Value::as_array);
        let args = list.or_else(|| entry.get("args").and_then(Value::as_array));
        let args = args.into_iter().flatten().filter_map(Value::as_str);
        let mut args: Vec<String> = args.map(str::to_owned).collect();
        let command = match list {
            Some(_) if args.is_empty() => None,
            Some(_) => Some(args.remove(0)),
            None => command.and_then(Value::as_str).map(str::to_owned),
        };
        let variables = entry.get("env").or_else(|| entry.get("environment"));
        let variable = variables.and_then(|variables| variables.get("BD_ACTOR")?.as_str());
        Self {
            command,
            args,
            variable: variable.map(str::to_owned),
        }
    }

    /// The value of `--option VALUE` or `--option=VALUE`.
    pub(super) fn option(&self, option: &str) -> Option<&str> {
        let mut args = self.args.iter();
        while let Some(arg) = args.next() {
            if arg == option {
                return args.next().map(String::as_str);
            }
            let given = arg.strip_prefix(option);
            if let Some(given) = given.and_then(|given| given.strip_prefix('=')) {
                return Some(given);
            }
        }
        None
    }

    pub(super) fn actor(&self) -> Option<&str> {
        self.option("--actor").or(self.variable.as_deref())
    }

    /// True if the entry starts our server, even through another program, as in `npx windlass mcp`.
    ///
    /// An entry without a program may refer to a running server. We can't know which one, so give
    /// it the benefit of the doubt.
    pub(super) fn starts_server(&self) -> bool {
        let Some(command) = &self.command else {
            return true;
        };
        let args = || self.args.iter().flat_map(|arg| arg.split_whitespace());
        let is_named = is_windlass(command) || args().any(is_windlass);
        is_named && (has_variable(command) || args().any(|word| word == "mcp"))
    }
}

/// True if `program` is named like Windlass, or if we can't tell because there's a variable in its
/// name.
fn is_windlass(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let stem = Path::new(name).file_stem();
    has_variable(name) || stem.is_some_and(|stem| stem.eq_ignore_ascii_case("windlass"))
}

/// True if `value` has a variable for the client to replace, e.g. `${workspaceFolder}`. We don't
/// know the value in that case.
pub(super) fn has_variable(value: &str) -> bool {
    value.contains("${")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn server_is_known_by_program_and_command() {
        for (entry, is_ours) in [
            (json!({ "url": "http://localhost:1" }), true),
            (json!({ "command": "windlass" }), false),
            (json!({ "command": "windlass", "args": ["run"] }), false),
            (
                json!({ "command": "C:\\bin\\Windlass.exe", "args": ["mcp"] }),
                true,
            ),
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
            (json!({ "command": ["bin/windlass", "mcp"] }), true),
            (json!({ "command": ["other", "mcp"] }), false),
            (json!({ "command": "/windlass/bin/other" }), false),
            (json!({ "command": "unwindlass" }), false),
            (
                json!({ "command": "other", "args": ["--root", "/src/windlass"] }),
                false,
            ),
        ] {
            let starts = ServerEntry::of_json(&entry).starts_server();
            assert_eq!(starts, is_ours, "{entry}");
        }
    }

    #[test]
    fn actor_is_an_option_or_a_variable() {
        for (entry, actor) in [
            (json!({ "command": "windlass", "args": ["mcp"] }), None),
            (
                json!({ "command": "windlass", "args": ["mcp", "--actor", "al"] }),
                Some("al"),
            ),
            (
                json!({ "command": ["windlass", "--actor=al", "mcp"] }),
                Some("al"),
            ),
            (
                json!({ "command": "windlass", "env": { "BD_ACTOR": "al" } }),
                Some("al"),
            ),
        ] {
            assert_eq!(ServerEntry::of_json(&entry).actor(), actor, "{entry}");
        }
    }
}
