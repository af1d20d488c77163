use serde_json::Value;

use super::{Mismatch, Schema};

/// The maximum number of suggestions, since finding one takes time.
const MAX_SUGGESTIONS: usize = 20;

/// Checks arguments in the same way as the inputs of steps.
///
/// Returns at most `most` mismatches, in the order of the arguments.
#[must_use]
pub fn check_arguments(schema: &Value, arguments: &Value, most: usize) -> Vec<Mismatch> {
    let mut found = Schema::new(schema).check(arguments, false, MAX_SUGGESTIONS);
    found.truncate(most);
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_mismatch_located() {
        let schema = json!({
            "type": "object",
            "properties": { "runbook": { "type": "string" }, "mode": { "enum": ["full", "facts"] } },
            "required": ["runbook"],
            "additionalProperties": false
        });
        let found = check_arguments(&schema, &json!({ "runbok": "x", "mode": "ful" }), 10);
        let path_and_help = |found: &Mismatch| (found.path.clone(), found.help.clone());
        let mismatches: Vec<_> = found.iter().map(path_and_help).collect();
        assert_eq!(mismatches[0].0, ["runbok"]);
        assert_eq!(mismatches[0].1.as_deref(), Some("did you mean `runbook`?"));
        assert_eq!(mismatches[1].0, ["mode"]);
        assert_eq!(mismatches[1].1.as_deref(), Some("did you mean `full`?"));
        assert!(found[2].message.contains("`runbook` is missing"));
        assert_eq!(check_arguments(&schema, &json!([]), 10).len(), 1);
        assert_eq!(
            check_arguments(&schema, &json!({ "a": 1, "b": 2 }), 1).len(),
            1
        );
    }
}
