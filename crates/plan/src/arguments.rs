use serde_json::Value;

use crate::schema::{MAX_MISMATCHES, Schema};

/// How many of the mistakes come with what was probably meant.
const MAX_SUGGESTIONS: usize = 20;

/// What in the arguments of a call does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongArgument {
    /// The way to it: names of fields, and numbers of items from 0. Empty where it is about all of them.
    pub path: Vec<String>,
    /// What is wrong.
    pub message: String,
    /// What to do, or what was probably meant.
    pub help: Option<String>,
}

/// What in `arguments` does not fit the JSON Schema `schema`, in the order in which it stands there; no more than
/// `most` mistakes. What the checker knows of schemas is what steps' inputs are checked by.
#[must_use]
pub fn check_arguments(schema: &Value, arguments: &Value, most: usize) -> Vec<WrongArgument> {
    let found = Schema::new(schema).check(arguments, false, MAX_SUGGESTIONS);
    let found = found.into_iter().take(most.min(MAX_MISMATCHES));
    found
        .map(|mismatch| WrongArgument {
            path: mismatch.path,
            message: mismatch.message,
            help: mismatch.help,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_mistake_says_where_it_is_and_what_was_meant() {
        let schema = json!({
            "type": "object",
            "properties": { "runbook": { "type": "string" }, "mode": { "enum": ["full", "facts"] } },
            "required": ["runbook"],
            "additionalProperties": false
        });
        let found = check_arguments(&schema, &json!({ "runbok": "x", "mode": "ful" }), 10);
        let said = |found: &WrongArgument| (found.path.clone(), found.help.clone());
        let said: Vec<_> = found.iter().map(said).collect();
        assert_eq!(said[0].0, ["runbok"]);
        assert_eq!(said[0].1.as_deref(), Some("did you mean `runbook`?"));
        assert_eq!(said[1].0, ["mode"]);
        assert_eq!(said[1].1.as_deref(), Some("did you mean `full`?"));
        assert!(found[2].message.contains("`runbook` is missing"));
        assert_eq!(check_arguments(&schema, &json!([]), 10).len(), 1);
        assert_eq!(
            check_arguments(&schema, &json!({ "a": 1, "b": 2 }), 1).len(),
            1
        );
    }
}
