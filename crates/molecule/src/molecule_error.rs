//! Errors of step operations.

use windlass_base::shell_word;
use windlass_plan::Status;
use windlass_site::{ErrorKind, Explain};

/// Errors of step operations.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MoleculeError {
    /// The step does not meet its acceptance criteria. The claim is still valid, so the caller can
    /// improve the work and try again.
    #[error("`{step}` does not meet its acceptance criteria: {why}")]
    NotAccepted {
        /// The step's name.
        step: String,
        /// The unmet criteria.
        why: String,
        /// True if the criteria were not evaluated, because a program was not allowed to start.
        refused: bool,
    },
    /// The formula needs a bead, but none was given.
    #[error("formula `{0}` works on a bead, and none is given")]
    NoBead(String),
    /// Molecules for the children of the step's bead cannot be made.
    #[error("`{step}` cannot be drained: {why}")]
    NotDrained {
        /// The step's name.
        step: String,
        /// The reason, which ends the sentence of the message.
        why: String,
    },
    /// A step of a fleet has no output.
    #[error("step `{step}` of `{mol}` is {} and has no output: {why}", status.as_str())]
    NoOutput {
        /// The molecule's id.
        mol: String,
        /// The step's name.
        step: String,
        /// The step's status.
        status: Status,
        /// Reason for the missing output.
        why: String,
    },
    /// The caller holds no step.
    #[error("{actor} has no claimed step")]
    NoClaim {
        /// The caller's name.
        actor: String,
    },
    /// The caller holds several steps, listed here.
    #[error("several claimed steps: name one of {}", .0.join(", "))]
    SeveralClaims(Vec<String>),
    /// The caller does not hold the step. Boxed, because it is much larger than the other errors.
    #[error("{}", not_claimed(.0))]
    NotClaimed(Box<NotClaimed>),
}

/// Details about a step that the caller does not hold.
#[derive(Debug)]
pub struct NotClaimed {
    /// The molecule's ID.
    pub mol: String,
    /// The step's name.
    pub step: String,
    /// The step's status.
    pub status: Status,
    /// The step's holder, or `None` if the step is not in progress.
    pub holder: Option<String>,
    /// The caller's name.
    pub actor: String,
    /// True if the caller was the holder until the lease ran out without a heartbeat.
    pub ran_out: bool,
}

fn not_claimed(found: &NotClaimed) -> String {
    let (mol, step, actor) = (&found.mol, &found.step, &found.actor);
    let lost = format!("the lease of {actor} on `{step}` of `{mol}` ran out");
    match &found.holder {
        Some(holder) if found.ran_out => format!("{lost}, and {holder} has claimed it since"),
        Some(holder) => format!("`{step}` of `{mol}` is claimed by {holder}, not {actor}"),
        None if found.ran_out => format!("{lost}: it is {}", found.status.as_str()),
        None => format!(
            "`{step}` of `{mol}` is not claimed: it is {}",
            found.status.as_str()
        ),
    }
}

impl Explain for MoleculeError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotAccepted { refused: true, .. } => ErrorKind::Refused,
            Self::NoOutput {
                status: Status::Ready | Status::Pending | Status::InProgress,
                ..
            } => ErrorKind::Interrupted,
            Self::NotAccepted { .. } | Self::NotDrained { .. } | Self::NoOutput { .. } => {
                ErrorKind::Failed
            }
            Self::NoBead(_) | Self::NoClaim { .. } | Self::SeveralClaims(_) => ErrorKind::Invalid,
            Self::NotClaimed(_) => ErrorKind::Conflict,
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::NotAccepted { .. } | Self::NotDrained { .. } => return None,
            Self::NoOutput {
                mol, step, status, ..
            } => match status {
                Status::Failed => {
                    format!(
                        "run `windlass mol push-back {mol} {step} --reason TEXT` to try it again"
                    )
                }
                _ => format!("run `windlass mol drive {mol}` to go on"),
            },
            Self::NoBead(formula) => {
                format!(
                    "run `windlass mol pour {} --bead BEAD`",
                    shell_word(formula)
                )
            }
            Self::NoClaim { .. } => "run `windlass mol claim` to claim a step".to_owned(),
            Self::SeveralClaims(_) => "run `windlass mol current` to see your claims".to_owned(),
            Self::NotClaimed(found) => {
                let (mol, step) = (&found.mol, &found.step);
                match &found.holder {
                    Some(holder) if !found.ran_out => format!(
                        "pass `--actor {}` if that is you; `windlass mol release {mol} {step} --reason TEXT` takes the step \
                         from its holder",
                        shell_word(holder)
                    ),
                    None if found.status == Status::Ready => {
                        format!("run `windlass mol claim {mol} {step}` to claim it")
                    }
                    _ => format!("run `windlass mol show {mol} {step}` to see its state"),
                }
            }
        })
    }
}
