//! Detection of secret values in event data.
//!
//! The log is permanent and shared, so secrets must not enter it. Text from people and agents is refused if it contains
//! a secret, and program output is redacted. Records imported from other tools are kept unchanged.

use crate::draft::Secrets;
use serde_json::Value;
use windlass_redact::{json_has_secrets, redact_value};

/// Policy for text from people and agents: reject it and name the field, so that the author can fix it.
pub(super) const REFUSED: Secrets = Secrets::Refuse(field_with_secret);
/// Policy for program output: redact it, because nobody could correct it.
pub(super) const REPLACED: Secrets = Secrets::Replace(without_secrets);

fn without_secrets(data: Value) -> Value {
    if json_has_secrets(&data.to_string()) {
        redact_value(data)
    } else {
        data
    }
}

/// Returns the path of the first field of `data` that holds a secret value. Names in the path are separated by dots.
pub(super) fn field_with_secret(data: &Value) -> Option<String> {
    if !json_has_secrets(&data.to_string()) {
        return None;
    }
    first_difference(data, &redact_value(data.clone()))
}

/// Returns the path at which two values of the same shape first differ. A key that differs contains the secret, so it
/// is left out of the path.
fn first_difference(one: &Value, other: &Value) -> Option<String> {
    let below = |name: &str, one, other| {
        let rest = first_difference(one, other)?;
        Some(match rest.as_str() {
            "" => name.to_owned(),
            rest => format!("{name}.{rest}"),
        })
    };
    match (one, other) {
        (Value::Object(ones), Value::Object(others)) => {
            ones.iter()
                .find_map(|(name, value)| match others.get(name) {
                    Some(other) => below(name, value, other),
                    None => Some(String::new()),
                })
        }
        (Value::Array(ones), Value::Array(others)) => ones
            .iter()
            .zip(others)
            .enumerate()
            .find_map(|(at, (one, other))| below(&at.to_string(), one, other)),
        _ => (one != other).then(String::new),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";

    #[test]
    fn field_with_secret_returns_path_only() {
        let data = json!({ "bead_id": "wl-1", "labels": ["a", TOKEN] });
        assert_eq!(field_with_secret(&data).as_deref(), Some("labels.1"));
        let name = json!({ "vars": { TOKEN: 1 } });
        assert_eq!(field_with_secret(&name).as_deref(), Some("vars"));
        assert_eq!(field_with_secret(&json!({ "title": "turn the key" })), None);
    }

    #[test]
    fn program_output_secrets_redacted() {
        let data = without_secrets(json!({ "output": { "stdout": TOKEN } }));
        assert!(!data.to_string().contains(TOKEN), "{data}");
    }
}
