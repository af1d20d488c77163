use windlass_base::RepoPath;
use windlass_repo::Refusal;
use windlass_site::{ErrorKind, Explain};

/// A failure to find or use a runbook.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunbookError {
    /// No runbook has this name.
    #[error("no runbook `{name}`{}", .similar.as_ref().map(did_you_mean_runbook).unwrap_or_default())]
    NoSuchRunbook {
        /// The name or file, as given by the caller.
        name: String,
        /// The most similar name of a runbook. If the user has given the name of its file instead,
        /// this includes the file.
        similar: Option<(String, Option<RepoPath>)>,
        /// Names of all runbooks, for the error's help.
        known: Vec<String>,
    },
    /// The caller named no runbook.
    #[error("no runbook given")]
    NoRunbookNamed {
        /// Names of all runbooks, for the error's help.
        known: Vec<String>,
    },
    /// Two runbooks have the requested name.
    #[error("duplicate runbook `{name}`: `{first}` and `{second}`; pass the file instead")]
    Ambiguous {
        /// The requested name.
        name: String,
        /// The first runbook, in a form that users can pass as an argument.
        first: String,
        /// The second runbook, in the same form.
        second: String,
    },
    /// The file exists, but its name is not that of a document.
    #[error("`{0}` is not a document; expected .yaml, .yml or .json, or .jsonl for anchors")]
    NotADocument(String),
    /// A step starts a program in the repository that we cannot read. Trust covers the contents of
    /// such a file. Since we could not notice a change, we do not allow trusting the runbook at
    /// all.
    #[error("`{file}`, which a step starts, cannot be trusted: {refusal}")]
    UnknownProgram {
        /// The step's program file.
        file: String,
        /// Reason why the file is unreadable.
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
                Some(format!("known runbooks: {}", known.join(", ")))
            }
            Self::Ambiguous { name, first, .. } if first.starts_with("notebook:") => Some(format!(
                "`windlass notebook import {name} --replace` keeps the one in the repository, `windlass notebook \
                 export {name} --replace` the one in the notebook"
            )),
            Self::UnknownProgram { .. } => Some(
                "give a program outside the repository by its absolute path, or by a name on PATH"
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
