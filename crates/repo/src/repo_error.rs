use std::path::{Path, PathBuf};

use crate::secret::{OwnRulesError, SecretPolicyError};

/// Reason why a repository cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepoError {
    /// Path that cannot be used.
    #[error("cannot open the repository: `{}`: {cause}; give a folder that exists and may be read", path.display())]
    Io {
        /// The path that cannot be accessed.
        path: PathBuf,
        /// Error of the operating system.
        #[source]
        cause: std::io::Error,
    },
    /// Path that is not a folder.
    #[error("cannot open the repository: `{}` is not a folder; give its root", .0.display())]
    NotAFolder(PathBuf),
    /// Working tree whose repository was moved or deleted.
    #[error(
        "`{}` points to `{}`, which is not a git folder: was the main working tree moved? run `git worktree repair` there",
        file.display(),
        git_dir.display()
    )]
    LostGitDir {
        /// The `.git` file.
        file: PathBuf,
        /// Git folder that it names.
        git_dir: PathBuf,
    },
    /// Invalid list of secret paths in the repository; ignoring it would show them.
    #[error(transparent)]
    Secrets(#[from] SecretPolicyError),
    /// Invalid rules for secret values in the repository; ignoring them would show the values.
    #[error(transparent)]
    Rules(#[from] OwnRulesError),
}

pub(crate) fn canonical(path: &Path) -> Result<PathBuf, RepoError> {
    path.canonicalize().map_err(|cause| RepoError::Io {
        path: path.to_owned(),
        cause,
    })
}
