use std::collections::BTreeSet;

use serde_json::Value;

use super::*;

fn listed(only_reading: bool) -> Vec<Value> {
    let all = tools(only_reading).map(|tool| serde_json::to_value(tool.listed(only_reading)));
    all.collect::<Result<_, _>>().unwrap()
}

/// Token budget of the tool list (o200k): every session of every agent pays for it.
const MAX_TOKENS: usize = 3_000;

/// Maximum number of bytes that clients keep of a description.
const MAX_DESCRIPTION: usize = 2_048;

#[test]
fn tool_list_fits_token_budget() {
    let text = serde_json::to_string(&listed(false)).unwrap();
    let tokens = windlass_tokens::count(&text);
    assert!(tokens < MAX_TOKENS, "{tokens} tokens");
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
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{name}");
            look(&tool[schema], name);
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
    }
}

#[test]
fn annotations_are_complete_and_correct() {
    for tool in listed(false) {
        let hints = tool["annotations"].as_object().unwrap();
        let names: BTreeSet<&str> = hints.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            BTreeSet::from([
                "readOnlyHint",
                "destructiveHint",
                "idempotentHint",
                "openWorldHint"
            ])
        );
        assert_eq!(hints["openWorldHint"], false);
        assert!(hints["readOnlyHint"] == false || hints["destructiveHint"] == false);
    }
    for tool in listed(true) {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
    }
    let removes = |name: &str| {
        let tools = listed(false);
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        tool["annotations"]["destructiveHint"] == true
    };
    assert!(removes("notebook_edit"));
}

#[test]
fn tool_names_are_distinct() {
    let names: BTreeSet<&str> = tools(false).map(|tool| tool.name).collect();
    assert_eq!(names.len(), TOOLS.len());
    let plain = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    assert!(names.iter().all(plain));
}
