//! Looks for secret values in event data.
//!
//! The log is permanent and shared, so secrets must not get in. We refuse text with a secret if a
//! person or an agent has written it, because its author can fix it. Nobody can fix program output
//! or records from other tools, so we redact those.

use crate::draft::Secrets;
use serde_json::Value;
use windlass_redact::{json_has_secrets, redact_value};

/// For text from people and agents. The error names the field.
pub(super) const REFUSED: Secrets = Secrets::Refuse(field_with_secret);
/// For program output and imported records.
pub(super) const REPLACED: Secrets = Secrets::Replace(redacted);

fn redacted(data: Value) -> Value {
    without_secrets(data).0
}

/// Replaces the secret values in `data`. Also returns the paths of the fields that had them, such
/// as `metadata.token`, but never the values.
pub(super) fn without_secrets(data: Value) -> (Value, Vec<String>) {
    let mut paths = Vec::new();
    // Almost no event has a secret. One search over the whole text is faster than to check each
    // field.
    if !json_has_secrets(&data.to_string()) {
        return (data, paths);
    }
    let redacted = redact_value(data.clone());
    differences(&data, &redacted, "", &mut paths);
    (redacted, paths)
}

/// Path of the first field of `data` that has a secret value.
pub(super) fn field_with_secret(data: &Value) -> Option<String> {
    without_secrets(data.clone()).1.into_iter().next()
}

/// Adds the paths below `at` where two values of the same shape differ. A key may be the secret
/// itself, so we leave a key that differs out of the path.
fn differences(one: &Value, other: &Value, at: &str, paths: &mut Vec<String>) {
    let below = |name: &str| match at {
        "" => name.to_owned(),
        at => format!("{at}.{name}"),
    };
    match (one, other) {
        (Value::Object(ones), Value::Object(others)) => {
            for (name, value) in ones {
                match others.get(name) {
                    Some(other) => differences(value, other, &below(name), paths),
                    None => paths.push(at.to_owned()),
                }
            }
        }
        (Value::Array(ones), Value::Array(others)) => {
            for (number, (one, other)) in ones.iter().zip(others).enumerate() {
                differences(one, other, &below(&number.to_string()), paths);
            }
        }
        _ if one != other => paths.push(at.to_owned()),
        _ => {}
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
        let data = redacted(json!({ "output": { "stdout": TOKEN } }));
        assert!(!data.to_string().contains(TOKEN), "{data}");
    }
}
