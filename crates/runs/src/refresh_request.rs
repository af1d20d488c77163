use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use windlass_packs::ViewRequest;
use windlass_plan::Given;

use crate::records::RunId;

/// A request to run a runbook.
#[derive(Debug, Clone)]
pub struct RefreshRequest {
    /// The runbook's name or file.
    pub runbook: String,
    /// The base folder for relative paths.
    pub start: PathBuf,
    /// Input values by name.
    pub inputs: BTreeMap<String, Given>,
    /// The part of the runbook to run.
    pub part: Part,
    /// Maximum number of steps running in parallel. Defaults to the number of threads.
    pub jobs: Option<NonZeroUsize>,
    /// True to end the run after the first failure.
    pub fail_fast: bool,
    /// True to let steps start programs even if the runbook isn't trusted.
    pub allow_commands: bool,
    /// Format and limits for printing the pack.
    pub view: ViewRequest,
}

/// Part of a runbook to run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Part {
    /// All steps of the runbook.
    #[default]
    Whole,
    /// The step with this id and its dependents. Other steps reuse outputs of the newest run where
    /// these are still valid.
    From(String),
    /// The steps with these ids and the steps they need. All others are skipped.
    Only(Vec<String>),
    /// The steps of a recorded run without a valid output.
    Resume {
        /// Id of the run to resume.
        run: RunId,
        /// The steps requested in that run, if it was limited. See [`Part::Only`].
        only: Vec<String>,
    },
}
