use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use windlass_packs::ViewRequest;
use windlass_plan::Given;

use crate::records::RunId;

/// What to run.
#[derive(Debug, Clone)]
pub struct RefreshRequest {
    /// The runbook's name, or its file.
    pub runbook: String,
    /// The folder that relative paths are meant from.
    pub start: PathBuf,
    /// Its inputs.
    pub inputs: BTreeMap<String, Given>,
    /// How much of it.
    pub part: Part,
    /// How many steps run at once; as many as there are threads if not said.
    pub jobs: Option<NonZeroUsize>,
    /// Whether the first failure ends the run.
    pub fail_fast: bool,
    /// Whether its steps may start programs, trusted or not.
    pub allow_commands: bool,
    /// How the pack is shown.
    pub view: ViewRequest,
}

/// How much of a runbook runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    #[default]
    Whole,
    /// The step of this id and what depends on it; of other steps the outputs of the runbook's newest run are
    /// kept where they still hold.
    From(String),
    /// The steps of these ids and what they need; the others are skipped.
    Only(Vec<String>),
    /// What is not there of a run, or no longer holds.
    Resume {
        /// The run.
        run: RunId,
        /// The steps that it was of, if it was not of all; see [`Part::Only`].
        only: Vec<String>,
    },
}
