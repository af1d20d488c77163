use windlass_site::{ErrorKind, Explain};

/// Why a document could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// A name that does not fit what is to be written.
    #[error(
        "`{0}` is called as JSON, and what is to be written is not, so that nobody could read it"
    )]
    NotJson(String),
    /// A document that was to begin is there already.
    #[error("`{0}` is there already; it was left as it is")]
    Exists(String),
    /// A document was changed by something that knows of no lock.
    #[error("`{0}` was changed by another program meanwhile; it was left as that wrote it")]
    Changed(String),
}

impl Explain for DocumentError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotJson(_) => ErrorKind::Invalid,
            Self::Exists(_) | Self::Changed(_) => ErrorKind::Conflict,
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::NotJson(_) => "name it otherwise: TRON `.tron`, Markdown `.md`",
            Self::Exists(_) => {
                "give another name; `windlass doc item add` adds to a list or plan that is there"
            }
            Self::Changed(_) => "run it again",
        };
        Some(help.to_owned())
    }
}
