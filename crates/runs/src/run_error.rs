//! Errors of runs and their records.

use windlass_plan::InputError;
use windlass_site::{ErrorKind, Explain};

/// Reason why a runbook cannot be run, or a run's record cannot be found or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// No run has this ID.
    #[error("no run `{name}`{}", windlass_base::similar_hint(.similar.as_ref()))]
    NoSuchRun {
        /// The ID or its beginning, as given by the user.
        name: String,
        /// The most similar ID, if any is similar enough.
        similar: Option<String>,
        /// True if there are any runs, so that it is worth listing them.
        any: bool,
    },
    /// The beginning of an ID matches several runs.
    #[error("`{name}` matches several runs, from `{second}` to `{first}`: give more of the id")]
    AmbiguousRun {
        /// The start of an ID as given by the user.
        name: String,
        /// ID of the newest matching run.
        first: String,
        /// ID of the oldest matching run.
        second: String,
    },
    /// The record was written by a newer version of Windlass.
    #[error(
        "the record of run `{id}` has schema version {found}, but this windlass knows versions up to {supported}; \
         update windlass to use it"
    )]
    NewerRecord {
        /// ID of the run.
        id: String,
        /// Version of the record format.
        found: u32,
        /// The newest version supported by this build.
        supported: u32,
    },
    /// The first line of a record cannot be read.
    #[error("the record of run `{0}` has a damaged first line")]
    DamagedRecord(String),
    /// The run cannot be resumed, because some of its inputs contain secrets and were not recorded.
    #[error("the values of these inputs are not recorded because they contain secrets: {}", .0.join(", "))]
    WithheldInputs(Vec<String>),
    /// There is no earlier run of this runbook.
    #[error("no recorded run of `{0}` has outputs to reuse")]
    NoEarlierRun(String),
    /// The runbook does not define a step with this ID.
    #[error("unknown step `{name}`{}", windlass_base::similar_hint(.similar.as_ref()))]
    NoSuchStep {
        /// The ID as given by the user.
        name: String,
        /// The most similar ID, if any is similar enough.
        similar: Option<String>,
        /// IDs of all steps in the runbook.
        known: Vec<String>,
    },
    /// The run was recorded without a pack.
    #[error(
        "run `{0}` has no pack: it ended early, is still running, or a file name in its pack contains a secret value"
    )]
    NoPack(String),
    /// Fewer than two runs are comparable.
    #[error(
        "fewer than two recorded runs {}to compare{}",
        runbook.as_ref().map(|name| format!("of `{name}` ")).unwrap_or_default(),
        if *other_inputs { ": none have the same inputs" } else { "" }
    )]
    NothingToCompare {
        /// The runbook given by the user, if any.
        runbook: Option<String>,
        /// True if there are at least two runs, but with different inputs.
        other_inputs: bool,
    },
    /// The inputs do not match the runbook's declarations.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Inputs(Vec<InputError>),
}

impl Explain for RunError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoSuchRun { .. }
            | Self::NoPack(_)
            | Self::NothingToCompare { .. }
            | Self::NoEarlierRun(_) => ErrorKind::NotFound,
            Self::Inputs(_)
            | Self::AmbiguousRun { .. }
            | Self::NoSuchStep { .. }
            | Self::WithheldInputs(_) => ErrorKind::Invalid,
            Self::NewerRecord { .. } | Self::DamagedRecord(_) => ErrorKind::Failed,
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::NoSuchRun { any: true, .. } | Self::AmbiguousRun { .. } => {
                "run `windlass runs list` to see all runs"
            }
            Self::NothingToCompare { .. } => {
                "runs of some steps, refused or stopped runs, and runs with other inputs are compared only if both \
                 are named: `windlass runs diff OLD NEW`"
            }
            Self::NoSuchRun { any: false, .. } | Self::NoEarlierRun(_) => {
                "every run is recorded for its working tree, unless `WINDLASS_RUNS` turns that off"
            }
            Self::NoPack(_) => "finish an interrupted run with `windlass runs resume`",
            Self::NoSuchStep { known, .. } => {
                return Some(format!("known steps: {}", known.join(", ")));
            }
            Self::WithheldInputs(names) => {
                let again = names.iter().map(|name| format!("`--input {name}=…`"));
                return Some(format!(
                    "give them again: {}",
                    again.collect::<Vec<_>>().join(" ")
                ));
            }
            _ => return None,
        };
        Some(help.to_owned())
    }
}
