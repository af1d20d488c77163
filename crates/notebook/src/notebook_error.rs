use std::path::PathBuf;

use windlass_base::{Diagnostics, Ident};
use windlass_site::{ErrorKind, Explain};
use windlass_store::{LockError, StoreError};

use crate::anchor_exchange::SHARED_ANCHORS;

/// Error of reading, changing or exchanging the notebook, or of judging its anchors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotebookError {
    /// The user turned the notebook off with `WINDLASS_NOTEBOOK=off`.
    #[error("the notebook is switched off (`WINDLASS_NOTEBOOK=off`); unset it to use the notebook")]
    SwitchedOff,
    /// The notebook file cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another process holds the lock of the notebook.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The notebook belongs to another repository.
    #[error(
        "the notebook at {} belongs to another repository ({found}, this one is {expected}) and was not changed; \
         move it away if it was copied there by mistake", path.display()
    )]
    Foreign {
        /// The notebook file.
        path: PathBuf,
        /// Repository to which the notebook belongs.
        found: String,
        /// Current repository.
        expected: String,
    },
    /// The notebook belongs to a repository that was at this location before.
    #[error(
        "the notebook at {} belongs to the repository that was in this place before, with other first \
         commits, and was not changed; move it aside to start a new one", path.display()
    )]
    Replaced {
        /// The notebook file of the former repository.
        path: PathBuf,
    },
    /// It is unknown whether the repository that was at this location before is this one.
    #[error(
        "the notebook at {} may belong to another repository that was in this place before: the first commits of \
         this one are not known; it was not changed; move it aside to start a new one",
        path.display()
    )]
    Unproven {
        /// The notebook file of the former repository.
        path: PathBuf,
    },
    /// An anchor of this name already exists.
    #[error("anchor `{0}` exists already; remove it first, or replace it with `--replace`")]
    Exists(Ident),
    /// No anchor has this name.
    #[error("no anchor `{id}`{}", did_you_mean(similar.as_deref()))]
    NoSuchAnchor {
        /// Requested name.
        id: String,
        /// Most similar name of an existing anchor.
        similar: Option<String>,
    },
    /// No runbook has this name.
    #[error("no runbook `{id}` in the notebook{}", did_you_mean(similar.as_deref()))]
    NoSuchRunbook {
        /// Requested name.
        id: String,
        /// Most similar name of an existing runbook.
        similar: Option<String>,
    },
    /// The notebook would contain too many anchors.
    #[error("a notebook holds at most {limit} anchors; remove some that are no longer needed")]
    TooManyAnchors {
        /// Maximum number of anchors.
        limit: usize,
    },
    /// The notebook would contain too many runbooks.
    #[error(
        "a notebook holds at most {limit} runbooks; remove some that are no longer needed, or keep them as files in \
         `runbooks/`"
    )]
    TooManyRunbooks {
        /// Maximum number of runbooks.
        limit: usize,
    },
    /// A runbook is too large.
    #[error(
        "runbook `{id}` has {bytes} bytes, and a notebook takes at most {limit} of one; split it, or keep it as a file \
         in `runbooks/`"
    )]
    LongRunbook {
        /// Name of the runbook.
        id: Ident,
        /// Size of the runbook, in bytes.
        bytes: usize,
        /// Maximum size of a runbook, in bytes.
        limit: usize,
    },
    /// The notebook would be too large.
    #[error(
        "the notebook would have {bytes} bytes, more than the {limit} allowed; nothing was changed: remove anchors and \
         runbooks that are no longer needed"
    )]
    TooLarge {
        /// Size that the notebook would have, in bytes.
        bytes: u64,
        /// Maximum size of a notebook, in bytes.
        limit: u64,
    },
    /// The evidence to relocate is no longer at its former location.
    #[error(
        "anchor `{id}` no longer points to {place}: it changed meanwhile; run the command again"
    )]
    GroundedElsewhere {
        /// Name of the anchor.
        id: Ident,
        /// Location that the caller wanted to replace.
        place: String,
    },
    /// The saved anchor cannot be read, so an update without a location has no evidence to keep.
    #[error(
        "anchor `{0}` is in the notebook but cannot be read; add its place (`at: [FILE:LINES]`) to save it again, or delete it"
    )]
    Senseless(Ident),
    /// A new anchor has no location.
    #[error("new anchor `{0}` needs a place: `at: [FILE:LINES]`")]
    NoPlace(Ident),
    /// A runbook uses the entry to delete.
    #[error(
        "{what} cannot be deleted: it is used by {}; change or delete what uses it first, or in the same transaction",
        .users.join(", ")
    )]
    Used {
        /// Entry to delete.
        what: String,
        /// Runbooks that use the entry, as the user knows them.
        users: Vec<String>,
    },
    /// The notebook changed since it was read.
    #[error("the notebook is at revision {found}, not at {expected}{}{}", if since.is_empty() { "" } else { ": " }, since.join("; "))]
    Changed {
        /// Revision that the caller expected.
        expected: u64,
        /// Current revision of the notebook.
        found: u64,
        /// Descriptions of the stored revisions in between.
        since: Vec<String>,
    },
    /// The repository that should adopt a notebook already has one.
    #[error("this repository has a notebook already: {}; move it aside to adopt another", path.display())]
    Inhabited {
        /// The existing notebook file.
        path: PathBuf,
    },
    /// The requested revision is not stored.
    #[error("revision {revision} is not stored{}", kept_in_words(kept))]
    NoSuchRevision {
        /// Number of the requested revision.
        revision: u64,
        /// Stored revisions, in order.
        kept: Vec<u64>,
    },
    /// The stored revision is damaged.
    #[error("revision {revision}, in `{}`, is damaged: {why}", path.display())]
    DamagedRevision {
        /// Number of the damaged revision.
        revision: u64,
        /// File that contains the revision.
        path: PathBuf,
        /// Description of the damage.
        why: String,
    },
    /// An anchor has no valid evidence.
    #[error("anchor `{0}` has no evidence")]
    NoEvidence(Ident),
    /// The check was cancelled.
    #[error("stopped before all anchors were checked")]
    Stopped,
    /// No anchor or runbook can have this state.
    #[error("unknown state `{state}`{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchState {
        /// Name of the requested state.
        state: String,
        /// Most similar state.
        similar: Option<String>,
        /// All known states.
        known: Vec<String>,
    },
    /// A transaction contains invalid operations.
    #[error("{found}")]
    Transaction {
        /// All errors, with positions.
        found: Diagnostics,
        /// Category that all errors have in common, or `Invalid` if they differ.
        kind: ErrorKind,
    },
    /// The caller and the transaction require different revisions.
    #[error(
        "`--if-revision` is {given}, but the transaction itself requires {written}; remove one of them"
    )]
    TwoRevisions {
        /// Revision given by the caller.
        given: u64,
        /// Revision in the transaction.
        written: u64,
    },
    /// The text is not a location.
    #[error("{0}")]
    NamesNoPlace(String),
    /// The lines do not have the given hash.
    #[error(
        "the lines {0} do not have the given hash; omit `source_hash` to capture them as they are"
    )]
    OtherLines(String),
    /// The first commits of this repository are unknown, so no notebook can be found for adoption.
    #[error(
        "no notebook can be adopted: the first commits of this repository are not known; \
         it is outside of git, has no commits yet, or has an incomplete history (`git fetch --unshallow` completes it)"
    )]
    UnknownLineage,
    /// There is no notebook to adopt.
    #[error("no other repository with the same first commits has a notebook{}", if .0.is_empty() { String::new() } else { format!(" in that place; available notebooks: {}", .0.join(", ")) })]
    NothingToAdopt(Vec<String>),
    /// More than one notebook could be adopted.
    #[error("several notebooks can be adopted: {}; name one with `--repo`", .0.join(", "))]
    SeveralToAdopt(Vec<String>),
    /// The repository has no file of shared anchors.
    #[error("nothing to import: this repository has no `{SHARED_ANCHORS}`")]
    NothingHandedOver,
    /// The name is neither in the notebook nor in the shared file.
    #[error("no anchor or runbook `{id}` to export or import{}", .similar.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NothingToHandOver {
        /// Name that was requested.
        id: String,
        /// Most similar known name.
        similar: Option<String>,
    },
    /// The entry is only in the notebook and was never shared.
    #[error("`{0}` is only in your notebook: `{SHARED_ANCHORS}` does not have it")]
    NotHandedOver(String),
    /// The suggestions changed after the user saw them.
    #[error("the suggestions changed with the files; nothing was saved")]
    SuggestionsChanged,
    /// There is no suggestion of this name.
    #[error("no suggestion `{0}`")]
    NotSuggested(String),
    /// A text of an anchor contains a secret value.
    #[error("the {field} of this anchor holds a secret value; remove the value")]
    SecretWords {
        /// Field that contains the value.
        field: &'static str,
    },
    /// The notebook contains a value that cannot be written as JSON.
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
        [] => "; no revision is stored".to_owned(),
        [only] => format!("; only revision {only} is stored"),
        [first, .., last] => format!("; stored revisions: {first} to {last}"),
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
            Self::NoSuchAnchor { .. } => "run `windlass anchor list` to see all anchors",
            Self::NoSuchRunbook { .. } => "run `windlass notebook show` to see all runbooks",
            Self::NoSuchRevision { .. } => "run `windlass notebook history` to see all revisions",
            Self::Changed { .. } => "run `windlass notebook show`, and try again with its revision",
            Self::Store(StoreError::Malformed { .. }) => {
                "run `windlass notebook history` to see the stored revisions, and `windlass notebook rollback` to restore one"
            }
            Self::NothingHandedOver => {
                "`windlass notebook export` writes it, if the notebook has entries; `windlass suggest` \
                 proposes what to save"
            }
            Self::NothingToHandOver { .. } => "run `windlass notebook show` to see all entries",
            Self::SuggestionsChanged | Self::NotSuggested(_) => {
                "run `windlass suggest` to see the current suggestions"
            }
            Self::NoSuchState { known, .. } => {
                return Some(format!("known states: {}", known.join(", ")));
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
