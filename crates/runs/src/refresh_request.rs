use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use windlass_packs::ViewRequest;
use windlass_plan::Given;

use crate::records::RunId;

/// A request to run a runbook, for [`RunService::refresh`](crate::RunService::refresh).
#[derive(Debug, Clone)]
pub struct RefreshRequest {
    /// Name or file of the runbook.
    pub runbook: String,
    /// Base folder for relative paths.
    pub start: PathBuf,
    /// Values of the runbook's inputs, by name.
    pub inputs: BTreeMap<String, Given>,
    /// The steps to run.
    pub part: Part,
    /// Maximum number of steps to run at the same time, or `None` for one per thread.
    pub jobs: Option<NonZeroUsize>,
    /// True to end the run after the first failure, even if the runbook says that it should go on.
    pub fail_fast: bool,
    /// True to let steps start programs even if the user does not trust the runbook.
    pub allow_commands: bool,
    /// The format of the pack, and the limits for printing it.
    pub view: ViewRequest,
}

/// Selection of a runbook's steps to run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Part {
    /// All steps of the runbook.
    #[default]
    Whole,
    /// The step with this ID, and all steps that depend on it. The others reuse their outputs from
    /// the newest run as long as these are valid.
    From(String),
    /// The steps with these IDs, and everything they need. All others are skipped.
    Only(Vec<String>),
    /// The steps of a recorded run that have no valid output.
    Resume {
        /// ID of the run to resume.
        run: RunId,
        /// The steps to which that run was limited, if any. See [`Part::Only`].
        only: Vec<String>,
    },
}
