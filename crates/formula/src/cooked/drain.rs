use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FanOutOrder;

/// Molecules to make when a step is reached. There's one for each open child of the molecule's
/// bead, or one for the bead itself if it has no children.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Drain {
    /// The name of the formula to make molecules from.
    pub formula: String,
    /// Values of the formula's variables, besides the bead.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vars: BTreeMap<String, String>,
    /// The order in which the molecules run. In parallel, a molecule still waits for those of the
    /// beads that block its own.
    pub order: FanOutOrder,
    /// True if no other open molecule may work on the same beads.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exclusive: bool,
    /// Maximum number of beads.
    pub max_items: u32,
    /// True if each molecule runs one step at a time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub single_lane: bool,
}
