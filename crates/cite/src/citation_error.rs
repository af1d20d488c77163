use windlass_site::{Error, ErrorKind, Explain};

/// Error while rewriting the citations of several documents.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CitationError {
    /// A document could not be written after others had been.
    #[error("{cause}; written already: {}", .written.join(", "))]
    PartlyWritten {
        /// Documents written so far, in order and complete.
        written: Vec<String>,
        /// The error for the next document.
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
