use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Repo, RepoKind};
use crate::platform::Birth;

/// Time limit for finding the root commits. If a long history exceeds it, the owner record has no lineage.
const LINEAGE_TIMEOUT: Duration = Duration::from_secs(5);

/// Owner record: the repository that data stored outside of it belongs to. It is stored with the data and compared
/// before use, because another repository may have taken the same path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// See [`crate::Identity::repo_id`].
    pub repo_id: String,
    /// Fingerprint of the working tree that last wrote the data; see [`crate::Identity::root_fingerprint`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_fingerprint: Option<String>,
    /// Location of the repository: git's common folder, or the root if there is no git. The path is absolute, so it may
    /// only be stored in private files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<PathBuf>,
    /// Root commits, sorted. Clones and forks have the same root commits. Empty if unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage: Vec<String>,
    /// Identity of git's common folder. It is cheaper to check than the lineage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub birth: Option<Birth>,
}

/// Reason why stored data must not be used for a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// The data belongs to a repository at another path.
    Elsewhere,
    /// The data belongs to a repository that was at this path before.
    Replaced,
    /// The data belongs to a repository at this path, but nothing proves that it is this one. Either it had no commits
    /// then, or git cannot be queried.
    Unproven,
}

impl Owner {
    /// Returns the owner record for `repo`. `before` is the record written last time, if any. Git is queried for the
    /// lineage only if that record lacks it.
    #[must_use]
    pub fn of(repo: &Repo, before: Option<&Self>) -> Self {
        let owner = Self::without_lineage(repo);
        let is_known = |old: &&Self| !old.lineage.is_empty() && is_same(old.birth, owner.birth);
        let lineage = match before.filter(is_known) {
            Some(before) => before.lineage.clone(),
            None => first_commits(repo),
        };
        Self { lineage, ..owner }
    }

    /// Returns an owner record without a lineage, for data that may be lost if git's folder is replaced. Never runs
    /// git.
    #[must_use]
    pub fn without_lineage(repo: &Repo) -> Self {
        let place = repo.git_common_dir().unwrap_or_else(|| repo.root());
        Self {
            repo_id: repo.identity().repo_id.clone(),
            root_fingerprint: Some(repo.identity().root_fingerprint.clone()),
            place: Some(place.to_owned()).filter(|place| place.to_str().is_some()),
            lineage: Vec::new(),
            birth: birth(repo),
        }
    }

    /// Checks that data of this owner belongs to `repo`. Runs git only if the file system cannot decide.
    ///
    /// # Errors
    /// Returns the reason if the data does not belong to `repo`, or if that cannot be proven.
    pub fn check(&self, repo: &Repo) -> Result<(), Foreign> {
        if self.repo_id != repo.identity().repo_id {
            return Err(Foreign::Elsewhere);
        }
        let says_nothing = self.lineage.is_empty() && self.birth.is_none();
        // A plain folder has no other identity than its path, which was compared above.
        if repo.identity().kind == RepoKind::Folder || says_nothing {
            return Ok(());
        }
        if is_same(self.birth, birth(repo)) {
            return Ok(());
        }
        let own = first_commits(repo);
        if self.lineage.is_empty() || own.is_empty() {
            Err(Foreign::Unproven)
        } else if own.iter().any(|commit| self.lineage.contains(commit)) {
            Ok(())
        } else {
            Err(Foreign::Replaced)
        }
    }
}

fn birth(repo: &Repo) -> Option<Birth> {
    Birth::of(repo.git_common_dir()?)
}

/// Returns the lineage. The result is empty if git fails or takes too long.
fn first_commits(repo: &Repo) -> Vec<String> {
    let git = repo.git().map(|git| git.with_timeout(LINEAGE_TIMEOUT));
    git.and_then(|git| git.commits().root_commits())
        .unwrap_or_default()
}

fn is_same(then: Option<Birth>, now: Option<Birth>) -> bool {
    then.is_some() && then == now
}
