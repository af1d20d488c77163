use windlass_site::{Error, ErrorKind, Explain};

/// Why citations could not be repaired.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CitationError {
    /// Of several documents some were written before one could not be.
    #[error("{cause}; written already: {}", .written.join(", "))]
    PartlyWritten {
        /// The documents that are written.
        written: Vec<String>,
        /// What kept the next one from being written.
        cause: Error,
    },
}

impl Explain for CitationError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::PartlyWritten { cause, .. } => cause.kind(),
        }
    }

    fn help(&self) -> Option<String> {
        Some("run it again when that one can be written: what is written already stands".to_owned())
    }
}
