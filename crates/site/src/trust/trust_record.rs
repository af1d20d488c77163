//! The entries of a trust list.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::{Digest, PluginDigest};

/// Trust in a text, such as a runbook or a list of secret paths.
///
/// A runbook that's trusted may start programs. Any change to the runbook, to runbooks nested in
/// it, or to the files of their programs ends the trust.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustRecord {
    /// The name that the user gave when trusting the text.
    pub name: String,
    /// The file with the text, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Digest of the text. For a runbook, this includes nested runbooks and the files of their
    /// programs.
    pub digest: Digest,
    /// Time of the user's decision, in UTC and in the format of RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}

/// Trust in a plugin, and the permissions granted to it. A change to the plugin's file ends the
/// trust.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginTrust {
    /// The name on the plugin's card.
    pub name: String,
    /// The version that the user has trusted.
    pub version: String,
    /// Location of the plugin when the user trusted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Digest of the plugin's file.
    pub digest: PluginDigest,
    /// The permissions. There may be some that this version of Windlass doesn't know.
    pub grants: Vec<String>,
    /// Time of the user's decision, in UTC and in the format of RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    /// Fields of later versions, which we keep when writing the list.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Trust in a route, which looks up beads with a certain prefix in another repository. If the route
/// leads to another folder, the trust ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteTrust {
    /// Prefix of the bead IDs that the route is for.
    pub prefix: String,
    /// The `.beads` folder, as written in the route.
    pub path: String,
    /// The same folder, with all links resolved.
    pub leads_to: String,
    /// Digest of `prefix`, `path` and `leads_to`.
    pub digest: Digest,
    /// Time of the user's decision, in UTC and in the format of RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trusted_at: Option<String>,
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}
