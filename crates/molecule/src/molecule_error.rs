use windlass_site::{ErrorKind, Explain};

/// Why a step of a molecule could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MoleculeError {
    /// A step is not done as it asks for: it is still somebody's.
    #[error("`{step}` is not done as it asks for: {why}")]
    NotAccepted {
        /// The step.
        step: String,
        /// What does not hold.
        why: String,
        /// Whether it could not be found out, since a program was not allowed to start.
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
