//! Records in the trust list.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::{Digest, PluginDigest};

/// Trust in a runbook, or in the list of secret paths. A trusted runbook may start programs until the runbook, its
/// nested runbooks, or the files that they start change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustRecord {
    /// Name by which the user trusted the text.
    pub name: String,
    /// File that contained the text when it was trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Digest of the text, its nested runbooks, and the files that they start.
    pub digest: Digest,
    /// Time when the text was trusted, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}

/// Trust in a plugin with certain permissions. It ends when the file of the plugin changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginTrust {
    /// Name of the plugin.
    pub name: String,
    /// Version of the plugin.
    pub version: String,
    /// Location of the plugin when it was trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Digest of the plugin's file.
    pub digest: PluginDigest,
    /// Permissions granted to the plugin. Permissions that this version does not know are retained.
    pub grants: Vec<String>,
    /// Time when the plugin was trusted, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    /// Fields written by later versions, which are retained.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Trust in a route, which maps an id prefix to the beads of another repository. It ends when the route refers to
/// another folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteTrust {
    /// Prefix of the bead ids that the route serves.
    pub prefix: String,
    /// The `.beads` folder, as written in the route.
    pub path: String,
    /// Folder that the path refers to after links are resolved.
    pub leads_to: String,
    /// Digest of the prefix, the path and the resolved folder.
    pub digest: Digest,
    /// Time when the route was trusted, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}
