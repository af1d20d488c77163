use windlass_plan::InputError;
use windlass_site::{ErrorKind, Explain};

/// Errors when running a runbook, or when finding and reading the record of a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// No run has this id.
    #[error("no run `{name}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchRun {
        /// The requested id, or the start of one.
        name: String,
        /// The most similar id of an existing run.
        similar: Option<String>,
        /// True if there are any runs.
        any: bool,
    },
    /// The start of an id matches several runs.
    #[error("`{name}` matches several runs, from `{second}` to `{first}`: give more of the id")]
    AmbiguousRun {
        /// The requested start of an id.
        name: String,
        /// Id of the newest matching run.
        first: String,
        /// Id of the oldest matching run.
        second: String,
    },
    /// The record was written by a newer Windlass.
    #[error(
        "the record of run `{id}` has schema version {found}, but this windlass knows versions up to {supported}; \
         update windlass to use it"
    )]
    NewerRecord {
        /// The run's id.
        id: String,
        /// The record's version.
        found: u32,
        /// The newest version supported by this Windlass.
        supported: u32,
    },
    /// A record's first line cannot be read.
    #[error("the record of run `{0}` has a damaged first line")]
    DamagedRecord(String),
    /// Needed inputs were not recorded.
    #[error("the values of these inputs are not recorded because they contain secrets: {}", .0.join(", "))]
    WithheldInputs(Vec<String>),
    /// No earlier run of this runbook is recorded.
    #[error("no recorded run of `{0}` has outputs to reuse")]
    NoEarlierRun(String),
    /// The runbook has no such step.
    #[error("unknown step `{name}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchStep {
        /// The requested step id.
        name: String,
        /// The most similar id of an existing step.
        similar: Option<String>,
        /// Ids of all steps in the runbook.
        known: Vec<String>,
    },
    /// A run's record contains no pack.
    #[error(
        "run `{0}` has no pack: it ended early, is still running, or a file name in its pack contains a secret value"
    )]
    NoPack(String),
    /// There are fewer than two comparable runs.
    #[error(
        "fewer than two recorded runs {}to compare{}",
        runbook.as_ref().map(|name| format!("of `{name}` ")).unwrap_or_default(),
        if *other_inputs { ": none have the same inputs" } else { "" }
    )]
    NothingToCompare {
        /// The runbook to which the comparison is limited.
        runbook: Option<String>,
        /// True if there are at least two runs, but with different inputs.
        other_inputs: bool,
    },
    /// The given inputs do not match those declared by the runbook.
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
