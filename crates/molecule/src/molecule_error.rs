use windlass_site::{ErrorKind, Explain};

/// Error in the execution of a step.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MoleculeError {
    /// The step does not meet its acceptance criteria; the claim still holds.
    #[error("`{step}` does not meet its acceptance criteria: {why}")]
    NotAccepted {
        /// Name of the step.
        step: String,
        /// Criteria that do not hold.
        why: String,
        /// True if the criteria could not be evaluated, since a program was not allowed to start.
        refused: bool,
    },
}

impl Explain for MoleculeError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotAccepted { refused: true, .. } => ErrorKind::Refused,
            Self::NotAccepted { .. } => ErrorKind::Failed,
        }
    }
}
