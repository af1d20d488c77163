use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// Start and version of a run. They aren't part of digests and baselines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The version of Windlass.
    pub version: String,
    /// The time, e.g. `2026-01-31T12:00:00Z`.
    #[serde(alias = "last")]
    pub at: String,
}

impl Measured {
    pub(crate) fn at(at: SystemTime) -> Self {
        let at = jiff::Timestamp::try_from(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            at: at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        }
    }
}
