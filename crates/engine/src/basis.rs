use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::{Cancel, Digest};
use windlass_repo::ReadRecord;

use crate::{Caveat, StepOutput};

/// Everything an output depends on besides its step's input. A later run may reuse the output for
/// as long as its basis is unchanged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "basis", rename_all = "snake_case")]
pub enum Basis {
    /// Unknown, because a program contributed to the output. We never reuse such an output.
    #[default]
    Unknown,
    /// The complete list of dependencies.
    Known {
        /// Files and queries read from the repository.
        reads: Vec<ReadRecord>,
        /// Other sources by name, such as the notebook, and the state we read.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        others: BTreeMap<String, Digest>,
    },
}

/// The result of the attempt that completed a step, as recorded for later runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Produced {
    /// Digest of the step's input.
    pub input: Digest,
    /// The output, shared with the steps that use it.
    pub output: Arc<Value>,
    /// See [`StepOutput::notes`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// See [`StepOutput::caveat`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caveat: Option<Caveat>,
    /// Dependencies of the output.
    #[serde(flatten)]
    pub basis: Arc<Basis>,
    /// True if the output comes from an earlier run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}

/// Source of an earlier run's outputs, for reuse while their dependencies are unchanged.
pub trait Earlier: Send + Sync {
    /// Returns the earlier output of the step at `path` if its dependencies are unchanged. `uses`
    /// is the step kind, and `input` is the current input's digest. The call may block, but gives
    /// up when `cancel` is raised.
    fn output(&self, path: &str, uses: &str, input: &Digest, cancel: &Cancel)
    -> Option<StepOutput>;
}

/// Returns the digest of a step's input. It's enough to serialise it: inputs are always built from
/// the document in the same key order.
pub(crate) fn digest_of_input(input: &Value) -> Digest {
    let text = serde_json::to_vec(input).unwrap_or_default();
    Digest::of_bytes(&text)
}
