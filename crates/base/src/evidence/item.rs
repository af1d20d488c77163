use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Capture, Judgement, Pointer};

/// Judged piece of evidence of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Evidence {
    /// Location at capture.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// The verdict.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// Context for verifying it again: a receiver trusts only its own verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<Capture>,
    /// Positions of interest in lines that may be too long to show completely.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spots: Vec<Spot>,
}

/// Position inside a line, such as the start of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Spot {
    /// Line, from 1.
    #[schemars(range(min = 1))]
    pub line: u32,
    /// Column, from 1, in bytes, without a byte order mark.
    #[schemars(range(min = 1))]
    pub column: u32,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature required by serde"
)]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Origin of an entry.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Provenance {
    /// Id of the step.
    pub step: String,
    /// Kind of the step.
    pub uses: String,
    /// True if the same repository state gives the same value again.
    pub reproducible: bool,
}

/// Claim with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Item {
    /// Identifier, if the item has one (an anchor).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Kind, if the item has one (an anchor's kind).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Label for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Additional data, in order of collection, from a step that joins or selects. It is an observation;
    /// locations in it were not verified.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
    /// Number of values omitted from `fields`: fields, elements of lists, lines of texts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fields_left_out: u32,
    /// Number of lines around each piece of evidence to show as context.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub context: u32,
    /// Evidence; never empty.
    pub evidence: Vec<Evidence>,
}

/// Value without an evidence pointer: output of git, a command or a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Observation {
    /// Origin of the value.
    pub provenance: Provenance,
    /// Observed value.
    pub value: Value,
    /// Number of parts of the value on earlier pages: elements, fields, lines. In a very large value, several
    /// adjacent ones count as one part.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub parts_before: u32,
    /// Number of omitted parts, which follow on the next page.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub parts_cut: u32,
    /// Number of shown parts that come after the omitted ones: the end of a program's output.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub parts_after: u32,
}

/// Entry of a section of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Entry {
    /// Claim with evidence and status.
    Item(Item),
    /// Value with its provenance.
    Observation(Observation),
}
