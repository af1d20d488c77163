//! The `select` step selects values from the output of other steps.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::Digest;
use windlass_engine::{Step, StepError, StepOutput};
use windlass_plan::{InputWords, KindSpec, Lookup, Selector, Way, WrittenInput};

use super::built_in::BuiltIn;
use super::json_pointer::JsonPointer;
use super::kind_spec::{PURE, kind};
use super::output_room::Room;
use crate::services::Services;

/// Selects values from the output of other steps.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Value to select from.
    from: Value,
    /// JSONPath (RFC 9535) of the values; all elements of a list by default.
    #[serde(default)]
    path: Option<String>,
    /// Replace selected lists by their elements.
    #[serde(default)]
    flatten: bool,
    /// JSON pointer into each value: of values that are equal there, the first is kept. An empty pointer
    /// compares whole values.
    #[serde(default)]
    unique: Option<JsonPointer>,
    /// Maximum number of values.
    #[serde(default)]
    #[schemars(range(min = 1))]
    limit: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Values in the order found.
    items: Vec<Value>,
    /// Number of values without the limit.
    total: usize,
}

pub(crate) const NAME: &str = "select";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let summary = "select values from the output of other steps";
    kind::<Input, Output>(NAME, summary, Some("items"), PURE)
        .checked_by(check)
        .explained_by(explain)
        .looking_up(keys)
});

fn check(input: &mut WrittenInput<'_>) {
    input.parse::<Option<JsonPointer>>("/unique");
    if let Some(Some(path)) = input.parse::<Option<String>>("/path")
        && input.may_compile()
        && let Err(error) = Selector::parse(&path)
    {
        input.refuse("/path", format!("invalid JSONPath: {error}"));
    }
}

fn keys(with: &Value) -> Vec<Lookup<'_>> {
    let mut ways = match with.get("path") {
        None | Some(Value::Null) => vec![Way::Elements],
        Some(Value::String(text)) => vec![Way::Path { at: "path", text }],
        Some(_) => return Vec::new(),
    };
    let flatten = with.get("flatten").map_or(Some(false), Value::as_bool);
    if flatten == Some(true) {
        ways.push(Way::Elements);
    }
    let unique = with.get("unique").and_then(Value::as_str);
    if let Some(text) = unique.filter(|_| flatten.is_some()) {
        ways.push(Way::Pointer { at: "unique", text });
    }
    vec![Lookup { of: "from", ways }]
}

fn explain(input: &InputWords) -> Vec<String> {
    let path = input.field("path").unwrap_or_else(|| "values".to_owned());
    let from = input.phrase("", "from");
    vec![format!("reads no files: picks {path} out of {from}")]
}

pub(crate) fn step(services: &Services) -> impl Step + use<> {
    BuiltIn::pure(services, NAME, &SPEC, |_, input, _| select(&input))
}

fn select(input: &Input) -> Result<StepOutput, StepError> {
    // Collect references first. A path may select the same large value many times, and we only need
    // copies of the ones that are left in the end.
    let mut items: Vec<&Value> = match (&input.path, &input.from) {
        (Some(path), from) => Selector::parse(path)
            .map_err(|error| StepError::invalid(error.to_string()))?
            .select(from),
        (None, from) => elements(from).collect(),
    };
    if input.flatten {
        items = items.into_iter().flat_map(elements).collect();
    }
    if let Some(pointer) = &input.unique {
        items = first_of_each(items, pointer)?;
    }
    let total = items.len();
    items.truncate(input.limit.unwrap_or(usize::MAX));
    let mut room = Room::of_an_output();
    for item in &items {
        room.take_value(item)
            .map_err(|error| error.help("pick less: a narrower `path`, or a `limit`"))?;
    }
    let items = items.into_iter().cloned().collect();
    StepOutput::of(&Output { items, total })
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    match value {
        Value::Array(list) => list.iter(),
        other => std::slice::from_ref(other).iter(),
    }
}

/// Keeps the first value for each key. Values without the key can't be duplicates, so all of them
/// stay.
fn first_of_each<'a>(
    items: Vec<&'a Value>,
    pointer: &JsonPointer,
) -> Result<Vec<&'a Value>, StepError> {
    let mut seen = std::collections::BTreeSet::new();
    let mut kept = Vec::with_capacity(items.len());
    for item in items {
        let fresh = match pointer.of(item) {
            // One value may contain another many times over, so remember only a digest of each.
            Some(key) => {
                let key =
                    Digest::of_json(key).map_err(|error| StepError::failed(error.to_string()))?;
                seen.insert(key)
            }
            None => true,
        };
        if fresh {
            kept.push(item);
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use windlass_engine::ErrorKind;

    use super::*;

    fn items(input: Value) -> Value {
        let output = select(&serde_json::from_value(input).unwrap()).unwrap();
        output.value["items"].clone()
    }

    #[test]
    fn select_large_output_refused() {
        let from = json!({ "a": "x".repeat(1 << 20) });
        let run = |path: &str, limit: usize| {
            let input = json!({ "from": from, "path": path, "limit": limit });
            select(&serde_json::from_value(input).unwrap())
        };
        let often = format!("$[{}]", vec!["'a'"; 200].join(","));
        let error = run(&often, 200).unwrap_err();
        assert_eq!(error.kind, ErrorKind::TooLarge);
        assert!(error.message.contains("16777216 bytes"), "{error}");
        // Only the remaining values count towards the size.
        let output = run(&often, 3).unwrap().value;
        assert_eq!(output["total"], 200);
        assert_eq!(output["items"].as_array().map(Vec::len), Some(3));
    }

    #[test]
    fn select_flattens_and_deduplicates() {
        let from = json!([[{"f": "a"}, {"f": "b"}], [{"f": "a", "n": 1}, {"g": 2}, {"g": 2}]]);
        assert_eq!(
            items(json!({"from": from, "flatten": true, "unique": "/f"})),
            json!([{"f": "a"}, {"f": "b"}, {"g": 2}, {"g": 2}])
        );
        assert_eq!(
            items(json!({"from": from, "path": "$[*][*].f", "limit": 2})),
            json!(["a", "b"])
        );
        assert_eq!(items(json!({"from": {"a": 1}})), json!([{"a": 1}]));
        assert_eq!(
            items(json!({"from": [1, 1.0, 2], "unique": ""})),
            json!([1, 2])
        );
        let large = json!([u64::MAX, u64::MAX - 1, i64::MIN, i64::MIN + 1, u64::MAX]);
        assert_eq!(
            items(json!({"from": large, "unique": ""})),
            json!([u64::MAX, u64::MAX - 1, i64::MIN, i64::MIN + 1])
        );
    }
}
