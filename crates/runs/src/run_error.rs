use windlass_plan::InputError;
use windlass_site::{ErrorKind, Explain};

/// Why a run, or a record of one, could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// There is no such run.
    #[error("no run `{name}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchRun {
        /// Id, or start of an id, that was requested.
        name: String,
        /// Nearest existing run.
        similar: Option<String>,
        /// True if there are any runs.
        any: bool,
    },
    /// The name matches several runs.
    #[error("`{name}` matches several runs, from `{second}` to `{first}`: give more of the id")]
    AmbiguousRun {
        /// Start of an id that was requested.
        name: String,
        /// Id of the newest run that matches.
        first: String,
        /// Id of the oldest run that matches.
        second: String,
    },
    /// A newer Windlass wrote the record of a run.
    #[error(
        "the record of run `{id}` has schema version {found}, but this windlass knows versions up to {supported}; \
         update windlass to use it"
    )]
    NewerRecord {
        /// The id of the run.
        id: String,
        /// Version of the record's format.
        found: u32,
        /// The newest version this program knows.
        supported: u32,
    },
    /// The beginning of a record cannot be read.
    #[error("the record of run `{0}` has a damaged first line")]
    DamagedRecord(String),
    /// Inputs of a run were not recorded.
    #[error("the values of these inputs are not recorded because they contain secrets: {}", .0.join(", "))]
    WithheldInputs(Vec<String>),
    /// A runbook has not been run before.
    #[error("no recorded run of `{0}` has outputs to reuse")]
    NoEarlierRun(String),
    /// A runbook has no such step.
    #[error("unknown step `{name}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchStep {
        /// Name of the step that was requested.
        name: String,
        /// Nearest existing step.
        similar: Option<String>,
        /// All there are.
        known: Vec<String>,
    },
    /// A run did not come to a pack.
    #[error(
        "run `{0}` has no pack: it ended early, is still running, or a file name in its pack contains a secret value"
    )]
    NoPack(String),
    /// There are no two runs to compare.
    #[error(
        "fewer than two recorded runs {}to compare{}",
        runbook.as_ref().map(|name| format!("of `{name}` ")).unwrap_or_default(),
        if *other_inputs { ": none have the same inputs" } else { "" }
    )]
    NothingToCompare {
        /// Runbook to which the comparison is limited, if any.
        runbook: Option<String>,
        /// True if there would be two with other inputs.
        other_inputs: bool,
    },
    /// The given inputs do not match.
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
