use std::path::Path;

use serde::{Deserialize, Serialize};
use windlass_base::Digest;

use crate::platform::path_bytes;

/// The identity of a repository, so that what is kept about one never gets into another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// 32 hexadecimal digits, shared by all working trees of a repository: from the canonical path of
    /// git's common folder, or the root fingerprint where there is no git.
    pub repo_id: String,
    /// 32 hexadecimal digits, from the canonical path of the root.
    pub root_fingerprint: String,
    /// The kind: git knows it, or it is a folder.
    pub kind: RepoKind,
}

/// The kind of thing that a repository is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepoKind {
    /// A working tree of git.
    Git,
    /// A folder.
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

/// Half a BLAKE3 of the path: long enough to be unique, short enough for a folder's name.
fn fingerprint(path: &Path) -> String {
    let mut hex = Digest::of_bytes(&path_bytes(path)).hex();
    hex.truncate(32);
    hex
}
