use std::collections::BTreeSet;

use serde_json::Value;

use super::*;

fn listed(only_reading: bool) -> Vec<Value> {
    let all = tools(only_reading).map(|tool| serde_json::to_value(tool.listed(only_reading)));
    all.collect::<Result<_, _>>().unwrap()
}

/// What the list may take, in tokens of o200k: every session of every agent pays for it.
const MAX_TOKENS: usize = 3_000;

/// What clients keep of a description, in bytes.
const MAX_DESCRIPTION: usize = 2_048;

#[test]
fn the_list_is_short() {
    let text = serde_json::to_string(&listed(false)).unwrap();
    let tokens = windlass_tokens::count(&text);
    assert!(tokens < MAX_TOKENS, "{tokens} tokens");
    for tool in tools(false) {
        assert!(tool.about.len() < MAX_DESCRIPTION, "{}", tool.name);
    }
}

#[test]
fn schemas_refer_to_nothing_and_say_what_every_client_understands() {
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
fn every_hint_is_given_and_right() {
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
fn names_are_told_apart() {
    let names: BTreeSet<&str> = tools(false).map(|tool| tool.name).collect();
    assert_eq!(names.len(), TOOLS.len());
    let plain = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    assert!(names.iter().all(plain));
}
