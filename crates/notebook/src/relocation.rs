//! Evidence that an anchor was given a new place for, and what proves it.

use serde::{Deserialize, Serialize};
use windlass_base::{Capture, Pointer, Repair};

/// A new place that was taken over for evidence of an anchor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Relocation {
    /// Where it was captured before.
    pub from: Pointer,
    /// What became of it, with the new place and how that was found.
    pub repair: Repair,
    /// When it was taken over, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Capture at `from`, for files in the state of that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<Capture>,
}
