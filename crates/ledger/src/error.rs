use std::path::PathBuf;

use windlass_base::did_you_mean;
use windlass_site::{ErrorKind, Explain};
use windlass_store::{LockError, StoreError};

use crate::Molecule;
use crate::state::{Rejected, State};

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
    /// A route that a repository brought and nobody looked at yet.
    #[error("the route of `{prefix}` to `{path}` is not trusted")]
    UntrustedRoute {
        /// Prefix of the ids of its beads.
        prefix: String,
        /// Folder that it leads to.
        path: String,
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
    /// That `molecule` has no such step.
    #[must_use]
    pub fn no_step(molecule: &Molecule, step: &str) -> Self {
        let known = molecule.steps.iter().map(|step| step.id.as_str());
        Self::missing("step", step, known)
    }

    /// That there is no such bead.
    pub(crate) fn no_bead(state: &State, id: &str) -> Self {
        Self::missing("bead", id, state.beads.iter().map(|(id, _)| id))
    }

    /// That there is no such molecule.
    #[must_use]
    pub fn no_molecule(state: &State, id: &str) -> Self {
        Self::missing("molecule", id, state.molecules.iter().map(|(id, _)| id))
    }

    /// That there is nothing of this name; perhaps one of the names that are `known` was meant.
    #[must_use]
    pub fn missing<'a>(
        what: &'static str,
        id: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        Self::Missing {
            what,
            id: id.to_owned(),
            near: did_you_mean(id, known).map(str::to_owned),
        }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }
}

impl Explain for LedgerError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) | Self::Lock(LockError::Store(error)) => error.kind(),
            Self::Missing { .. } | Self::NothingReady | Self::NoStepReady { .. } => {
                ErrorKind::NotFound
            }
            Self::Rejected(rejected) => match rejected.won {
                Some(_) => ErrorKind::Conflict,
                None => ErrorKind::Invalid,
            },
            Self::Foreign { .. }
            | Self::Link(_)
            | Self::Secret { .. }
            | Self::Untrusted { .. }
            | Self::UntrustedRoute { .. } => ErrorKind::Refused,
            Self::Damaged { .. } | Self::Lock(LockError::Timeout { .. }) => ErrorKind::Conflict,
            Self::Invalid(_) => ErrorKind::Invalid,
            _ => ErrorKind::Failed,
        }
    }

    fn help(&self) -> Option<String> {
        let of = |mol: &Option<String>| mol.as_ref().map_or(String::new(), |mol| format!(" {mol}"));
        let help = match self {
            Self::Rejected(rejected) => {
                let won = rejected.won.as_ref()?;
                format!("`windlass events list --id {won}` shows what came before")
            }
            Self::NothingReady => {
                "`windlass bead blocked` says what the others wait for".to_owned()
            }
            Self::NoStepReady { mol, for_others: 1.. } => format!(
                "`windlass mol ready{} --all` names it; `windlass mol claim MOL STEP` takes one all the same",
                of(mol)
            ),
            Self::NoStepReady { mol, .. } => format!(
                "`windlass mol doctor{}` says what stands still, and what would move it",
                of(mol)
            ),
            Self::Untrusted { mol, .. } => format!(
                "look at its conditions with `windlass trust mol:{mol} --dry-run`, then `windlass trust mol:{mol}`"
            ),
            Self::Missing { what: "molecule", .. } => {
                "`windlass mol list` names those there are".to_owned()
            }
            Self::Missing { what: "bead", .. } => {
                "`windlass bead list` names those there are; `windlass route add` says where those of a prefix lie".to_owned()
            }
            Self::Secret { .. } => {
                "say where it can be had instead: the name of an environment variable, or of an entry of a store for secrets"
                    .to_owned()
            }
            Self::Foreign { records, .. } => match records {
                Some(file) => format!(
                    "`windlass bead import {file} --adopt` takes its beads over, without losing a field, and keeps the ledger in \
                     the same folder from then on; `--dry-run` in place of `--adopt` says what would be taken"
                ),
                None => "let that tool write its beads as JSON Lines (`bd export -o FILE`); `windlass bead import FILE --adopt` takes \
                         them over, without losing a field, and keeps the ledger in the same folder from then on"
                    .to_owned(),
            },
            Self::UntrustedRoute { prefix, .. } => match is_plain(prefix) {
                true => format!(
                    "if the beads of that prefix are to be read and written there: `windlass trust route:{prefix}`"
                ),
                false => "`windlass route add PREFIX FOLDER` adds one that is trusted".to_owned(),
            },
            _ => return None,
        };
        Some(help)
    }
}

/// True if `text` means the same to every shell.
fn is_plain(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    text.chars().all(is_plain)
}
