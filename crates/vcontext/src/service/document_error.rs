use windlass_site::{ErrorKind, Explain};

use crate::Container;

/// Reason why a document could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// File name that does not match the format.
    #[error("`{0}` has a JSON name, but the output is not JSON")]
    NotJson(String),
    /// Existing file in place of a new document.
    #[error("`{0}` exists already; it was left unchanged")]
    Exists(String),
    /// Container that the version lacks.
    #[error("version {0} has no {1}")]
    NoContainer(String, Container),
    /// Concurrent change by a program that ignores the lock.
    #[error("`{0}` was changed by another program meanwhile; that change was kept")]
    Changed(String),
}

impl Explain for DocumentError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotJson(_) | Self::NoContainer(..) => ErrorKind::Invalid,
            Self::Exists(_) | Self::Changed(_) => ErrorKind::Conflict,
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::NotJson(_) => "use the extension `.tron` for TRON, `.md` for Markdown",
            Self::Exists(_) => {
                "use another name, or run `windlass doc item add` to extend a list or plan"
            }
            Self::NoContainer(..) => {
                "run `windlass doc new plan`: a plan holds the work, and its narratives what was learned"
            }
            Self::Changed(_) => "run the command again",
        };
        Some(help.to_owned())
    }
}
