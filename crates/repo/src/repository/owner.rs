use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Repo, RepoKind};
use crate::platform::Birth;

/// Time limit for finding the root commits. If a long history exceeds it, the owner record has no
/// lineage.
const LINEAGE_TIMEOUT: Duration = Duration::from_secs(5);

/// Owner record: the repository that data stored outside of it belongs to. It's stored with the
/// data and compared before use, because another repository may have taken the same path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// See [`crate::Identity::repo_id`].
    pub repo_id: String,
    /// Fingerprint of the working tree that last wrote the data; see
    /// [`crate::Identity::root_fingerprint`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_fingerprint: Option<String>,
    /// The repository's location, which is git's common folder, or the root if there's no git. It's
    /// an absolute path, so it may only be stored in private files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<PathBuf>,
    /// The root commits, sorted, or empty if unknown. Clones and forks share them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage: Vec<String>,
    /// Identity of git's common folder. Checking it is cheaper than comparing the lineage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub birth: Option<Birth>,
}

/// The reason why stored data must not be used for a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// The data belongs to a repository at another path.
    Elsewhere,
    /// The data belongs to an earlier repository at this path.
    Replaced,
    /// The data belongs to a repository at this path, but we can't prove that it's the current one.
    /// Either it had no commits then, or git can't be queried.
    Unproven,
}

impl Owner {
    /// Returns the owner record for `repo`. Git is asked for the lineage only if `before`, the
    /// record written last time, lacks it.
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

    /// Returns an owner record without a lineage, which never runs git. Use it for data we can
    /// afford to lose if git's folder is replaced.
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

    /// Checks that data of this owner belongs to `repo`. Runs git only if the file system can't
    /// decide.
    ///
    /// # Errors
    /// Returns the reason if the data does not belong to `repo`, or if that cannot be proven.
    pub fn check(&self, repo: &Repo) -> Result<(), Foreign> {
        if self.repo_id != repo.identity().repo_id {
            return Err(Foreign::Elsewhere);
        }
        let says_nothing = self.lineage.is_empty() && self.birth.is_none();
        // A plain folder has no identity except for its path, which we've compared above.
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

/// Returns the root commits, or nothing if git fails or takes too long.
fn first_commits(repo: &Repo) -> Vec<String> {
    let git = repo.git().map(|git| git.with_timeout(LINEAGE_TIMEOUT));
    git.and_then(|git| git.commits().root_commits())
        .unwrap_or_default()
}

fn is_same(then: Option<Birth>, now: Option<Birth>) -> bool {
    then.is_some() && then == now
}
