use std::path::{Path, PathBuf};

use crate::secret::{OwnRulesError, SecretPolicyError};

/// The reason why a repository cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepoError {
    /// The path cannot be used.
    #[error("cannot open the repository: `{}`: {cause}; give a folder that exists and may be read", path.display())]
    Io {
        /// The inaccessible path.
        path: PathBuf,
        /// The error from the operating system.
        #[source]
        cause: std::io::Error,
    },
    /// The path is not a folder.
    #[error("cannot open the repository: `{}` is not a folder; give its root", .0.display())]
    NotAFolder(PathBuf),
    /// The repository of this working tree was moved or deleted.
    #[error(
        "`{}` points to `{}`, which is not a git folder: was the main working tree moved? run `git worktree repair` there",
        file.display(),
        git_dir.display()
    )]
    LostGitDir {
        /// The path of the `.git` file.
        file: PathBuf,
        /// The git folder named by that file.
        git_dir: PathBuf,
    },
    /// The repository's list of secret paths is invalid. Ignoring the list would show the files it
    /// protects.
    #[error(transparent)]
    Secrets(#[from] SecretPolicyError),
    /// The repository's rules for secret values are invalid. Ignoring the rules would show the
    /// values.
    #[error(transparent)]
    Rules(#[from] OwnRulesError),
}

pub(crate) fn canonical(path: &Path) -> Result<PathBuf, RepoError> {
    path.canonicalize().map_err(|cause| RepoError::Io {
        path: path.to_owned(),
        cause,
    })
}
