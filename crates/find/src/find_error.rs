use windlass_site::{ErrorKind, Explain};

/// The question itself is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// There's no word in the question that we can search for, e.g. because it only has articles
    /// and pronouns.
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
