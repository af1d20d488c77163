use std::path::PathBuf;

use windlass_base::{Diagnostics, Ident};
use windlass_site::{ErrorKind, Explain};
use windlass_store::{LockError, StoreError};

use crate::anchor_exchange::SHARED_ANCHORS;

/// Why the notebook could not be read or changed, its anchors not judged, or another job on it not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotebookError {
    /// `WINDLASS_NOTEBOOK=off`.
    #[error("the notebook is switched off (`WINDLASS_NOTEBOOK=off`); unset it to use the notebook")]
    SwitchedOff,
    /// The file cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Somebody else is writing.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The file belongs to another repository.
    #[error(
        "the notebook at {} belongs to another repository ({found}, this one is {expected}); it was left as it is. \
         Move it away if it was copied there by mistake", path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The repository it belongs to.
        found: String,
        /// The repository at hand.
        expected: String,
    },
    /// Another repository lay here before.
    #[error(
        "the notebook at {} belongs to the repository that was in this place before: this one has other first \
         commits; it was left as it is. Move it aside to begin a new one", path.display()
    )]
    Replaced {
        /// The file.
        path: PathBuf,
    },
    /// Nothing proves that the repository that lay here before is this one.
    #[error(
        "the notebook at {} belongs to the repository that was in this place before, and nothing proves that it is \
         this one: its first commits are not known; it was left as it is. Move it aside to begin a new one",
        path.display()
    )]
    Unproven {
        /// The file.
        path: PathBuf,
    },
    /// An anchor of that name is there already.
    #[error("there is an anchor `{0}` already; remove it first, or replace it with `--replace`")]
    Exists(Ident),
    /// No anchor of that name.
    #[error("there is no anchor `{id}`{}", did_you_mean(similar.as_deref()))]
    NoSuchAnchor {
        /// The name that was given.
        id: String,
        /// The nearest one there is.
        similar: Option<String>,
    },
    /// No runbook of that name.
    #[error("there is no runbook `{id}` in the notebook{}", did_you_mean(similar.as_deref()))]
    NoSuchRunbook {
        /// The name that was given.
        id: String,
        /// The nearest one there is.
        similar: Option<String>,
    },
    /// More anchors than one notebook holds.
    #[error("a notebook holds at most {limit} anchors; remove some that are no longer needed")]
    TooManyAnchors {
        /// The limit.
        limit: usize,
    },
    /// More runbooks than one notebook holds.
    #[error(
        "a notebook holds at most {limit} runbooks; remove some that are no longer needed, or keep them as files in \
         `runbooks/`"
    )]
    TooManyRunbooks {
        /// The limit.
        limit: usize,
    },
    /// A runbook that is longer than one in a notebook may be.
    #[error(
        "runbook `{id}` has {bytes} bytes, and a notebook takes at most {limit} of one; split it, or keep it as a file \
         in `runbooks/`"
    )]
    LongRunbook {
        /// Its name.
        id: Ident,
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// A notebook that would be too large to be read again.
    #[error(
        "the notebook would have {bytes} bytes, more than the {limit} allowed; nothing was changed: remove anchors and \
         runbooks that are no longer needed"
    )]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// What is to be given a new place is no longer where it was.
    #[error(
        "anchor `{id}` no longer points to {place}: somebody changed it meanwhile; run it again"
    )]
    GroundedElsewhere {
        /// The anchor.
        id: Ident,
        /// Where it was.
        place: String,
    },
    /// What is saved under the name cannot be read, so that there is nothing to keep of it.
    #[error(
        "anchor `{0}` is in the notebook, and cannot be read: say where it is (`at: [FILE:LINES]`) to save it anew, or delete it"
    )]
    Senseless(Ident),
    /// A new anchor has to say where it is grounded.
    #[error("there is no anchor `{0}` yet, so it has to say where it is: `at: [FILE:LINES]`")]
    NoPlace(Ident),
    /// Something is used by a runbook.
    #[error(
        "{what} cannot be deleted: it is used by {}; change or delete what uses it first, or in the same transaction",
        .users.join(", ")
    )]
    Used {
        /// What was to be deleted.
        what: String,
        /// The runbooks that use it, as the user knows them.
        users: Vec<String>,
    },
    /// Somebody changed the notebook since it was looked at.
    #[error("the notebook is at revision {found}, not at {expected}{}{}", if since.is_empty() { "" } else { ": " }, since.join("; "))]
    Changed {
        /// The revision that was looked at.
        expected: u64,
        /// The one there is.
        found: u64,
        /// What is known of those in between.
        since: Vec<String>,
    },
    /// A repository that is to adopt a notebook has one.
    #[error("this repository has a notebook already, at {}; it was left as it is. Move it aside to adopt another", path.display())]
    Inhabited {
        /// The file.
        path: PathBuf,
    },
    /// A revision that is not kept.
    #[error("revision {revision} is not kept{}", kept_in_words(kept))]
    NoSuchRevision {
        /// What was asked for.
        revision: u64,
        /// What there is, in order.
        kept: Vec<u64>,
    },
    /// A kept revision that cannot be read as a whole.
    #[error("revision {revision}, in `{}`, is damaged: {why}", path.display())]
    DamagedRevision {
        /// Its number.
        revision: u64,
        /// Its file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// An anchor without evidence, or with none that makes sense.
    #[error("anchor `{0}` has no evidence")]
    NoEvidence(Ident),
    /// Somebody asked to stop.
    #[error("stopped before all anchors were judged")]
    Stopped,
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
    NamesNoPlace(String),
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
    /// A value that has no JSON form.
    #[error("the notebook cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

fn did_you_mean(similar: Option<&str>) -> String {
    similar
        .map(|name| format!("; did you mean `{name}`?"))
        .unwrap_or_default()
}

fn kept_in_words(kept: &[u64]) -> String {
    match kept {
        [] => "; none is".to_owned(),
        [only] => format!("; only revision {only} is"),
        [first, .., last] => format!("; those from {first} to {last} are"),
    }
}

impl Explain for NotebookError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Lock(error) => error.kind(),
            Self::NotSuggested(_)
            | Self::NothingToAdopt(_)
            | Self::UnknownLineage
            | Self::NothingHandedOver
            | Self::NothingToHandOver { .. }
            | Self::NotHandedOver(_)
            | Self::NoSuchAnchor { .. }
            | Self::NoSuchRunbook { .. }
            | Self::NoSuchRevision { .. } => ErrorKind::NotFound,
            Self::SwitchedOff
            | Self::SecretWords { .. }
            | Self::Used { .. }
            | Self::Foreign { .. }
            | Self::Replaced { .. }
            | Self::Unproven { .. } => ErrorKind::Refused,
            Self::Exists(_)
            | Self::SuggestionsChanged
            | Self::Inhabited { .. }
            | Self::Changed { .. }
            | Self::GroundedElsewhere { .. } => ErrorKind::Conflict,
            Self::Transaction { kind, .. } => *kind,
            Self::NoEvidence(_)
            | Self::TwoRevisions { .. }
            | Self::SeveralToAdopt(_)
            | Self::NoSuchState { .. }
            | Self::NamesNoPlace(_)
            | Self::OtherLines(_)
            | Self::NoPlace(_)
            | Self::Senseless(_)
            | Self::TooManyAnchors { .. }
            | Self::TooManyRunbooks { .. }
            | Self::LongRunbook { .. }
            | Self::TooLarge { .. } => ErrorKind::Invalid,
            _ => ErrorKind::Failed,
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::NoSuchAnchor { .. } => "`windlass anchor list` names those there are",
            Self::NoSuchRunbook { .. } => "`windlass notebook show` names those there are",
            Self::NoSuchRevision { .. } => "`windlass notebook history` names those there are",
            Self::Changed { .. } => {
                "look at it with `windlass notebook show`, and try again with the revision it is at"
            }
            Self::Store(StoreError::Malformed { .. }) => {
                "`windlass notebook history` names what is kept of it, and `windlass notebook rollback` brings that back"
            }
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
