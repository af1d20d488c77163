//! A pack's reports about its own size, cuts, redactions and conflicts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::budget::Measure;

/// Size of a pack's shown part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetReport {
    /// Unit of all sizes.
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

/// Parts of the pack that aren't shown. The stored pack is complete.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TruncationReport {
    /// Number of parts in the pack.
    pub items: usize,
    /// Number of parts shown, whole or cut.
    pub shown: usize,
    /// Failures missing from `delta`, grouped by the common beginning of their names. Every failure
    /// is in one place or the other.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failures: BTreeMap<String, Vec<String>>,
    /// Number of notes on sources that aren't shown.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub notes: usize,
    /// Other missing parts, most important first.
    pub cuts: Vec<Cut>,
    /// Number of missing parts that aren't listed.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub more: usize,
}

/// Content missing from one part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cut {
    /// The part's name, as in the provenance.
    pub item: String,
    /// Kind of cut.
    pub cut: CutKind,
    /// Number of missing lines.
    #[serde(default, skip_serializing_if = "windlass_base::is_default")]
    pub lines: usize,
}

/// Kinds of cuts.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CutKind {
    /// The part's text lacks some lines.
    Shortened,
    /// The part has no text and is only named.
    TextLeftOut,
    /// The whole part is missing.
    LeftOut,
}

/// Report about replaced secret values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedactionReport {
    /// Replacements, sorted. The values themselves are never listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<Redaction>,
    /// Relevant files we weren't allowed to read, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<String>,
    /// Unknown fields of other tools, retained.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Number of secret values of one kind found in one part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Redaction {
    /// The part's name, as in the provenance.
    pub item: String,
    /// Rule that detected the secret values.
    pub rule: String,
    /// Number of replaced values in the part.
    pub count: u32,
}

/// Contradictory values of one part in merged packs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conflict {
    /// The part's name, as in the provenance.
    pub item: String,
    /// All values. Those with a source come first, and equals are ordered by their canonical JSON.
    /// The pack uses the first.
    pub values: Vec<Value>,
}
