/// Why something cannot be done with a memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// There is none.
    #[error("there is no memory in this repository")]
    NotInitialized,
    /// A text that is no id of a project.
    #[error("`{0}` is no id of a project: it has blanks or colons, or is empty")]
    NoProject(String),
}

impl MemoryError {
    /// What to do next.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::NotInitialized => Some("`windlass memory init` begins one".to_owned()),
            Self::NoProject(_) => Some("write small letters, digits and hyphens".to_owned()),
        }
    }
}
