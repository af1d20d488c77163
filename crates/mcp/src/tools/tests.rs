use std::collections::BTreeSet;

use serde_json::Value;

use super::*;

fn listed(only_reading: bool) -> Vec<Value> {
    let all = tools(only_reading).map(|tool| serde_json::to_value(tool.listed(only_reading)));
    all.collect::<Result<_, _>>().unwrap()
}

/// Maximum number of tokens (o200k) of the tool list, as we send it to clients. Every session of
/// every agent pays for it, so please shorten a description before you raise this.
const MAX_TOKENS: usize = 2_600;

/// Maximum number of bytes of a description. Clients drop the rest.
const MAX_DESCRIPTION: usize = 2_048;

#[test]
fn tool_list_fits_token_budget() {
    let result =
        serde_json::json!({ "ttlMs": 3_600_000, "cacheScope": "public", "tools": listed(false) });
    let answer = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "result": result });
    let tokens = windlass_tokens::count(&answer.to_string());
    assert!(tokens <= MAX_TOKENS, "{tokens} tokens");
    for tool in tools(false) {
        assert!(tool.about.len() < MAX_DESCRIPTION, "{}", tool.name);
    }
}

#[test]
fn schemas_use_portable_keywords_only() {
    fn look(value: &Value, name: &str) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    let foreign = [
                        "$ref",
                        "$defs",
                        "$schema",
                        "definitions",
                        "oneOf",
                        "anyOf",
                        "format",
                    ];
                    assert!(!foreign.contains(&key.as_str()), "{name}: {key}");
                    look(value, name);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| look(item, name)),
            _ => {}
        }
    }
    for tool in [listed(false), listed(true)].concat() {
        let name = tool["name"].as_str().unwrap();
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        look(&tool["inputSchema"], name);
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
    }
}

#[test]
fn annotations_say_what_differs_from_defaults() {
    for only_reading in [false, true] {
        for tool in listed(only_reading) {
            let hints = tool["annotations"].as_object().unwrap();
            assert_eq!(hints["openWorldHint"], false, "{tool}");
            let reads = hints.get("readOnlyHint");
            let expected = match reads {
                Some(reads) => *reads == true && hints.len() == 2,
                None => !only_reading,
            };
            assert!(expected, "{tool}");
        }
    }
    let tools = listed(false);
    let hint = |name: &str, hint: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        tool["annotations"].get(hint).cloned()
    };
    assert_eq!(hint("notebook_edit", "destructiveHint"), None);
    assert_eq!(
        hint("anchor_repair", "destructiveHint"),
        Some(Value::from(false))
    );
    assert_eq!(hint("recall", "readOnlyHint"), Some(Value::from(true)));
}

#[test]
fn tool_names_are_distinct() {
    let names: BTreeSet<&str> = tools(false).map(|tool| tool.name).collect();
    assert_eq!(names.len(), TOOLS.len());
    let plain = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    assert!(names.iter().all(plain));
}
