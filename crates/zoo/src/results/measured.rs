//! Records when a run was measured, and by which version.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// Start time and version of a run. Digests and baselines exclude them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Version of Windlass.
    pub version: String,
    /// Start time, in the form `2026-01-31T12:00:00Z`.
    #[serde(alias = "last")]
    pub at: String,
}

impl Measured {
    /// Creates the record for this version of Windlass and the time `at`.
    pub(crate) fn at(at: SystemTime) -> Self {
        let at = jiff::Timestamp::try_from(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            at: at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        }
    }
}
