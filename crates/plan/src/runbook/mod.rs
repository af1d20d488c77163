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
/// Names and durations are kept as text, so that all invalid ones are reported with their
/// positions.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Runbook {
    /// Version of this format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub schema_version: u64,
    /// Name to run the runbook by.
    #[schemars(with = "Ident")]
    pub id: String,
    /// Human-readable title.
    pub title: Option<String>,
    /// Purpose, in a sentence or two.
    pub purpose: Option<String>,
    /// Search keywords.
    pub tags: Option<Vec<String>>,
    /// Inputs for `--input name=value`.
    pub inputs: Option<BTreeMap<String, InputDoc>>,
    /// Output limits and treatment of stale evidence.
    pub policy: Option<PolicyDoc>,
    /// Capabilities of the plugins used by its steps, beyond their input.
    pub permissions: Option<Permissions>,
    /// Steps, in reading order; they run as their needs allow.
    pub steps: Vec<StepDoc>,
    /// Steps that run after all others have ended, successfully or not.
    pub finally: Option<Vec<StepDoc>>,
    /// Sections to show, in this order.
    pub outputs: Option<Vec<OutputDoc>>,
}

/// A declared input.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InputDoc {
    /// The input's type. An array is a list of strings.
    #[serde(rename = "type")]
    pub kind: Option<InputType>,
    /// Default value.
    pub default: Option<Value>,
    /// Description.
    pub description: Option<String>,
    /// Allowed values.
    #[serde(rename = "enum")]
    pub allowed: Option<Vec<Value>>,
    /// True if a value is required. By default, this is the case if there is no default value.
    pub required: Option<bool>,
}

/// Output limits and treatment of stale evidence.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyDoc {
    /// Output budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetDoc>,
    /// Treatment of stale evidence, `repair` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness: Option<OrRef<FreshnessMode>>,
    /// Share of the budget for context beyond the evidence itself, from 0 to 1. The default is 0.2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub noise_budget: Option<OrRef<f64>>,
    /// Maximum number of items per section, 10 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 1, "maximum" = 100_000))]
    pub max_items_per_section: Option<OrRef<u32>>,
    /// Amount of metadata in the pack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_mode: Option<OrRef<ResponseMode>>,
}

/// Output budget in either characters or tokens, but not both.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetDoc {
    /// Number of Unicode scalar values.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 1, "maximum" = 100_000_000))]
    pub max_chars: Option<OrRef<u32>>,
    /// Number of tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 1, "maximum" = 100_000_000))]
    pub max_tokens: Option<OrRef<u32>>,
}

/// A step of a runbook.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepDoc {
    /// Name, unique in the runbook.
    #[schemars(with = "Ident")]
    pub id: String,
    /// Step kind: `search`, `plugin:codeowners@1`.
    pub uses: String,
    /// Arguments for the step kind. Any value in it may be `{ $ref: '#/inputs/NAME' }` or `{ $ref:
    /// '#/steps/ID/output/…' }`.
    pub with: Option<Map<String, Value>>,
    /// Steps that must end before this one starts, besides those it refers to.
    pub needs: Option<Vec<String>>,
    /// Expression over `inputs` and `steps`. If it's false, the step is skipped.
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// A list, or a reference to one. The step runs once per item, and its output is the list of
    /// outputs. In `with`, `{ $ref: '#/item' }` is the item, `#/item/FIELD` a field of it, and
    /// `#/index` its index from 0. In `if`, they are `item` and `index`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "list_or_ref")]
    pub for_each: Option<Value>,
    /// Time limit for each attempt.
    pub timeout: Option<DurationText>,
    /// Time limit for all attempts together, including delays.
    pub max_duration: Option<DurationText>,
    /// Retry policy.
    pub retry: Option<RetryDoc>,
    /// Effect of a failure on dependents, `stop` by default.
    pub on_failure: Option<OnFailure>,
}

/// A step's retry policy.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetryDoc {
    /// Maximum number of attempts, including the first.
    #[schemars(range(min = 1, max = 20))]
    pub max_attempts: u32,
    /// Delay before the second attempt, doubled for each further one.
    pub backoff: Option<DurationText>,
    /// Maximum delay.
    pub max_backoff: Option<DurationText>,
}

/// A section of the pack.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputDoc {
    /// The section's name, unique among the outputs.
    #[schemars(with = "Ident")]
    pub id: String,
    /// The section's heading. The default is its id.
    pub title: Option<String>,
    /// The step whose output the section shows.
    #[schemars(with = "Ident")]
    pub from: String,
    /// JSONPath (RFC 9535) selecting a part of the output.
    pub select: Option<String>,
    /// JSON pointer into each selected value, to sort by: `/file`. A leading `-` sorts the largest
    /// first.
    pub sort: Option<String>,
    /// Maximum number of items.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub limit: Option<u32>,
}

/// A value, or a reference to one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OrRef<T> {
    /// To an input. Other targets aren't known yet when the policy is resolved.
    Ref(RefDoc),
    /// A literal value.
    Value(T),
}

/// A reference `{ $ref: '#/inputs/NAME' }`, with an optional `$default`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RefDoc {
    /// JSON pointer (RFC 6901) after `#`.
    #[serde(rename = "$ref")]
    pub pointer: String,
    /// The value to use if the target is missing.
    #[serde(
        default,
        rename = "$default",
        deserialize_with = "some",
        skip_serializing_if = "Option::is_none"
    )]
    pub default: Option<Value>,
}

/// Reads `$default: null` as a default of `null`. Without this function, Serde would treat it like
/// an absent `$default`.
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
    /// The newest version that we can read. Raise it for a change that older programs would
    /// misread, since they reject documents with a newer version.
    pub const SCHEMA_VERSION: u64 = 1;

    /// The JSON Schema of runbooks, for editors and validation.
    #[must_use]
    pub fn json_schema() -> Value {
        schemars::schema_for!(Runbook).to_value()
    }
}

impl InputDoc {
    /// Returns the declared type. Without one, we guess from the default value, and fall back to a
    /// string.
    pub(crate) fn kind_or_guess(&self) -> InputType {
        self.kind.unwrap_or(match self.default {
            Some(Value::Number(_)) => InputType::Integer,
            Some(Value::Bool(_)) => InputType::Boolean,
            Some(Value::Array(_)) => InputType::Array,
            _ => InputType::String,
        })
    }
}
