use serde::Deserialize;
use windlass_base::{Capture, Evidence, Pointer, Spot};
use windlass_repo::Snapshot;

use crate::judge;

/// A pointer that is still to be judged, with what was noted when it was captured. Whatever else somebody
/// says of it, such as a status, is not in it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
pub struct Claim {
    /// The pointer.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// Captured context, if any.
    #[serde(default)]
    pub capture: Option<Capture>,
    /// Start of the claimed text within the lines.
    #[serde(default)]
    pub spots: Vec<Spot>,
}

impl Claim {
    /// Returns the claim with its verdict on the files in `snapshot`.
    #[must_use]
    pub fn judged(self, snapshot: &Snapshot) -> Evidence {
        let Self {
            pointer,
            capture,
            spots,
        } = self;
        Evidence {
            judgement: judge(snapshot, &pointer, capture.as_ref()),
            pointer,
            capture,
            spots,
        }
    }
}
