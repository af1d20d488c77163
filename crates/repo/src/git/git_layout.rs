//! Finds the git folders of a working tree by reading files.
//!
//! Git must not run before we know these folders, since the `.git` entry of a downloaded repository
//! is not trustworthy. It may lead to the folder of another repository on this machine.

use std::io;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::repo_error::{RepoError, canonical};

/// Maximum number of bytes to read from a configuration file. The rest is ignored.
const MAX_CONFIG: u64 = 1 << 20;

/// Maximum number of bytes to read from a `.git` or `commondir` file, which only contains a path.
const MAX_POINTER: u64 = 8192;

/// The git folders of a working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitLayout {
    /// Git folder of this working tree: `.git`, or `.git/worktrees/<name>` in the main working
    /// tree.
    pub(crate) git_dir: PathBuf,
    /// Git folder shared by all working trees. In the main one, the same as `git_dir`.
    pub(crate) common_dir: PathBuf,
    /// True if the git folder in turn names this working tree. Anyone can write a `.git` file or
    /// link, so git only runs if both sides agree.
    pub(crate) is_mutual: bool,
}

impl GitLayout {
    /// Finds the git folders of the working tree at `root`. Returns `None` if `.git` is missing or,
    /// like git, if it is not a repository but e.g. an empty folder.
    pub(crate) fn of(root: &Path) -> Result<Option<Self>, RepoError> {
        let dot_git = root.join(".git");
        let git_dir = match std::fs::metadata(&dot_git) {
            Ok(metadata) if metadata.is_dir() => dot_git.clone(),
            Ok(metadata) if metadata.is_file() => root.join(read_pointer(&dot_git, "gitdir:")?),
            _ => return Ok(None),
        };
        // Like git, we don't regard a folder without `HEAD` as a repository. But a `.git` file
        // names a folder that ought to be there, so the main working tree was probably moved.
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
        // Only the folder of a linked working tree has this file.
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

/// Returns true if `git_dir` confirms that it belongs to `dot_git`.
fn is_mutual(root: &Path, dot_git: &Path, git_dir: &Path, common_dir: &Path) -> bool {
    // This isn't a linked working tree. Either `.git` is the folder itself, or this is a submodule,
    // with the folder in the outer repository and our root in its configuration.
    if git_dir == common_dir {
        return git_dir == dot_git || names_worktree(git_dir, root);
    }
    let same = |a: &Path, b: &Path| match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    // The folder of a linked working tree is below `worktrees`, and its `gitdir` file names our
    // `.git`.
    let back = read_pointer(&git_dir.join("gitdir"), "");
    git_dir.starts_with(common_dir.join("worktrees"))
        && !dot_git.is_symlink()
        && back.is_ok_and(|back| same(&git_dir.join(back), dot_git))
}

fn names_worktree(git_dir: &Path, root: &Path) -> bool {
    // The second file is for submodules with per-worktree settings.
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

/// Extracts the working tree from a configuration file. Unlike a full parser, takes the first
/// `worktree` key in any section, and ignores included files.
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

/// Opens a regular file, and refuses anything else. Opening a pipe would block until another
/// process writes to it.
fn open_regular(path: &Path) -> io::Result<std::fs::File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it is not a regular file",
        ));
    }
    std::fs::File::open(path)
}

/// Reads a file that consists of `prefix` and a path, e.g. `gitdir: ../.git/worktrees/x`.
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
