use std::path::PathBuf;

use windlass_base::Ident;
use windlass_store::{LockError, StoreError};

/// Why the notebook could not be read or changed, or its anchors not judged.
#[derive(Debug, thiserror::Error)]
pub enum NotebookError {
    /// `WINDLASS_NOTEBOOK=off`.
    #[error("the notebook is switched off (`WINDLASS_NOTEBOOK=off`); unset it to save anchors")]
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
    #[error("there is no anchor `{id}`{}", .similar.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    NoSuchAnchor {
        /// The name that was given.
        id: String,
        /// The nearest one there is.
        similar: Option<String>,
    },
    /// More anchors than one notebook holds.
    #[error("a notebook holds at most {limit} anchors; remove some that are no longer needed")]
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// An anchor without evidence, or with none that makes sense.
    #[error("anchor `{0}` has no evidence")]
    NoEvidence(Ident),
    /// Somebody asked to stop.
    #[error("stopped before all anchors were judged")]
    Stopped,
    /// A value that has no JSON form.
    #[error("the notebook cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}
