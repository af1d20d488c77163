use windlass_plan::InputError;
use windlass_site::{ErrorKind, Explain};

/// Why a run, or a record of one, could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// There is no such run.
    #[error("there is no run `{name}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchRun {
        /// What was asked for.
        name: String,
        /// The nearest there is.
        similar: Option<String>,
        /// Whether there is any.
        any: bool,
    },
    /// Several runs are meant.
    #[error("several runs begin with `{name}`, from `{second}` to `{first}`; write more of it")]
    AmbiguousRun {
        /// What was asked for.
        name: String,
        /// The newest.
        first: String,
        /// The oldest.
        second: String,
    },
    /// A newer Windlass wrote the record of a run.
    #[error(
        "the record of run `{id}` has schema version {found}, but this windlass knows versions up to {supported}; \
         update windlass to use it"
    )]
    NewerRecord {
        /// The run.
        id: String,
        /// Its version.
        found: u32,
        /// The newest version this program knows.
        supported: u32,
    },
    /// The beginning of a record cannot be read.
    #[error(
        "the record of run `{0}` does not begin as it should, so nothing can be said of the run"
    )]
    DamagedRecord(String),
    /// Inputs of a run were not recorded.
    #[error("the values of these inputs are not in the record, since they hold secrets: {}", .0.join(", "))]
    WithheldInputs(Vec<String>),
    /// A runbook has not been run before.
    #[error("there is no recorded run of `{0}` whose outputs could be kept")]
    NoEarlierRun(String),
    /// A runbook has no such step.
    #[error("there is no step `{name}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchStep {
        /// What was asked for.
        name: String,
        /// The nearest there is.
        similar: Option<String>,
        /// All there are.
        known: Vec<String>,
    },
    /// A run did not come to a pack.
    #[error(
        "run `{0}` has no pack: it ended before it came to that, goes on, or the name of a file in its pack holds a secret value"
    )]
    NoPack(String),
    /// There are no two runs to compare.
    #[error(
        "there are no two recorded runs {}to compare{}",
        runbook.as_ref().map(|name| format!("of `{name}` ")).unwrap_or_default(),
        if *other_inputs { ": no two had the same inputs" } else { "" }
    )]
    NothingToCompare {
        /// The runbook.
        runbook: Option<String>,
        /// Whether there would be two, had they had the same inputs.
        other_inputs: bool,
    },
    /// The inputs that were given do not fit.
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
                "`windlass runs list` names those there are"
            }
            Self::NothingToCompare { .. } => {
                "runs of some steps, runs that were refused or stopped, and runs with other inputs are compared where both \
                 are named: `windlass runs diff OLD NEW`"
            }
            Self::NoSuchRun { any: false, .. } | Self::NoEarlierRun(_) => {
                "runs are recorded as they are made, for each working tree, unless `WINDLASS_RUNS` switches that off"
            }
            Self::NoPack(_) => "`windlass runs resume` finishes a run that was interrupted",
            Self::NoSuchStep { known, .. } => {
                return Some(format!("there are: {}", known.join(", ")));
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
