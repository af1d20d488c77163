use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Capture, Judgement, Pointer};

/// A piece of an item's evidence, with the verdict on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Evidence {
    /// Location at capture.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// The verdict.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// Context for verifying the evidence again, since a receiver only trusts its own verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<Capture>,
    /// Positions of interest. They matter for lines too long to show completely.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spots: Vec<Spot>,
}

/// A position inside a line, such as the start of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Spot {
    /// Line, from 1.
    #[schemars(range(min = 1))]
    pub line: u32,
    /// Column in bytes from 1, not counting a byte order mark.
    #[schemars(range(min = 1))]
    pub column: u32,
}

/// The origin of an entry.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Provenance {
    /// The step's id.
    pub step: String,
    /// The step's kind.
    pub uses: String,
    /// True if the same repository state gives the same value again.
    pub reproducible: bool,
}

/// A claim with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Item {
    /// Identifier, if the item has one as anchors do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Kind, if the item has one as anchors do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Label for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Additional data in order of collection, from a step that joins or selects. It's an
    /// observation, so locations in it haven't been verified.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
    /// Number of values omitted from `fields`: fields, elements of lists, and lines of texts.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub fields_left_out: u32,
    /// Number of context lines to show around each piece of evidence.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub context: u32,
    /// Evidence. Never empty.
    pub evidence: Vec<Evidence>,
}

/// A value without an evidence pointer, such as output of git, a command or a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Observation {
    /// The value's origin.
    pub provenance: Provenance,
    /// The observed value.
    pub value: Value,
    /// Number of parts of the value on earlier pages: elements, fields, or lines. Several adjacent
    /// parts of a very large value count as one.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub parts_before: u32,
    /// Number of omitted parts. They follow on the next page.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub parts_cut: u32,
    /// Number of parts shown after the omitted ones. These are the end of a program's output.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub parts_after: u32,
}

/// An entry in a section of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Entry {
    /// A claim with evidence and status.
    Item(Item),
    /// A value with its provenance.
    Observation(Observation),
}
