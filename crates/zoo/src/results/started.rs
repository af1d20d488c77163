//! How programs that were measured were started.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlass_redact::redact_text;

use crate::system::{PATIENCE, System};

/// Programs that were measured, by their names.
pub type Programs = BTreeMap<String, Started>;

/// How a program was started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// What has to be typed behind `--system`, secret values in it replaced.
    pub typed: String,
    /// How long it may take for an answer, in seconds, where that is not [`PATIENCE`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<u64>,
}

impl Started {
    /// How `system` is started, where that is a program.
    pub(super) fn of(system: &dyn System) -> Option<Self> {
        let seconds = system.patience().map(|patience| patience.as_secs());
        Some(Self {
            typed: redact_text(&system.typed()?).0.to_string(),
            patience: seconds.filter(|seconds| *seconds != PATIENCE),
        })
    }
}
