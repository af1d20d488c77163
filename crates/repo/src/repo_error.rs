use std::path::{Path, PathBuf};

use crate::secret::{OwnRulesError, SecretPolicyError};

/// The reason why a repository cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepoError {
    /// A path cannot be used.
    #[error("cannot open the repository: `{}`: {cause}; give a folder that exists and may be read", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        cause: std::io::Error,
    },
    /// Not a folder.
    #[error("cannot open the repository: `{}` is not a folder; give its root", .0.display())]
    NotAFolder(PathBuf),
    /// A working tree whose repository was moved or deleted.
    #[error(
        "`{}` points to `{}`, which is not a git folder: was the main working tree moved? `git worktree repair` there mends it",
        file.display(),
        git_dir.display()
    )]
    LostGitDir {
        /// The `.git` file.
        file: PathBuf,
        /// What it names.
        git_dir: PathBuf,
    },
    /// The repository's own list of secret paths cannot be used; opening it without would show them.
    #[error(transparent)]
    Secrets(#[from] SecretPolicyError),
    /// The repository's own rules for secret values cannot be used; without them they would be shown.
    #[error(transparent)]
    Rules(#[from] OwnRulesError),
}

pub(crate) fn canonical(path: &Path) -> Result<PathBuf, RepoError> {
    path.canonicalize().map_err(|cause| RepoError::Io {
        path: path.to_owned(),
        cause,
    })
}
