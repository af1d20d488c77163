use windlass_base::RepoPath;
use windlass_repo::Refusal;
use windlass_site::{ErrorKind, Explain};

/// Why a runbook could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunbookError {
    /// There is no such runbook.
    #[error("there is no runbook `{name}`{}", .similar.as_ref().map(did_you_mean_runbook).unwrap_or_default())]
    NoSuchRunbook {
        /// What was asked for.
        name: String,
        /// The nearest there is; its file as well, where that goes by the name that was asked for.
        similar: Option<(String, Option<RepoPath>)>,
        /// All there are.
        known: Vec<String>,
    },
    /// None was named.
    #[error("no runbook is named")]
    NoRunbookNamed {
        /// All there are.
        known: Vec<String>,
    },
    /// Two runbooks have the name.
    #[error("there are two runbooks `{name}`: `{first}` and `{second}`; name the file you mean")]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// One.
        first: String,
        /// The other.
        second: String,
    },
    /// A file that was named is there, but is no document.
    #[error("`{0}` is not a document: those end in .yaml, .yml or .json, and anchors in .jsonl")]
    NotADocument(String),
    /// A file of the repository that a step starts may not be read, so that nobody can say when it changes.
    #[error("`{file}`, which a step starts, cannot be trusted: {refusal}")]
    UnknownProgram {
        /// The file.
        file: String,
        /// Why not.
        refusal: Refusal,
    },
}

impl Explain for RunbookError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoSuchRunbook { .. } => ErrorKind::NotFound,
            Self::NoRunbookNamed { .. } | Self::Ambiguous { .. } | Self::NotADocument(_) => {
                ErrorKind::Invalid
            }
            Self::UnknownProgram { .. } => ErrorKind::Refused,
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::NoSuchRunbook { known, .. } | Self::NoRunbookNamed { known }
                if known.is_empty() =>
            {
                Some("`windlass init` writes a runbook that fits this repository".to_owned())
            }
            Self::NoSuchRunbook { known, .. } | Self::NoRunbookNamed { known } => {
                Some(format!("there are: {}", known.join(", ")))
            }
            Self::Ambiguous { name, first, .. } if first.starts_with("notebook:") => Some(format!(
                "`windlass notebook import {name} --replace` lets the one in the repository count, `windlass notebook \
                 export {name} --replace` the one in the notebook"
            )),
            Self::UnknownProgram { .. } => Some(
                "name a program that lies outside the repository by its absolute path, or by a name found on PATH"
                    .to_owned(),
            ),
            _ => None,
        }
    }
}

fn did_you_mean_runbook((name, file): &(String, Option<RepoPath>)) -> String {
    match file {
        Some(file) => format!("; did you mean `{name}` (in `{file}`)?"),
        None => format!("; did you mean `{name}`?"),
    }
}
