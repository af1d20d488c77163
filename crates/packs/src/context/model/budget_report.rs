//! Reports of a pack about its own size, cuts, redactions and conflicts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::budget::Measure;

/// Size of the shown part of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetReport {
    /// Unit of the numbers.
    pub unit: Measure,
    /// Maximum size.
    pub max: usize,
    /// Size of the whole output.
    pub used: usize,
    /// Size of the whole pack in the same format.
    pub whole: usize,
    /// Profile: `routine`, `investigation`, `refactor`, `deep-failure`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
}

/// Parts of a pack that are not shown. The stored pack is complete.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TruncationReport {
    /// Number of parts of the pack.
    pub items: usize,
    /// Number of parts that are shown, whole or cut.
    pub shown: usize,
    /// Failures that are not in `delta`, grouped by the common beginning of their names. Every failure is in one of the
    /// two.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failures: BTreeMap<String, Vec<String>>,
    /// Number of notes on sources that are not shown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub notes: usize,
    /// Other missing parts, the most important first.
    pub cuts: Vec<Cut>,
    /// Number of missing parts that are not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "signature required by serde"
)]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Missing content of one part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cut {
    /// Name of the part, as in the provenance.
    pub item: String,
    /// Kind of the cut.
    pub cut: CutKind,
    /// Number of missing lines.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lines: usize,
}

/// Kind of a cut.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CutKind {
    /// Some lines of its text are missing.
    Shortened,
    /// All of its text: it is only named.
    TextLeftOut,
    /// The whole part is omitted.
    LeftOut,
}

/// Report of replaced secret values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedactionReport {
    /// Replacements, sorted; never the values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<Redaction>,
    /// Relevant files that may not be read, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<String>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Number of secret values of one kind in one part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Redaction {
    /// The part, as the provenance names it.
    pub item: String,
    /// Rule that found the secret values.
    pub rule: String,
    /// Number of marks in the part.
    pub count: u32,
}

/// Contradictory values of one part in merged packs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conflict {
    /// Name of the part, as in the provenance.
    pub item: String,
    /// All values: those with a source first, then in the order of their canonical JSON. The first one is used in the
    /// pack.
    pub values: Vec<Value>,
}
