mod read_runbook;

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::{Ident, ResponseMode};

pub(crate) use self::read_runbook::read_runbook;
use crate::{DurationText, FreshnessMode, InputType, OnFailure, Permissions};

/// A runbook as its author wrote it: a curated lens on a repository, as a graph of steps.
///
/// Names and durations are kept as texts, so that resolving it can report all bad ones at their places.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Runbook {
    /// The version of this format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub schema_version: u64,
    /// The name the runbook is run by.
    #[schemars(with = "Ident")]
    pub id: String,
    /// What a person calls it.
    pub title: Option<String>,
    /// What it is for, in a sentence or two.
    pub purpose: Option<String>,
    /// Words to find it by.
    pub tags: Option<Vec<String>>,
    /// What may be given with `--input name=value`.
    pub inputs: Option<BTreeMap<String, InputDoc>>,
    /// How much is shown, and what stale evidence means.
    pub policy: Option<PolicyDoc>,
    /// What the plugins that its steps use may do beyond working on their input.
    pub permissions: Option<Permissions>,
    /// The steps, in the order a reader should meet them; they run as their needs allow.
    pub steps: Vec<StepDoc>,
    /// Steps that run when all others have ended, whatever became of them.
    pub finally: Option<Vec<StepDoc>>,
    /// The sections to show, in this order.
    pub outputs: Option<Vec<OutputDoc>>,
}

/// Something that may be given when the runbook is run.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InputDoc {
    /// Its type; an array is a list of strings.
    #[serde(rename = "type")]
    pub kind: Option<InputType>,
    /// The value when none is given.
    pub default: Option<Value>,
    /// What it means.
    pub description: Option<String>,
    /// The values it may have.
    #[serde(rename = "enum")]
    pub allowed: Option<Vec<Value>>,
    /// Whether it must be given; so it is where there is no default, unless this says otherwise.
    pub required: Option<bool>,
}

/// How much is shown, and what stale evidence means.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyDoc {
    /// How much may be printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetDoc>,
    /// What stale evidence means; `report` if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness: Option<OrRef<FreshnessMode>>,
    /// The share of the budget, 0 to 1, that may be context beyond the evidence itself; 0.2 if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub noise_budget: Option<OrRef<f64>>,
    /// The most items a section shows; 10 if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 1, "maximum" = 100_000))]
    pub max_items_per_section: Option<OrRef<u32>>,
    /// How much the pack says about itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_mode: Option<OrRef<ResponseMode>>,
}

/// How much may be printed: in characters or in tokens, not both.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetDoc {
    /// Unicode scalar values.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 1, "maximum" = 100_000_000))]
    pub max_chars: Option<OrRef<u32>>,
    /// Tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 1, "maximum" = 100_000_000))]
    pub max_tokens: Option<OrRef<u32>>,
}

/// One step.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepDoc {
    /// Its name, unique in the runbook.
    #[schemars(with = "Ident")]
    pub id: String,
    /// The step kind: `search`, `plugin:codeowners@1`.
    pub uses: String,
    /// The arguments of the step kind. `{ $ref: '#/inputs/NAME' }` or `{ $ref: '#/steps/ID/output/…' }` may
    /// stand for any value in it.
    pub with: Option<Map<String, Value>>,
    /// Steps that must have ended before this one starts, beside those it refers to.
    pub needs: Option<Vec<String>>,
    /// An expression over `inputs` and `steps`; when it is false, the step is skipped.
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// A list, or a reference to one: the step runs once for each item. The output is then the list of outputs.
    /// `{ $ref: '#/item' }` in `with` is the item, `#/item/FIELD` a field of it, `#/index` its number from 0; `if` knows
    /// them as `item` and `index`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "list_or_ref")]
    pub for_each: Option<Value>,
    /// How long one attempt may take.
    pub timeout: Option<DurationText>,
    /// How long all attempts may take together, waiting included.
    pub max_duration: Option<DurationText>,
    /// Whether and how a failed attempt is made again.
    pub retry: Option<RetryDoc>,
    /// What becomes of the steps that need this one when it fails; `stop` if not said.
    pub on_failure: Option<OnFailure>,
}

/// Whether and how a failed attempt is made again.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetryDoc {
    /// The most attempts, the first included.
    #[schemars(range(min = 1, max = 20))]
    pub max_attempts: u32,
    /// The wait before the second attempt; it doubles each time.
    pub backoff: Option<DurationText>,
    /// The longest wait.
    pub max_backoff: Option<DurationText>,
}

/// One section of the pack.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputDoc {
    /// Its name, unique among the outputs.
    #[schemars(with = "Ident")]
    pub id: String,
    /// Its heading; the id if not said.
    pub title: Option<String>,
    /// The step whose output it shows.
    #[schemars(with = "Ident")]
    pub from: String,
    /// A JSONPath (RFC 9535) that selects what to show of the output.
    pub select: Option<String>,
    /// A JSON pointer into each selected value, to sort by: `/file`; with `-` before it, largest first.
    pub sort: Option<String>,
    /// The most items to show.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub limit: Option<u32>,
}

/// A value, or a reference that stands for one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OrRef<T> {
    /// The reference.
    Ref(RefDoc),
    /// The value.
    Value(T),
}

/// `{ $ref: '#/inputs/NAME' }`, or the same with a `$default`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RefDoc {
    /// A JSON pointer (RFC 6901) after `#`.
    #[serde(rename = "$ref")]
    pub pointer: String,
    /// The value when the pointer leads nowhere.
    #[serde(
        default,
        rename = "$default",
        deserialize_with = "some",
        skip_serializing_if = "Option::is_none"
    )]
    pub default: Option<Value>,
}

/// Keeps `$default: null` apart from no `$default`.
fn some<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl<T: JsonSchema> JsonSchema for OrRef<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{}OrRef", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<T>();
        let reference = generator.subschema_for::<RefDoc>();
        json_schema!({ "anyOf": [value, reference] })
    }
}

fn list_or_ref(generator: &mut SchemaGenerator) -> Schema {
    let reference = generator.subschema_for::<RefDoc>();
    json_schema!({ "anyOf": [{ "type": "array" }, { "type": "null" }, reference] })
}

impl Runbook {
    /// The newest version of the format this program reads.
    pub const SCHEMA_VERSION: u64 = 1;

    /// The JSON Schema of the format, for editors and for checking.
    #[must_use]
    pub fn json_schema() -> Value {
        schemars::schema_for!(Runbook).to_value()
    }
}

impl InputDoc {
    /// Its type; if it says none, that of its default, or text.
    pub(crate) fn kind_or_guess(&self) -> InputType {
        self.kind.unwrap_or(match self.default {
            Some(Value::Number(_)) => InputType::Integer,
            Some(Value::Bool(_)) => InputType::Boolean,
            Some(Value::Array(_)) => InputType::Array,
            _ => InputType::String,
        })
    }
}
