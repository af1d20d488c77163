use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Capture, Judgement, Pointer};

/// One piece of evidence of an item, judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Evidence {
    /// The place as it was captured.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// The verdict.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// What it takes to judge it again: whoever shows it believes no verdict but its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<Capture>,
    /// Where to look in lines that may be too long to be shown whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spots: Vec<Spot>,
}

/// A place inside a line, such as where a match begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Spot {
    /// The line, from 1.
    #[schemars(range(min = 1))]
    pub line: u32,
    /// The column, from 1, in bytes; a byte order mark does not count.
    #[schemars(range(min = 1))]
    pub column: u32,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde asks for"
)]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Which step produced an entry.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Provenance {
    /// The step's id.
    pub step: String,
    /// The step's kind.
    pub uses: String,
    /// Whether the same repository state gives the same value again.
    pub reproducible: bool,
}

/// A claim with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Item {
    /// Identifier, where the item has one (an anchor).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Kind, where the item has one (an anchor's kind).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What a person calls it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// What else was found out about it, in the order in which it was: from a step that joins or picks. It
    /// is an observation; places in it were not verified.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
    /// How many values `fields` leaves out: fields, elements of lists, lines of texts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fields_left_out: u32,
    /// How many lines around each piece of evidence help to read it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub context: u32,
    /// The evidence; never empty.
    pub evidence: Vec<Evidence>,
}

/// A value that carries no evidence pointer: what git, a command or a plugin said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Observation {
    /// Where it comes from.
    pub provenance: Provenance,
    /// What was observed.
    pub value: Value,
    /// How many parts of the value were on pages before: elements, fields, lines; of a value with very many, a few
    /// side by side are one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub parts_before: u32,
    /// How many parts of the value are left out here, and follow on the next page.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub parts_cut: u32,
    /// How many of the parts shown stand after those that are left out: the end of what a program printed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub parts_after: u32,
}

/// What a section of a pack holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Entry {
    /// A claim with evidence and status.
    Item(Item),
    /// A value with its provenance.
    Observation(Observation),
}
