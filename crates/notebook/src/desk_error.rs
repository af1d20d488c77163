use windlass_base::Diagnostics;
use windlass_site::{ErrorKind, Explain};

use crate::shared::SHARED_ANCHORS;

/// Why a job on the notebook could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeskError {
    /// A state that neither anchors nor runbooks can be in.
    #[error("there is no state `{state}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchState {
        /// What was asked for.
        state: String,
        /// The nearest there is.
        similar: Option<String>,
        /// All there are.
        known: Vec<String>,
    },
    /// What is to be done to the notebook cannot be done.
    #[error("{found}")]
    Transaction {
        /// All that is wrong, with places.
        found: Diagnostics,
        /// What it means: the same for all of it, or that it is invalid.
        kind: ErrorKind,
    },
    /// Two revisions that the notebook must be at.
    #[error(
        "`--if-revision` says {given}, and the transaction itself says {written}; leave one of them out"
    )]
    TwoRevisions {
        /// What was given.
        given: u64,
        /// What the transaction says.
        written: u64,
    },
    /// A text that names no place of an anchor.
    #[error("{0}")]
    NoPlace(String),
    /// Lines that do not have the hash they are said to have.
    #[error(
        "the lines {0} do not have the hash that is given; capture them as they are by leaving `source_hash` out"
    )]
    OtherLines(String),
    /// Nobody can say which notebooks could be adopted.
    #[error(
        "the first commits of this repository are not known, so that no notebook of another place can be said to be its own: \
         it lies outside of git, has no commits yet, or not all of its history (`git fetch --unshallow` gets that)"
    )]
    UnknownLineage,
    /// There is no notebook that could be adopted.
    #[error("no other repository with the same first commits has a notebook{}", if .0.is_empty() { String::new() } else { format!(" in that place; there are those of {}", .0.join(", ")) })]
    NothingToAdopt(Vec<String>),
    /// There are several notebooks that could be adopted.
    #[error("several notebooks may be meant: those of {}; name one with `--from`", .0.join(", "))]
    SeveralToAdopt(Vec<String>),
    /// Nothing is handed over in this repository.
    #[error(
        "there is no `{SHARED_ANCHORS}` in this repository, so nothing was handed over to take over"
    )]
    NothingHandedOver,
    /// A name that is neither in the notebook nor in what is handed over.
    #[error("there is neither an anchor nor a runbook `{id}` to hand over or take over{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NothingToHandOver {
        /// What was asked for.
        id: String,
        /// The nearest there is.
        similar: Option<String>,
    },
    /// A name that is in the notebook, and was never handed over.
    #[error("`{0}` is in your notebook alone: `{SHARED_ANCHORS}` does not have it")]
    NotHandedOver(String),
    /// What is suggested is no longer what somebody looked at.
    #[error("the files changed since, and with them what is suggested; nothing was saved")]
    SuggestionsChanged,
    /// A name that no suggestion has.
    #[error("nothing called `{0}` is suggested")]
    NotSuggested(String),
    /// Words of an anchor that hold what is kept nowhere.
    #[error(
        "the {field} of this anchor holds a secret value, and notebooks keep none: say it in other words"
    )]
    SecretWords {
        /// Which.
        field: &'static str,
    },
}

impl Explain for DeskError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotSuggested(_)
            | Self::NothingToAdopt(_)
            | Self::UnknownLineage
            | Self::NothingHandedOver
            | Self::NothingToHandOver { .. }
            | Self::NotHandedOver(_) => ErrorKind::NotFound,
            Self::SecretWords { .. } => ErrorKind::Refused,
            Self::SuggestionsChanged => ErrorKind::Conflict,
            Self::Transaction { kind, .. } => *kind,
            Self::TwoRevisions { .. }
            | Self::SeveralToAdopt(_)
            | Self::NoSuchState { .. }
            | Self::NoPlace(_)
            | Self::OtherLines(_) => ErrorKind::Invalid,
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::NothingHandedOver => {
                "`windlass notebook export` writes it, where somebody has something saved; `windlass notebook suggest` \
                 proposes what to save"
            }
            Self::NothingToHandOver { .. } => "`windlass notebook show` names what is saved",
            Self::SuggestionsChanged | Self::NotSuggested(_) => {
                "`windlass notebook suggest` lists what is suggested now"
            }
            Self::NoSuchState { known, .. } => {
                return Some(format!("there are: {}", known.join(", ")));
            }
            _ => return None,
        };
        Some(help.to_owned())
    }
    fn found(&self) -> Option<&Diagnostics> {
        match self {
            Self::Transaction { found, .. } => Some(found),
            _ => None,
        }
    }
}
