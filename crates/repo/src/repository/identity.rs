use std::path::Path;

use serde::{Deserialize, Serialize};
use windlass_base::Digest;

use crate::platform::path_bytes;

/// A repository's identity. It's the key of stored data, so that we never use the data of one
/// repository for another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// 32 hexadecimal digits shared by all working trees of a repository. They're derived from the
    /// canonical path of git's common folder. Without git, they're the root fingerprint.
    pub repo_id: String,
    /// 32 hexadecimal digits derived from the canonical path of the root.
    pub root_fingerprint: String,
    /// The kind of repository.
    pub kind: RepoKind,
}

/// Kinds of repositories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepoKind {
    /// A git working tree.
    Git,
    /// A folder without git.
    Folder,
}

impl Identity {
    pub(crate) fn of(root: &Path, common_dir: Option<&Path>) -> Self {
        let root_fingerprint = fingerprint(root);
        match common_dir {
            Some(common_dir) => Self {
                repo_id: fingerprint(common_dir),
                root_fingerprint,
                kind: RepoKind::Git,
            },
            None => Self {
                repo_id: root_fingerprint.clone(),
                root_fingerprint,
                kind: RepoKind::Folder,
            },
        }
    }
}

/// Returns half of the path's BLAKE3 digest. That's long enough to be unique and short enough for a
/// folder name.
fn fingerprint(path: &Path) -> String {
    let mut hex = Digest::of_bytes(&path_bytes(path)).hex();
    hex.truncate(32);
    hex
}
