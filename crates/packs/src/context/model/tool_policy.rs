//! Tool policies: the tools that a node may use.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_site::{ErrorKind, Explain};

const MAX_TOOLS: usize = 200;

/// Maximum length of a tool's name in characters.
const MAX_NAME: usize = 128;

/// Tools that a node may use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolPolicy {
    /// Tools that may be used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<String>,
    /// Tools that may not be used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<String>,
    /// Treatment of tools in neither list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
}

/// Treatment of a tool that is neither allowed nor blocked.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Approval {
    /// The tool may be used.
    Auto,
    /// A person is asked before each use.
    Ask,
    /// The tool may not be used.
    Deny,
}

/// A problem with a tool policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolPolicyError {
    /// A tool's name is empty or too long, or has spaces or control characters in it.
    #[error("`{0}` is not a tool name: use 1 to {MAX_NAME} characters without spaces")]
    Name(String),
    /// A tool is in both lists.
    #[error("the tool `{0}` is both allowed and blocked: remove it from one list")]
    Both(String),
    /// A list has too many entries.
    #[error("{0} tools in one list: at most {MAX_TOOLS} are allowed")]
    TooMany(usize),
}

impl ToolPolicy {
    /// Converts the policy to fields of a pack.
    ///
    /// Each list is sorted and has no duplicates, so that equal policies have equal digests. If
    /// nothing is set, there are no fields.
    ///
    /// # Errors
    /// Returns an error if a name isn't valid, if a list is too long, or if the lists contradict
    /// each other.
    pub fn fields(&self) -> Result<Map<String, Value>, ToolPolicyError> {
        for list in [&self.allowed, &self.blocked] {
            if list.len() > MAX_TOOLS {
                return Err(ToolPolicyError::TooMany(list.len()));
            }
            if let Some(wrong) = list.iter().find(|name| !is_name(name)) {
                return Err(ToolPolicyError::Name(
                    wrong.chars().take(MAX_NAME).collect(),
                ));
            }
        }
        let once = |names: &[String]| -> Vec<String> {
            let names: BTreeSet<&String> = names.iter().collect();
            names.into_iter().cloned().collect()
        };
        let policy = Self {
            allowed: once(&self.allowed),
            blocked: once(&self.blocked),
            approval: self.approval,
        };
        let is_blocked = |name: &&String| policy.blocked.contains(name);
        if let Some(both) = policy.allowed.iter().find(is_blocked) {
            return Err(ToolPolicyError::Both(both.clone()));
        }
        match serde_json::to_value(&policy) {
            Ok(Value::Object(fields)) => Ok(fields),
            _ => Ok(Map::new()),
        }
    }
}

fn is_name(name: &str) -> bool {
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !windlass_base::is_harmful(c);
    (1..=MAX_NAME).contains(&name.chars().count()) && name.chars().all(is_plain)
}

impl Explain for ToolPolicyError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(policy: Value) -> Result<Value, String> {
        let policy: ToolPolicy =
            serde_json::from_value(policy).map_err(|error| error.to_string())?;
        let fields = policy.fields().map_err(|error| error.to_string())?;
        Ok(Value::Object(fields))
    }

    #[test]
    fn policy_names_each_tool_once_in_order() {
        let given = json!({ "allowed": ["read", "bash", "read"], "blocked": ["mcp__x__write"], "approval": "ask" });
        let wanted =
            json!({ "allowed": ["bash", "read"], "blocked": ["mcp__x__write"], "approval": "ask" });
        assert_eq!(fields(given), Ok(wanted));
        assert_eq!(fields(json!({})), Ok(json!({})));
    }

    #[test]
    fn invalid_policy_is_refused() {
        for wrong in [
            json!({ "allowed": ["a"], "blocked": ["a"] }),
            json!({ "allowed": [""] }),
            json!({ "blocked": ["a b"] }),
            json!({ "blocked": ["a\u{202e}"] }),
            json!({ "allowed": ["x".repeat(129)] }),
            json!({ "allowed": vec!["x"; 201] }),
            json!({ "approval": "maybe" }),
            json!({ "allow": ["a"] }),
        ] {
            assert!(fields(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
