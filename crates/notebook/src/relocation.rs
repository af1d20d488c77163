//! Accepted relocations of anchor evidence.
//!
//! A location belongs to a state of the files. A relocation therefore retains the former location and its capture. In
//! a worktree, branch or stash that is still in the former state, the evidence is fresh at that location.

use serde::{Deserialize, Serialize};
use windlass_base::{Capture, Pointer, Repair};

/// Accepted relocation of a piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Relocation {
    /// Former location.
    pub from: Pointer,
    /// Verdict with the new location and the proof.
    pub repair: Repair,
    /// Time of acceptance, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Capture at `from`, for files in the state of that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<Capture>,
}
