use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::{Cancel, Digest};
use windlass_repo::ReadRecord;

use crate::{Caveat, StepOutput};

/// Everything that an output depends on besides the input of its step. An earlier output is reused only while its basis
/// is unchanged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "basis", rename_all = "snake_case")]
pub enum Basis {
    /// Unknown, because a program contributed to the output. Such an output is never reused.
    #[default]
    Unknown,
    /// The complete list of dependencies.
    Known {
        /// Files and queries read from the repository.
        reads: Vec<ReadRecord>,
        /// Other sources by name, such as the notebook, with the state that was read.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        others: BTreeMap<String, Digest>,
    },
}

/// Result of the attempt that completed a step, in the form that is recorded for later runs.
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
    /// True if the output was reused from an earlier run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}

/// Source of outputs from an earlier run, which are reused while their dependencies are unchanged.
pub trait Earlier: Send + Sync {
    /// Returns the earlier output of the step at `path` if its dependencies are unchanged. `uses` is the step kind, and
    /// `input` is the digest of the current input. The call may block; it gives up when `cancel` is raised.
    fn output(&self, path: &str, uses: &str, input: &Digest, cancel: &Cancel)
    -> Option<StepOutput>;
}

/// Returns the digest of a step's input. Serialising is enough, because the input is always built from the document in
/// the same key order.
pub(crate) fn digest_of_input(input: &Value) -> Digest {
    let text = serde_json::to_vec(input).unwrap_or_default();
    Digest::of_bytes(&text)
}
