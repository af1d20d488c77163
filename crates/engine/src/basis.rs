use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::{Cancel, Digest};
use windlass_repo::ReadRecord;

use crate::{Caveat, StepOutput};

/// The ground that an output rests on, beside the input of its step. It tells whether the output still holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "basis", rename_all = "snake_case")]
pub enum Basis {
    /// Nobody knows: a program had a say in it.
    #[default]
    Unknown,
    /// On this, and nothing else.
    Known {
        /// What was read of the repository.
        reads: Vec<ReadRecord>,
        /// What was read elsewhere, by name, with its state then: the notebook.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        others: BTreeMap<String, Digest>,
    },
}

/// The result of the attempt that completed a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Produced {
    /// The digest of its input.
    pub input: Digest,
    /// Its output.
    pub output: Arc<Value>,
    /// See [`StepOutput::notes`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// See [`StepOutput::caveat`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caveat: Option<Caveat>,
    /// The ground it rests on.
    #[serde(flatten)]
    pub basis: Arc<Basis>,
    /// True if it comes from an earlier run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}

/// Outputs of an earlier run, which serve as long as they hold.
pub trait Earlier: Send + Sync {
    /// What the step at `path`, of the kind `uses`, gave for an input with the digest `input`, if what it
    /// rests on is still the same. May block; gives up when `cancel` is called.
    fn output(&self, path: &str, uses: &str, input: &Digest, cancel: &Cancel)
    -> Option<StepOutput>;
}

/// The digest of a step's input. Its keys stand in one order only, since it was put together from one
/// document in one way.
pub(crate) fn digest_of_input(input: &Value) -> Digest {
    let text = serde_json::to_vec(input).unwrap_or_default();
    Digest::of_bytes(&text)
}
