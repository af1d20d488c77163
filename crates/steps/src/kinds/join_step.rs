//! The `join` step joins two lists by a common key, like a database does.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::{canonical_json, json_size_within};
use windlass_engine::{ErrorKind, Step, StepError, StepOutput};
use windlass_plan::{InputWords, KindSpec, Lookup, Way, WrittenInput};

use super::built_in::BuiltIn;
use super::json_pointer::JsonPointer;
use super::kind_spec::{PURE, kind};
use super::output_room::Room;
use crate::services::Services;

/// Joins two lists by a common key.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The list to join. It determines the order.
    left: Vec<Value>,
    /// The list to find matches in.
    right: Vec<Value>,
    /// JSON pointer to the key in each value: `/file`.
    on: JsonPointer,
    /// JSON pointer in values of `right`, if it differs.
    #[serde(default)]
    right_on: Option<JsonPointer>,
    /// Values of `left` to keep.
    #[serde(default)]
    keep: Keep,
    /// Field for the matching values of `right`.
    #[serde(default = "default_field")]
    field: String,
}

fn default_field() -> String {
    "joined".to_owned()
}

const MAX_PAIRS: usize = 100_000;

/// Values of `left` to keep in a join.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Keep {
    /// Values with a match.
    #[default]
    Matched,
    /// Values without a match.
    Unmatched,
    /// All values.
    All,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Values of `left`, each with the matching values of `right`.
    items: Vec<Value>,
    /// Number of values of `left` with a match.
    matched: usize,
}

pub(crate) const NAME: &str = "join";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    kind::<Input, Output>(NAME, "join two lists by a common key", Some("items"), PURE)
        .checked_by(check)
        .explained_by(explain)
        .looking_up(keys)
        .misled_where(keeps_unmatched)
});

fn check(input: &mut WrittenInput<'_>) {
    input.parse::<JsonPointer>("/on");
    input.parse::<Option<JsonPointer>>("/right_on");
}

fn keys(with: &Value) -> Vec<Lookup<'_>> {
    let left = ("left", "on");
    let right = match with.get("right_on") {
        None | Some(Value::Null) => ("right", "on"),
        Some(_) => ("right", "right_on"),
    };
    let key = |(of, at): (&'static str, &'static str)| {
        let text = with.get(at)?.as_str()?;
        let ways = vec![Way::Items, Way::Pointer { at, text }];
        Some(Lookup { of, ways })
    };
    [left, right].into_iter().filter_map(key).collect()
}

/// True if the join keeps values without a match. Such a join is misled by an incomplete `right`:
/// the match of a value may be among those that were left out.
fn keeps_unmatched(with: &Value) -> bool {
    with.get("keep").is_some_and(|keep| keep != "matched")
}

fn explain(input: &InputWords) -> Vec<String> {
    let [left, right, on] = ["left", "right", "on"].map(|name| input.phrase("", name));
    let right_on = input.phrase(" and ", "right_on");
    vec![format!(
        "reads no files: joins {left} with {right} where the values at {on}{right_on} are the same"
    )]
}

pub(crate) fn step(services: &Services) -> impl Step + use<> {
    BuiltIn::pure(services, NAME, &SPEC, |_, input, _| join(input))
}

fn join(input: Input) -> Result<StepOutput, StepError> {
    let right_on = input.right_on.as_ref().unwrap_or(&input.on);
    let mut by_key: BTreeMap<Vec<u8>, Partners<'_>> = BTreeMap::new();
    for value in &input.right {
        if let Some(key) = key(value, right_on)? {
            by_key.entry(key).or_default().add(value);
        }
    }
    let (mut items, mut matched) = (Vec::new(), 0);
    let (mut pairs, mut room) = (0, Room::of_an_output());
    for value in input.left {
        let partners = key(&value, &input.on)?.and_then(|key| by_key.get(&key));
        matched += usize::from(partners.is_some());
        pairs += partners.map_or(0, |partners| partners.values.len());
        if pairs > MAX_PAIRS {
            let message = format!("more than {MAX_PAIRS} pairs have the same key");
            return Err(StepError::new(ErrorKind::TooLarge, message).help(HELP));
        }
        match (input.keep, partners) {
            (Keep::Matched, None) | (Keep::Unmatched, Some(_)) => {}
            (Keep::Unmatched, None) => items.push(value),
            (Keep::Matched | Keep::All, partners) => {
                // Each match copies a value of `right`, so the output can be much larger than both
                // lists together. Check the size before copying.
                let bytes = partners.map_or(0, |partners| partners.bytes);
                room.take(bytes).map_err(|error| error.help(HELP))?;
                let partners = partners.map(Partners::copied).unwrap_or_default();
                items.push(with_field(value, &input.field, partners));
            }
        }
    }
    StepOutput::of(&Output { items, matched })
}

const HELP: &str = "join by a more specific key, or shorten the lists first";

#[derive(Default)]
struct Partners<'a> {
    values: Vec<&'a Value>,
    /// Size of all values as JSON, in bytes.
    bytes: usize,
}

impl<'a> Partners<'a> {
    fn add(&mut self, value: &'a Value) {
        self.bytes += json_size_within(value, usize::MAX).unwrap_or(usize::MAX);
        self.values.push(value);
    }

    fn copied(&self) -> Vec<Value> {
        self.values.iter().copied().cloned().collect()
    }
}

fn key(value: &Value, pointer: &JsonPointer) -> Result<Option<Vec<u8>>, StepError> {
    let found = pointer.of(value).map(canonical_json).transpose();
    found.map_err(|error| StepError::failed(error.to_string()))
}

fn with_field(value: Value, field: &str, partners: Vec<Value>) -> Value {
    let mut map = match value {
        Value::Object(map) => map,
        // There's no field to add to a number or a string, so wrap it: `{"value": …}`.
        other => Map::from_iter([("value".to_owned(), other)]),
    };
    map.insert(field.to_owned(), Value::Array(partners));
    Value::Object(map)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn join_keeps_left_order() {
        let input = |keep: &str| {
            json!({
                "left": [{"file": "b"}, {"file": "a"}, {"other": 1}],
                "right": [{"path": "a", "owner": "x"}, {"path": "a", "owner": "y"}],
                "on": "/file", "right_on": "/path", "keep": keep, "field": "owners",
            })
        };
        let run = |keep| {
            join(serde_json::from_value(input(keep)).unwrap())
                .unwrap()
                .value
        };
        assert_eq!(
            run("matched")["items"],
            json!([{"file": "a", "owners": [{"path": "a", "owner": "x"}, {"path": "a", "owner": "y"}]}])
        );
        assert_eq!(
            run("unmatched")["items"],
            json!([{"file": "b"}, {"other": 1}])
        );
        assert_eq!(run("all")["items"][0], json!({"file": "b", "owners": []}));
        assert_eq!(run("all")["matched"], 1);
    }

    #[test]
    fn join_large_output_refused() {
        let text = "x".repeat(1 << 20);
        let input = |count: usize| {
            json!({
                "left": vec![json!({"k": 1}); count], "right": [{"k": 1, "text": text}], "on": "/k",
            })
        };
        let run = |count| join(serde_json::from_value(input(count)).unwrap());
        assert_eq!(run(15).unwrap().value["matched"], 15);
        let error = run(99_999).unwrap_err();
        assert_eq!(error.kind, ErrorKind::TooLarge);
        assert!(error.message.contains("16777216 bytes"), "{error}");
        assert!(error.help.is_some());
    }

    #[test]
    fn join_large_integers_distinct() {
        let near = u64::MAX - 1;
        let input = json!({
            "left": [{"id": u64::MAX}], "right": [{"id": near}, {"id": u64::MAX, "n": 1}],
            "on": "/id", "right_on": "/id", "field": "same",
        });
        let output = join(serde_json::from_value(input).unwrap()).unwrap();
        let same = json!([{"id": u64::MAX, "n": 1}]);
        assert_eq!(output.value["items"][0]["same"], same);
    }
}
