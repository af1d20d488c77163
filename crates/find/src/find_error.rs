use windlass_site::{ErrorKind, Explain};

/// Why nothing could be looked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// A question without a word that says what is meant.
    #[error("the question has no word to look for")]
    NothingToFind,
}

impl Explain for FindError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }

    fn help(&self) -> Option<String> {
        Some("say what it is about: `windlass find \"where are sessions expired\"`".to_owned())
    }
}
