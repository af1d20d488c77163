//! Records of the trust list.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::{Digest, PluginDigest};

/// Runbook that may start programs, as long as it, its nested runbooks, and the files they start do not change; or the
/// list of secret paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustRecord {
    /// The name it was trusted by.
    pub name: String,
    /// File of the document when it was trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Digest of its text, of its nested runbooks, and of the files they start.
    pub digest: Digest,
    /// The time, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}

/// Plugin that was granted permissions, as long as its file does not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginTrust {
    /// Name of the plugin.
    pub name: String,
    /// Version of the plugin.
    pub version: String,
    /// The place where it was then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The digest of its file.
    pub digest: PluginDigest,
    /// Permissions granted to the plugin. Unknown permissions of later versions are retained.
    pub grants: Vec<String>,
    /// The time, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    /// Fields of later versions.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Route to read and write beads, as long as it leads to the same folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteTrust {
    /// Prefix of the ids of the beads.
    pub prefix: String,
    /// The `.beads` folder, as the route names it.
    pub path: String,
    /// Target folder of the path, without links.
    pub leads_to: String,
    /// Digest of prefix, path and folder.
    pub digest: Digest,
    /// The time when it was trusted, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}
