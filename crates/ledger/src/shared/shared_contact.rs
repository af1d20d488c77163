use serde::Serialize;

use crate::Stamp;

/// The result of this machine's last attempt to reach the shared log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharedContact {
    /// Location of the shared log, without a password.
    pub location: String,
    /// Time at which the user took this clone offline, or `None` while it is online.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offline_since: Option<Stamp>,
    /// Time of the last pull, or `None` before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pulled_at: Option<Stamp>,
    /// Time of the last attempt, unless it succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<Stamp>,
    /// Reason why the last attempt failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}
