//! The time and version of a measurement.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// A run's start time and version. Digests and baselines leave them out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The version of Windlass.
    pub version: String,
    /// The start time, in the form `2026-01-31T12:00:00Z`.
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
