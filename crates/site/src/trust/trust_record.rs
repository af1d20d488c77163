//! Records in the trust list.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::{Digest, PluginDigest};

/// Trust in a runbook or in the list of secret paths. A trusted runbook may start programs until
/// the runbook, its nested runbooks or any file they start changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustRecord {
    /// The name by which the user trusted the text.
    pub name: String,
    /// The file that had the text when it was trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Digest of the text, its nested runbooks, and the files they start.
    pub digest: Digest,
    /// The time the text was trusted, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}

/// Trust in a plugin with certain permissions. It ends when the plugin's file changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginTrust {
    /// The plugin's name.
    pub name: String,
    /// The plugin's version.
    pub version: String,
    /// The plugin's location when it was trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Digest of the plugin's file.
    pub digest: PluginDigest,
    /// Permissions granted to the plugin. We retain those unknown to this version.
    pub grants: Vec<String>,
    /// The time the plugin was trusted, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    /// Fields written by later versions, which we retain.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Trust in a route, which maps an id prefix to the beads of another repository. It ends when the
/// route refers to another folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteTrust {
    /// Prefix of the bead ids served by the route.
    pub prefix: String,
    /// The `.beads` folder, as written in the route.
    pub path: String,
    /// The folder the path refers to once links are resolved.
    pub leads_to: String,
    /// Digest of the prefix, the path and the resolved folder.
    pub digest: Digest,
    /// The time the route was trusted, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}
