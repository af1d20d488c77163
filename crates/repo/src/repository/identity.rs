//! The identity of a repository.

use std::path::Path;

use serde::{Deserialize, Serialize};
use windlass_base::Digest;

use crate::platform::path_bytes;

/// Identifies a repository. This is the key of stored data, so that a repository never uses the
/// data of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// 32 hex digits that are the same for all working trees of a repository. They are a
    /// fingerprint of the canonical path of git's common folder, or of the root of a plain folder.
    pub repo_id: String,
    /// Same format as `repo_id`, but always for the canonical path of the root, so it is different
    /// for each working tree.
    pub root_fingerprint: String,
    /// Tells if `repo_id` comes from git's common folder or from the root.
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

/// Returns the first half of the BLAKE3 digest of a path. That is still unique in practice, and
/// makes for a shorter folder name.
fn fingerprint(path: &Path) -> String {
    let mut hex = Digest::of_bytes(&path_bytes(path)).hex();
    hex.truncate(32);
    hex
}
