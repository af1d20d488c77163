use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FanOutOrder;

/// Molecules to make when a step is reached: one for each open child of the bead that the molecule works on, or one for
/// that bead if it has no children.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Drain {
    /// Name of the formula.
    pub formula: String,
    /// Values of its variables, besides the bead.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vars: BTreeMap<String, String>,
    /// Order of the molecules. Of parallel ones, each waits for those of the beads that block its own.
    pub order: FanOutOrder,
    /// True if no other open molecule may work on the same beads.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exclusive: bool,
    /// Maximum number of beads.
    pub max_items: u32,
    /// True if each molecule does one step at a time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub single_lane: bool,
}
