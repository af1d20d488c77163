use serde::Serialize;

use crate::Stamp;

/// Result of this machine's last attempt to reach the shared log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharedContact {
    /// The shared log's location, without a password.
    pub location: String,
    /// Time at which the user took this clone offline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offline_since: Option<Stamp>,
    /// Time of the last pull; absent before the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pulled_at: Option<Stamp>,
    /// Time of the last attempt, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<Stamp>,
    /// The reason why the last attempt failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}
