use std::path::{Path, PathBuf};

use crate::secret::{OwnRulesError, SecretPolicyError};

/// Reason why a repository cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepoError {
    /// The path cannot be used, e.g. because it does not exist.
    #[error("cannot open the repository: `{}`: {cause}; give a folder that exists and may be read", path.display())]
    Io {
        /// The path that cannot be used.
        path: PathBuf,
        /// The error from the operating system.
        #[source]
        cause: std::io::Error,
    },
    /// The path leads to something that is not a folder.
    #[error("cannot open the repository: `{}` is not a folder; give its root", .0.display())]
    NotAFolder(PathBuf),
    /// The git folder that the `.git` file names is gone, e.g. because the main working tree was
    /// moved.
    #[error(
        "`{}` points to `{}`, which is not a git folder: was the main working tree moved? run `git worktree repair` there",
        file.display(),
        git_dir.display()
    )]
    LostGitDir {
        /// Path of the `.git` file.
        file: PathBuf,
        /// The git folder that this file names.
        git_dir: PathBuf,
    },
    /// The repository's list of secret paths is invalid. We cannot ignore the list, because that
    /// would expose the files that it protects.
    #[error(transparent)]
    Secrets(#[from] SecretPolicyError),
    /// The repository's rules for secret values are invalid. As with [`Self::Secrets`], ignoring
    /// them would expose the values.
    #[error(transparent)]
    Rules(#[from] OwnRulesError),
}

pub(crate) fn canonical(path: &Path) -> Result<PathBuf, RepoError> {
    path.canonicalize().map_err(|cause| RepoError::Io {
        path: path.to_owned(),
        cause,
    })
}
