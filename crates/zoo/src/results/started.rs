//! Command lines of measured programs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlass_redact::redact_text;

use crate::system::{PATIENCE, System};

/// Command lines of measured programs, by system name.
pub type Programs = BTreeMap<String, Started>;

/// Command line of a measured program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// The value of the `--system` option, with secret values redacted.
    pub typed: String,
    /// Timeout for an answer in seconds, or `None` if it's [`PATIENCE`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<u64>,
}

impl Started {
    /// Returns the command line of `system`, or `None` if it isn't a program.
    pub(super) fn of(system: &dyn System) -> Option<Self> {
        let seconds = system.patience().map(|patience| patience.as_secs());
        Some(Self {
            typed: redact_text(&system.typed()?).0.to_string(),
            patience: seconds.filter(|seconds| *seconds != PATIENCE),
        })
    }
}
