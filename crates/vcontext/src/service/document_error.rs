use windlass_site::{ErrorKind, Explain};

use crate::Container;

/// Reasons to refuse writing a document.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The file name promises JSON, but the output is not JSON.
    #[error("`{0}` has a JSON name, but the output is not JSON")]
    NotJson(String),
    /// The file for a new document already exists, and we leave it unchanged.
    #[error("`{0}` exists already; it was left unchanged")]
    Exists(String),
    /// The version has no such container.
    #[error("version {0} has no {1}")]
    NoContainer(String, Container),
    /// A program that does not respect our lock has changed the file in the meantime.
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
