use std::path::PathBuf;

use windlass_base::did_you_mean;
use windlass_base::shell_word;
use windlass_site::{ErrorKind, Explain};
use windlass_store::{LockError, StoreError};

use crate::molecule::{Molecule, StoredOutput};
use crate::state::{Rejected, State};

/// Reason why a ledger operation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// We couldn't read or write a ledger file.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another process holds a lock that we need.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The operation doesn't fit the current state, e.g. because another actor has claimed the
    /// bead.
    #[error("{}", .0.reason)]
    Rejected(Box<Rejected>),
    /// No bead is ready and unclaimed.
    #[error("no unclaimed bead is ready")]
    NothingReady,
    /// No step is ready and unclaimed.
    #[error(
        "no unclaimed step{} is ready{}{}", .mol.as_ref().map(|mol| format!(" of `{mol}`")).unwrap_or_default(),
        assigned_elsewhere(*for_others),
        .held.as_ref().map(|(mol, step)| format!("; you hold `{step}` of `{mol}`")).unwrap_or_default()
    )]
    NoStepReady {
        /// The molecule that was searched, if the caller named one.
        mol: Option<String>,
        /// Number of ready steps assigned to other actors.
        for_others: usize,
        /// Molecule and step already held by the caller, if any.
        held: Option<(String, String)>,
    },
    /// The formula assigns the step to another agent, group or role.
    #[error("`{step}` of `{mol}` is for `{target}` alone, not for `{actor}`")]
    OtherTarget {
        /// The molecule's id.
        mol: String,
        /// The step's id.
        step: String,
        /// The only agent allowed to claim the step, by name, group or role.
        target: String,
        /// The caller's name.
        actor: String,
    },
    /// No molecule is open.
    #[error("no molecule is open")]
    NoOpenMolecule,
    /// A condition reads an environment variable. Its results go into a shared log and may reveal
    /// the value, so the user has to trust the formula first.
    #[error("molecule `{mol}` is not trusted to read the environment variable `{variable}`")]
    Untrusted {
        /// The molecule's id.
        mol: String,
        /// The variable's name.
        variable: String,
    },
    /// The repository itself defines this route, and the user has not trusted it yet.
    #[error("route `{prefix}` to `{path}` is not trusted")]
    UntrustedRoute {
        /// Prefix of the bead ids.
        prefix: String,
        /// The folder the route points to.
        path: String,
    },
    /// There is no such record.
    #[error("there is no {what} `{id}`{}", .near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    Missing {
        /// Kind of record, e.g. `bead`, `step` or `molecule`.
        what: &'static str,
        /// The id as given by the caller.
        id: String,
        /// The most similar known id, for a "did you mean".
        near: Option<String>,
    },
    /// An argument is invalid. The message says which.
    #[error("{0}")]
    Invalid(String),
    /// Another tool owns the folder, so we leave it alone.
    #[error(
        "`{folder}` belongs to another tool (it contains `{sign}`), so Windlass neither reads nor writes it"
    )]
    Foreign {
        /// Path of the folder.
        folder: String,
        /// Name of the file that gave the other tool away.
        sign: String,
        /// The other tool's JSON Lines file of beads, which the user could import.
        records: Option<String>,
    },
    /// A symbolic link was found in place of a ledger file or folder.
    #[error("`{}` is a symbolic link, and Windlass does not write through links", .0.display())]
    Link(PathBuf),
    /// A checkpoint became unreadable after we had loaded a state from it.
    #[error(
        "checkpoint `{}` is damaged: {why}; it was deleted and will be rebuilt from the log, but output so far may be \
         incomplete", path.display()
    )]
    Damaged {
        /// Path of the checkpoint.
        path: PathBuf,
        /// What's wrong with it.
        why: String,
    },
    /// We wrote the events, but the sync to disk failed.
    #[error("the change was written, but may not survive a power cut: {0}")]
    Unconfirmed(#[source] LockError),
    /// We couldn't reach the shared log, so nothing was written.
    #[error("the shared ledger `{location}` cannot be reached, so nothing was written: {why}")]
    Unreachable {
        /// The shared log's location.
        location: String,
        /// Message of the underlying error.
        why: String,
    },
    /// We lost the connection to the shared log. We can't tell whether the events were written.
    #[error(
        "the connection to the shared ledger `{location}` was lost, and the change may be there: {why}"
    )]
    Unsettled {
        /// The shared log's location.
        location: String,
        /// Message of the underlying error.
        why: String,
    },
    /// The shared log refuses access. Retrying doesn't help.
    #[error("the shared ledger `{location}` refuses access: {why}")]
    SharedRefused {
        /// The shared log's location.
        location: String,
        /// What's wrong, e.g. the password.
        why: String,
    },
    /// We can't load a step's output that's stored apart from the log.
    #[error("the output `{blake3}` of {bytes} bytes cannot be loaded: {why}")]
    NoOutput {
        /// BLAKE3 digest of the output, as hexadecimal digits.
        blake3: String,
        /// Length of the output, in bytes.
        bytes: u64,
        /// Reason why the output can't be loaded.
        why: String,
    },
    /// Other machines were faster on every attempt to write to the shared log.
    #[error(
        "other machines wrote to the shared ledger first, {0} times in a row; nothing was written"
    )]
    Contended(usize),
    /// An event's data contains a secret value. We never write such an event, since the log is
    /// permanent and shared.
    #[error(
        "`{field}` of event `{event_type}` would hold a secret value, but the log is permanent and shared"
    )]
    Secret {
        /// The event type.
        event_type: &'static str,
        /// Path of the field, e.g. `metadata.token`.
        field: String,
    },
    /// An event couldn't be serialised as JSON.
    #[error("cannot write an event as JSON: {0}")]
    Unwritable(#[from] serde_json::Error),
}

fn assigned_elsewhere(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "; 1 is assigned to another actor".to_owned(),
        _ => format!("; {count} are assigned to other actors"),
    }
}

impl LedgerError {
    /// [`Self::Missing`] for a step of `molecule`.
    #[must_use]
    pub fn no_step(molecule: &Molecule, step: &str) -> Self {
        let known = molecule.steps.iter().map(|step| step.id.as_str());
        Self::missing("step", step, known)
    }

    pub(crate) fn no_output(stored: &StoredOutput, why: &str) -> Self {
        Self::NoOutput {
            blake3: stored.blake3.clone(),
            bytes: stored.bytes,
            why: why.to_owned(),
        }
    }

    pub(crate) fn no_bead(state: &State, id: &str) -> Self {
        Self::missing("bead", id, state.beads.iter().map(|(id, _)| id))
    }

    /// [`Self::Missing`] for a molecule.
    #[must_use]
    pub fn no_molecule(state: &State, id: &str) -> Self {
        Self::missing("molecule", id, state.molecules.iter().map(|(id, _)| id))
    }

    /// [`Self::Missing`] with the most similar of the `known` ids as a suggestion.
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
            Self::Missing { .. }
            | Self::NothingReady
            | Self::NoStepReady { .. }
            | Self::NoOutput { .. }
            | Self::NoOpenMolecule => ErrorKind::NotFound,
            Self::Rejected(rejected) => match rejected.won {
                // With an event that takes precedence, another actor was faster. Without one, the
                // request was wrong in the first place.
                Some(_) => ErrorKind::Conflict,
                None => ErrorKind::Invalid,
            },
            Self::Foreign { .. }
            | Self::Link(_)
            | Self::Secret { .. }
            | Self::Untrusted { .. }
            | Self::OtherTarget { .. }
            | Self::UntrustedRoute { .. }
            | Self::SharedRefused { .. } => ErrorKind::Refused,
            Self::Unreachable { .. }
            | Self::Unsettled { .. }
            | Self::Contended(_)
            | Self::Damaged { .. }
            | Self::Lock(LockError::Timeout { .. }) => ErrorKind::Conflict,
            Self::Invalid(_) => ErrorKind::Invalid,
            _ => ErrorKind::Failed,
        }
    }

    fn help(&self) -> Option<String> {
        let of_mol =
            |mol: &Option<String>| mol.as_ref().map_or(String::new(), |mol| format!(" {mol}"));
        let help = match self {
            Self::Rejected(rejected) => {
                let won = rejected.won.as_ref().filter(|won| !won.is_empty())?;
                format!("run `windlass events list --id {won}` to see the event that took precedence")
            }
            Self::OtherTarget { target, .. } => {
                format!("pass `--actor {}` if you are that agent", shell_word(target))
            }
            Self::NothingReady => {
                "run `windlass bead blocked` to see what the open beads wait for".to_owned()
            }
            Self::NoStepReady { held: Some((mol, step)), .. } => format!(
                "run `windlass mol complete {mol} {step}` when its work is done, or `windlass mol release {mol} {step}` to \
                 give it back"
            ),
            Self::NoStepReady { mol, for_others: 1.., .. } => format!(
                "run `windlass mol ready{} --all` to see them; `windlass mol claim MOL STEP` claims one without a target anyway",
                of_mol(mol)
            ),
            Self::NoStepReady { mol, .. } => format!(
                "run `windlass mol doctor{}` to see what each step waits for",
                of_mol(mol)
            ),
            Self::NoOpenMolecule => {
                "run `windlass mol pour FORMULA` to start one, or name one that `windlass mol list --all` shows"
                    .to_owned()
            }
            Self::Untrusted { mol, .. } => format!(
                "run `windlass trust mol:{mol} --dry-run` to review its conditions, then `windlass trust mol:{mol}`"
            ),
            Self::Missing { what: "molecule", .. } => {
                "run `windlass mol list` to see all molecules".to_owned()
            }
            Self::Missing { what: "bead", .. } => {
                "run `windlass bead list` to see all beads; `windlass route add` maps a prefix to another repository".to_owned()
            }
            Self::Secret { .. } => {
                "name the place of the secret instead: an environment variable or an entry in a secret store"
                    .to_owned()
            }
            Self::Foreign { records, .. } => match records {
                Some(file) => format!(
                    "run `windlass bead import {file} --adopt` to import its beads with all fields and keep the ledger in the \
                     same folder; use `--dry-run` in place of `--adopt` to preview"
                ),
                None => "export the beads of that tool as JSON Lines (`bd export -o FILE`), then run `windlass bead import FILE --adopt` \
                         to import them with all fields and keep the ledger in the same folder"
                    .to_owned(),
            },
            Self::UntrustedRoute { prefix, .. } => match is_plain(prefix) {
                true => format!(
                    "run `windlass trust route:{prefix}` to read and write the beads of that prefix there"
                ),
                false => "run `windlass route add PREFIX FOLDER` to add a trusted route".to_owned(),
            },
            Self::Link(_) => "replace it with a folder".to_owned(),
            Self::Unconfirmed(_) => {
                "run `windlass events tail` before you repeat the command: the change may be there"
                    .to_owned()
            }
            Self::Unreachable { .. } => {
                "run the command with `--offline` to write here now and merge later, or `windlass ledger status` to check \
                 the connection"
                    .to_owned()
            }
            Self::Unsettled { .. } => {
                "run `windlass ledger status` until it is reachable, then `windlass events tail` before you repeat the \
                 command"
                    .to_owned()
            }
            Self::SharedRefused { .. } => {
                "run `windlass ledger status` to check the connection".to_owned()
            }
            Self::NoOutput { .. } => {
                "run `windlass events sync` in the clone that completed the step, and bring its `.beads/outputs` here".to_owned()
            }
            Self::Damaged { .. } | Self::Contended(_) => "run the command again".to_owned(),
            _ => return None,
        };
        Some(help)
    }
}

/// True if every shell reads `text` literally. A prefix comes from a file of the repository, so we
/// don't put it into a command for the user to paste unless it's harmless.
fn is_plain(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    text.chars().all(is_plain)
}
