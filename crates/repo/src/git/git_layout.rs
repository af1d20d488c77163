use std::io;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::repo_error::{RepoError, canonical};

/// Maximum number of bytes read from a configuration file.
const MAX_CONFIG: u64 = 1 << 20;

/// Maximum size of a `.git` or `commondir` file, in bytes.
const MAX_POINTER: u64 = 8192;

/// The git folders of a working tree, found by reading files. Git isn't run until we know them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitLayout {
    /// This working tree's git folder: `.git`, or `.git/worktrees/<name>` of the main working tree.
    pub(crate) git_dir: PathBuf,
    /// The git folder shared by all working trees. In the main one it's `git_dir`.
    pub(crate) common_dir: PathBuf,
    /// True if the git folder itself names this working tree. Anyone can write a `.git` file or
    /// link to the folder of another repository, so we use a git folder only if it confirms the
    /// connection.
    pub(crate) is_mutual: bool,
}

impl GitLayout {
    /// Returns the layout of the working tree at `root`, or `None` if `root` isn't in a repository.
    ///
    /// A `.git` that is not a repository, such as an empty folder, is ignored as git does.
    pub(crate) fn of(root: &Path) -> Result<Option<Self>, RepoError> {
        let dot_git = root.join(".git");
        let git_dir = match std::fs::metadata(&dot_git) {
            Ok(metadata) if metadata.is_dir() => dot_git.clone(),
            Ok(metadata) if metadata.is_file() => root.join(read_pointer(&dot_git, "gitdir:")?),
            _ => return Ok(None),
        };
        if !git_dir.join("HEAD").is_file() {
            return if dot_git.is_dir() {
                Ok(None)
            } else {
                Err(RepoError::LostGitDir {
                    file: dot_git,
                    git_dir,
                })
            };
        }
        let common = git_dir.join("commondir");
        let common_dir = if common.is_file() {
            git_dir.join(read_pointer(&common, "")?)
        } else {
            git_dir.clone()
        };
        let (git_dir, common_dir) = (canonical(&git_dir)?, canonical(&common_dir)?);
        let is_mutual = is_mutual(root, &dot_git, &git_dir, &common_dir);
        Ok(Some(Self {
            git_dir,
            common_dir,
            is_mutual,
        }))
    }
}

/// True if `git_dir` confirms that it belongs to `dot_git`. It may be the same folder, or the
/// folder of a linked working tree that names `dot_git`. As in a submodule, its configuration may
/// also name `root`.
fn is_mutual(root: &Path, dot_git: &Path, git_dir: &Path, common_dir: &Path) -> bool {
    if git_dir == common_dir {
        return git_dir == dot_git || names_worktree(git_dir, root);
    }
    let same = |a: &Path, b: &Path| match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    let back = read_pointer(&git_dir.join("gitdir"), "");
    git_dir.starts_with(common_dir.join("worktrees"))
        && !dot_git.is_symlink()
        && back.is_ok_and(|back| same(&git_dir.join(back), dot_git))
}

/// True if the configuration in `git_dir` sets `core.worktree` to `root`.
fn names_worktree(git_dir: &Path, root: &Path) -> bool {
    // With per-worktree settings, a submodule has `core.worktree` in the second file.
    ["config", "config.worktree"].iter().any(|config| {
        let named = worktree_of(&git_dir.join(config));
        named.is_some_and(|named| {
            git_dir
                .join(named)
                .canonicalize()
                .is_ok_and(|named| named == root)
        })
    })
}

/// Returns the working tree named by a configuration file.
fn worktree_of(config: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    let open = open_regular(config).ok()?;
    open.take(MAX_CONFIG).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    text.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim().eq_ignore_ascii_case("worktree"))
            .then(|| value.trim().trim_matches('"').to_owned())
    })
}

/// Opens a regular file. Opening a pipe would block until another process writes to it, so pipes
/// are refused.
fn open_regular(path: &Path) -> io::Result<std::fs::File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it is not a regular file",
        ));
    }
    std::fs::File::open(path)
}

/// Reads the path in a one-line file, after `prefix`.
pub(super) fn read_pointer(file: &Path, prefix: &str) -> Result<PathBuf, RepoError> {
    let io_error = |cause| RepoError::Io {
        path: file.to_owned(),
        cause,
    };
    let mut bytes = Vec::new();
    open_regular(file)
        .and_then(|open| open.take(MAX_POINTER).read_to_end(&mut bytes))
        .map_err(io_error)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| {
        io_error(io::Error::new(
            io::ErrorKind::InvalidData,
            "it is not UTF-8",
        ))
    })?;
    match text.trim_end_matches(['\n', '\r']).strip_prefix(prefix) {
        Some(path) if !path.trim().is_empty() => Ok(PathBuf::from(path.trim_start())),
        _ => Err(io_error(io::Error::new(
            io::ErrorKind::InvalidData,
            "it does not name a git folder",
        ))),
    }
}
