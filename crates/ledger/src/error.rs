use std::path::PathBuf;

use windlass_store::{LockError, StoreError};

use crate::state::Rejected;

/// Why the ledger could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// A file of ours.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Somebody else is writing.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// What is asked for is not allowed as things stand.
    #[error("{}", .0.reason)]
    Rejected(Box<Rejected>),
    /// A bead was asked for, and none can be begun.
    #[error("no bead is ready that nobody has")]
    NothingReady,
    /// A step was asked for, and none can be begun.
    #[error(
        "no step{} is ready that nobody has{}", .mol.as_ref().map(|mol| format!(" of `{mol}`")).unwrap_or_default(),
        but_for_others(*for_others)
    )]
    NoStepReady {
        /// The molecule, if one was named.
        mol: Option<String>,
        /// How many are that are meant for somebody else.
        for_others: usize,
    },
    /// A condition asks for a variable of the environment, and the user does not trust its formula.
    #[error("`{mol}` is not trusted to ask for the environment variable `{variable}`")]
    Untrusted {
        /// The molecule.
        mol: String,
        /// The variable.
        variable: String,
    },
    /// Something that was named is not there.
    #[error("there is no {what} `{id}`{}", .near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    Missing {
        /// What sort of thing.
        what: &'static str,
        /// What it was called.
        id: String,
        /// The nearest there is.
        near: Option<String>,
    },
    /// What was typed cannot be meant.
    #[error("{0}")]
    Invalid(String),
    /// The folder belongs to another tool.
    #[error(
        "`{folder}` belongs to another tool (`{sign}` is in it), so it is neither read as a ledger nor written to"
    )]
    Foreign {
        /// The folder.
        folder: String,
        /// What shows it.
        sign: String,
        /// Its file with beads as lines, if there is one.
        records: Option<String>,
    },
    /// A link stands where a file or folder of ours should.
    #[error("`{}` is a link, and nothing is written through links; put a folder in its place", .0.display())]
    Link(PathBuf),
    /// What is kept beside the log cannot be read where it was asked for.
    #[error(
        "`{}` cannot be relied on: {why}; nothing is lost, since it follows from the log, but what was just said may lack \
         something: it was thrown away, so try again", path.display()
    )]
    Damaged {
        /// The checkpoint.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It was written, and is not known to be durable.
    #[error(
        "it was written, and is not known to survive a power cut: {0}; do not do it once more before you have looked \
         (`windlass events tail`): it may be there"
    )]
    Unconfirmed(#[source] LockError),
    /// A secret value would be written.
    #[error(
        "`{field}` of the event `{event_type}` would hold a secret value, and the log keeps none: it is kept for good and shared"
    )]
    Secret {
        /// What would be written.
        event_type: &'static str,
        /// Where in it, with dots between names.
        field: String,
    },
    /// Something cannot be written as JSON.
    #[error("an event cannot be written: {0}")]
    Unwritable(#[from] serde_json::Error),
}

fn but_for_others(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "; one is meant for somebody else".to_owned(),
        _ => format!("; {count} are meant for others"),
    }
}

impl LedgerError {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }
}
