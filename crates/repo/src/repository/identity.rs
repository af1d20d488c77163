use std::path::Path;

use serde::{Deserialize, Serialize};
use windlass_base::Digest;

use crate::platform::path_bytes;

/// Identity of a repository. Stored data is keyed by it, so that the data of one repository is never used for another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// 32 hexadecimal digits that all working trees of a repository share. They are derived from the canonical path of
    /// git's common folder. Without git, they are the root fingerprint.
    pub repo_id: String,
    /// 32 hexadecimal digits derived from the canonical path of the root.
    pub root_fingerprint: String,
    /// Kind: git working tree or plain folder.
    pub kind: RepoKind,
}

/// Kind of repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepoKind {
    /// Git working tree.
    Git,
    /// Folder without git.
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

/// Returns half of the path's BLAKE3 digest, which is long enough to be unique and short enough for a folder name.
fn fingerprint(path: &Path) -> String {
    let mut hex = Digest::of_bytes(&path_bytes(path)).hex();
    hex.truncate(32);
    hex
}
