use windlass_site::{ErrorKind, Explain};

/// Reasons why a question can't be answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// The question has no searchable word.
    #[error("the question has no word to look for")]
    NothingToFind,
}

impl Explain for FindError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }

    fn help(&self) -> Option<String> {
        Some("describe what to find: `windlass find \"where are sessions expired\"`".to_owned())
    }
}
