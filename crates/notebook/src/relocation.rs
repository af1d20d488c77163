//! Accepted relocations of anchor evidence.
//!
//! A location only makes sense for a certain state of the files, so a relocation retains the former
//! location and its capture. Suppose that an anchor is repaired on `main` while another worktree
//! still has the old files: its evidence is fresh at the former location there. The same goes for
//! branches and stashes.

use serde::{Deserialize, Serialize};
use windlass_base::{Capture, Pointer, Repair};

/// An accepted relocation of a piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Relocation {
    /// The former location.
    pub from: Pointer,
    /// The verdict, with the new location and the proof.
    pub repair: Repair,
    /// Time of acceptance, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The capture at `from`, for files in the state of that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<Capture>,
}
