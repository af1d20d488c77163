use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::{Cancel, Digest};
use windlass_repo::ReadRecord;

use crate::{Caveat, StepOutput};

/// Dependencies of an output besides the input of its step. They determine if the output is still valid.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "basis", rename_all = "snake_case")]
pub enum Basis {
    /// Unknown: a program contributed to the output.
    #[default]
    Unknown,
    /// Complete list of dependencies.
    Known {
        /// Reads of the repository.
        reads: Vec<ReadRecord>,
        /// Other reads by name, with their state at the time: the notebook.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        others: BTreeMap<String, Digest>,
    },
}

/// Result of the attempt that completed a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Produced {
    /// Digest of the input.
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
    /// True if it comes from an earlier run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}

/// Outputs of an earlier run, reused while their dependencies are unchanged.
pub trait Earlier: Send + Sync {
    /// Returns the output of the step at `path`, of the kind `uses`, for an input with the digest `input`, if
    /// its dependencies are unchanged. May block; gives up when `cancel` is raised.
    fn output(&self, path: &str, uses: &str, input: &Digest, cancel: &Cancel)
    -> Option<StepOutput>;
}

/// Returns the digest of a step's input. The key order is fixed, since the input is always built from the
/// document in the same way.
pub(crate) fn digest_of_input(input: &Value) -> Digest {
    let text = serde_json::to_vec(input).unwrap_or_default();
    Digest::of_bytes(&text)
}
