//! Command lines of measured programs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use windlass_redact::redact_text;

use crate::system::{PATIENCE, System};

/// Measured programs, by name.
pub type Programs = BTreeMap<String, Started>;

/// Command line of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// Value of the `--system` option, with secret values redacted.
    pub typed: String,
    /// Timeout of an answer in seconds, if it is not [`PATIENCE`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience: Option<u64>,
}

impl Started {
    /// Returns the command line of `system`, if it is a program.
    pub(super) fn of(system: &dyn System) -> Option<Self> {
        let seconds = system.patience().map(|patience| patience.as_secs());
        Some(Self {
            typed: redact_text(&system.typed()?).0.to_string(),
            patience: seconds.filter(|seconds| *seconds != PATIENCE),
        })
    }
}
