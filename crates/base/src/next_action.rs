use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Limit;

/// What to do next: a call that can be made as it is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NextAction {
    /// The command, as typed after `windlass`: `run`, `anchor check`.
    pub tool: String,
    /// Its arguments by name. The key `args` holds the positional ones, in order.
    pub args: Map<String, Value>,
    /// Why it helps.
    pub reason: String,
}

impl NextAction {
    /// A call of `tool` without arguments.
    #[must_use]
    pub fn new(tool: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            tool: tool.into(),
            args: Map::new(),
            reason: reason.into(),
        }
    }

    /// Adds a positional argument.
    #[must_use]
    pub fn positional(mut self, value: impl Into<Value>) -> Self {
        let list = self
            .args
            .entry("args")
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = list {
            list.push(value.into());
        }
        self
    }

    /// Adds the option `--name value`; `true` stands for a bare flag, a list repeats the option.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.args.insert(name.into(), value.into());
        self
    }

    /// Adds the option that limits what is printed.
    #[must_use]
    pub fn limited(self, limit: Limit) -> Self {
        match limit {
            Limit::Chars(max) => self.option("max_chars", max),
            Limit::Tokens(max) => self.option("max_tokens", max),
        }
    }

    /// The call as a shell command that can be pasted into a POSIX shell.
    #[must_use]
    pub fn command_line(&self) -> String {
        let mut line = format!("windlass {}", self.tool);
        let mut push = |word: &str| {
            line.push(' ');
            line.push_str(word);
        };
        if let Some(Value::Array(list)) = self.args.get("args") {
            for value in list {
                push(&shell_word(value));
            }
        }
        for (name, value) in self.args.iter().filter(|(name, _)| *name != "args") {
            let name = format!("--{}", name.replace('_', "-"));
            match value {
                Value::Bool(true) => push(&name),
                Value::Bool(false) | Value::Null => {}
                Value::Array(list) => {
                    for value in list {
                        push(&name);
                        push(&shell_word(value));
                    }
                }
                value => {
                    push(&name);
                    push(&shell_word(value));
                }
            }
        }
        line
    }
}

/// `value` as one word of a POSIX shell.
fn shell_word(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_can_be_pasted_into_a_shell() {
        let action = NextAction::new("anchor add", "x")
            .positional("it's here")
            .option("start_line", 3)
            .option("dry_run", true)
            .option("tag", vec!["a", "b c"]);
        assert_eq!(
            action.command_line(),
            r"windlass anchor add 'it'\''s here' --start-line 3 --dry-run --tag a --tag 'b c'"
        );
    }
}
