//! The errors of the notebook, and the advice shown with them.

use std::path::PathBuf;

use windlass_base::{Diagnostics, Ident};
use windlass_site::{ErrorKind, Explain};
use windlass_store::{LockError, StoreError};

use crate::anchor_exchange::SHARED_ANCHORS;

/// A failure to read, change or exchange the notebook, or to judge its anchors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotebookError {
    /// The user has turned the notebook off with `WINDLASS_NOTEBOOK=off`.
    #[error("the notebook is switched off (`WINDLASS_NOTEBOOK=off`); unset it to use the notebook")]
    SwitchedOff,
    /// The notebook file is not readable or writable.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another process holds the notebook's lock.
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
        /// The notebook's repository.
        found: String,
        /// The current repository.
        expected: String,
    },
    /// The notebook belongs to a different repository, formerly at this location.
    #[error(
        "the notebook at {} belongs to the repository that was in this place before, with other first \
         commits, and was not changed; move it aside to start a new one", path.display()
    )]
    Replaced {
        /// The former repository's notebook file.
        path: PathBuf,
    },
    /// The notebook was written by a repository at this location, but we cannot tell if it is this
    /// repository, e.g. because this one has no commits yet.
    #[error(
        "the notebook at {} may belong to another repository that was in this place before: the first commits of \
         this one are not known; it was not changed; move it aside to start a new one",
        path.display()
    )]
    Unproven {
        /// The former repository's notebook file.
        path: PathBuf,
    },
    /// An anchor of this name already exists, and the caller does not want to replace it.
    #[error("anchor `{0}` exists already; remove it first, or replace it with `--replace`")]
    Exists(Ident),
    /// No anchor has this name.
    #[error("no anchor `{id}`{}", windlass_base::similar_hint(.similar.as_ref()))]
    NoSuchAnchor {
        /// The requested name.
        id: String,
        /// The most similar name of an existing anchor.
        similar: Option<String>,
    },
    /// No runbook has this name.
    #[error("no runbook `{id}` in the notebook{}", windlass_base::similar_hint(.similar.as_ref()))]
    NoSuchRunbook {
        /// The requested name.
        id: String,
        /// The most similar name of an existing runbook.
        similar: Option<String>,
    },
    /// The notebook would have too many anchors.
    #[error("a notebook holds at most {limit} anchors; remove some that are no longer needed")]
    TooManyAnchors {
        /// Maximum number of anchors.
        limit: usize,
    },
    /// The notebook would have too many runbooks.
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
        /// The runbook's name.
        id: Ident,
        /// The runbook's size in bytes.
        bytes: usize,
        /// Maximum size of a runbook in bytes.
        limit: usize,
    },
    /// The notebook would become too large.
    #[error(
        "the notebook would have {bytes} bytes, more than the {limit} allowed; nothing was changed: remove anchors and \
         runbooks that are no longer needed"
    )]
    TooLarge {
        /// The resulting size, in bytes.
        bytes: u64,
        /// Maximum size of a notebook in bytes.
        limit: u64,
    },
    /// Another edit has moved the evidence in the meantime.
    #[error(
        "anchor `{id}` no longer points to {place}: it changed meanwhile; run the command again"
    )]
    GroundedElsewhere {
        /// The anchor's name.
        id: Ident,
        /// The location to replace.
        place: String,
    },
    /// The saved anchor is unreadable, so an update without a location has no evidence that it
    /// could keep.
    #[error(
        "anchor `{0}` is in the notebook but cannot be read; add its place (`at: [FILE:LINES]`) to save it again, or delete it"
    )]
    Senseless(Ident),
    /// The location of a new anchor is missing.
    #[error("new anchor `{0}` needs a place: `at: [FILE:LINES]`")]
    NoPlace(Ident),
    /// A runbook uses the entry, so it cannot be deleted.
    #[error(
        "{what} cannot be deleted: it is used by {}; change or delete what uses it first, or in the same transaction",
        .users.join(", ")
    )]
    Used {
        /// The entry to delete, e.g. "anchor `x`".
        what: String,
        /// The runbooks that use the entry, as known to the user.
        users: Vec<String>,
    },
    /// The notebook is not at the revision that the caller has read, so the edit might undo another
    /// one.
    #[error("the notebook is at revision {found}, not at {expected}{}{}", if since.is_empty() { "" } else { ": " }, since.join("; "))]
    Changed {
        /// The revision expected by the caller.
        expected: u64,
        /// The current revision.
        found: u64,
        /// Descriptions of the revisions in between, as far as they are stored.
        since: Vec<String>,
    },
    /// The repository already has a notebook and cannot adopt another one.
    #[error("this repository has a notebook already: {}; move it aside to adopt another", path.display())]
    Inhabited {
        /// The existing notebook file.
        path: PathBuf,
    },
    /// The revision is not stored. We only keep a limited number, so it may have been too old.
    #[error("revision {revision} is not stored{}", kept_in_words(kept))]
    NoSuchRevision {
        /// The requested revision.
        revision: u64,
        /// The stored revisions, in order.
        kept: Vec<u64>,
    },
    /// The file of the revision is damaged.
    #[error("revision {revision}, in `{}`, is damaged: {why}", path.display())]
    DamagedRevision {
        /// The damaged revision.
        revision: u64,
        /// The file containing the revision.
        path: PathBuf,
        /// The problem.
        why: String,
    },
    /// An anchor lacks valid evidence.
    #[error("anchor `{0}` has no evidence")]
    NoEvidence(Ident),
    /// The caller cancelled the check.
    #[error("stopped before all anchors were checked")]
    Stopped,
    /// Neither anchors nor runbooks have this state.
    #[error("unknown state `{state}`{}", windlass_base::similar_hint(.similar.as_ref()))]
    NoSuchState {
        /// The requested state.
        state: String,
        /// The most similar state, if one is close enough to be a typo.
        similar: Option<String>,
        /// All known states.
        known: Vec<String>,
    },
    /// Some operations of a transaction are invalid.
    #[error("{found}")]
    Transaction {
        /// The errors of all operations, with their positions.
        found: Diagnostics,
        /// The kind shared by all of these errors, or `Invalid` if they differ.
        kind: ErrorKind,
    },
    /// The caller requires another revision than the transaction itself.
    #[error(
        "`--if-revision` is {given}, but the transaction itself requires {written}; remove one of them"
    )]
    TwoRevisions {
        /// The revision given by the caller.
        given: u64,
        /// The revision in the transaction.
        written: u64,
    },
    /// The text is not a location.
    #[error("{0}")]
    NamesNoPlace(String),
    /// The hash of the lines differs from the requested one.
    #[error(
        "the lines {0} do not have the given hash; omit `source_hash` to capture them as they are"
    )]
    OtherLines(String),
    /// This repository's first commits are unknown. They are our only way to recognize another
    /// notebook as one of this repository, so we cannot look for one to adopt.
    #[error(
        "no notebook can be adopted: the first commits of this repository are not known; \
         it is outside of git, has no commits yet, or has an incomplete history (`git fetch --unshallow` completes it)"
    )]
    UnknownLineage,
    /// No notebook can be adopted. If the user named a location, this lists the notebooks found
    /// elsewhere.
    #[error("no other repository with the same first commits has a notebook{}", if .0.is_empty() { String::new() } else { format!(" in that place; available notebooks: {}", .0.join(", ")) })]
    NothingToAdopt(Vec<String>),
    /// Several notebooks can be adopted, so the user has to choose one of these.
    #[error("several notebooks can be adopted: {}; name one with `--repo`", .0.join(", "))]
    SeveralToAdopt(Vec<String>),
    /// The repository lacks the file with shared anchors.
    #[error("nothing to import: this repository has no `{SHARED_ANCHORS}`")]
    NothingHandedOver,
    /// Neither the notebook nor the shared file contains an entry of this name.
    #[error("no anchor or runbook `{id}` to export or import{}", windlass_base::similar_hint(.similar.as_ref()))]
    NothingToHandOver {
        /// The requested name.
        id: String,
        /// The most similar known name.
        similar: Option<String>,
    },
    /// The entry is only in the notebook, so it cannot be imported.
    #[error("`{0}` is only in your notebook: `{SHARED_ANCHORS}` does not have it")]
    NotHandedOver(String),
    /// The suggestions differ from those shown to the user, so the user has not agreed to these.
    #[error("the suggestions changed with the files; nothing was saved")]
    SuggestionsChanged,
    /// No suggestion has this name.
    #[error("no suggestion `{0}`")]
    NotSuggested(String),
    /// A text of the anchor contains a secret value. We would rather refuse it than store a
    /// redacted text.
    #[error("the {field} of this anchor holds a secret value; remove the value")]
    SecretWords {
        /// The field with this value, for use in a message.
        field: &'static str,
    },
    /// Serializing a value of the notebook as JSON failed.
    #[error("the notebook cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
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
