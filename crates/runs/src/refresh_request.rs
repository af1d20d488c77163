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
    /// Number of parallel steps; the number of threads by default.
    pub jobs: Option<NonZeroUsize>,
    /// True if the first failure ends the run.
    pub fail_fast: bool,
    /// True if its steps may start programs without trust.
    pub allow_commands: bool,
    /// Presentation of the pack.
    pub view: ViewRequest,
}

/// Part of a runbook to run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Part {
    /// All steps of the runbook.
    #[default]
    Whole,
    /// The step with this id and its dependents; other steps reuse the outputs of the newest run that are still valid.
    From(String),
    /// The steps with these ids and their needs; the others are skipped.
    Only(Vec<String>),
    /// Missing or outdated parts of a run.
    Resume {
        /// Id of the run to resume.
        run: RunId,
        /// Its steps, if it was limited; see [`Part::Only`].
        only: Vec<String>,
    },
}
