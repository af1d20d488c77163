//! The dependencies of outputs, which decide if a later run can reuse them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::{Cancel, Digest};
use windlass_repo::ReadRecord;

use crate::{Caveat, StepOutput};

/// All dependencies of an output, apart from the step's input. If none of them has changed, a later
/// run may reuse the output.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "basis", rename_all = "snake_case")]
pub enum Basis {
    /// A program contributed to the output, so we do not know its dependencies. Such an output is
    /// never reused.
    #[default]
    Unknown,
    /// All dependencies are known.
    Known {
        /// Files and queries read by the step from the repository.
        reads: Vec<ReadRecord>,
        /// Other sources by name, such as the notebook, with their state at the time.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        others: BTreeMap<String, Digest>,
    },
}

/// A step's output, and the information for reusing it in a later run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Produced {
    /// The digest of the step's input. The output is only reusable for an equal input.
    pub input: Digest,
    /// The output, shared with dependent steps.
    pub output: Arc<Value>,
    /// See [`StepOutput::notes`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// See [`StepOutput::caveat`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caveat: Option<Caveat>,
    /// See [`StepOutput::basis`].
    #[serde(flatten)]
    pub basis: Arc<Basis>,
    /// If true, the output itself was taken from an earlier run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}

/// The outputs of an earlier run. Before the engine starts an attempt, it asks for the step here.
pub trait Earlier: Send + Sync {
    /// Returns the earlier output of the step at `path`, or `None` if it is no longer valid.
    ///
    /// An output is valid for the same kind and input, as long as its dependencies are unchanged.
    /// This may block, but has to give up once `cancel` is raised.
    fn output(&self, path: &str, uses: &str, input: &Digest, cancel: &Cancel)
    -> Option<StepOutput>;
}

/// Hashes the JSON of an input. We always build inputs from the document in the same order of keys,
/// so equal inputs have equal digests.
pub(crate) fn digest_of_input(input: &Value) -> Digest {
    let text = serde_json::to_vec(input).unwrap_or_default();
    Digest::of_bytes(&text)
}
