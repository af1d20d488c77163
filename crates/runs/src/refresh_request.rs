use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use windlass_packs::ViewRequest;
use windlass_plan::Given;

use crate::records::RunId;

/// Request to run a runbook.
#[derive(Debug, Clone)]
pub struct RefreshRequest {
    /// Name or file of the runbook.
    pub runbook: String,
    /// Folder that relative paths refer to.
    pub start: PathBuf,
    /// Values of the inputs, by name.
    pub inputs: BTreeMap<String, Given>,
    /// Part of the runbook to run.
    pub part: Part,
    /// Maximum number of steps that run in parallel. Defaults to the number of threads.
    pub jobs: Option<NonZeroUsize>,
    /// True if the run ends after the first failure.
    pub fail_fast: bool,
    /// True if steps may start programs even if the runbook is not trusted.
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
    /// The step with this id and the steps that depend on it. Other steps reuse the outputs of the newest run that are
    /// still valid.
    From(String),
    /// The steps with these ids and the steps that they need. The other steps are skipped.
    Only(Vec<String>),
    /// The steps of a recorded run that have no valid output.
    Resume {
        /// Id of the run to resume.
        run: RunId,
        /// Requested steps of that run if it was limited. See [`Part::Only`].
        only: Vec<String>,
    },
}
