//! What a pack says about itself.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::budget::Measure;

/// How much of a pack is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetReport {
    /// What is counted.
    pub unit: Measure,
    /// The most that may be shown.
    pub max: usize,
    /// What is shown, of everything that is printed.
    pub used: usize,
    /// What the whole pack would take in the same format.
    pub whole: usize,
    /// What it is for: `routine`, `investigation`, `refactor`, `deep-failure`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
}

/// What of a pack is not shown. All of it is in the pack that is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TruncationReport {
    /// How many parts the pack has.
    pub items: usize,
    /// How many of them are shown, whole or in part.
    pub shown: usize,
    /// Failures that are not among those of `delta`, in groups: what their names begin with, and how each goes on. None is left out
    /// of both.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failures: BTreeMap<String, Vec<String>>,
    /// How many of the notes on sources are not shown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub notes: usize,
    /// What else is missing, the most important first.
    pub cuts: Vec<Cut>,
    /// How many more are not named.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// What of one part is not shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cut {
    /// The part, as the provenance names it.
    pub item: String,
    /// How much of it.
    pub cut: CutKind,
    /// How many lines are missing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lines: usize,
}

/// How much of a part is not shown.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CutKind {
    /// Some lines of its text.
    Shortened,
    /// All of its text: it is only named.
    TextLeftOut,
    /// All of it.
    LeftOut,
}

/// Which secret values were replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedactionReport {
    /// What was replaced, sorted; never the value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<Redaction>,
    /// Files that would have been taken in and may not be read, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<String>,
    /// Fields of other tools.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Secret values of one sort in one part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Redaction {
    /// The part, as the provenance names it.
    pub item: String,
    /// The rule that knows it.
    pub rule: String,
    /// How many marks stand in the part.
    pub count: u32,
}

/// What packs that were merged say differently of one part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conflict {
    /// The part, as the provenance names it.
    pub item: String,
    /// All that is said: what says where it comes from first, then in the order of their canonical JSON. The first of them stands in
    /// the pack.
    pub values: Vec<Value>,
}
