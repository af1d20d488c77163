use windlass_site::{Error, ErrorKind, Explain};

/// An error in repairing citations.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CitationError {
    /// Some documents had been written when another one failed.
    #[error("{cause}; written already: {}", .written.join(", "))]
    PartlyWritten {
        /// The documents written before the error, in order.
        written: Vec<String>,
        /// The error for the document after them.
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
        Some("make that document writable and run the command again; the written documents are complete".to_owned())
    }
}
